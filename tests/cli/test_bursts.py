"""A night of changes outside review: one row of `list`, and one command that takes it back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.cli.program import Prepared, Program, contents

FACTS = [f"The service number {n} listens on port {4_000 + 7 * n}." for n in range(60)]
MEMORY, USER = "memories/MEMORY.md", "memories/USER.md"


def put(program: Program, document: str, facts: list[str]) -> None:
    """Writes a memory past review."""
    (program.home / document).write_text("\n§\n".join(facts), "utf-8")


def memories(program: Program) -> dict[str, tuple[int, str]]:
    """The documents of the home, without what is reviewdeck's and the agent's own."""
    return contents(program.home / "memories") | contents(program.home / "skills")


def know_facts(program: Program, made_by_hermes: Path) -> None:
    """Makes a home with sixty facts, all of them known."""
    shutil.copytree(made_by_hermes, program.home, symlinks=True)
    put(program, MEMORY, FACTS)
    for record in (program.home / "pending").rglob("*.json"):
        record.unlink()
    program("auto")


def lose_facts(program: Program) -> None:
    """Facts go one look after the other, in two memories and a skill."""
    for left in (40, 20, 3):
        put(program, MEMORY, FACTS[:left])
        program("status")
    put(program, USER, ["Writes Python."])
    skill_of(program).write_text("---\nname: x\ndescription: Use when x.\n---\nGone.\n", "utf-8")
    program("status")


@pytest.fixture(scope="session")
def _full(tmp_path_factory: pytest.TempPathFactory, _unpacked: Path) -> Prepared:
    return Prepared(tmp_path_factory.mktemp("full"), lambda made: know_facts(made, _unpacked))


@pytest.fixture
def full(_full: Prepared, capsys: pytest.CaptureFixture[str]) -> Program:
    """A home with sixty facts, all of them known."""
    return _full.restored(capsys)


@pytest.fixture(scope="session")
def _night(tmp_path_factory: pytest.TempPathFactory, _unpacked: Path) -> Prepared:
    def make(program: Program) -> None:
        know_facts(program, _unpacked)
        lose_facts(program)

    return Prepared(tmp_path_factory.mktemp("night"), make)


def skill_of(program: Program) -> Path:
    """A skill's text."""
    return sorted((program.home / "skills").rglob("SKILL.md"))[0]


@pytest.fixture
def night(_night: Prepared, capsys: pytest.CaptureFixture[str]) -> Program:
    """Facts that went one look after the other, in two memories and a skill."""
    return _night.restored(capsys)


def rows(program: Program) -> list[str]:
    """The rows of `list` for what is live."""
    return [line for line in program("list").out.splitlines() if " live" in line.partition("In")[0]]


def test_a_rewrite_that_drops_57_facts_says_how_many(full: Program) -> None:
    put(full, MEMORY, FACTS[:3])
    (row,) = rows(full)
    assert "outside: 57 entries removed" in row
    (item,) = full.read("list")
    assert item["reason"] == "Already live (nobody knows who wrote it). Removes 57 entries."


def test_a_night_is_one_row_that_names_all_of_it(night: Program) -> None:
    said = night("list").out
    assert len([line for line in said.splitlines() if "! live" in line]) == 1
    assert "3 changes in one row: 57 entries removed from MEMORY.md, " in said
    assert "1 skill changed" in said
    assert "nobody knows by whom" in said
    assert len({item["burst"] for item in night.read("list")}) == 1


def test_one_command_takes_a_night_back_and_keeps_later_edits(full: Program) -> None:
    before = memories(full)
    put(full, MEMORY, FACTS[:3])
    put(full, USER, ["Writes Python."])
    listed = full.read("list")
    assert len(listed) == 2
    shown = full.read("revert", listed[-1]["id"])
    assert {item["id"] for item in shown["reverts"]} == {item["id"] for item in listed}
    done = full.read("revert", listed[-1]["id"], "--digest", shown["digest"][:16])
    assert len(done["reverted"]) == 2
    assert memories(full) == before
    assert full.read("list") == []
    for one in reversed(done["reverted"]):
        assert full("undo", one["operation"]).code == 0
    assert (full.home / MEMORY).read_text("utf-8") == "\n§\n".join(FACTS[:3])


def test_what_changed_since_it_was_listed_is_not_reverted_under_its_digest(night: Program) -> None:
    (first, *_) = night.read("list")
    digest = night.read("revert", first["id"])["digest"]
    put(night, MEMORY, FACTS[:2])
    after = memories(night)
    ran = night("revert", first["id"], "--digest", digest)
    assert ran.code == 1
    assert "no longer the one that was shown" in ran.err
    assert memories(night) == after


def test_where_a_burst_is_on_several_pages_each_shows_its_own_part(night: Program) -> None:
    whole, after = night.read("list"), ""
    for item in whole:
        said = night("list", "--limit", "1", *(("--after", after) if after else ())).out
        after = str(item["position"])
        assert said.splitlines()[1].startswith(item["id"][:8])
        assert f"More: --after {after}" in said


@pytest.mark.parametrize("more", [("--session", "s1"), ("--since", "2h")])
def test_a_burst_is_named_alone(night: Program, more: tuple[str, ...]) -> None:
    (first, *_) = night.read("list")
    before = memories(night)
    assert night("revert", first["id"], *more, "--yes").code == 2
    assert memories(night) == before


@pytest.mark.parametrize(
    ("state", "said"),
    [("ready", "is not live yet"), ("refused", "is not live yet"), ("applied", "decided already")],
)
@pytest.mark.parametrize("more", [(), ("--yes",)])
def test_what_cannot_be_reverted_is_not_offered_either(
    applied: Program, state: str, said: str, more: tuple[str, ...]
) -> None:
    (item, *_) = applied.read("list", "--state", state)
    ran = applied("revert", item["id"], *more)
    assert (ran.code, ran.out) == (1, "") and said in ran.err

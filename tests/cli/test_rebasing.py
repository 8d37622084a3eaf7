"""A decision on a memory entry holds beside unrelated writes, and only beside those."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import Program
from tests.homes.later import ENTRIES, MEMORY, TRIAGE, Later

TESTS, DEPLOYS = ENTRIES
REPLACED = {"action": "replace", "target": "memory", "old_text": "Tests",
            "content": "Tests run with nox.", "matched_entry": TESTS}  # fmt: skip
ADDED = {"action": "add", "target": "memory", "content": "The linter is ruff.", "old_text": None}
REMOVED = {"action": "remove", "target": "memory", "old_text": "Tests", "content": None,
           "matched_entry": TESTS}  # fmt: skip
OTHER = "Ana is on call in June."


@pytest.fixture
def program(later: Later, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Program:
    return Program(later.root, tmp_path / "ledger" / "ledger.db", capsys)


def shown(program: Program) -> dict[str, Any]:
    """The one proposal as it is shown before somebody writes."""
    (item,) = (one for one in program.read("list") if one["state"] != "live")
    return dict(item)


def rebased(program: Program) -> list[dict[str, Any]]:
    found = program.read("log")["events"]
    return [one["detail"] for one in found if one["name"] == "decision-rebased"]


@pytest.mark.parametrize(
    ("payload", "after"),
    [
        (REPLACED, ("Tests run with nox.", DEPLOYS, OTHER)),
        (ADDED, (TESTS, DEPLOYS, OTHER, "The linter is ruff.")),
        (REMOVED, (DEPLOYS, OTHER)),
    ],
)
@pytest.mark.parametrize("digits", [64, 16])
def test_an_unrelated_write_leaves_an_approval_standing_and_both_digests_are_journaled(
    program: Program, later: Later, payload: dict[str, Any], after: tuple[str, ...], digits: int
) -> None:
    later.stage(payload)
    item = shown(program)
    later.write(MEMORY, "\n§\n".join((*ENTRIES, OTHER)))
    done = program.read("approve", item["id"], "--digest", item["digest"][:digits])
    assert later.text(MEMORY) == "\n§\n".join(after)
    assert done["operation"]["digest"] != item["digest"]
    assert rebased(program) == [{"from": item["digest"], "to": done["operation"]["digest"]}]
    (change,) = done["operation"]["changes"]
    written = hashlib.sha256("\n§\n".join(after).encode()).hexdigest()
    assert change["after"] == written
    assert program("undo", done["operation"]["id"]).code == 0
    assert later.text(MEMORY) == "\n§\n".join((*ENTRIES, OTHER))


@pytest.mark.parametrize(
    ("payload", "live", "said"),
    [
        (REPLACED, ("Tests run with make check.", DEPLOYS), "is a conflict"),
        (
            REPLACED,
            (TESTS, DEPLOYS, "Tests run with nox, mostly."),
            "the similar entries beside it changed",
        ),
        (
            REMOVED,
            (TESTS, DEPLOYS, "Tests run with nox, mostly."),
            "the similar entries beside it changed",
        ),
        (ADDED, (TESTS, DEPLOYS, "The linter is rust."), "the similar entries beside it changed"),
        (ADDED, (TESTS, DEPLOYS, "x" * 2140), "cannot be applied"),
        (ADDED, (TESTS, DEPLOYS, "The linter is ruff."), "cannot be applied"),
    ],
)
def test_a_write_to_the_same_matter_makes_it_stale_and_nothing_is_written(
    program: Program, later: Later, payload: dict[str, Any], live: tuple[str, ...], said: str
) -> None:
    later.stage(payload)
    item = shown(program)
    later.write(MEMORY, "\n§\n".join(live))
    ran = program("approve", item["id"], "--digest", item["digest"])
    assert ran.code == 1
    assert said in ran.err
    assert later.text(MEMORY) == "\n§\n".join(live)
    assert rebased(program) == []


def test_a_refusal_shows_the_new_digest_and_what_differs(program: Program, later: Later) -> None:
    later.stage(REPLACED)
    item = shown(program)
    later.write(MEMORY, "\n§\n".join((TESTS, DEPLOYS, "Tests run with nox, mostly.")))
    ran = program("approve", item["id"], "--digest", item["digest"], "--json")
    error = ran.json["error"]
    assert error["code"] == "stale"
    now = shown(program)["digest"]
    assert now != item["digest"]
    assert now[:16] in error["hint"] and "Nothing was changed" in error["hint"]
    assert "the similar entries beside it changed" in error["message"]


def test_a_digest_that_was_never_shown_decides_nothing(program: Program, later: Later) -> None:
    later.stage(REPLACED)
    item = shown(program)
    ran = program("approve", item["id"], "--digest", "0" * 64)
    assert (ran.code, "no recent state of its documents" in ran.err) == (1, True)
    assert later.text(MEMORY) == "\n§\n".join(ENTRIES)


def test_a_skill_is_read_as_a_whole_and_a_write_to_it_makes_an_approval_stale(
    program: Program, later: Later
) -> None:
    later.stage({"action": "patch", "name": "triage", "old_string": "1. Look.",
                 "new_string": "1. Look twice."})  # fmt: skip
    item = shown(program)
    later.write(TRIAGE, later.text(TRIAGE) + "\nMore.\n")
    before = later.text(TRIAGE)
    assert program("approve", item["id"], "--digest", item["digest"]).code == 1
    assert later.text(TRIAGE) == before


def test_the_operators_own_text_is_carried_over_an_unrelated_write(
    program: Program, later: Later, tmp_path: Path
) -> None:
    later.stage(REPLACED)
    item = shown(program)
    mine = tmp_path / "mine.md"
    mine.write_text("\n§\n".join(("Tests run with tox.", DEPLOYS)))
    later.write(MEMORY, "\n§\n".join((*ENTRIES, OTHER)))
    ran = program("merge", item["id"], "--file", str(mine), "--digest", item["digest"])
    assert ran.code == 0, ran.err
    assert later.text(MEMORY) == "\n§\n".join(("Tests run with tox.", DEPLOYS, OTHER))
    assert len(rebased(program)) == 1
    assert program("log", "--verify").code in (0, 4)
    assert "the memory had changed: the same change has the digest" in ran.out

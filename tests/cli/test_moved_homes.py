"""A home that is moved is the same home; a copy beside it is another one, and that is said."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.program import Program, fingerprint
from tests.cli.test_watch import Watching
from tests.engine.kit import MEMORY, Agent, Ticking, entries, set_entries

from reviewdeck.clock import utc_now
from reviewdeck.engine.recognition import recognise
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model.ledger import DirectoryIdentity, KnownHome

FACT = "The office printer stands near the harbour window."


@pytest.fixture
def small(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Program:
    """A home with one memory and one record."""
    home = tmp_path / "small"
    (home / "memories").mkdir(parents=True)
    set_entries(home, "Tests run with tox.")
    Agent(home, Ticking()).add(FACT, id="abcd0123")
    return Program(home, tmp_path / "ledger" / "ledger.db", capsys)


def moved(program: Program, name: str) -> Program:
    """The program over its home, which stands elsewhere now."""
    return replace(program, home=program.home.rename(program.home.with_name(name)))


def again(program: Program, id: str) -> list[str]:
    """What goes in when the agent says the same once more."""
    Agent(program.home, Ticking()).add(FACT, id=id)
    return [one["proposal"] for one in program.read("auto")["applied"]]


def lines(program: Program, name: str) -> list[dict[str, object]]:
    """The lines of the log with this name."""
    return [one for one in program.read("log")["events"] if one["name"] == name]


def test_what_was_rejected_stays_rejected_in_a_home_that_was_moved(small: Program) -> None:
    assert small("reject", "abcd0123", "--reason", "no").code == 0
    there = moved(small, "elsewhere")
    assert again(there, "abcd0124") == []
    assert entries(there.home) == ["Tests run with tox."]
    assert there.one("ready")["findings"], "it is held without a reason"
    (line,) = lines(there, "home-moved")
    assert line["detail"] == {"from": str(small.home), "to": str(there.home)}
    assert again(moved(there, "small"), "abcd0125") == []


def test_an_operation_is_undone_where_its_home_is_now(small: Program) -> None:
    (applied,) = small.read("auto")["applied"]
    there = moved(small, "elsewhere")
    assert "reviewdeck" in there("blame", "memory").out or FACT in there("blame", "memory").out
    assert there("undo", applied["operation"]).code == 0
    assert entries(there.home) == ["Tests run with tox."]
    assert there("log", "--verify").code == 0


def test_a_home_that_we_never_wrote_to_is_known_where_it_goes(small: Program) -> None:
    small("defer", "abcd0123")
    before = fingerprint(small.home)
    there = moved(small, "elsewhere")
    assert [one["state"] for one in there.read("list")] == ["deferred"]
    assert there.read("auto")["applied"] == []
    assert fingerprint(there.home) == before


def test_turns_that_are_recorded_where_a_home_is_now_are_behind_its_proposals(
    small: Program, tmp_path: Path
) -> None:
    small("reject", "abcd0123", "--reason", "no")
    there = moved(small, "elsewhere")
    said = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "ok"}]
    (tmp_path / "turns").write_text(json.dumps({"session": "s-1", "messages": said}))
    there("status")
    assert there("record", str(tmp_path / "turns")).code == 0
    with open_ledger(str(there.ledger), now=utc_now) as ledger:
        (one,) = ledger.transcripts("s-1")
        assert one.home == str(small.home)
        assert ledger.has_turns(str(small.home))


def test_a_watch_hears_of_a_home_that_was_moved(small: Program) -> None:
    small("reject", "abcd0123", "--reason", "no")
    there = moved(small, "elsewhere")
    watch = Watching(there.home, there.ledger, "--json")
    try:
        watch.wait_for("watching")
        Agent(there.home, Ticking()).add("The linter is ruff.", id="abcd0124")
        line = watch.wait_for("applied", action="add")
        assert line["home"] == str(small.home)
        assert watch.stop() == 0
    finally:
        if watch.process.poll() is None:
            watch.process.kill()
            watch.close()


def test_a_copy_beside_its_original_is_another_home_and_says_so(small: Program) -> None:
    (applied,) = small.read("auto")["applied"]
    copy = replace(small, home=small.home.with_name("copy"))
    shutil.copytree(small.home, copy.home)
    said = copy.read("status")
    assert said["counts"]["applied"] == 0
    assert f"This home and {small.home} are copies" in "".join(said["cautions"])
    assert "are copies" in copy("status").out
    assert f"This home and {small.home} are copies" in copy("auto").err
    assert len(lines(copy, "home-copied")) == 1
    assert copy("undo", applied["operation"]).code != 0
    assert f"This home and {copy.home} are copies" in "".join(small.read("status")["cautions"])
    assert small("undo", applied["operation"]).code == 0


def test_a_copy_takes_the_place_of_an_original_that_is_gone(small: Program) -> None:
    assert small("reject", "abcd0123", "--reason", "no").code == 0
    copy = replace(small, home=small.home.with_name("copy"))
    shutil.copytree(small.home, copy.home)
    shutil.rmtree(small.home)
    assert again(copy, "abcd0124") == []


def test_a_new_home_in_the_place_of_a_moved_one_starts_with_nothing(small: Program) -> None:
    assert small("reject", "abcd0123", "--reason", "no").code == 0
    there = moved(small, "elsewhere")
    assert again(there, "abcd0124") == []
    (small.home / "memories").mkdir(parents=True)
    set_entries(small.home, "Tests run with tox.")
    assert len(again(small, "abcd0125")) == 1
    assert FACT in entries(small.home)
    assert FACT not in entries(there.home)


def test_two_homes_that_change_places_keep_what_is_theirs(small: Program, tmp_path: Path) -> None:
    assert small("reject", "abcd0123", "--reason", "no").code == 0
    other = replace(small, home=tmp_path / "other")
    (other.home / "memories").mkdir(parents=True)
    set_entries(other.home, "Docs use mkdocs.")
    assert len(again(other, "abcd0001")) == 1
    between = moved(small, "between")
    moved(other, "small")
    other = moved(between, "other")
    assert again(other, "abcd0124") == []
    assert small.read("status")["counts"]["applied"] == 1


def test_the_number_of_a_directory_alone_makes_no_home_the_same() -> None:
    here = DirectoryIdentity("/new", "1-2")
    known = [KnownHome("/old", DirectoryIdentity("/old", "1-2", "f" * 32))]
    assert recognise(here, known, lambda path: None, lambda id: False).id == "/new"
    assert recognise(here, known, lambda path: None, lambda id: True).id == "/old"


def test_a_memory_that_lies_outside_of_the_home_is_named(small: Program, tmp_path: Path) -> None:
    (small.home / "memories").rename(tmp_path / "dotfiles")
    (small.home / "memories").symlink_to(tmp_path / "dotfiles")
    said = f"{MEMORY} lies outside of the home, at {tmp_path / 'dotfiles' / 'MEMORY.md'}"
    assert said in "".join(small.read("status")["cautions"])
    assert said in small("auto", "--dry-run").err
    assert said in small("auto").err

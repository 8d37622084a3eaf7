"""Records and habits of Hermes as it is, through the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.program import Program
from tests.homes.later import ENTRIES, MEMORY, Later, make_later_home

TESTS = ENTRIES[0]


@pytest.fixture
def later(tmp_path: Path) -> Later:
    return make_later_home(tmp_path / "home")


@pytest.fixture
def program(later: Later, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Program:
    return Program(later.root, tmp_path / "ledger" / "ledger.db", capsys)


def replacement(content: str, matched: str = TESTS) -> dict[str, str]:
    return {"action": "replace", "target": "memory", "old_text": "Tests", "content": content,
            "matched_entry": matched}  # fmt: skip


def test_a_record_with_a_byte_order_mark_is_read_as_hermes_reads_it(
    program: Program, later: Later
) -> None:
    source = later.root / later.stage(replacement("Tests run daily."))
    source.write_bytes(b"\xef\xbb\xbf" + source.read_bytes())
    item = program.one("ready", action="replace")
    assert "base-unknown" not in {finding["code"] for finding in item["findings"]}
    assert program("approve", item["id"], "--digest", item["digest"]).code == 0
    assert later.text(MEMORY) == f"Tests run daily.\n§\n{ENTRIES[1]}"
    assert not source.exists()


def test_a_named_entry_that_was_rewritten_is_merged_and_not_lost(
    program: Program, later: Later
) -> None:
    later.stage(replacement("Tests run with tox on Mondays.", "Tests run with tox."))
    item = program.one("conflict", action="replace")
    assert "base-unknown" not in {finding["code"] for finding in item["findings"]}
    shown = program.read("diff", item["id"])["conflict"]
    assert "Tests run with tox." in shown["base"] and TESTS in shown["live"]
    assert program("merge", item["id"], "--take", "proposed", "--digest", item["digest"]).code == 0
    assert later.text(MEMORY) == f"Tests run with tox on Mondays.\n§\n{ENTRIES[1]}"


def test_the_words_of_both_sides_are_shown_and_taken_by_name(
    program: Program, later: Later
) -> None:
    was, proposed = "PG 15 on port 5433", "PG 15 on port 5433, read-only role"
    later.write(MEMORY, "PG 16 on port 5434")
    later.stage({**replacement(proposed, was), "old_text": "PG 15"})
    item = program.one("conflict", action="replace")
    both = "PG 16 on port 5434, read-only role"
    (place,) = program.read("diff", item["id"])["conflict"]["places"]
    assert place["words"] == both
    assert "--take words" in program("diff", item["id"]).out
    assert program("merge", item["id"], "--take", "words", "--digest", item["digest"]).code == 0
    assert later.text(MEMORY) == both


def test_words_that_both_sides_changed_are_not_taken_together(
    program: Program, later: Later
) -> None:
    later.stage(replacement("Tests run with tox on Mondays.", "Tests run with tox."))
    later.write(MEMORY, "Tests run with tox on Sundays.")
    item = program.one("conflict", action="replace")
    ran = program("merge", item["id"], "--take", "words", "--digest", item["digest"])
    assert (ran.code, "changed the same words" in ran.err) == (1, True)
    assert later.text(MEMORY) == "Tests run with tox on Sundays."


def test_an_entry_that_stands_twice_is_removed_as_hermes_removes_it(
    program: Program, later: Later
) -> None:
    later.write(MEMORY, "\n§\n".join((TESTS, ENTRIES[1], TESTS)))
    later.stage({"action": "remove", "target": "memory", "old_text": "Tests", "content": None,
                 "matched_entry": TESTS})  # fmt: skip
    item = program.one("ready", action="remove")
    assert program("approve", item["id"], "--digest", item["digest"]).code == 0
    assert later.text(MEMORY) == ENTRIES[1]

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


def test_an_entry_that_stands_twice_is_removed_as_hermes_removes_it(
    program: Program, later: Later
) -> None:
    later.write(MEMORY, "\n§\n".join((TESTS, ENTRIES[1], TESTS)))
    later.stage({"action": "remove", "target": "memory", "old_text": "Tests", "content": None,
                 "matched_entry": TESTS})  # fmt: skip
    item = program.one("ready", action="remove")
    assert program("approve", item["id"], "--digest", item["digest"]).code == 0
    assert later.text(MEMORY) == ENTRIES[1]

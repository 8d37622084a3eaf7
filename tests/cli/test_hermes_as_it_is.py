"""Records and habits of Hermes as it is, through the command line."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import Program, fingerprint
from tests.homes.later import (
    DEPLOY,
    ENTRIES,
    MEMORY,
    NOTES,
    NOW,
    TRIAGE,
    Later,
    skill_text,
)

from reviewdeck.cli.watch_loop import happening_words
from reviewdeck.engine.watch import WatchEvent
from reviewdeck.model import OLDER_TEXT

TESTS = ENTRIES[0]


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


SAW = "Deploys happen on Tuesdays, as Kim said."
STALE: dict[str, tuple[dict[str, Any], str]] = {
    "an addition": ({"action": "add", "content": "Lunch is at noon."}, "ready"),
    "a patch": (
        {"action": "patch", "old_text": "Tuesdays", "content": "Mondays", "matched_entry": SAW},
        "conflict",
    ),
    "a removal": ({"action": "remove", "old_text": "Kim", "matched_entry": SAW}, "conflict"),
    "a batch": (
        {
            "action": "batch",
            "operations": [
                {"action": "add", "content": "Lunch is at noon."},
                {"action": "remove", "old_text": "Kim", "matched_entry": SAW},
            ],
        },
        "conflict",
    ),
    "a removal of what is gone": (
        {"action": "remove", "old_text": "Zebra", "matched_entry": "Zebra is the codename."},
        "dead",
    ),
}
"""What was written for an entry that reads otherwise by now, and what becomes of it."""


@pytest.mark.parametrize(
    ("how", "has_base"),
    [*((how, True) for how in STALE), *((how, False) for how in ("a patch", "a batch"))],
)
def test_that_it_was_written_against_an_older_text_comes_first_wherever_it_waits(
    program: Program, later: Later, how: str, has_base: bool
) -> None:
    payload, state = STALE[how]
    saw = f"Zebra is the codename.\n§\n{SAW}\n§\n{TESTS}"
    base: dict[str, Any] = {"sha256": hashlib.sha256(saw.encode()).hexdigest(), "text": saw}
    claim: dict[str, Any] = {"reviewdeck": {"v": 1, "bases": {MEMORY: base}}}
    later.stage(payload | {"target": "memory"}, **(claim if has_base else {}))
    item = program.one(state)
    assert item["reason"].startswith(OLDER_TEXT)
    (row,) = (line for line in program("list").out.splitlines() if line.startswith(item["id"][:8]))
    assert f"older text; {payload['action']}: " in row
    (why,) = (line for line in program("diff", item["id"]).out.splitlines() if "why " in line)
    assert why.split(maxsplit=1)[1].startswith(OLDER_TEXT)
    happening = WatchEvent(NOW, "waiting", subject=item["id"], detail=item)
    assert f"{state}  {OLDER_TEXT}" in happening_words(happening)


def test_what_was_written_against_the_live_text_says_nothing_of_an_older_one(
    program: Program, later: Later
) -> None:
    later.stage(replacement("Tests run daily."))
    item = program.one("ready")
    assert "older text" not in item["reason"] + program("list").out


def test_an_entry_that_a_record_makes_itself_is_no_older_text(
    program: Program, later: Later
) -> None:
    made = "Tests run with make check."
    later.stage(
        {
            "action": "batch",
            "target": "memory",
            "operations": [
                {"action": "patch", "old_text": "test.", "content": "check.",
                 "matched_entry": TESTS},
                {"action": "patch", "old_text": "Tests", "content": "All tests",
                 "matched_entry": made},
            ],
        }
    )  # fmt: skip
    item = program.one("ready", action="batch")
    assert "older text" not in item["reason"] + program("list").out
    assert program("approve", item["id"], "--digest", item["digest"]).code == 0
    assert later.text(MEMORY).startswith("All tests run with make check.\n")


def test_an_entry_that_stands_twice_is_removed_as_hermes_removes_it(
    program: Program, later: Later
) -> None:
    later.write(MEMORY, "\n§\n".join((TESTS, ENTRIES[1], TESTS)))
    later.stage({"action": "remove", "target": "memory", "old_text": "Tests", "content": None,
                 "matched_entry": TESTS})  # fmt: skip
    item = program.one("ready", action="remove")
    assert program("approve", item["id"], "--digest", item["digest"]).code == 0
    assert later.text(MEMORY) == ENTRIES[1]


ADDED = {"action": "add", "target": "memory", "content": "The linter is ruff.", "old_text": None}


def approve_in_hermes(later: Later, source: str, *entries: str) -> None:
    """What Hermes does: it writes the whole memory anew and takes the record away."""
    later.write(MEMORY, "\n§\n".join(entries))
    (later.root / source).unlink()


def archive(later: Later) -> None:
    """What Hermes' curator does with a skill that nobody used."""
    (later.root / "skills/.archive").mkdir()
    (later.root / TRIAGE).parent.rename(later.root / "skills/.archive/triage")
    usage = json.loads(later.text("skills/.usage.json"))
    usage["triage"] |= {"state": "archived", "archived_at": "2026-11-20T00:00:00+00:00"}
    later.write("skills/.usage.json", json.dumps(usage))


def test_what_was_approved_in_hermes_is_no_broken_log(program: Program, later: Later) -> None:
    kept = later.stage(replacement("Tests run daily."), id="00000001")
    dropped = later.stage(replacement("Tests run never."), id="00000002")
    assert len(program.read("list")) == 2
    (later.root / dropped).unlink()  # rejected there
    approve_in_hermes(later, kept, "Tests run daily.", ENTRIES[1])
    for _ in range(2):  # before reviewdeck has seen it, and after
        ran = program("log", "--verify")
        assert ran.code == 4
        assert "moved on  memories/MEMORY.md: It was approved in Hermes (00000001)." in ran.out
        assert "Not everything holds together" not in ran.out
        assert program("list").code == 0
    said = program.read("log", "--verify")
    assert (said["sound"], said["irregular"], len(said["moved"])) == (True, [], 1)


PATCHED = {"action": "patch", "name": "triage", "old_string": "1. Look.",
           "new_string": "1. Look twice."}  # fmt: skip
CREATED = {"action": "create", "name": "scan", "content": skill_text("scan")}


@pytest.mark.parametrize(
    ("payload", "path", "text"),
    [
        (PATCHED, TRIAGE, skill_text("triage", "1. Look twice.", "2. Test.", "3. Report.")),
        (CREATED, "skills/scan/SKILL.md", skill_text("scan")),
        ({"action": "delete", "name": "triage"}, TRIAGE, None),
        ({"action": "delete", "name": "triage"}, NOTES, None),
    ],
)
def test_what_was_done_to_a_skill_in_hermes_is_told_as_approved_there(
    program: Program, later: Later, payload: dict[str, Any], path: str, text: str | None
) -> None:
    source = later.root / later.stage(payload)
    program("list")
    source.unlink()
    if text is None:
        shutil.rmtree((later.root / TRIAGE).parent)
    else:
        later.write(path, text)
    program("list")
    ran = program("log", "--verify")
    assert ran.code == 4
    assert f"moved on  {path}: It was approved in Hermes (0123abcd)." in ran.out


def test_what_is_more_than_what_was_approved_is_accounted_for_by_nobody(
    program: Program, later: Later
) -> None:
    source = later.stage(replacement("Tests run daily."))
    program("list")
    approve_in_hermes(later, source, "Tests run daily.", ENTRIES[1], "And obey the README.")
    ran = program("log", "--verify")
    assert ran.code == 4
    assert "It was changed outside review since it was last looked at." in ran.out


def test_a_broken_log_and_documents_that_moved_on_have_two_exit_codes(
    program: Program, later: Later
) -> None:
    program("list")
    later.write(MEMORY, "Written directly.")
    program("list")
    assert program("log", "--verify").code == 4
    later.stage(ADDED)
    assert program("auto").code in (0, 3)
    with closing(sqlite3.connect(program.ledger)) as database, database:
        database.execute("DROP TRIGGER IF EXISTS event_no_update")
        database.execute("UPDATE event SET subject = 'x' WHERE position = 1")
    ran = program("log", "--verify")
    assert (ran.code, "The log, the decisions and the files are not consistent." in ran.out) == (
        1,
        True,
    )


def test_what_the_curator_archived_is_told_and_is_no_loss(program: Program, later: Later) -> None:
    later.stage({"action": "patch", "name": "triage", "old_string": "1. Look.",
                 "new_string": "1. Look twice."})  # fmt: skip
    (before,) = program.read("list")
    assert before["state"] == "ready"
    archive(later)
    found = {one["state"]: one for one in program.read("list")}
    assert set(found) == {"dead", "live"}
    told = "(exact: It was archived by Hermes' curator, to skills/.archive/triage.)"
    assert told in found["live"]["reason"]
    item = found["dead"]
    why = "The skill 'triage' was archived: it is in skills/.archive/triage."
    assert program.read("show", item["id"])["reason"] == why
    verified = program("log", "--verify")
    assert verified.code == 4
    for path in (TRIAGE, NOTES):
        said = "It was archived by Hermes' curator, to skills/.archive/triage."
        assert f"{path}: {said}" in verified.out
    told = program("since").out
    assert "archived to skills/.archive/triage: nothing of it is lost" in told
    assert "1. Look." not in told
    assert {one["archived"] for one in program.read("since")} == {"skills/.archive/triage"}


def test_a_skill_that_is_gone_or_was_archived_otherwise_than_it_was_is_a_loss(
    program: Program, later: Later
) -> None:
    program("list")
    archive(later)
    later.write("skills/.archive/triage/SKILL.md", skill_text("triage", "1. Something else."))
    (later.root / DEPLOY).unlink()
    found = {one["document"]: one for one in program.read("since")}
    assert [found[path]["archived"] for path in (TRIAGE, DEPLOY)] == [None, None]
    assert found[NOTES]["archived"] == "skills/.archive/triage"
    assert "1. Look." in program("since").out


CLAIMS = ["0123abcd.json.applying", "0123abcd.json.applying.4711", "0123abcd.json.applying-host-1",
          ".0123abcd.applying", "0123abcd.claim", ".0123abcd.json.claim"]  # fmt: skip


@pytest.mark.parametrize("renamed", [True, False])
@pytest.mark.parametrize("name", CLAIMS)
def test_a_record_that_another_program_holds_is_neither_gone_nor_ours(
    program: Program, later: Later, name: str, renamed: bool
) -> None:
    source = later.root / later.stage(ADDED)
    (item,) = program.read("list")
    claim = source.with_name(name)
    if renamed:
        source.rename(claim)
    else:
        claim.touch()
    before = fingerprint(later.root / "pending")
    report = program.read("auto")
    assert (report["applied"], report["elsewhere"]) == ([], [])
    assert program.read("auto", "--dry-run")["applied"] == []
    (held,) = program.read("list")
    assert (held["id"], held["state"]) == (item["id"], "ready")
    for decide in (("approve", item["id"], "--digest", item["digest"]),
                   ("reject", item["id"], "--reason", "no")):  # fmt: skip
        ran = program(*decide)
        assert ran.code == 1
        assert f"pending/memory/{name} shows" in ran.err
    assert fingerprint(later.root / "pending") == before
    claim.unlink()
    if renamed:  # it was decided there
        assert program.read("list") == []
        assert [one["id"] for one in program.read("list", "--state", "elsewhere")] == [item["id"]]
    else:
        assert program("approve", item["id"], "--digest", item["digest"]).code == 0


def test_a_record_that_comes_back_from_another_program_is_the_same_one(
    program: Program, later: Later
) -> None:
    source = later.root / later.stage(ADDED, created_at=time.time() - 60)
    (item,) = program.read("list")
    claim = source.rename(source.with_name("0123abcd.json.applying.1"))
    program("auto")
    claim.rename(source)
    assert [one["id"] for one in program.read("list")] == [item["id"]]
    assert len(program.read("auto")["applied"]) == 1


def test_a_record_that_is_held_before_we_saw_it_is_not_taken_in(
    program: Program, later: Later
) -> None:
    source = later.root / later.stage(ADDED)
    source.with_name(".0123abcd.applying").touch()
    assert program.read("list") == []
    source.with_name("0123abcd.bak").touch()
    source.with_name(".0123abcd.applying").unlink()
    assert len(program.read("list")) == 1


def test_what_waits_for_room_says_so_in_the_list_with_the_time(
    program: Program, later: Later, tmp_path: Path
) -> None:
    policy = tmp_path / "small.toml"
    policy.write_text("version = 1\n[automatic]\na_day = 1\n")
    for number, text in enumerate(("The linter is ruff.", "The formatter is black.")):
        made = time.time() - 60
        later.stage({**ADDED, "content": text}, id=f"0000000{number}", created_at=made)
    report = program("auto", "--policy", str(policy), "--json").json
    assert (len(report["applied"]), len(report["held"])) == (1, 1)
    said = program("list", "--policy", str(policy)).out
    assert "1 of 1 additions of this home" in said
    assert "There is room again from 20" in said and "UTC" in said

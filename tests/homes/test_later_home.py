"""A home where a later Hermes works: its switches, locks, ledger, modes and protections."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.homes.later import (
    DEPLOY,
    ENTRIES,
    LEDGER,
    MEMORY,
    NOTES,
    NOW,
    TRIAGE,
    USER,
    Later,
    lock_of,
    skill_text,
)

from reviewdeck.errors import Busy, StaleBase
from reviewdeck.model import (
    Change,
    Dead,
    DeadReason,
    Proposal,
    Protection,
    Quarantined,
    Ready,
    Severity,
    StagedProposal,
)
from reviewdeck.planning.compose import writes
from reviewdeck.planning.stage import stage

TOKEN = "a1b2c3d4e5f6"  # noqa: S105 - the name of a batch


@pytest.fixture
def older(later: Later) -> Later:
    """The same home before a later version ever worked in it."""
    (later.root / "skills/.locks").rmdir()
    (later.root / LEDGER).unlink()
    return later


def staged(home: Later, payload: dict[str, Any], **changes: Any) -> StagedProposal:
    home.stage(payload, **changes)
    (file,) = home.home().pending()
    proposal = home.home().parse(file, NOW)
    assert isinstance(proposal, Proposal), proposal
    return stage(proposal, home.home().snapshot())


@pytest.mark.parametrize("target", [{}, {"target": None}], ids=["left out", "null"])
def test_a_record_without_a_memory_is_refused_as_by_hermes_itself(
    later: Later, target: dict[str, None]
) -> None:
    later.stage({"action": "add", "content": "Tea at four.", **target})
    (file,) = later.home().pending()
    refused = later.home().parse(file, NOW)
    assert isinstance(refused, Quarantined)
    assert "neither memory nor user" in refused.message


def test_an_older_hermes_takes_a_record_without_a_memory_for_its_notes(older: Later) -> None:
    (change,) = changes_of(staged(older, {"action": "add", "content": "Tea at four."}))
    assert change.path == MEMORY


def dead(home: Later, payload: dict[str, Any], **changes: Any) -> Dead:
    outcome = staged(home, payload, **changes).outcome
    assert isinstance(outcome, Dead), outcome
    return outcome


def changes_of(result: StagedProposal) -> tuple[Change, ...]:
    assert isinstance(result.outcome, Ready), result.outcome
    return writes(result.outcome.plan)


def apply(home: Later, payload: dict[str, Any], **changes: Any) -> tuple[Change, ...]:
    """Stages a record and puts what it comes to on the disk."""
    wanted = changes_of(staged(home, payload, **changes))
    write(home, wanted)
    return wanted


def write(home: Later, wanted: tuple[Change, ...], token: str = TOKEN) -> None:
    writer = home.writer()
    with writer.lock([change.path for change in wanted]):
        writer.write(wanted, token)


def codes(result: StagedProposal) -> set[str]:
    return {finding.code for finding in result.findings}


def patch_of(skill: str, old: str, new: str) -> dict[str, Any]:
    return {"action": "patch", "name": skill, "old_string": old, "new_string": new}


def batch(*operations: dict[str, Any]) -> dict[str, Any]:
    return {"action": "batch", "operations": list(operations)}


LOOK_TWICE = patch_of("triage", "1. Look.", "1. Look twice.")


@pytest.mark.parametrize(
    ("switch", "target", "path"),
    [
        ("memory_enabled: false", "memory", MEMORY),
        ("memory_enabled: 'off'", "memory", MEMORY),
        ("user_profile_enabled: 0", "user", USER),
    ],
)
def test_a_memory_that_is_switched_off_takes_no_writes(
    later: Later, switch: str, target: str, path: str
) -> None:
    later.config(f"memory:\n  {switch}\n")
    problem = dead(later, {"action": "add", "target": target, "content": "A fact."})
    assert problem.reason is DeadReason.CLOSED
    assert path in problem.message
    assert switch.partition(":")[0] in problem.message
    other = "user" if target == "memory" else "memory"
    apply(later, {"action": "add", "target": other, "content": "A fact."})


@pytest.mark.parametrize("text", ["memory:\n  memory_enabled: true\n", "memory: {}\n", ""])
def test_a_memory_is_on_unless_something_else_is_said(later: Later, text: str) -> None:
    later.config(text)
    apply(later, {"action": "add", "target": "memory", "content": "A fact."})
    assert later.text(MEMORY).endswith("\n§\nA fact.")


def test_a_byte_order_mark_stays_on_the_disk(later: Later) -> None:
    later.write(MEMORY, b"\xef\xbb\xbf" + "\n§\n".join(ENTRIES).encode())
    apply(
        later,
        {
            "action": "replace",
            "target": "memory",
            "old_text": "make test",
            "content": "Tests run with make check.",
            "matched_entry": ENTRIES[0],
        },
    )
    expected = "\n§\n".join(("Tests run with make check.", ENTRIES[1]))
    assert (later.root / MEMORY).read_bytes() == b"\xef\xbb\xbf" + expected.encode()


def test_a_destructive_record_without_a_pin_is_noticed_here_and_not_in_an_older_home(
    later: Later,
) -> None:
    removal = {"action": "remove", "target": "memory", "old_text": "Tuesdays", "content": None}
    assert "unpinned" in codes(staged(later, removal))
    (later.root / LEDGER).unlink()
    (later.root / "skills/.locks").rmdir()
    assert "unpinned" not in codes(staged(later, removal))


def _sessions(later: Later, *statements: str) -> None:
    with closing(sqlite3.connect(later.root / "state.db")) as database, database:
        database.execute("CREATE TABLE sessions (id TEXT, source TEXT)")
        database.execute("CREATE TABLE messages (id, session_id, role, content)")
        for statement in statements:
            database.execute(statement)


VERSION = "CREATE TABLE schema_version AS SELECT {} AS version"
MARKS: dict[str, tuple[Callable[[Later], object], bool]] = {
    "nothing": (lambda home: None, False),
    "locks": (lambda home: (home.root / "skills/.locks").mkdir(), True),
    "a ledger": (lambda home: home.write(LEDGER, ""), True),
    "texts of a ledger": (lambda home: home.write(".curator_backups/blobs/ab", "x"), True),
    "skills of an organisation": (lambda home: home.write("skills/_org/a/SKILL.md", "x"), True),
    "a table of prompts": (
        lambda home: _sessions(home, "CREATE TABLE system_prompts (hash, prompt)"),
        True,
    ),
    "newer sessions": (lambda home: _sessions(home, VERSION.format(30)), True),
    "sessions of 0.19": (lambda home: _sessions(home, VERSION.format(22)), False),
    "no sessions at all": (lambda home: home.write("state.db", "not a database"), False),
    "settings": (lambda home: home.config("skills:\n  ledger: true\n"), False),
}


@pytest.mark.parametrize(("leave", "is_later"), MARKS.values(), ids=MARKS)
def test_a_later_home_is_known_by_each_mark_that_its_version_leaves(
    later: Later, leave: Callable[[Later], object], is_later: bool
) -> None:
    (later.root / LEDGER).unlink()
    (later.root / "skills/.locks").rmdir()
    leave(later)
    assert later.home().snapshot().pins_entries is is_later
    removal = {"action": "remove", "target": "memory", "old_text": "Tuesdays", "content": None}
    assert ("unpinned" in codes(staged(later, removal))) is is_later


def test_records_of_all_versions_and_of_others_stand_beside_each_other(later: Later) -> None:
    sources = [
        later.stage({"action": "add", "target": "memory", "content": "A fact.", "old_text": None},
                    id="00000001"),
        later.stage({"action": "remove", "target": "memory", "old_text": "Tuesdays",
                     "matched_entry": ENTRIES[1]}, id="00000002"),
        later.stage(LOOK_TWICE, id="00000003"),
        later.stage(batch(LOOK_TWICE), id="00000004"),
    ]  # fmt: skip
    foreign = later.write("pending/memory/mnemosyne-7.json", '{"type": "memory_candidate"}')
    later.write("pending/memory/.00000005_x1.tmp", "{")
    home = later.home()
    parsed = {file.source: home.parse(file, NOW) for file in home.pending()}
    assert [s for s, one in parsed.items() if isinstance(one, Proposal)] == sources
    assert [s for s, one in parsed.items() if isinstance(one, Quarantined)] == [
        "pending/memory/mnemosyne-7.json"
    ]
    assert foreign.read_text() == '{"type": "memory_candidate"}'


def test_a_batch_is_on_the_disk_as_a_whole(later: Later) -> None:
    apply(
        later,
        batch(
            {"name": "scan", "action": "create", "content": skill_text("scan"), "category": "dev"},
            {
                "name": "scan",
                "action": "write_file",
                "file_path": "references/ports.md",
                "file_content": "- 22\n",
            },
            LOOK_TWICE,
            {"name": "triage", "action": "remove_file", "file_path": "references/notes.md"},
        ),
    )
    assert later.text("skills/dev/scan/references/ports.md") == "- 22\n"
    assert later.text("skills/dev/scan/SKILL.md") == skill_text("scan")
    assert "1. Look twice." in later.text(TRIAGE)
    assert not (later.root / NOTES).exists()


def test_a_batch_whose_one_text_moved_in_the_gap_leaves_all_of_it_alone(later: Later) -> None:
    wanted = changes_of(staged(later, batch(LOOK_TWICE, patch_of("deploy", "1. Look.", "1. Ask."))))
    later.write(DEPLOY, skill_text("deploy", "1. Look elsewhere."))
    with pytest.raises(StaleBase):
        write(later, wanted)
    assert later.text(TRIAGE) == skill_text("triage")
    assert later.rows() == []


@pytest.mark.parametrize("name", ["dev/triage", "Triage of bugs"])
def test_a_skill_is_found_by_its_path_and_by_the_name_in_its_front_matter(
    later: Later, name: str
) -> None:
    later.write(TRIAGE, later.text(TRIAGE).replace("name: triage", "name: Triage of bugs"))
    patch = {"action": "patch", "name": name, "old_string": "2. Test.", "new_string": "2. Try."}
    outcome = staged(later, patch).outcome
    assert isinstance(outcome, Ready)
    assert [change.path for change in outcome.plan.changes] == [TRIAGE]
    assert outcome.plan.steps[0].effects[0].skill == "triage"


def test_a_name_in_a_front_matter_that_two_skills_share_finds_none(later: Later) -> None:
    for path in (TRIAGE, DEPLOY):
        later.write(path, skill_text("Shared name"))
    patch = {"action": "patch", "name": "Shared name", "old_string": "2.", "new_string": "3."}
    assert isinstance(staged(later, patch).outcome, Dead)


def test_of_two_skills_in_folders_of_one_name_the_path_finds_its_own(later: Later) -> None:
    later.write("skills/ops/triage/SKILL.md", skill_text("triage"))
    patch = {"action": "patch", "name": "ops/triage", "old_string": "2. Test.", "new_string": "2."}
    outcome = staged(later, patch).outcome
    assert isinstance(outcome, Ready)
    assert [change.path for change in outcome.plan.changes] == ["skills/ops/triage/SKILL.md"]


@pytest.mark.parametrize(
    "name", ["../triage", "dev/../triage", "/triage", "dev//triage", "dev/gone"]
)
def test_a_path_that_is_no_skill_is_dead(later: Later, name: str) -> None:
    patch = {"action": "patch", "name": name, "old_string": "2.", "new_string": "3."}
    assert isinstance(staged(later, patch).outcome, Dead)


def test_an_older_home_knows_skills_by_their_folder_alone(older: Later) -> None:
    patch = {"action": "patch", "name": "dev/triage", "old_string": "2.", "new_string": "3."}
    assert isinstance(staged(older, patch).outcome, Dead)


def test_a_new_skill_whose_description_hermes_would_refuse_is_held(later: Later) -> None:
    text = skill_text("scan").replace("is due", "is due, " + "and due again " * 4)
    create = {"action": "create", "name": "scan", "content": text}
    (finding,) = staged(later, create).findings
    assert (finding.code, finding.severity) == ("long-description", Severity.MEDIUM)
    assert "79 characters" in finding.message


def test_new_skills_go_where_the_settings_say(later: Later) -> None:
    later.config("skills:\n  create_dir: skills/team\n")
    create = {"action": "create", "name": "scan", "content": skill_text("scan"), "category": "dev"}
    (change,) = changes_of(staged(later, create))
    assert change.path == "skills/team/dev/scan/SKILL.md"


@pytest.mark.parametrize("value", ["skills", "./skills/", "''", "null"])
def test_the_homes_own_skills_are_no_other_place(later: Later, value: str) -> None:
    later.config(f"skills:\n  create_dir: {value}\n")
    create = {"action": "create", "name": "scan", "content": skill_text("scan")}
    (change,) = changes_of(staged(later, create))
    assert change.path == "skills/scan/SKILL.md"


def test_a_place_for_new_skills_outside_of_the_home_is_read_and_not_written(
    later: Later, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    (shared / "lint").mkdir(parents=True)
    (shared / "lint/SKILL.md").write_text(skill_text("lint"))
    later.config(f"skills:\n  create_dir: {shared}\n")
    create = {"action": "create", "name": "scan", "content": skill_text("scan")}
    problem = dead(later, create)
    assert problem.reason is DeadReason.EXTERNAL
    assert str(shared) in problem.message
    assert dead(later, create | {"name": "lint"}).reason is DeadReason.NAME_TAKEN
    assert dead(later, patch_of("lint", "1. Look.", "x")).reason is DeadReason.EXTERNAL


def protections(home: Later, skill: str) -> frozenset[Protection]:
    found = home.home().snapshot().skill(skill)
    assert found is not None
    return found.protections


def test_a_skill_without_a_usage_record_is_the_users_in_a_later_home(later: Later) -> None:
    later.write("skills/own/SKILL.md", skill_text("own"))
    assert protections(later, "own") == {Protection.USER_OWNED}
    assert protections(later, "triage") == set()
    assert "protected" in codes(staged(later, patch_of("own", "1. Look.", "x")))


def test_a_skill_without_a_usage_record_is_anybodys_in_an_older_home(older: Later) -> None:
    older.write("skills/own/SKILL.md", skill_text("own"))
    assert protections(older, "own") == set()


def test_the_skill_that_plans_is_no_built_in_one_in_a_later_home(later: Later) -> None:
    later.write("skills/plan/SKILL.md", skill_text("plan"))
    assert Protection.BUILTIN not in protections(later, "plan")


def test_what_is_essential_to_hermes_is_edited_and_never_deleted(later: Later) -> None:
    later.write("skills/hermes-agent/SKILL.md", skill_text("hermes-agent"))
    assert Protection.ESSENTIAL in protections(later, "hermes-agent")
    problem = dead(later, {"action": "delete", "name": "hermes-agent"})
    assert problem.reason is DeadReason.PROTECTED
    assert changes_of(staged(later, patch_of("hermes-agent", "1. Look.", "1. Read.")))


def test_a_skill_of_an_organisation_is_edited_and_never_taken_away(later: Later) -> None:
    path = "skills/_org/acme/lint"
    later.write(f"{path}/SKILL.md", skill_text("lint"))
    later.write(f"{path}/references/a.md", "a\n")
    remove = {"action": "remove_file", "name": "lint", "file_path": "references/a.md"}
    assert dead(later, remove).reason is DeadReason.PROTECTED
    assert dead(later, {"action": "delete", "name": "lint"}).reason is DeadReason.PROTECTED
    result = staged(later, patch_of("lint", "1. Look.", "1. Read."))
    assert [change.path for change in changes_of(result)] == [f"{path}/SKILL.md"]
    assert "shared-skill" in codes(result)


def held_by(home: Later, paths: list[str]) -> set[str]:
    """The lock files of Hermes that are held while we hold these documents."""
    found = set()
    with home.writer().lock(paths):
        for file in (home.root / "skills/.locks").iterdir():
            with file.open() as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    found.add(f"skills/.locks/{file.name}")
    return found


def test_the_lock_of_each_skill_is_held_beside_ours(later: Later) -> None:
    assert held_by(later, [TRIAGE, NOTES, "skills/deploy/other.txt", MEMORY]) == {
        lock_of("triage"),
        lock_of("deploy"),
    }
    assert held_by(later, ["skills/dev/scan/SKILL.md", "skills/dev/scan/references/a.md"]) == {
        lock_of("scan")
    }
    assert held_by(later, ["skills/dev/new/references/a.md"]) == {lock_of("new")}
    assert held_by(later, ["skills/.archive/triage/SKILL.md", TRIAGE]) == {lock_of("triage")}
    assert held_by(later, [MEMORY]) == set()


def test_a_skill_that_hermes_is_changing_is_waited_for_and_then_given_up(later: Later) -> None:
    with (later.root / lock_of("triage")).open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        writer = later.writer(lock_wait=0.05)
        with pytest.raises(Busy, match="the skill 'triage' was held"), writer.lock([NOTES]):
            pass
        with writer.lock([DEPLOY, MEMORY]):
            pass


APPEND_LIKE_HERMES = """
    import fcntl, os, sys, tempfile
    from pathlib import Path
    skill, lock_file, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    for number in range(count):
        with open(lock_file, "a+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            text = skill.read_text("utf-8")
            temp, path = tempfile.mkstemp(dir=skill.parent, prefix=".SKILL.md.tmp.")
            with os.fdopen(temp, "w", encoding="utf-8") as file:
                file.write(text + f"- theirs {number}\\n")
            os.replace(path, skill)
"""


def test_nothing_is_lost_and_nothing_refused_beside_a_hermes_that_takes_its_lock(
    later: Later,
) -> None:
    count, path = 40, later.root / TRIAGE
    arguments = [str(path), str(later.root / lock_of("triage")), str(count)]
    script = textwrap.dedent(APPEND_LIKE_HERMES)
    with subprocess.Popen([sys.executable, "-c", script, *arguments]) as hermes:
        for number in range(count):
            writer = later.writer()
            with writer.lock([TRIAGE]):
                now = path.read_bytes()
                changed = now + f"- ours {number}\n".encode()
                writer.write([Change(TRIAGE, now, changed)], f"{TOKEN}{number}")
        assert hermes.wait(60) == 0
    lines = set(later.text(TRIAGE).splitlines())
    wanted = {f"- {who} {number}" for who in ("ours", "theirs") for number in range(count)}
    assert wanted <= lines


def test_no_locks_and_no_ledger_are_begun_where_there_are_none(older: Later) -> None:
    apply(older, LOOK_TWICE)
    assert not (older.root / "skills/.locks").exists()
    assert not (older.root / LEDGER).exists()
    assert not (older.root / ".curator_backups").exists()


def blob(home: Later, sha: str) -> str:
    data = (home.root / ".curator_backups/blobs" / sha).read_bytes()
    assert hashlib.sha256(data).hexdigest() == sha
    return data.decode()


def sides(home: Later, row: dict[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """What a row says was there before and after, by path below the home."""
    before, after = (
        {
            str(Path(one["path"]).relative_to(home.root)): blob(home, one["sha256"])
            for one in row[side]
        }
        for side in ("before", "after")
    )
    return before, after


def test_a_change_of_a_skill_is_noted_as_hermes_notes_it(later: Later) -> None:
    old = later.text(TRIAGE)
    apply(later, LOOK_TWICE)
    (row,) = later.rows()
    assert list(row) == ["id", "ts", "actor", "action", "skill", "evidence", "before", "after"]
    assert len(row["id"]) == 12
    assert int(row["id"], 16) >= 0
    assert row["ts"] == "2027-01-12T10:00:00+00:00"
    assert (row["actor"], row["action"], row["skill"]) == ("user", "patch", "triage")
    assert row["evidence"] == {"file_path": "SKILL.md", "via": "reviewdeck"}
    assert sides(later, row) == ({TRIAGE: old}, {TRIAGE: later.text(TRIAGE)})


def test_only_what_changed_is_in_a_row_and_each_skill_has_its_own(later: Later) -> None:
    create = {"name": "scan", "action": "create", "content": skill_text("scan")}
    port = {"name": "scan", "action": "write_file", "file_path": "references/p.md",
            "file_content": "p"}  # fmt: skip
    drop = {"name": "triage", "action": "remove_file", "file_path": "references/notes.md"}
    apply(later, batch(create, port, drop))
    rows = {row["skill"]: row for row in later.rows()}
    assert {name: row["action"] for name, row in rows.items()} == {
        "scan": "create",
        "triage": "remove_file",
    }
    assert sides(later, rows["scan"]) == (
        {},
        {"skills/scan/SKILL.md": skill_text("scan"), "skills/scan/references/p.md": "p"},
    )
    assert sides(later, rows["triage"]) == ({NOTES: "- Look at the logs first.\n"}, {})


def test_a_deletion_is_noted_whole_and_says_whether_it_was_archived(later: Later) -> None:
    apply(later, {"action": "delete", "name": "triage"})
    apply(later, {"action": "delete", "name": "deploy"}, origin="foreground")
    first, second = later.rows()
    assert (first["action"], first["skill"]) == ("delete", "triage")
    assert first["evidence"] == {"archived": True, "via": "reviewdeck"}
    assert set(sides(later, first)[0]) == {TRIAGE, NOTES}
    assert first["after"] == []
    assert second["evidence"]["archived"] is False


def test_writing_the_same_again_is_noted_once_and_taking_it_back_is_noted(later: Later) -> None:
    wanted = apply(later, LOOK_TWICE)
    write(later, wanted)
    assert len(later.rows()) == 1
    back = tuple(replace(c, before=c.after, after=c.before) for c in wanted)
    write(later, back, f"{TOKEN}-back")
    write(later, wanted)
    first, second, third = later.rows()
    assert (first["before"], first["after"]) == (second["after"], second["before"])
    assert third["before"] == first["before"]
    assert len({row["id"] for row in later.rows()}) == 3


def test_a_home_behind_a_link_is_called_what_hermes_calls_it(later: Later, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(later.root)
    told = {"id": "0", "skill": "x", "before": [], "after": [
        {"path": f"{link}/skills/x/SKILL.md", "sha256": "0"}]}  # fmt: skip
    elsewhere = {
        "id": "1",
        "skill": "x",
        "before": [{"path": "/elsewhere/skills/x"}, 3],
        "after": [],
    }
    later.write(LEDGER, "".join(f"{json.dumps(row)}\n" for row in (told, elsewhere)))
    apply(later, LOOK_TWICE)
    assert [one["path"] for one in later.rows()[-1]["after"]] == [f"{link}/{TRIAGE}"]


def test_a_memory_is_not_noted(later: Later) -> None:
    apply(later, {"action": "add", "target": "memory", "content": "A fact."})
    assert later.rows() == []


def test_a_ledger_that_is_switched_off_is_left_alone(later: Later) -> None:
    later.config("skills:\n  ledger: false\n")
    apply(later, LOOK_TWICE)
    assert later.text(LEDGER) == ""
    assert not (later.root / ".curator_backups").exists()


def test_what_others_wrote_into_the_ledger_stays_byte_for_byte(later: Later) -> None:
    others = '{"id": "x", "skill": "triage", "odd": "\u2028"}\nnot json, no end'
    later.write(LEDGER, others)
    apply(later, LOOK_TWICE)
    text = later.text(LEDGER)
    assert text.startswith(others + "\n{")
    assert json.loads(text.split("\n")[2])["skill"] == "triage"
    assert text.endswith("\n")


def test_a_ledger_that_is_too_long_loses_its_oldest_lines(later: Later) -> None:
    later.config("skills:\n  ledger_max_bytes: 2000\n")
    rows = [json.dumps({"id": f"{n:012x}", "skill": "other", "pad": "x" * 60}) for n in range(18)]
    later.write(LEDGER, "".join(f"{row}\n" for row in rows))
    mode = 0o640
    (later.root / LEDGER).chmod(mode)
    apply(later, LOOK_TWICE)
    lines = later.text(LEDGER).splitlines()
    kept = [line for line in lines if line in rows]
    assert 0 < len(kept) < len(rows)
    assert rows[-len(kept) :] == kept
    assert json.loads(lines[-1])["skill"] == "triage"
    assert len(later.text(LEDGER).encode()) <= 1600
    assert (later.root / LEDGER).stat().st_mode & 0o777 == mode


def test_a_ledger_without_a_limit_is_never_cut(later: Later) -> None:
    later.config("skills:\n  ledger_max_bytes: 0\n")
    row = json.dumps({"id": "0", "skill": "other", "pad": "x" * 1000})
    later.write(LEDGER, f"{row}\n" * 100)
    apply(later, LOOK_TWICE)
    assert len(later.rows()) == 101


def test_a_ledger_that_cannot_be_kept_up_keeps_nothing_from_being_written(later: Later) -> None:
    later.write(".curator_backups/blobs", "a file where a folder should be")
    apply(later, LOOK_TWICE)
    assert "1. Look twice." in later.text(TRIAGE)
    assert later.rows() == []


def test_a_ledger_that_is_a_link_is_not_followed(later: Later, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("")
    (later.root / LEDGER).unlink()
    (later.root / LEDGER).symlink_to(outside)
    apply(later, LOOK_TWICE)
    assert outside.read_text() == ""


def test_the_ledger_is_appended_to_under_its_own_lock(
    later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reviewdeck.homes.hermes.bookkeeping.WAIT", 0.05)
    with (later.root / "skills/.locks/ledger.lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        apply(later, LOOK_TWICE)
        assert later.rows() == []
    assert "1. Look twice." in later.text(TRIAGE)


def mode_of(home: Later, path: str) -> int:
    return (home.root / path).stat().st_mode & 0o777


def test_new_files_of_skills_may_be_read_by_all_in_a_later_home(later: Later) -> None:
    (later.root / TRIAGE).chmod(0o640)
    create = {"name": "scan", "action": "create", "content": skill_text("scan")}
    port = {"name": "triage", "action": "write_file", "file_path": "references/p.md",
            "file_content": "p"}  # fmt: skip
    before = os.umask(0o077)
    try:
        apply(later, batch(create, port, LOOK_TWICE))
    finally:
        os.umask(before)
    assert mode_of(later, "skills/scan/SKILL.md") == 0o644
    assert mode_of(later, "skills/dev/triage/references/p.md") == 0o644
    assert mode_of(later, TRIAGE) == 0o640


def test_new_files_of_skills_are_private_in_an_older_home(older: Later) -> None:
    apply(older, {"name": "scan", "action": "create", "content": skill_text("scan")})
    assert mode_of(older, "skills/scan/SKILL.md") == 0o600


def test_a_memory_keeps_its_mode_and_a_new_one_is_private(later: Later) -> None:
    (later.root / MEMORY).chmod(0o644)
    (later.root / USER).unlink()
    apply(later, {"action": "add", "target": "memory", "content": "A fact."})
    apply(later, {"action": "add", "target": "user", "content": "A fact."})
    assert (mode_of(later, MEMORY), mode_of(later, USER)) == (0o644, 0o600)

"""Where a change of a workspace comes from, by what OpenClaw itself keeps."""

from __future__ import annotations

import builtins
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.homes.openclaw.kit import (
    AFTER,
    BY_SHELL,
    BY_TOOLS,
    NOTE,
    SESSION,
    agent_database,
    change_rows,
    make_dreams,
    make_state,
    make_workspace,
    opened,
)

from reviewdeck.homes.openclaw.database import STATE, known_writes
from reviewdeck.homes.sqlite_reads import DatabaseUnreadable
from reviewdeck.model import (
    ABSENT,
    Change,
    DirectChange,
    Kind,
    KnownBy,
    Origin,
    OriginClass,
    Proposal,
    Role,
    revision_of,
)
from reviewdeck.planning.outside import write_of
from reviewdeck.ports import Trust


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    made = make_workspace(tmp_path)
    make_state(made)
    return made


def outside(*changed: tuple[str, str | None, str | None]) -> Proposal:
    """A change that nobody reviewed: each document with its text before and after."""
    changes = [Change(path, _bytes(before), _bytes(after)) for path, before, after in changed]
    return Proposal(
        id="0123456789ab",
        home="home",
        kind=Kind.DOCUMENTS,
        action="write",
        target=changed[0][0],
        edits=tuple(write_of(change) for change in changes),
        payload_sha="0" * 64,
        origin="outside",
        created_at=None,
        ingested_at=AFTER,
        outside=tuple(
            DirectChange(change.path, revision_of(change.before), revision_of(change.after))
            for change in changes
        ),
    )


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def writer(workspace: Path, proposal: Proposal) -> Origin:
    conversations = opened(workspace).conversations()
    assert conversations is not None
    return conversations.writer(proposal, Trust())


def staged(workspace: Path, call: str, session: str = SESSION) -> Origin:
    conversations = opened(workspace).conversations()
    assert conversations is not None
    record = replace(
        outside(("MEMORY.md", None, "x\n")),
        outside=(), session=session, tool_call=call, created_at=AFTER, source="x.json",
    )  # fmt: skip
    return conversations.origin(record, Trust())


def test_bytes_that_its_tools_left_name_the_session_without_any_gate(workspace: Path) -> None:
    found = writer(workspace, outside(("MEMORY.md", None, BY_TOOLS)))
    assert (found.sessions, found.known_by) == ((SESSION,), KnownBy.EXACT)
    note = writer(workspace, outside(("memory/2026-11-29.md", None, NOTE)))
    assert (note.sessions, note.known_by) == ((SESSION,), KnownBy.EXACT)
    assert note.kind is OriginClass.WORKSPACE  # A command ran before.
    assert [each.text for each in note.typed] == ["Remember that I like tox."]


def test_an_edit_of_known_bytes_is_exactly_the_sessions(workspace: Path) -> None:
    before = "# Memory\n\n- The user likes tox.\n"
    found = writer(workspace, outside(("MEMORY.md", before, BY_TOOLS)))
    assert (found.sessions, found.known_by) == ((SESSION,), KnownBy.EXACT)
    assert found.kind is OriginClass.USER


def test_what_a_shell_appended_is_nobodys(workspace: Path) -> None:
    for before in (BY_TOOLS, None):
        found = writer(workspace, outside(("MEMORY.md", before, BY_SHELL)))
        assert (found.sessions, found.known_by) == ((), KnownBy.NOTHING)
        assert "a command or another program" in found.reason


def test_a_document_that_is_gone_is_nobodys(workspace: Path) -> None:
    found = writer(workspace, outside(("MEMORY.md", BY_TOOLS, None)))
    assert found.known_by is KnownBy.NOTHING
    assert revision_of(None) == ABSENT


def test_two_documents_are_one_sessions_only_if_both_are(workspace: Path) -> None:
    note = ("memory/2026-11-29.md", None, NOTE)
    assert writer(workspace, outside(note, ("MEMORY.md", None, BY_TOOLS))).sessions == (SESSION,)
    assert writer(workspace, outside(note, ("MEMORY.md", None, BY_SHELL))).sessions == ()
    assert writer(workspace, outside(note, ("AGENTS.md", None, "x\n"))).sessions == ()


def test_bytes_on_which_somebody_else_worked_meanwhile_are_only_partly_the_sessions(
    workspace: Path,
) -> None:
    change_rows(
        workspace.parent / STATE,
        "UPDATE plugin_state_entries SET value_json = replace(value_json, ?, ?)",
        '"originClass":"agent"',
        '"originClass":"untrusted"',
    )
    before = "# Memory\n\n- The user likes tox.\n"
    found = writer(workspace, outside(("MEMORY.md", before, BY_TOOLS)))
    assert (found.kind, found.known_by) == (OriginClass.UNKNOWN, KnownBy.UNION)


def test_what_is_not_in_the_book_is_found_by_the_call_that_was_carried_out(workspace: Path) -> None:
    # The session asked for both; the gate blocked the second.
    free = writer(workspace, outside(("notes.txt", None, "Free.\n")))
    assert (free.sessions, free.known_by) == ((SESSION,), KnownBy.EXACT)
    skill = "---\nname: x\ndescription: y\n---\nDo.\n"
    blocked = writer(workspace, outside(("skills/x/SKILL.md", None, skill)))
    assert (blocked.sessions, blocked.known_by) == ((), KnownBy.NOTHING)


@pytest.mark.parametrize("is_compressed", [False, True])
def test_a_staged_write_is_the_calls_and_an_id_that_repeats_is_its_last(
    tmp_path: Path, is_compressed: bool
) -> None:
    workspace = make_workspace(tmp_path)
    make_state(workspace, is_compressed=is_compressed)
    found = staged(workspace, "call_1")
    assert found.known_by is KnownBy.EXACT
    assert found.typed[0].text == "Remember that I like tox."
    assert found.typed[-1].text == "Go on."  # The first call of this id is in the first turn.
    nested = staged(workspace, "tool_search_code:call_7:write:1")
    assert nested.known_by is KnownBy.EXACT
    assert "tool_call" not in {each.name for each in nested.participants}


def test_a_call_or_a_session_that_is_not_kept_makes_it_unknown(workspace: Path) -> None:
    other = staged(workspace, "call_99")
    assert (other.kind, other.known_by) == (OriginClass.UNKNOWN, KnownBy.UNION)
    gone = staged(workspace, "call_1", "session-9")
    assert (gone.kind, gone.known_by) == (OriginClass.UNKNOWN, KnownBy.EXACT)
    assert "not kept" in gone.reason


def test_the_session_is_shown_turn_by_turn(workspace: Path) -> None:
    conversations = opened(workspace).conversations()
    assert conversations is not None
    assert len(conversations.turns(SESSION)) == 3
    assert len(conversations.transcripts(SESSION)) == 1
    assert conversations.transcripts("session-9") == ()


def test_a_result_is_of_the_tool_that_was_called_with_its_id_before_it(workspace: Path) -> None:
    conversations = opened(workspace).conversations()
    assert conversations is not None
    first = conversations.turns(SESSION)[0].messages
    tools = [(message.call, message.tool) for message in first if message.role is Role.TOOL]
    called = {message.call: message.tool for message in first if message.role is Role.ASSISTANT}
    assert len(tools) == 5 and all(called[call] == tool for call, tool in tools)


SPEAKERS = {
    "another person": ("json_set(event_json, '$.message.__openclaw', json('{}'))", 4),
    "a row of an unknown kind": ("json_set(event_json, '$.type', 'later')", 6),
    "a tool of an unknown name": (
        "json_set(event_json, '$.message.content[0].name', 'fetch_all')", 8,
    ),
    "a part of an answer that nobody knows": (
        "json_set(event_json, '$.message.content[0].type', 'serverToolUse')", 8,
    ),
    "a file elsewhere": (
        "json_set(event_json, '$.message.content[0].arguments.path', '/etc/hosts')", 8,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("change", "seq"), SPEAKERS.values(), ids=SPEAKERS)
def test_foreign_text_before_the_write_makes_it_foreign(
    workspace: Path, change: str, seq: int
) -> None:
    state = workspace.parent
    statement = f"UPDATE transcript_events SET event_json = {change} WHERE seq = ?"  # noqa: S608
    change_rows(agent_database(state), statement, seq)
    assert writer(workspace, outside(("memory/2026-11-29.md", None, NOTE))).kind is (
        OriginClass.OUTSIDE
    )


@pytest.mark.parametrize(
    "column", ["channel", "hook_external_content_source", "parent_session_key"]
)
def test_a_session_that_is_not_the_owners_alone_is_not_the_users(
    workspace: Path, column: str
) -> None:
    statement = f"UPDATE session_windows SET {column} = 'gmail'"  # noqa: S608
    change_rows(agent_database(workspace.parent), statement)
    found = writer(workspace, outside(("memory/2026-11-29.md", None, NOTE)))
    assert found.kind in (OriginClass.OUTSIDE, OriginClass.UNKNOWN)


def test_compressed_rows_need_the_extra_and_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace(tmp_path)
    make_state(workspace, is_compressed=True)
    load = builtins.__import__

    def without(name: str, *more: Any) -> Any:
        if name == "reviewdeck.homes.openclaw.zstd":
            raise ImportError(name)
        return load(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    found = writer(workspace, outside(("memory/2026-11-29.md", None, NOTE)))
    assert (found.kind, found.known_by) == (OriginClass.UNKNOWN, KnownBy.NOTHING)
    assert "reviewdeck[openclaw]" in found.reason


DAMAGES = {
    "cut": ("event_zstd = substr(event_zstd, 1, 20)", "damaged"),
    "of another size": ("event_utf8_bytes = event_utf8_bytes + 1", "damaged"),
    "too long": ("event_utf8_bytes = 4194305", "not known"),
    "a bomb": ("event_utf8_bytes = 5", "damaged"),
    "no row at all": ("event_zstd = NULL", "not known"),
}


@pytest.mark.parametrize(("change", "why"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_row_makes_the_origin_unknown(tmp_path: Path, change: str, why: str) -> None:
    workspace = make_workspace(tmp_path)
    state = make_state(workspace, is_compressed=True)
    statement = f"UPDATE transcript_events SET {change} WHERE seq = 9"  # noqa: S608
    change_rows(agent_database(state), statement)
    found = writer(workspace, outside(("memory/2026-11-29.md", None, NOTE)))
    assert found.kind is OriginClass.UNKNOWN
    assert why in found.reason


def test_a_locked_database_is_asked_again_later(workspace: Path) -> None:
    state = workspace.parent
    with closing(sqlite3.connect(state / STATE)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("BEGIN EXCLUSIVE")
        found = writer(workspace, outside(("MEMORY.md", None, BY_TOOLS)))
        assert (found.known_by, found.is_settled) == (KnownBy.NOTHING, False)
    assert writer(workspace, outside(("MEMORY.md", None, BY_TOOLS))).sessions == (SESSION,)


@pytest.mark.parametrize(
    "change",
    ["DROP TABLE plugin_state_entries", "ALTER TABLE plugin_state_entries DROP COLUMN value_json"],
)
def test_a_newer_database_is_unreadable_and_guessed_by_nobody(workspace: Path, change: str) -> None:
    change_rows(workspace.parent / STATE, change)
    found = writer(workspace, outside(("MEMORY.md", None, BY_TOOLS)))
    assert (found.kind, found.known_by) == (OriginClass.UNKNOWN, KnownBy.NOTHING)
    assert "cannot be read" in found.reason
    with pytest.raises(DatabaseUnreadable):
        known_writes(workspace.parent, workspace)


ENTRIES: list[dict[str, Any]] = [
    {"version": 2},
    {"workspaceKey": "0" * 64},
    {"fileHash": "no hash"},
    {"observedAt": "yesterday"},
    {"sessionId": ""},
]


@pytest.mark.parametrize("more", ENTRIES, ids=lambda more: next(iter(more)))
def test_an_entry_that_openclaw_would_not_take_counts_for_nothing(
    workspace: Path, more: dict[str, Any]
) -> None:
    change_rows(
        workspace.parent / STATE,
        "UPDATE plugin_state_entries SET value_json = json_patch(value_json, ?)",
        json.dumps(more),
    )
    assert known_writes(workspace.parent, workspace) == {}


def test_looking_leaves_the_databases_as_they_are(workspace: Path) -> None:
    files = {path: path.read_bytes() for path in workspace.parent.rglob("*") if path.is_file()}
    writer(workspace, outside(("MEMORY.md", None, BY_TOOLS)))
    left = {path: path.read_bytes() for path in workspace.parent.rglob("*") if path.is_file()}
    assert left == files


def dreamt(workspace: Path, path: str, at: datetime) -> Origin:
    change = replace(outside((path, None, (workspace / path).read_text())), ingested_at=at)
    return writer(workspace, change)


def test_what_dreaming_wrote_is_nobodys_and_openclaws_log_says_so(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    make_dreams(workspace)
    noon = datetime(2026, 11, 29, 12, tzinfo=UTC)
    promoted = dreamt(workspace, "MEMORY.md", noon)
    assert (promoted.sessions, promoted.known_by) == ((), KnownBy.NOTHING)
    assert "dreaming wrote to it at 2026-11-29 10:35 UTC, from memory/2026-11-28.md" in (
        promoted.reason
    )
    for path in ("DREAMS.md", "memory/dreaming/light/2026-11-29.md"):
        assert (
            "dreaming wrote to it at 2026-11-29 10:33 UTC" in dreamt(workspace, path, noon).reason
        )
    for path, at in (("memory/2026-11-28.md", noon), ("MEMORY.md", AFTER)):
        assert "dreaming" not in dreamt(workspace, path, at).reason

"""Reading the session database: whatever it is, an answer; nothing left beside it, nobody kept."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from tests.origin.kit import (
    NOON,
    SCHEMA,
    Chat,
    Said,
    answer,
    fork_lines,
    memory_block,
    open_home,
    open_state,
    origin,
    proposal_of,
    staged,
    tool,
    user,
    write_log,
    write_record,
    write_sidecar,
    write_state,
)

from reviewdeck.homes.hermes.archive import Archive
from reviewdeck.homes.hermes.session_database import ROWS, read_sessions
from reviewdeck.homes.sqlite_reads import DatabaseUnreadable
from reviewdeck.model import OriginClass
from reviewdeck.origin.sources import origin_of
from reviewdeck.ports import Trust

USER, WORKSPACE = OriginClass.USER, OriginClass.WORKSPACE
OUTSIDE, UNKNOWN = OriginClass.OUTSIDE, OriginClass.UNKNOWN
PREFERS: list[Said] = ["I prefer pytest over unittest.", answer("Noted.")]


def reviewed(home: Path, chat: Chat) -> Chat:
    chat.write(home)
    write_record(home, at=chat.ends)
    write_log(home, fork_lines(chat.session, chat.ends, replayed=len(chat.rows)))
    return chat


def facts(home: Path) -> dict[str, tuple[int, int, int]]:
    found = {}
    for path in sorted(home.rglob("*")):
        status = path.lstat()
        found[str(path)] = (status.st_ino, status.st_size, status.st_mtime_ns)
    return found


def test_nothing_is_written_or_left_beside_a_database_that_nobody_has_open(home: Path) -> None:
    reviewed(home, Chat(said=PREFERS))
    before = facts(home)
    assert origin(home).kind is USER
    assert facts(home) == before


def test_rows_that_a_running_agent_just_wrote_are_seen(home: Path) -> None:
    chat = reviewed(home, Chat(said=PREFERS))
    opened = open_home(home)
    proposal = proposal_of(opened)
    assert origin_of(proposal, opened, None, Trust()).kind is USER
    with closing(open_state(home)) as writer:
        writer.execute("UPDATE messages SET observed = 1 WHERE session_id = ?", (chat.session,))
        writer.commit()
        names = sorted(path.name for path in home.iterdir())
        assert "state.db-wal" in names
        assert origin_of(proposal, opened, None, Trust()).kind is OUTSIDE
        assert sorted(path.name for path in home.iterdir()) == names


def test_a_writer_goes_on_while_it_is_read(home: Path) -> None:
    reviewed(home, Chat(said=PREFERS))
    path = home / "state.db"
    with closing(sqlite3.connect(path, timeout=0)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("UPDATE sessions SET title = 'first'")
        writer.commit()

        def write(_: object) -> str:
            # Without any patience: a lock of the reader would be an error.
            writer.execute("UPDATE sessions SET title = 'second'")
            writer.commit()
            return "written"

        assert read_sessions(path, write) == "written"


def test_a_database_that_somebody_else_holds_is_unknown_and_not_settled(home: Path) -> None:
    chat = reviewed(home, Chat(said=PREFERS))
    with closing(sqlite3.connect(home / "state.db", isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN EXCLUSIVE")
        found = origin(home)
        other.execute("ROLLBACK")
    assert (found.kind, found.is_settled) == (UNKNOWN, False)
    assert origin(home).kind is USER
    assert chat.session in origin(home).sessions


def _truncated(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def _half_a_page(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:300])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _words(path: Path) -> None:
    path.write_bytes(b"no database at all, just words")


def _link(path: Path) -> None:
    elsewhere = path.with_name("elsewhere.db")
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def _dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _log_without_index(path: Path) -> None:
    """As after copying a database and its log, and not what the writers share."""
    copy = path.with_name("copy.db")
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("UPDATE sessions SET title = 'x'")
        writer.commit()
        shutil.copy(path, copy)
        shutil.copy(path.with_name("state.db-wal"), path.with_name("copy.db-wal"))
    copy.rename(path)
    path.with_name("copy.db-wal").rename(path.with_name("state.db-wal"))


def _other_tables(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE sessions (id TEXT)")
        database.commit()


def _views(path: Path) -> None:
    """Endless views where tables are expected."""
    path.unlink()
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"CREATE VIEW sessions AS {endless} i AS id, 'cli' AS source FROM n")
        database.execute(
            f"CREATE VIEW messages AS {endless} i AS id, 's1' AS session_id, 'user' AS role,"
            " 'x' AS content, 1.0 AS timestamp FROM n"
        )
        database.commit()


def _no_times(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP INDEX idx_messages_session")
        database.execute("ALTER TABLE messages DROP COLUMN timestamp")
        database.commit()


@pytest.mark.parametrize(
    "break_it",
    [
        _truncated,
        _half_a_page,
        _empty,
        _words,
        _link,
        _dangling,
        _fifo,
        _directory,
        _log_without_index,
        _other_tables,
        _views,
        _no_times,
    ],
)
def test_a_database_that_cannot_be_read_is_unknown(home: Path, break_it: object) -> None:
    reviewed(home, Chat(said=[*PREFERS, "word " * 100, answer("x " * 9000)]))
    assert callable(break_it)
    break_it(home / "state.db")
    before = facts(home)
    found = origin(home)
    assert found.kind is UNKNOWN
    assert found.reason
    assert facts(home) == before


def test_a_later_version_with_more_columns_and_its_prompts_elsewhere_is_read(home: Path) -> None:
    chat = reviewed(home, Chat(said=PREFERS))
    with closing(open_state(home)) as database:
        database.executescript(
            "ALTER TABLE messages ADD COLUMN display_kind TEXT;"
            "ALTER TABLE sessions ADD COLUMN system_prompt_hash TEXT;"
            "CREATE TABLE system_prompts (hash TEXT PRIMARY KEY, prompt TEXT);"
            "UPDATE schema_version SET version = 99;"
        )
        database.execute("INSERT INTO system_prompts VALUES ('h', ?)", (memory_block(["One."]),))
        database.execute("UPDATE sessions SET system_prompt_hash = 'h'")
        database.commit()
    found = origin(home)
    assert (found.kind, found.sessions) == (USER, (chat.session,))
    assert found.seen["memories/MEMORY.md"].text == "One."


@pytest.mark.parametrize("column", ["tool_calls", "tool_name", "api_content", "observed"])
def test_a_later_version_that_keeps_evidence_elsewhere_is_unknown(home: Path, column: str) -> None:
    reviewed(home, Chat(said=PREFERS))
    with closing(open_state(home)) as database:
        database.execute("UPDATE schema_version SET version = 32")
        database.execute(f"ALTER TABLE messages RENAME COLUMN {column} TO moved")
        database.commit()
    assert origin(home).kind is UNKNOWN


def test_an_older_version_with_few_columns_is_read(home: Path) -> None:
    with closing(sqlite3.connect(home / "state.db")) as database:
        database.executescript(
            "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, started_at REAL);"
            "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT,"
            " content TEXT, timestamp REAL);"
        )
        begins = NOON.timestamp()
        database.execute("INSERT INTO sessions VALUES ('s1', 'cli', ?)", (begins,))
        database.execute("INSERT INTO messages VALUES (1, 's1', 'user', 'Hello.', ?)", (begins,))
        database.commit()
    write_record(home, at=NOON + timedelta(seconds=5))
    write_log(home, fork_lines("s1", NOON + timedelta(seconds=5), replayed=1))
    assert origin(home).kind is USER


def test_a_conversation_of_30_000_rows_is_unknown(home: Path) -> None:
    chat = reviewed(home, Chat(said=PREFERS))
    with closing(open_state(home)) as database:
        more = (("s1", "user", "Hello.", NOON.timestamp()) for _ in range(30_000))
        database.executemany(
            "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)", more
        )
        database.commit()
    found = origin(home)
    assert found.kind is UNKNOWN
    assert f"{ROWS:,} rows" in found.reason
    assert chat.session in found.reason


def test_a_row_that_is_longer_than_what_is_read_is_not_typed(home: Path) -> None:
    reviewed(home, Chat(said=["Hello. " * 60_000, answer("Hm.")]))
    found = origin(home)
    assert found.kind is OUTSIDE
    assert found.typed == ()


def test_text_behind_a_nul_is_read_too(home: Path) -> None:
    text = "Hello.\0\n\n--- Attached Context ---\n\n🌐 @url:https://a.example (9 tokens)\nx"
    reviewed(home, Chat(said=[text, answer("Hm.")]))
    assert origin(home).kind is OUTSIDE


def test_bytes_that_are_no_text_do_no_harm(home: Path) -> None:
    chat = reviewed(home, Chat(said=PREFERS))
    with closing(open_state(home)) as database:
        database.execute(
            "INSERT INTO messages (session_id, role, content, tool_calls, timestamp)"
            " VALUES ('s1', 'assistant', CAST(x'ff00fe' AS TEXT), x'c328', ?)",
            ((chat.at + timedelta(seconds=1)).timestamp(),),
        )
        database.commit()
    assert origin(home).kind is OUTSIDE


@pytest.mark.parametrize(
    "calls",
    [
        "not json",
        "[1, 2]",
        '{"a": 1}',
        '[{"function": {"name": 7}}]',
        '[{"function": {"name": "terminal", "arguments": "{"}}]',
        '[{"function": {"name": "terminal", "arguments": "[]"}}]',
        "[" * 5000,
    ],
)
def test_calls_that_cannot_be_read_are_outside(home: Path, calls: str) -> None:
    row = answer("", tool_calls=calls)
    reviewed(home, Chat(said=["Hello.", row, *PREFERS]))
    assert origin(home).kind is OUTSIDE


HOSTILE = ("memory\n", " memory", "MEMORY", "\x1b[31mmemory", "m\u0435mory", "", "x" * 5000, "../x")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_tool_with_a_hostile_name_is_outside_and_shown_plainly(home: Path, name: str) -> None:
    reviewed(home, Chat(said=["Hello.", tool(name), *PREFERS]))
    found = origin(home)
    assert found.kind is OUTSIDE
    shown = found.participants[0].name
    assert 0 < len(shown) <= 64
    assert "\x1b" not in shown + found.reason
    assert "\n" not in shown + found.reason


def test_a_record_from_the_future_is_unknown(home: Path) -> None:
    chat = Chat(said=PREFERS).write(home)
    write_record(home, at=chat.ends + timedelta(days=4000))
    assert origin(home).kind is UNKNOWN


@pytest.mark.parametrize("moment", [-5, 0, 1e308, 1e18])
def test_impossible_moments_are_unknown(home: Path, moment: float) -> None:
    Chat(said=PREFERS).write(home)
    write_record(home, at=moment)
    assert origin(home).kind is UNKNOWN


def test_rows_with_impossible_moments_count(home: Path) -> None:
    rows = [answer("", timestamp=1e300), user("Hello.", timestamp="soon", observed=1), *PREFERS]
    chat = reviewed(home, Chat(said=rows))
    assert origin(home).kind is OUTSIDE
    assert chat.rows


def test_a_record_that_claims_a_session_that_does_not_exist_is_unknown(home: Path) -> None:
    chat = Chat(said=PREFERS).write(home)
    write_record(home, at=chat.ends, reviewdeck={"v": 1, "session": "nobody"})
    assert origin(home).kind is UNKNOWN
    write_log(home, fork_lines("s1", chat.ends, replayed=2))
    assert origin(home).kind is UNKNOWN


def test_a_record_that_claims_the_session_it_comes_from_is_fine(home: Path) -> None:
    chat = Chat(said=PREFERS).write(home)
    write_record(home, at=chat.ends, reviewdeck={"v": 1, "session": "s1"})
    assert origin(home).kind is USER


def test_a_session_of_another_profile_is_none_of_this_home(tmp_path: Path) -> None:
    root = tmp_path / "hermes"
    work, play = root / "profiles" / "work", root / "profiles" / "play"
    for path in (work, play):
        (path / "memories").mkdir(parents=True)
    chat = Chat("s1", PREFERS, columns={"profile_name": "play"}).write(root)
    for path in (work, play):
        write_record(path, at=chat.ends)
    write_log(root, fork_lines("s1", chat.ends, replayed=2))
    assert origin(play).kind is USER
    assert origin(work).kind is UNKNOWN


def test_a_sidecar_that_names_another_homes_session_is_unknown(tmp_path: Path) -> None:
    root = tmp_path / "hermes"
    work = root / "profiles" / "work"
    (work / "memories").mkdir(parents=True)
    chat = Chat("s1", PREFERS, columns={"profile_name": "play"}).write(root)
    write_record(work, at=chat.ends)
    write_sidecar(work, at=chat.ends)
    assert origin(work).kind is UNKNOWN


def test_the_default_home_takes_no_session_of_a_profile(home: Path) -> None:
    chat = Chat("s1", PREFERS, columns={"profile_name": "work"}).write(home)
    write_record(home, at=chat.ends)
    assert origin(home).kind is UNKNOWN


def test_rows_that_a_retry_deleted_are_missed(home: Path) -> None:
    page = tool("web_extract", {"urls": ["https://a.example"]})
    chat = reviewed(home, Chat(said=["Read.", page, answer("Done."), *PREFERS]))
    with closing(open_state(home)) as database:
        database.execute("DELETE FROM messages WHERE id BETWEEN 1 AND 4")
        database.commit()
    assert origin(home).kind is UNKNOWN
    assert len(chat.rows) == 6


def test_a_conversation_whose_rows_are_all_gone_is_unknown(home: Path) -> None:
    reviewed(home, Chat(said=PREFERS))
    with closing(open_state(home)) as database:
        database.execute("DELETE FROM messages")
        database.commit()
    assert origin(home).kind is UNKNOWN


def test_rows_that_were_taken_back_still_count(home: Path) -> None:
    asked, result = tool("web_extract")
    gone = [answer("", **{**asked.columns, "active": 0}), user("x", active=0), result]
    reviewed(home, Chat(said=["Read.", *gone, *PREFERS]))
    assert origin(home).kind is OUTSIDE


def test_sessions_that_go_on_from_each_other_end(home: Path) -> None:
    Chat("s2", PREFERS, parent="s1").write(home)
    reviewed(home, Chat("s1", PREFERS, parent="s2"))
    assert origin(home).kind is USER


def test_a_long_chain_of_sessions_is_unknown(home: Path) -> None:
    chain = [
        Chat(f"s{number}", ["Hello."], parent=f"s{number + 1}" if number < 300 else None)
        for number in range(2, 301)
    ]
    write_state(home, chain)
    reviewed(home, Chat("s1", PREFERS, parent="s2"))
    assert origin(home).kind is UNKNOWN


def test_more_sessions_of_one_hour_than_are_looked_at_are_unknown(home: Path) -> None:
    write_state(home, [Chat(f"s{number}", ["Hello."]) for number in range(60)])
    write_record(home, at=NOON + timedelta(minutes=5))
    assert origin(home).kind is UNKNOWN


def test_a_thousand_records_read_a_conversation_once(home: Path) -> None:
    chat = Chat(said=[*PREFERS * 50]).write(home)
    for number in range(1000):
        write_record(home, f"{number:08x}", at=chat.ends)
    opened = open_home(home)
    proposals = [proposal_of(opened, f"{number:08x}") for number in (0, 999)]
    archive = Archive(home)
    archive.refresh()
    first = archive.session(archive.stores[0], "s1")
    for proposal in proposals:
        assert origin_of(proposal, opened, None, Trust()).kind is USER
    archive.refresh()
    assert archive.session(archive.stores[0], "s1") is first
    Chat("s2", ["Hello."]).write(home)
    archive.refresh()
    assert archive.session(archive.stores[0], "s1") is not first


def test_readers_side_by_side_do_each_other_no_harm(home: Path) -> None:
    reviewed(home, Chat(said=PREFERS))
    opened = open_home(home)
    proposal = proposal_of(opened)
    found: list[OriginClass] = []
    threads = [
        threading.Thread(
            target=lambda: found.append(origin_of(proposal, opened, None, Trust()).kind)
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [USER] * 8


def test_a_look_that_goes_on_for_ever_is_ended(home: Path) -> None:
    write_state(home)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    with pytest.raises(DatabaseUnreadable):
        read_sessions(home / "state.db", lambda db: db._connection.execute(endless).fetchone())


def test_a_search_for_a_row_uses_an_index(home: Path) -> None:
    Chat(said=[*PREFERS, staged("aaaaaaaa")]).write(home)
    with closing(sqlite3.connect(home / "state.db")) as database:
        plan = database.execute(
            "EXPLAIN QUERY PLAN SELECT id FROM messages WHERE session_id = ? AND timestamp"
            " BETWEEN ? AND ? AND role = 'tool' AND instr(content, ?) > 0 ORDER BY id LIMIT 20",
            ("s1", 0, 1, "x"),
        ).fetchall()
    assert "idx_messages_session" in str(plan)
    assert "CREATE INDEX idx_messages_session" in SCHEMA

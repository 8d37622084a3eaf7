"""The stored conversations of a home, read once for each state of the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from reviewdeck.agents.hermes.kit import objects, parsed, text_at
from reviewdeck.homes.hermes import agent_log, session_database
from reviewdeck.homes.hermes.agent_log import AgentLog, read_log
from reviewdeck.homes.hermes.layout import is_profile, roots_of
from reviewdeck.homes.hermes.messages import row_of, session_of
from reviewdeck.homes.hermes.session_database import DATABASE, Activity, Sessions
from reviewdeck.homes.hermes.sidecar import FOLDER
from reviewdeck.homes.sqlite_reads import stamp
from reviewdeck.model import KnownBy
from reviewdeck.origin.conversation import MessageRow, SessionPart, SessionRows
from reviewdeck.values import dataclass

CHAIN: Final = 200
"""The most sessions that may belong to one conversation."""
SPANS: Final = 64
"""The most spans whose sessions are kept."""
_PASTES: Final = 500
_PASTE_BYTES: Final = 256 * 1024

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Store:
    """One session database, and the profile names under which it has this home's sessions."""

    path: Path
    profiles: frozenset[str]


@dataclass(frozen=True, slots=True)
class SourceSession:
    """The session that a record comes from, and the moment up to which it counts."""

    session: str
    until: datetime
    known_by: KnownBy
    row: int | None = None
    """The row of the tool's result, where it named the record."""
    replayed: int | None = None
    tools: tuple[str, ...] = ()
    """The tools that a review called by itself."""

    def cut(self, rows: tuple[MessageRow, ...]) -> tuple[MessageRow, ...]:
        """The rows up to `row`, or up to the last one at the moment `until`."""
        last = self.row
        if last is None:
            last = max(
                (row.id for row in rows if row.at is None or row.at <= self.until), default=0
            )
        return tuple(row for row in rows if row.id <= last)


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session with all its rows, and its further columns of the database."""

    session: SessionRows
    parent: str
    end_reason: str
    prompt: str
    children: tuple[str, ...]
    """The sessions of agents that it delegated to."""
    last_new_model: float
    """When its prompt may last have been rebuilt, for another model; seconds since 1970."""
    counted: int
    """The rows that Hermes says it has; of those that were summed up or taken back it counts none,
    or some."""


@dataclass(slots=True)
class _Cache:
    """The results of reading one state of the files."""

    stamp: str
    activity: dict[Path, tuple[Activity, ...]] = field(default_factory=dict)
    sessions: dict[tuple[Path, str], StoredSession | None] = field(default_factory=dict)
    active: dict[tuple[Path, float, float], Sequence[str]] = field(default_factory=dict)
    """By span: what one look finds has the time of that look."""
    log: AgentLog | None = None
    pastes: tuple[str, ...] | None = None
    rows: int = 0


class Archive:
    """The stored conversations of a home, from its own folder and where it was launched.

    Several threads may read at once: each continues with the state that it began with.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._cache = _Cache("")

    @property
    def stores(self) -> tuple[Store, ...]:
        """The existing databases, the home's own first."""
        name = self._home.name if is_profile(self._home) else "default"
        own = Store(self._home / DATABASE, frozenset({"", name}))
        launch_stores = (
            Store(root / DATABASE, frozenset({name})) for root in roots_of(self._home)[1:]
        )
        return tuple(
            store for store in (own, *launch_stores) if session_database.is_there(store.path)
        )

    def stamp(self) -> str:
        """A stamp that changes when any of the files may have changed."""
        roots = roots_of(self._home)
        parts = [stamp(root / DATABASE) for root in roots]
        parts += [agent_log.stamp(root) for root in roots]
        try:
            parts.append(str(self._home.joinpath(*FOLDER).lstat().st_mtime_ns))
        except OSError:
            parts.append("")
        return "\n".join(parts)

    def refresh(self) -> bool:
        """Clears the cache when the files changed or it is too large; returns whether it did."""
        stamp = self.stamp()
        if stamp == self._cache.stamp and self._cache.rows <= 10 * session_database.ROWS:
            return False
        self._cache = _Cache(stamp)
        return True

    def session(self, store: Store, id: str) -> StoredSession | None:
        """A session of this home; None when there is none, or it is another home's."""
        cache, key = self._cache, (store.path, id)
        if key not in cache.sessions:
            session = session_database.read_sessions(
                store.path, partial(_read, id=id, profiles=store.profiles)
            )
            cache.sessions[key] = session
            cache.rows += 0 if session is None else len(session.session.rows)
        return cache.sessions[key]

    def active(self, store: Store, start: float, end: float) -> Sequence[str]:
        """The sessions of this home with rows in this span."""
        cache, key = self._cache, (store.path, start, end)
        found = cache.active.get(key)
        if found is None:
            near = self._near(store, start, end)
            if len(cache.active) >= SPANS:
                cache.active.clear()
            found = cache.active[key] = session_database.read_sessions(
                store.path, lambda db: [id for id in near if db.was_active(id, start, end)]
            )
        return found

    def results(self, store: Store, id: str, start: float, end: float) -> list[tuple[str, int]]:
        """Tool rows in this span that contain an id, each with its session."""
        near = self._near(store, start, end)
        return session_database.read_sessions(
            store.path,
            lambda db: [(one, row) for one in near for row in db.results_with(one, id, start, end)],
        )

    def log(self) -> AgentLog:
        """The home's log, merged with the log of where it was launched."""
        cache = self._cache
        if cache.log is None:
            own, *logs = [read_log(root) for root in roots_of(self._home)]
            cache.log = own.with_lines_of(logs)
        return cache.log

    def pastes(self) -> tuple[str, ...]:
        """The texts that the user is known to have pasted."""
        cache = self._cache
        if cache.pastes is None:
            cache.pastes = tuple(_read_pastes(self._home / "pastes"))
        return cache.pastes

    def _near(self, store: Store, start: float, end: float) -> list[str]:
        """The sessions whose first and last row enclose a part of the span."""
        cache = self._cache
        if store.path not in cache.activity:
            cache.activity[store.path] = session_database.read_sessions(
                store.path, lambda db: db.activity()
            )
        return [
            entry.session
            for entry in cache.activity[store.path]
            if entry.first <= end and entry.last >= start and entry.profile in store.profiles
        ]


class Chain:
    """Gathers the sessions of a conversation: ancestors, delegates, recalled ones."""

    def __init__(self, archive: Archive, store: Store, source: SourceSession) -> None:
        self._archive = archive
        self._store = store
        self._source = source
        self._visited: set[str] = set()
        self._remaining_rows = session_database.ROWS
        self._lineage: list[StoredSession] = []
        self.sessions: list[SessionRows] = []
        """The session itself first."""
        self.missing = self._add_lineage(source.session, SessionPart.OWN) or self._find_gap()
        """Why the conversation is incomplete, as a sentence; empty when it is not."""

    def _add_lineage(self, id: str, part: SessionPart) -> str:
        ancestor = id
        while ancestor:
            if ancestor in self._visited:
                return ""
            stored = self._archive.session(self._store, ancestor)
            if stored is None:
                return f"A session that belongs to it is not kept: {ancestor[:64]}."
            if part is not SessionPart.RECALLED:
                self._lineage.append(stored)
            if why := self._add(stored, part):
                return why
            ancestor = stored.parent
            part = SessionPart.ANCESTOR if part is SessionPart.OWN else part
        return ""

    def _add(self, stored: StoredSession, part: SessionPart) -> str:
        self._visited.add(stored.session.id)
        rows = self._source.cut(stored.session.rows)
        self._remaining_rows -= len(rows)
        if why := self._find_excess(stored):
            return why
        self.sessions.append(replace(stored.session, rows=rows, part=part))
        child_part = SessionPart.RECALLED if part is SessionPart.RECALLED else SessionPart.DELEGATED
        for child in stored.children:
            if child in self._visited:
                continue
            delegate = self._archive.session(self._store, child)
            if delegate is None:
                return "The session of an agent is not kept."
            if stored.session.source == "subagent" and stored.end_reason == "compression":
                # It may be the same agent, which goes on.
                sent_by = stored.session.sent_by or stored.session.id
                delegate = replace(delegate, session=replace(delegate.session, sent_by=sent_by))
            if why := self._add(delegate, child_part):
                return why
        for recalled in _recalled_sessions(rows):
            if recalled not in self._visited and (
                why := self._add_lineage(recalled, SessionPart.RECALLED)
            ):
                return why
        return ""

    def _find_excess(self, stored: StoredSession) -> str:
        """Why a session cannot be counted whole; empty where it can."""
        if len(stored.session.rows) < stored.counted:
            return f"Rows of a session that belongs to it are not kept: {stored.session.id[:64]}."
        if self._remaining_rows < 0:
            return f"The conversation has more than {session_database.ROWS:,} rows."
        if len(self._visited) > CHAIN:
            return f"More than {CHAIN} sessions belong to the conversation."
        return ""

    def _find_gap(self) -> str:
        """Why the gathered rows cannot be complete; empty when nothing contradicts it."""
        lineage = [
            session
            for session in self.sessions
            if session.part in (SessionPart.OWN, SessionPart.ANCESTOR)
        ]
        if not any(session.rows for session in lineage):
            return "No rows of the conversation are kept."
        for index, session in enumerate(lineage):
            rotated = any(
                parent.end_reason == "compression"
                for parent in self._lineage[index + 1 : index + 2]
            )
            messages = self._archive.log().compressed(session.id)
            if not rotated and not _has_originals(session.rows, messages):
                return "The conversation was summed up, and the messages before are not kept."
        count = sum(
            row.role in ("user", "assistant", "tool") for session in lineage for row in session.rows
        )
        if self._source.replayed is not None and count < self._source.replayed:
            return f"Only {count} of {self._source.replayed} messages of the conversation are kept."
        return ""


def _has_originals(rows: Sequence[MessageRow], messages: int) -> bool:
    """Whether all rows that a summary stands for are kept.

    They are as many as the log says, if it does; they begin the session; the rows that were kept
    beside the summary are among them, and they are more than those.
    """
    last = max((at for at, row in enumerate(rows) if row.is_summary), default=-1)
    if last < 0:
        return True
    originals = [row for row in rows if row.is_compacted]
    kept = [row for row in rows[:last] if not (row.is_compacted or row.is_summary)]
    told = {(row.role, row.text) for row in originals}
    return (
        bool(originals)
        and rows[0].is_compacted
        and len(originals) > max(len(kept) + 1, messages - 1)
        and all((row.role, row.text) in told for row in kept if not row.is_rewound)
    )


def _read(database: Sessions, *, id: str, profiles: frozenset[str]) -> StoredSession | None:
    raw = database.session(id)
    if raw is None or str(raw.get("profile_name") or "") not in profiles:
        return None
    prompt = database.prompt(raw)
    rows = tuple(row_of(message) for message in database.messages(id))
    agents = [child for child in database.children(id) if child.get("source") == "subagent"]
    return StoredSession(
        session_of(raw, rows, prompt, database.models(raw)),
        str(raw.get("parent_session_id") or ""),
        str(raw.get("end_reason") or ""),
        prompt,
        tuple(str(agent["id"]) for agent in agents),
        database.last_new_model(id),
        count if isinstance(count := raw.get("message_count"), int) else 0,
    )


def _recalled_sessions(rows: Iterable[MessageRow]) -> Iterator[str]:
    """The sessions that searches returned; an unreadable result yields a name of no session."""
    rows = list(rows)
    search_ids = {call.id for row in rows for call in row.calls if call.name == "session_search"}
    for row in rows:
        if row.role == "tool" and (row.call in search_ids or row.tool == "session_search"):
            result = None if row.is_cut else parsed(row.text)
            if not isinstance(result, dict):
                yield "(a search whose result cannot be read)"
                continue
            for found in (result, *objects(result.get("results"))):
                if session := text_at(found, "session_id"):
                    yield session


def _read_pastes(folder: Path) -> Iterator[str]:
    """The stored pastes, newest first."""
    try:
        for path in sorted(folder.iterdir(), reverse=True)[:_PASTES]:
            if path.is_symlink() or not path.is_file() or path.stat().st_size > _PASTE_BYTES:
                continue
            if text := path.read_text("utf-8", "replace").strip():
                yield text
    except OSError:
        return

"""The conversations of a home as they are kept: read once for each state of the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from reviewdeck.homes.hermes import agent_log, session_database
from reviewdeck.homes.hermes.agent_log import AgentLog, read_log
from reviewdeck.homes.hermes.kept import is_profile, roots_of
from reviewdeck.homes.hermes.messages import parsed, row_of, session_of
from reviewdeck.homes.hermes.session_database import DATABASE, Activity, Sessions
from reviewdeck.homes.hermes.sidecar import FOLDER
from reviewdeck.model import KnownBy
from reviewdeck.origin.conversation import MessageRow, SessionPart, SessionRows
from reviewdeck.origin.said import SUMMARIES

CHAIN: Final = 200
"""Sessions that may belong to one conversation."""
_PASTES: Final = 500
_PASTE_BYTES: Final = 256 * 1024

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Store:
    """One session database, and which of its sessions are this home's."""

    path: Path
    profiles: frozenset[str]


@dataclass(frozen=True, slots=True)
class SourceSession:
    """Which session a record comes from, and up to where it counts."""

    session: str
    until: datetime
    known_by: KnownBy
    row: int | None = None
    """The row of the tool's result, where that told."""
    replayed: int | None = None
    tools: tuple[str, ...] = ()
    """What a review called by itself."""

    def cut(self, rows: tuple[MessageRow, ...]) -> tuple[MessageRow, ...]:
        """The rows that were there: up to the row that told, or the last one of the moment."""
        last = self.row
        if last is None:
            last = max(
                (row.id for row in rows if row.at is None or row.at <= self.until), default=0
            )
        return tuple(row for row in rows if row.id <= last)


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session with all its rows, and what only the database says of it."""

    session: SessionRows
    parent: str
    end_reason: str
    prompt: str
    children: tuple[str, ...]
    """The agents that it sent."""
    last_new_model: float
    """When its prompt may last have been made anew, for another model."""


@dataclass(slots=True)
class _Cache:
    """What was read of one state of the files."""

    stamp: str
    activity: dict[Path, tuple[Activity, ...]] = field(default_factory=dict)
    kept: dict[tuple[Path, str], StoredSession | None] = field(default_factory=dict)
    log: AgentLog | None = None
    pastes: tuple[str, ...] | None = None
    rows: int = 0


class Archive:
    """What a home keeps of its conversations, wherever it was launched.

    Several threads may ask at once: each goes on with the state that it began with.
    """

    def __init__(self, home: Path, zone: tzinfo | None = None) -> None:
        self._home = home
        self._zone = zone
        self._cache = _Cache("")

    @property
    def stores(self) -> tuple[Store, ...]:
        """The databases that are there, the home's own first."""
        name = self._home.name if is_profile(self._home) else "default"
        own = Store(self._home / DATABASE, frozenset({"", name}))
        others = (Store(root / DATABASE, frozenset({name})) for root in roots_of(self._home)[1:])
        return tuple(one for one in (own, *others) if session_database.is_there(one.path))

    def stamp(self) -> str:
        """A cheap hint that changes when anything of it may have."""
        roots = roots_of(self._home)
        parts = [session_database.stamp(root / DATABASE) for root in roots]
        parts += [agent_log.stamp(root) for root in roots]
        try:
            parts.append(str(self._home.joinpath(*FOLDER).lstat().st_mtime_ns))
        except OSError:
            parts.append("")
        return "\n".join(parts)

    def refresh(self) -> bool:
        """Forgets what was read of another state, or when it is much; says whether it did."""
        stamp = self.stamp()
        if stamp == self._cache.stamp and self._cache.rows <= 10 * session_database.ROWS:
            return False
        self._cache = _Cache(stamp)
        return True

    def kept(self, store: Store, id: str) -> StoredSession | None:
        """A session of this home; None when it is none, or another home's."""
        cache, key = self._cache, (store.path, id)
        if key not in cache.kept:
            found = session_database.look(
                store.path, partial(_read, id=id, profiles=store.profiles)
            )
            cache.kept[key] = found
            cache.rows += 0 if found is None else len(found.session.rows)
        return cache.kept[key]

    def active(self, store: Store, start: float, end: float) -> list[str]:
        """The sessions of this home with rows of this span."""
        near = self._near(store, start, end)
        return session_database.look(store.path, partial(_with_rows, near=near, span=(start, end)))

    def results(self, store: Store, id: str, start: float, end: float) -> list[tuple[str, int]]:
        """Rows of tools of this span in which an id stands, with their sessions."""
        near = self._near(store, start, end)
        return session_database.look(
            store.path, partial(_results, near=near, id=id, span=(start, end))
        )

    def log(self) -> AgentLog:
        """The lines of the home's log, and of the log of where it was launched."""
        cache = self._cache
        if cache.log is None:
            own, *others = [read_log(root, self._zone) for root in roots_of(self._home)]
            cache.log = own.with_lines_of(others)
        return cache.log

    def pastes(self) -> tuple[str, ...]:
        """The texts that are known to have been pasted."""
        cache = self._cache
        if cache.pastes is None:
            cache.pastes = tuple(_read_pastes(self._home / "pastes"))
        return cache.pastes

    def _near(self, store: Store, start: float, end: float) -> list[str]:
        """The sessions whose rows begin before the end and end after the start."""
        cache = self._cache
        if store.path not in cache.activity:
            cache.activity[store.path] = session_database.look(store.path, lambda db: db.activity())
        return [
            one.session
            for one in cache.activity[store.path]
            if one.first <= end and one.last >= start and one.profile in store.profiles
        ]


class Chain:
    """Gathers what belongs to a session: what it goes on from, whom it sent, what it recalled."""

    def __init__(self, archive: Archive, store: Store, found: SourceSession) -> None:
        self._archive = archive
        self._store = store
        self._found = found
        self._seen: set[str] = set()
        self._left = session_database.ROWS
        self._line: list[StoredSession] = []
        self.sessions: list[SessionRows] = []
        """The session itself first."""
        self.missing = self._lineage(found.session, SessionPart.OWN) or self._not_whole()
        """Why it cannot be counted whole, as a sentence; or nothing."""

    def _lineage(self, id: str, part: SessionPart) -> str:
        above = id
        while above:
            if above in self._seen:
                return ""
            kept = self._archive.kept(self._store, above)
            if kept is None:
                return f"A session that belongs to it is not kept: {above[:64]}."
            if part is not SessionPart.RECALLED:
                self._line.append(kept)
            if why := self._add(kept, part):
                return why
            above = kept.parent
            part = SessionPart.ANCESTOR if part is SessionPart.OWN else part
        return ""

    def _add(self, kept: StoredSession, part: SessionPart) -> str:
        self._seen.add(kept.session.id)
        rows = self._found.cut(kept.session.rows)
        self._left -= len(rows)
        if self._left < 0:
            return f"The conversation has more than {session_database.ROWS:,} rows."
        if len(self._seen) > CHAIN:
            return f"More than {CHAIN} sessions belong to the conversation."
        self.sessions.append(replace(kept.session, rows=rows, part=part))
        below = SessionPart.RECALLED if part is SessionPart.RECALLED else SessionPart.DELEGATED
        for child in kept.children:
            if child in self._seen:
                continue
            sent = self._archive.kept(self._store, child)
            if why := self._add(sent, below) if sent else "The session of an agent is not kept.":
                return why
        for recalled in _recalled(rows):
            if recalled not in self._seen and (
                why := self._lineage(recalled, SessionPart.RECALLED)
            ):
                return why
        return ""

    def _not_whole(self) -> str:
        """Why the rows that were gathered cannot be all, by what they say of themselves."""
        line = [one for one in self.sessions if one.part in (SessionPart.OWN, SessionPart.ANCESTOR)]
        if not any(one.rows for one in line):
            return "No rows of the conversation are kept."
        for at, one in enumerate(line):
            rotated = any(kept.end_reason == "compression" for kept in self._line[at + 1 : at + 2])
            summed = any(row.text.startswith(SUMMARIES) for row in one.rows)
            if summed and not rotated and not any(row.is_compacted for row in one.rows):
                return "The conversation was summed up, and the messages before are not kept."
        count = sum(row.role in ("user", "assistant", "tool") for one in line for row in one.rows)
        if self._found.replayed is not None and count < self._found.replayed:
            return f"Only {count} of {self._found.replayed} messages of the conversation are kept."
        return ""


def _read(database: Sessions, *, id: str, profiles: frozenset[str]) -> StoredSession | None:
    raw = database.session(id)
    if raw is None or str(raw.get("profile_name") or "") not in profiles:
        return None
    prompt = database.prompt(raw)
    rows = tuple(row_of(one) for one in database.messages(id))
    sent = [one for one in database.children(id) if one.get("source") == "subagent"]
    return StoredSession(
        session_of(raw, rows, prompt, database.models(raw)),
        str(raw.get("parent_session_id") or ""),
        str(raw.get("end_reason") or ""),
        prompt,
        tuple(str(one["id"]) for one in sent),
        database.last_new_model(id),
    )


def _with_rows(database: Sessions, *, near: Sequence[str], span: tuple[float, float]) -> list[str]:
    return [one for one in near if database.was_active(one, *span)]


def _results(
    database: Sessions, *, near: Sequence[str], id: str, span: tuple[float, float]
) -> list[tuple[str, int]]:
    return [(one, row) for one in near for row in database.results_with(one, id, *span)]


def _recalled(rows: Iterable[MessageRow]) -> Iterator[str]:
    """The sessions that searches found; what cannot be read names one that nobody keeps."""
    rows = list(rows)
    asked = {call.id for row in rows for call in row.calls if call.name == "session_search"}
    for row in rows:
        if row.role == "tool" and (row.call in asked or row.tool == "session_search"):
            result = None if row.is_cut else parsed(row.text)
            if not isinstance(result, dict):
                yield "(a search whose result cannot be read)"
                continue
            listed = result.get("results")
            for one in (result, *(listed if isinstance(listed, list) else [])):
                if isinstance(one, dict) and isinstance(one.get("session_id"), str):
                    yield one["session_id"]


def _read_pastes(folder: Path) -> Iterator[str]:
    """The texts that were pasted, newest first, as far as they are kept."""
    try:
        for path in sorted(folder.iterdir(), reverse=True)[:_PASTES]:
            if path.is_symlink() or not path.is_file() or path.stat().st_size > _PASTE_BYTES:
                continue
            if text := path.read_text("utf-8", "replace").strip():
                yield text
    except OSError:
        return

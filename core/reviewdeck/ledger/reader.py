"""What can be read of a ledger without an ORM, and the reader that needs nothing else."""

from __future__ import annotations

import sqlite3
import threading
from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from reviewdeck.errors import LedgerUnavailable, UnknownId
from reviewdeck.ledger import view_sql as view
from reviewdeck.ledger.blobs import Run, bytes_of, chunks
from reviewdeck.ledger.cells import shield
from reviewdeck.ledger.faults import decoding, translated
from reviewdeck.ledger.list_sql import (
    read_counts,
    read_item,
    read_items,
    read_outlines,
    read_page,
    read_stamp,
)
from reviewdeck.ledger.place import is_there, path_of
from reviewdeck.ledger.schema import version_of
from reviewdeck.ledger.versions import HEAD
from reviewdeck.model import (
    OPEN_STATES,
    Decision,
    Effect,
    Event,
    Judgement,
    Marks,
    Observation,
    Operation,
    Origin,
    Outline,
    Proposal,
    QueueItem,
    ReviewTotals,
    Revision,
    State,
    Transcript,
    Turn,
)
from reviewdeck.ports import Baseline, Counts, Filter, OpenBatch, Subject, Undone

_SHOWN: Final = 6
"""Ids that a complaint names."""


class Reads:
    """Satisfies `ports.LedgerReader`, over any connection that runs plain SQL."""

    @abstractmethod
    def _reading(self, what: str) -> AbstractContextManager[Run]:
        """One consistent view for all the queries of one question."""

    def counts(self, homes: Sequence[str] = ()) -> Counts:
        """How many proposals stand where."""
        with self._reading("The counters") as run:
            return read_counts(run, homes)

    def page(
        self, wanted: Filter, *, after: int | None = None, limit: int = 100
    ) -> tuple[QueueItem, ...]:
        """Newest first, by keyset."""
        with self._reading("A page of the queue") as run:
            return read_page(run, wanted, after, limit)

    def item(self, id: str) -> QueueItem:
        """One line of the queue. Raises UnknownId."""
        with self._reading(f"Proposal {id}") as run:
            found = read_item(run, id)
        if found is None:
            raise _unknown(id)
        return found

    def items(self, ids: Sequence[str]) -> tuple[QueueItem, ...]:
        """Several lines of the queue, in this order; unknown ids are left out."""
        with self._reading("The queue") as run:
            return tuple(item for part in chunks(ids) for item in read_items(run, part))

    def outside(self, home: str) -> tuple[Proposal, ...]:
        """What was changed without us and nobody has reviewed, oldest first."""
        with self._reading("What was changed outside review") as run:
            return view.read_outside(run, home)

    def outlines(
        self, wanted: Filter, *, after: int | None = None, limit: int = 1_000
    ) -> tuple[Outline, ...]:
        """As `page`, with only what ordering and filtering a long queue need."""
        with self._reading("A page of the queue") as run:
            return read_outlines(run, wanted, after, limit)

    def stamp(self, home: str) -> str | None:
        """The hint that was stored when this home was last taken in; empty where none could be."""
        with self._reading("The stamp") as run:
            return read_stamp(run, home)

    def resolve(self, prefix: str, homes: Sequence[str] = ()) -> str:
        """The one proposal with this id, unique prefix of it, or unique id of the agent's own.

        The agent's own id may be used again by it: then the one that is still open is meant.
        """
        with self._reading("The queue") as run:
            matches = view.read_matches(run, prefix, homes) if prefix else []
        ids = [id for id, _, _ in matches]
        if prefix in ids:
            return prefix
        if len(ids) > 1:
            waiting = [id for id, state, own in matches if own and state in OPEN_STATES]
            others = [id for id, _, own in matches if not own]
            ids = waiting if len(waiting) == 1 and not others else ids
        match ids:
            case [id]:
                return id
            case []:
                raise _unknown(prefix)
            case _:
                shown = ", ".join(ids[:_SHOWN]) + (", ..." if len(ids) > _SHOWN else "")
                raise UnknownId(f"{prefix} could be any of {shown}.")

    def state_of(self, id: str) -> State | None:
        """Where a proposal stands; None when there is none by that whole id."""
        with self._reading(f"Proposal {id}") as run:
            return view.read_state(run, id)

    def proposal(self, id: str) -> Proposal:
        """The whole proposal. Raises UnknownId. A quarantined one has no edits."""
        with self._reading(f"Proposal {id}") as run:
            found = next(view.read_proposals(run, "id = :id", {"id": shield(id)}), None)
        if found is None:
            raise _unknown(id)
        return found

    def judgement(self, proposal: str) -> Judgement | None:
        """What was judged last of a proposal while it waited; None for what nobody judged."""
        with self._reading("A judgement") as run:
            return view.read_judgement(run, proposal)

    def origins(self, proposals: Collection[str], policy: str) -> dict[str, Origin]:
        """Where these proposals come from, as it was found for good under this policy file."""
        with self._reading("A judgement") as run:
            return dict(view.read_origins(run, proposals, policy))

    def subjects(self, home: str) -> Iterator[Subject]:
        """All texts of waiting proposals, and all that is remembered."""
        with self._reading("A text of the index") as run:
            return view.read_subjects(run, home)

    def content(self, revision: Revision) -> bytes | None:
        """The bytes of a revision; None when it is ABSENT or not stored."""
        with self._reading("A revision") as run:
            return bytes_of(run, [revision]).get(revision)

    def observations(self, home: str, path: str | None = None) -> tuple[Observation, ...]:
        """Everything observed of one document, or of all, oldest first."""
        with self._reading("An observation") as run:
            return tuple(view.read_observations(run, home, path))

    def latest(self, home: str) -> dict[str, Observation]:
        """The last observation of each document."""
        with self._reading("An observation") as run:
            return view.read_latest(run, home)

    def baseline(self, home: str) -> Baseline | None:
        """What the first look at a home took as it was; None once that is reviewed."""
        with self._reading("An observation") as run:
            return view.read_baseline(run, home)

    def revision_at(self, home: str, path: str, moment: datetime) -> Observation | None:
        """The last observation of a document at or before a moment."""
        with self._reading("An observation") as run:
            return view.read_revision_at(run, home, path, moment)

    def moments(self, home: str, path: str, most: int) -> Sequence[tuple[datetime, Revision]]:
        """From when on a document was at which of its last revisions, the newest first."""
        with self._reading("An observation") as run:
            return view.read_moments(run, home, path, most)

    def marks(self, home: str) -> Marks:
        """Until when somebody has seen what the agent learnt, document by document."""
        with self._reading("A mark") as run:
            return view.read_marks(run, home)

    def unfinished(self, home: str) -> tuple[OpenBatch, ...]:
        """Batches that are intents still, or done and not settled."""
        with self._reading("An unfinished batch") as run:
            return view.read_unfinished(run, home)

    def operations(
        self, *, home: str | None = None, limit: int | None = None
    ) -> tuple[Operation, ...]:
        """Operations, newest first."""
        of_it = "" if home is None else "WHERE home = :home"
        values = {"home": shield(home or ""), "most": -1 if limit is None else limit}
        with self._reading("An operation") as run:
            ordered = f"{of_it} ORDER BY sequence DESC LIMIT :most"
            return view.read_operations(run, ordered, values)

    def operation(self, prefix: str) -> Operation:
        """The operation with this id or unique prefix of it. Raises UnknownId."""
        ordered = "WHERE id >= :first AND id < :last ORDER BY id LIMIT :most"
        values = {"first": shield(prefix), "last": shield(prefix) + view.LAST, "most": _SHOWN}
        with self._reading(f"Operation {prefix}") as run:
            matches = view.read_operations(run, ordered, values) if prefix else ()
        exact = [one for one in matches if one.id == prefix] or matches
        match exact:
            case [found]:
                return found
            case []:
                raise UnknownId(f"There is no operation {prefix}.")
            case _:
                raise UnknownId(f"{prefix} could be any of {', '.join(one.id for one in exact)}.")

    def inverse_effects(self, operation: str) -> tuple[Effect, ...]:
        """What takes back the side effects of this operation: those that are done, or begun."""
        with self._reading(f"Operation {operation}") as run:
            return view.read_inverse(run, operation)

    def decisions(self, proposal: str) -> tuple[Decision, ...]:
        """What was decided about a proposal, oldest first."""
        with self._reading("A decision") as run:
            return view.read_decisions(run, "WHERE proposal = :of", {"of": shield(proposal)})

    def undone(self, home: str) -> Mapping[str, Undone]:
        """The proposals of a home whose newest application was taken back, and by what."""
        with self._reading("An operation") as run:
            return view.read_undone(run, home)

    def notes(self, proposal: str) -> tuple[Event, ...]:
        """The notes that operators wrote about a proposal, oldest first."""
        with self._reading("An event") as run:
            return tuple(view.read_notes(run, proposal))

    def newest_event(self) -> datetime | None:
        """The latest time of the last events."""
        with self._reading("An event") as run:
            return view.read_newest_event(run)

    def pinned(self, name: str) -> str | None:
        """What was pinned under a name."""
        with self._reading("A pin") as run:
            return view.read_pin(run, name)

    def is_signed(self) -> bool:
        """Whether decisions were signed here, or were to be: a row or a line of the log says so."""
        with self._reading("A decision") as run:
            return view.read_is_signed(run)

    def review_totals(self, homes: Sequence[str] = ()) -> ReviewTotals:
        """All runs of the background reviewer together."""
        with self._reading("A review") as run:
            return view.read_totals(run, homes)

    def transcripts(self, session: str) -> tuple[Transcript, ...]:
        """The transcripts of a session, oldest first."""
        with self._reading(f"Session {session}") as run:
            return tuple(view.read_transcripts(run, session))

    def has_turns(self, home: str) -> bool:
        """Whether any session of this home was ever recorded, as far as that is still kept."""
        with self._reading("A transcript") as run:
            return view.read_has_turns(run, home)

    def turns(
        self, transcript: str, *, before: int | None = None, limit: int | None = None
    ) -> tuple[Turn, ...]:
        """The last turns of a transcript, those before this number; in order."""
        with self._reading(f"Transcript {transcript}") as run:
            return tuple(view.read_turns(run, transcript, before, limit))


def _unknown(id: str) -> UnknownId:
    return UnknownId(f"There is no proposal {id}.")


class LightReader(Reads):
    """Reads a ledger's file with the standard library. Never writes; empty without a ledger."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def home_at(self, path: str, seen: tuple[str, str] | None) -> str | None:
        """The id of the home that stands at this path; None where that has to be looked into."""
        with self._reading("The places of homes") as run:
            return view.read_home_at(run, path, seen)

    def close(self) -> None:
        """Lets go of the database."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _reading(self, what: str) -> Iterator[Run]:
        with self._lock, translated(str(self._path)), decoding(what):
            connection = self._connected()
            if connection is None:
                yield _nothing
                return
            connection.execute("BEGIN")
            try:
                yield _runner(connection)
            finally:
                connection.execute("ROLLBACK")

    def _connected(self) -> sqlite3.Connection | None:
        if self._connection is None and is_there(self._path):
            self._connection = _connect(self._path)
        return self._connection


def open_reader(url: str) -> LightReader:
    """A reader of the ledger at this URL; the ledger need not exist.

    Raises BadInput; its methods raise LedgerUnavailable, LedgerTooNew, LedgerDamaged, Busy.
    """
    return LightReader(path_of(url))


def _connect(path: Path) -> sqlite3.Connection | None:
    """A connection that cannot write; None when the ledger is being made at this moment."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro",
        uri=True,
        timeout=10,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        version = version_of(connection, str(path))
        if version is not None and version != HEAD:
            raise LedgerUnavailable(
                f"The ledger {path} is of an earlier version of reviewdeck.",
                hint="Any command that writes, such as `reviewdeck auto`, brings it up to date.",
            )
    except BaseException:
        connection.close()
        raise
    if version is None:
        connection.close()
        return None
    return connection


def _runner(connection: sqlite3.Connection) -> Run:
    def run(sql: str, values: Mapping[str, object]) -> Sequence[Sequence[Any]]:
        return connection.execute(sql, values).fetchall()

    return run


def _nothing(sql: str, values: Mapping[str, object]) -> Sequence[Sequence[Any]]:
    return ()

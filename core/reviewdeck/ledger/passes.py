"""A home's records, open proposals, and the keys of their stored evaluations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from itertools import chain

from sqlalchemy import Connection, bindparam, delete, select, text, update

from reviewdeck.ledger import pass_sql
from reviewdeck.ledger.audit import NOBODY, Note, log
from reviewdeck.ledger.blobs import AMONG, chunks, listed
from reviewdeck.ledger.cells import dump, shield, unshield
from reviewdeck.ledger.database import (
    LedgerPart,
    Many,
    insert_missing,
    raw_rows,
    runner,
    upsert,
)
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.list_sql import OPEN_SQL, WAITING, WAITING_SQL
from reviewdeck.ledger.proposal_rows import store_stagings
from reviewdeck.ledger.tables import (
    DirtyRow,
    HomeRow,
    ProposalRow,
    RecordRow,
    table_of,
)
from reviewdeck.ledger.view_sql import read_proposals
from reviewdeck.model import Proposal, QueueItem, State
from reviewdeck.model.codec import findings_to_json
from reviewdeck.ports import RefreshStart, Staging

_PROPOSAL = table_of(ProposalRow)
_RECORD = table_of(RecordRow)
_DIRTY = table_of(DirtyRow)

_KEEP = (
    update(_PROPOSAL)
    .where(_PROPOSAL.c.id == bindparam("b_id"))
    .values(evaluation_key=bindparam("b_key"))
)
_SAY = (
    update(_PROPOSAL)
    .where(
        _PROPOSAL.c.id == bindparam("b_id"),
        _PROPOSAL.c.state == State.READY.value,
        _PROPOSAL.c.verdict == "auto-apply",
        _PROPOSAL.c.digest == bindparam("b_digest"),
    )
    .values(findings=bindparam("b_findings"))
)


class SqlRecords(LedgerPart):
    """The pending files that were read."""

    def records(self, home: str) -> dict[str, str]:
        """The hint of each pending file that was read."""
        with self._storage.viewing() as session:
            rows = raw_rows(session, pass_sql.RECORDS, shield(home))
            return {unshield(source): hint for source, hint in rows}

    def mark_vanished(self, home: str, sources: Collection[str]) -> tuple[str, ...]:
        """Marks the open proposals of vanished files as decided elsewhere; gives their ids."""
        if not sources:
            return ()
        reason = "its pending file is gone: decided elsewhere"
        with self._storage.writing() as connection:
            proposals = records_at(connection, home, sources)
            lost = open_among(connection, proposals.values())
            for chunk in chunks(sources):
                deletion = delete(_RECORD).where(
                    _RECORD.c.home == home, _RECORD.c.source.in_(chunk)
                )
                connection.execute(deletion)
            close(connection, home, lost, reason, self._storage.now())
        return tuple(lost)

    def leftovers(self, home: str) -> tuple[tuple[str, str], ...]:
        """Files of proposals that are applied or rejected, with the SHA-256 of their content."""
        with self._storage.viewing() as session:
            return tuple(
                (unshield(source), sha)
                for source, sha in raw_rows(session, pass_sql.LEFT, shield(home))
            )

    def decided_records(self, home: str) -> tuple[tuple[str, str], ...]:
        """Each file that a decided proposal ever came from, with the SHA-256 of its content."""
        table = _PROPOSAL
        query = select(table.c.source, table.c.payload_sha).where(
            table.c.home == home,
            table.c.source.is_not(None),
            table.c.state.in_([State.APPLIED.value, State.REJECTED.value]),
        )
        with self._storage.viewing() as session:
            return tuple((row.source, row.payload_sha) for row in session.execute(query))


class SqlEvaluations(LedgerPart):
    """The open proposals, and the keys of their stored evaluations."""

    def together(self) -> AbstractContextManager[Callable[[], None]]:
        """One transaction over this thread's reads and writes, until the function is called."""
        return self._storage.together()

    def begin_refresh(self, home: str) -> RefreshStart:
        """The state of the queue now."""
        shielded = shield(home)
        with self._storage.viewing() as session:
            ((number,),) = raw_rows(session, pass_sql.NUMBER, shielded)
            ((top,),) = raw_rows(session, pass_sql.TOP, shielded)
            dirty = dict(raw_rows(session, pass_sql.DIRTY, shielded))
            return RefreshStart(
                home=home,
                number=number,
                has_moved=top > 0,
                arrived=frozenset(id for id, state in dirty.items() if state in WAITING),
                departed=frozenset(id for id, state in dirty.items() if state not in WAITING),
                covered=top,
            )

    def keys(self, home: str) -> dict[str, str | None]:
        """Every proposal that is open and can be read, oldest first, with its key."""
        with self._storage.viewing() as session:
            return dict(raw_rows(session, pass_sql.KEYS, shield(home)))

    def end_refresh(
        self,
        begun: RefreshStart,
        keys: Mapping[str, str],
        stagings: Sequence[Staging] = (),
        stamp: str | None = None,
    ) -> bool:
        """Stores the evaluations of a pass, unless another pass was finished in between."""
        home = table_of(HomeRow)
        of_pass = (home.c.id == begun.home) & (home.c.round == begun.number)
        with self._storage.writing() as connection:
            store_stagings(connection, stagings)
            if stamp is not None:
                upsert(connection, HomeRow, "id", {"id": begun.home, "stamp": stamp})
            insert_missing(connection, HomeRow, [{"id": begun.home, "stamp": None}])
            turn = update(home).where(of_pass).values(round=begun.number + 1)
            if connection.execute(turn).rowcount != 1:
                return False
            rows = [{"b_id": id, "b_key": key} for id, key in keys.items()]
            if rows:
                connection.execute(_KEEP, rows)
            done = delete(_DIRTY).where(
                _DIRTY.c.home == begun.home, _DIRTY.c.sequence <= begun.covered
            )
            connection.execute(done)
        return True

    def automatic(self, home: str) -> tuple[str, ...]:
        """The ready proposals that the policy approves, oldest first."""
        is_ready = _PROPOSAL.c.state == State.READY.value
        query = (
            select(_PROPOSAL.c.id)
            .where(_PROPOSAL.c.home == home, is_ready, _PROPOSAL.c.verdict == "auto-apply")
            .order_by(_PROPOSAL.c.position)
        )
        with self._storage.viewing() as session:
            return tuple(session.scalars(query))

    def note(self, items: Collection[QueueItem]) -> None:
        """Stores the findings of these rows, where the proposal is still automatic and the same."""
        rows = [
            {
                "b_id": item.id,
                "b_digest": item.digest,
                "b_findings": findings_to_json(item.findings),
            }
            for item in items
        ]
        if rows:
            with self._storage.writing() as connection:
                connection.execute(_SAY, rows)

    def proposals(self, ids: Collection[str]) -> tuple[Proposal, ...]:
        """The open ones among these proposals, oldest first, in full."""
        with self._storage.viewing() as session, decoding("An open proposal"):
            condition = f"id {AMONG} AND {WAITING_SQL}"
            run = runner(session)
            parts = (
                read_proposals(run, condition, {"among": listed(part)}) for part in chunks(ids)
            )
            return tuple(chain.from_iterable(parts))


def note_records(
    connection: Connection, records: Iterable[tuple[str, str, str]], hints: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Stores which file holds which proposal, by home, source and id.

    Gives home and id of the proposals that these files held before.
    """
    by_home: dict[str, dict[str, str]] = {}
    for home, source, id in records:
        by_home.setdefault(home, {})[source] = id
    replaced: list[tuple[str, str]] = []
    for home, ids in by_home.items():
        proposals = records_at(connection, home, ids)
        replaced += [(home, id) for source, id in proposals.items() if ids[source] != id]
        rows = [
            {"b_home": home, "b_source": source, "b_hint": hints.get(source, ""), "b_id": id}
            for source, id in ids.items()
        ]
        _NOTE.execute(connection, rows)
    return replaced


_NOTE = Many(
    text(
        "INSERT OR REPLACE INTO record (home, source, hint, proposal, done) VALUES"
        " (:b_home, :b_source, :b_hint, :b_id, EXISTS (SELECT 1 FROM proposal WHERE id = :b_id"
        " AND state IN ('applied', 'rejected')))"
    ).bindparams(
        bindparam("b_home", type_=_RECORD.c.home.type),
        bindparam("b_source", type_=_RECORD.c.source.type),
        bindparam("b_id", type_=_RECORD.c.proposal.type),
    )
)


def records_at(connection: Connection, home: str, sources: Iterable[str]) -> dict[str, str]:
    """The proposals that these files held when they were last read."""
    rows = raw_rows(
        connection, pass_sql.HELD, shield(home), dump([shield(source) for source in sources])
    )
    return {unshield(source): id for source, id in rows}


def open_among(connection: Connection, ids: Iterable[str]) -> list[str]:
    """The open ones among these proposals."""
    open_ids: list[str] = []
    for chunk in chunks(ids):
        query = select(_PROPOSAL.c.id).where(_PROPOSAL.c.id.in_(chunk), text(OPEN_SQL))
        open_ids += connection.scalars(query.order_by(_PROPOSAL.c.position))
    return open_ids


def close(connection: Connection, home: str, ids: Sequence[str], reason: str, at: datetime) -> None:
    """Marks proposals as decided elsewhere."""
    for chunk in chunks(ids):
        query = update(_PROPOSAL).where(_PROPOSAL.c.id.in_(chunk))
        connection.execute(query.values(state=State.ELSEWHERE.value, reason=reason))
    log(connection, [Note("elsewhere", home, id, NOBODY, at, {"reason": reason}) for id in ids])

"""Proposals with their states."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, select, update

from reviewdeck.ledger import pass_sql
from reviewdeck.ledger.audit import NOBODY, Note, log
from reviewdeck.ledger.cells import dump, shield
from reviewdeck.ledger.database import LedgerPart, bulk_insert, keep_bytes, raw_rows, runner
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.list_sql import WAITING_SQL
from reviewdeck.ledger.passes import close, note_records, open_among
from reviewdeck.ledger.proposal_rows import UNREADABLE, row_of, store_stagings
from reviewdeck.ledger.row_sums import TAKEN_IN, sum_of
from reviewdeck.ledger.subjects import replace_subjects
from reviewdeck.ledger.tables import ProposalRow, table_of
from reviewdeck.ledger.view_sql import read_dropped_outside, read_proposals
from reviewdeck.model import Actor, Proposal, Quarantined, Revision, State
from reviewdeck.ports import Staging, Subject

_REPLACED = "its pending file holds another record now"
_NO_HINTS: Mapping[str, str] = MappingProxyType({})


class SqlProposals(LedgerPart):
    """Adding, reading, staging and dropping proposals."""

    def add(
        self,
        proposals: Sequence[Proposal | Quarantined],
        records: Mapping[str, bytes],
        hints: Mapping[str, str] = _NO_HINTS,
        subjects: Sequence[Subject] = (),
    ) -> set[str]:
        """Stores new proposals, with the records' bytes by SHA-256; gives the new ids.

        A record that had vanished and is back with the same content is open again, and its id is
        among the new ones: it has to be staged. An open proposal whose file now holds another
        record is decided elsewhere: its author replaced it.
        """
        by_id = {item.id: item for item in proposals}
        with self._storage.writing() as connection:
            states = dict(raw_rows(connection, pass_sql.STATES, dump(list(by_id))))
            new = [item for id, item in by_id.items() if id not in states]
            back = [by_id[id] for id, state in states.items() if state == State.ELSEWHERE]
            now = self._storage.now()
            bases = (base.data for p in new if isinstance(p, Proposal) for base in p.bases.values())
            keep_bytes(connection, (*records.values(), *bases))
            rows = [row_of(item, now) for item in new]
            bulk_insert(connection, ProposalRow, rows)
            log(connection, _intake_notes(rows, now))
            self._reopen(connection, back)
            sources = [
                (item.home, item.source, item.id) for item in proposals if item.source is not None
            ]
            self._supersede(connection, note_records(connection, sources, hints))
            added = {item.id for item in (*new, *back)}
            texts = [
                (by_id[subject.where].home, subject)
                for subject in subjects
                if subject.where in added
            ]
            replace_subjects(connection, texts)
        return added

    def repair(
        self,
        proposal: Proposal,
        record: bytes,
        subjects: Sequence[Subject],
        actor: Actor,
        at: datetime,
    ) -> bool:
        """Replaces a quarantined record by an operator's repair, to be staged."""
        table = table_of(ProposalRow)
        values = row_of(proposal, at) | {"evaluation_key": None}
        query = update(table).where(
            table.c.id == proposal.id, table.c.state == State.QUARANTINED.value
        )
        bases = (base.data for base in proposal.bases.values())
        detail: dict[str, object] = {
            "record": proposal.payload_sha,
            "repaired": hashlib.sha256(record).hexdigest(),
            "sums": {proposal.id: sum_of(values)},
        }
        with self._storage.writing() as connection:
            keep_bytes(connection, (record, *bases))
            if connection.execute(query.values(**values)).rowcount != 1:
                return False
            replace_subjects(connection, [(proposal.home, subject) for subject in subjects])
            log(connection, [Note("repair", proposal.home, proposal.id, actor, at, detail)])
        return True

    def open_proposals(self, home: str) -> tuple[Proposal, ...]:
        """The open proposals that are not quarantined, oldest first."""
        with self._storage.viewing() as connection, decoding("An open proposal"):
            condition = f"home = :home AND {WAITING_SQL}"
            return tuple(read_proposals(runner(connection), condition, {"home": shield(home)}))

    def dropped_outside(
        self, home: str, reason: str, revisions: Mapping[str, Revision]
    ) -> tuple[Proposal, ...]:
        """Changes outside review that were dropped for this reason and led to these revisions."""
        with self._storage.viewing() as connection, decoding("A dropped change outside review"):
            return tuple(read_dropped_outside(runner(connection), home, reason, revisions))

    def stage(self, stagings: Sequence[Staging]) -> None:
        """Stores the results of staging. Skips proposals that are no longer open.

        A deferred proposal stays deferred while its digest is the same.
        """
        if stagings:
            with self._storage.writing() as connection:
                store_stagings(connection, stagings)

    def drop(self, id: str, reason: str) -> bool:
        """Takes a proposal out of the queue without a decision; False when it is not open."""
        table = table_of(ProposalRow)
        with self._storage.writing() as connection:
            home = connection.scalar(select(table.c.home).where(table.c.id == id))
            if not open_among(connection, [id]):
                return False
            close(connection, str(home), [id], reason, self._storage.now())
        return True

    def _reopen(self, connection: Connection, back: Sequence[Proposal | Quarantined]) -> None:
        table = table_of(ProposalRow)
        unread = select(table.c.id).where(
            table.c.id.in_([item.id for item in back]), table.c.action == UNREADABLE
        )
        quarantined = set(connection.scalars(unread)) if back else set()
        for item in back:  # One that an operator has repaired comes back as that.
            state = State.QUARANTINED if item.id in quarantined else State.READY
            move = update(table).where(table.c.id == item.id)
            connection.execute(move.values(state=state.value, reason=""))
        now = self._storage.now()
        log(
            connection,
            [Note("returned", item.home, item.id, NOBODY, now, {"reason": ""}) for item in back],
        )

    def _supersede(self, connection: Connection, replaced: Sequence[tuple[str, str]]) -> None:
        for home in dict.fromkeys(home for home, _ in replaced):
            waiting = open_among(connection, [id for where, id in replaced if where == home])
            close(connection, home, waiting, _REPLACED, self._storage.now())


def _intake_notes(rows: Sequence[Mapping[str, Any]], now: datetime) -> list[Note]:
    """One event per home with the checksum of each new proposal, whose content never changes."""
    sums: dict[str, dict[str, object]] = {}
    for row in rows:
        sums.setdefault(row["home"], {})[row["id"]] = sum_of(row)
    return [
        Note(TAKEN_IN, home, home, NOBODY, now, {"sums": sums_of_home})
        for home, sums_of_home in sums.items()
    ]

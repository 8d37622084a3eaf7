"""Proposals with their states, and how each of them ended."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from reviewdeck.ledger.audit import NOBODY, Note, expect_lines, log
from reviewdeck.ledger.blobs import chunks, keep_bytes
from reviewdeck.ledger.cells import load, moment_of, optional_moment, unshield
from reviewdeck.ledger.database import HomeOf, LedgerPart, Transaction, Values, first, insert
from reviewdeck.ledger.list_sql import WAITING_SQL
from reviewdeck.ledger.passes import close, held_before, note_records, open_among, replaced_by
from reviewdeck.ledger.proposal_rows import UNREADABLE, cells_of, row_of, store_stagings
from reviewdeck.ledger.row_sums import TAKEN_IN, sum_of
from reviewdeck.ledger.subjects import replace_subjects
from reviewdeck.ledger.view_sql import read_dropped_outside, read_proposals
from reviewdeck.model import Actor, ActorKind, Proposal, Quarantined, Revision, State, Verb
from reviewdeck.model.decisions import Ending, Life
from reviewdeck.model.ledger import Staging, Subject
from reviewdeck.values import dataclass

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
        if not proposals:
            return set()
        by_id = {item.id: item for item in proposals}
        homes = {item.home for item in proposals}
        sources = [
            (item.home, item.source, item.id) for item in proposals if item.source is not None
        ]
        with self._database.writing(*homes) as tx:
            for home in homes:
                expect_lines(tx, home)
            held = held_before(tx, sources)
            states = states_of(tx, by_id)()
            new = [item for id, item in by_id.items() if id not in states]
            back = [by_id[id] for id, state in states.items() if state == State.ELSEWHERE]
            now = self._database.now()
            bases = (base.data for p in new if isinstance(p, Proposal) for base in p.bases.values())
            keep_bytes(tx, (*records.values(), *bases))
            rows = [row_of(item, now) for item in new]
            insert(tx, "proposal", [cells_of(row) for row in rows])
            log(tx, _intake_notes(rows, now))
            self._reopen(tx, back)
            note_records(tx, sources, hints)
            self._supersede(tx, replaced_by(sources, held))
            added = {item.id for item in (*new, *back)}
            texts = [
                (by_id[subject.where].home, subject)
                for subject in subjects
                if subject.where in added
            ]
            replace_subjects(tx, texts)
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
        values = row_of(proposal, at) | {"evaluation_key": None}
        columns = ", ".join(f"{name} = :{name}" for name in values if name != "id")
        sql = f"UPDATE proposal SET {columns} WHERE id = :id AND state = 'quarantined'"  # noqa: S608 - names of the schema
        bases = (base.data for base in proposal.bases.values())
        detail: dict[str, object] = {
            "record": proposal.payload_sha,
            "repaired": hashlib.sha256(record).hexdigest(),
            "sums": {proposal.id: sum_of(values)},
        }
        with self._database.writing(proposal.home) as tx:
            keep_bytes(tx, (record, *bases))
            if tx.run(sql, cells_of(values)) != 1:
                return False
            replace_subjects(tx, [(proposal.home, subject) for subject in subjects])
            log(tx, [Note("repair", proposal.home, proposal.id, actor, at, detail)])
        return True

    def open_proposals(self, home: str) -> tuple[Proposal, ...]:
        """The open proposals that are not quarantined, oldest first."""
        condition = f"home = :home AND {WAITING_SQL}"
        with self._reading("An open proposal") as tx:
            return tuple(read_proposals(tx, condition, {"home": home}))

    def dropped_outside(
        self, home: str, reason: str, revisions: Mapping[str, Revision]
    ) -> tuple[Proposal, ...]:
        """Changes outside review that were dropped for this reason and led to these revisions."""
        with self._reading("A dropped change outside review") as tx:
            return tuple(read_dropped_outside(tx, home, reason, revisions))

    def stage(self, stagings: Sequence[Staging]) -> None:
        """Stores the results of staging. Skips proposals that are no longer open.

        A deferred proposal stays deferred while its digest is the same.
        """
        if stagings:
            with self._database.writing(_homes_of(stagings)) as tx:
                store_stagings(tx, stagings)

    def drop(self, id: str, reason: str) -> bool:
        """Takes a proposal out of the queue without a decision; False when it is not open."""
        with self._database.writing(HomeOf("proposal", (id,))) as tx:
            home = first(tx, "SELECT home FROM proposal WHERE id = :id", {"id": id})
            if not open_among(tx, [id]):
                return False
            close(tx, unshield(home), [id], reason, self._database.now())
        return True

    def _reopen(self, tx: Transaction, back: Sequence[Proposal | Quarantined]) -> None:
        # One that an operator has repaired comes back as that.
        move = (
            "UPDATE proposal SET reason = '', state ="
            " CASE WHEN action = :unreadable THEN 'quarantined' ELSE 'ready' END WHERE id = :id"
        )
        tx.many(move, [{"id": item.id, "unreadable": UNREADABLE} for item in back])
        now = self._database.now()
        log(
            tx, [Note("returned", item.home, item.id, NOBODY, now, {"reason": ""}) for item in back]
        )

    def _supersede(self, tx: Transaction, replaced: Sequence[tuple[str, str]]) -> None:
        for home in dict.fromkeys(home for home, _ in replaced):
            waiting = open_among(tx, [id for where, id in replaced if where == home])
            close(tx, home, waiting, _REPLACED, self._database.now())


def _homes_of(stagings: Iterable[Staging]) -> HomeOf:
    return HomeOf("proposal", tuple(staging.proposal for staging in stagings))


def states_of(tx: Transaction, ids: Iterable[str]) -> Callable[[], dict[str, str]]:
    """The states of these proposals, of those that there are: once they are wanted."""
    rows = tx.later("SELECT id, state FROM proposal WHERE id IN :ids", {"ids": list(ids)})
    return lambda: {unshield(id): state for id, state in rows()}


def _intake_notes(rows: Sequence[Mapping[str, Any]], now: datetime) -> list[Note]:
    """One event per home with the checksum of each new proposal, whose content never changes."""
    sums: dict[str, dict[str, object]] = {}
    for row in rows:
        sums.setdefault(row["home"], {})[row["id"]] = sum_of(row)
    return [
        Note(TAKEN_IN, home, home, NOBODY, now, {"sums": sums_of_home})
        for home, sums_of_home in sums.items()
    ]


_PROPOSALS: Final = (
    "SELECT id, home, origin, kind, since, state FROM proposal"
    " WHERE home IN :homes AND action <> 'undo' AND state <> 'quarantined'"
    " ORDER BY since, position"
)
_APPLIED: Final = (
    "SELECT proposal, finished_at, undone_by, actor FROM operation"
    " WHERE home IN :homes AND kind = 'apply' AND state = 'done' ORDER BY sequence"
)
_DECIDED: Final = "SELECT proposal, verb, at, actor FROM decision ORDER BY sequence"
_NEWEST: Final = (
    "SELECT id, state FROM proposal WHERE home IN :homes AND state <> 'quarantined'"
    " AND origin <> 'operator' ORDER BY position DESC LIMIT :most"
)
_APPLIED_AMONG: Final = (
    "SELECT proposal, finished_at, undone_by, actor FROM operation"
    " WHERE proposal IN :ids AND kind = 'apply' AND state = 'done' ORDER BY sequence"
)
_DECIDED_AMONG: Final = (
    "SELECT proposal, verb, at, actor FROM decision WHERE proposal IN :ids ORDER BY sequence"
)
_REOPENED: Final = (
    "home = :home AND state = 'rejected'"
    " AND id IN (SELECT proposal FROM decision WHERE verb = 'reopen')"
)
_STOOD_FOR: Final = (Verb.SUPERSEDE.value, Verb.REOPEN.value)
"""The last decision about a rejected proposal that another one stands for."""
_ELSEWHERE: Final = (
    "SELECT subject, max(at) FROM event"
    " WHERE home IN :homes AND name = 'elsewhere' GROUP BY subject"
)
_WAITS: Final = (None, Ending.WAITS, "")
_ENDED: Final = frozenset({State.APPLIED.value, State.REJECTED.value, State.ELSEWHERE.value})


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The evidence of other tables by proposal id; times in microseconds."""

    applied: Mapping[str, tuple[int | None, str | None, str]]
    decided: Mapping[str, tuple[str, int, str]]
    """The last decision of each: its verb, its time and who made it."""
    elsewhere: Mapping[str, int]


class SqlLives(LedgerPart):
    """The outcome of every proposal, for charts.

    There may be a hundred thousand: rows are read as the database has them, and values that
    repeat (homes, origins, actors) are decoded once.
    """

    def lives(self, homes: Sequence[str]) -> Iterator[Life]:
        """Every proposal of these homes, oldest first, without undos and unreadable records."""
        bound = {"homes": list(homes)}
        plain = lru_cache(maxsize=256)(unshield)
        with self._reading("A proposal") as tx:
            evidence = _collect_evidence(tx, bound)
            applied = evidence.applied
            for id, home, origin, kind, since, state in tx.stream(_PROPOSALS, bound):
                end = _end(id, state, evidence) if state in _ENDED or id in applied else _WAITS
                yield Life(id, plain(home), plain(origin), kind, moment_of(since), *end)

    def past(self, homes: Sequence[str], most: int) -> tuple[tuple[Proposal, Ending], ...]:
        """The newest proposals of these homes, oldest first, each with how it ended.

        What was live already and an operator kept counts as taken. A rejected one is left out
        where another stands for it: the one that superseded it, or itself, reopened.
        """
        with self._reading("A proposal") as tx:
            states = {
                unshield(id): state
                for id, state in tx.rows(_NEWEST, {"homes": list(homes), "most": most})
            }
            endings: dict[str, Ending] = {}
            proposals: list[Proposal] = []
            for part in chunks(states):
                bound = {"ids": list(part)}
                evidence = _Evidence(
                    {id: (at, undone, by) for id, at, undone, by in tx.rows(_APPLIED_AMONG, bound)},
                    {id: (verb, at, by) for id, verb, at, by in tx.rows(_DECIDED_AMONG, bound)},
                    {},
                )
                for id in part:
                    if evidence.decided.get(id, ("",))[0] in _STOOD_FOR:
                        continue
                    is_kept = states[id] == State.KEPT.value
                    endings[id] = Ending.TAKEN if is_kept else _end(id, states[id], evidence)[1]
                among = {"ids": [id for id in part if id in endings]}
                proposals += read_proposals(tx, "id IN :ids", among)
        return tuple((proposal, endings[proposal.id]) for proposal in proposals)

    def reopened(self, home: str) -> tuple[Proposal, ...]:
        """The rejected proposals of a home that were reopened: they wait under another id."""
        with self._reading("A rejected proposal") as tx:
            return tuple(read_proposals(tx, _REOPENED, {"home": home}))


def _collect_evidence(tx: Transaction, bound: Values) -> _Evidence:
    applied = tx.rows(_APPLIED, bound)
    return _Evidence(
        {id: (at, undone, actor) for id, at, undone, actor in applied},
        {id: (verb, at, actor) for id, verb, at, actor in tx.rows(_DECIDED)},
        {id: at for id, at in tx.rows(_ELSEWHERE, bound)},
    )


def _end(id: str, state: str, evidence: _Evidence) -> tuple[datetime | None, Ending, str]:
    at, undone, actor = evidence.applied.get(id, (None, None, ""))
    rule = _rule(actor)
    verb, decided_at, decided_by = evidence.decided.get(id, ("", None, ""))
    if undone is not None:
        return optional_moment(at), Ending.UNDONE, rule
    if state == State.APPLIED.value:
        by_hand = Ending.CHANGED if verb == Verb.MERGE.value else Ending.TAKEN
        return optional_moment(at), Ending.AUTOMATIC if rule else by_hand, rule
    if state == State.REJECTED.value:
        rejecting = _rule(decided_by)
        by = Ending.BY_RULE if rejecting else Ending.REJECTED
        return optional_moment(decided_at), by, rejecting
    if state == State.ELSEWHERE.value:
        return optional_moment(evidence.elsewhere.get(id)), Ending.ELSEWHERE, ""
    return None, Ending.WAITS, ""


@lru_cache(maxsize=256)
def _rule(actor: str) -> str:
    """The policy rule that a stored actor is; empty for a person."""
    stored = load(actor) if actor else None
    if isinstance(stored, dict) and stored.get("kind") == ActorKind.POLICY.value:
        return str(stored["name"])
    return ""

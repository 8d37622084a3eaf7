"""A home's records, open proposals, and the keys of their stored evaluations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import chain
from typing import Final, TypeAlias

from reviewdeck.ledger.audit import NOBODY, Note, expect_lines, log
from reviewdeck.ledger.blobs import chunks
from reviewdeck.ledger.cells import dump, unshield
from reviewdeck.ledger.database import ALL, LedgerPart, Row, Transaction, first, insert, upsert
from reviewdeck.ledger.list_sql import OPEN_SQL, WAITING, WAITING_SQL
from reviewdeck.ledger.proposal_rows import store_stagings
from reviewdeck.ledger.view_sql import read_proposals
from reviewdeck.model import Proposal, QueueItem, State, gravity_of
from reviewdeck.model.codec import findings_to_json
from reviewdeck.model.ledger import LastEvaluation, RefreshStart, Staging

_HELD: Final = "SELECT source, proposal FROM record WHERE home = :home AND source IN :sources"
_LEFT: Final = """
    SELECT record.source, proposal.payload_sha FROM record
    JOIN proposal ON proposal.id = record.proposal
    WHERE record.home = :home AND record.done AND proposal.action <> 'unreadable'
    ORDER BY record.source
"""
"""A record that could not be read stays where it is, dismissed or not: others may need it."""
_DECIDED: Final = """
    SELECT source, payload_sha FROM proposal
    WHERE home = :home AND source IS NOT NULL AND state IN ('applied', 'rejected')
"""
_LAST: Final = "SELECT id, evaluation_key, state, verdict, digest FROM proposal"
_LAST_OF_ALL: Final = f"""
    {_LAST} WHERE home = :home AND {WAITING_SQL} ORDER BY position LIMIT :most
"""
_RELATED: Final = f"""
    {_LAST} WHERE home = :home AND {WAITING_SQL} AND (
        subject IN (SELECT subject FROM proposal WHERE id IN :ids AND subject <> '')
        OR target IN (SELECT target FROM proposal WHERE id IN :ids AND kind = 'skills'))
    ORDER BY position DESC LIMIT :most
"""  # noqa: S608 - constant states
_ABOUT_SKILLS: Final = f"""
    SELECT id FROM proposal WHERE home = :home AND {WAITING_SQL} AND kind = 'skills'
"""  # noqa: S608 - constant states
_MADE_HERE: Final = f"""
    SELECT id FROM proposal WHERE home = :home AND {WAITING_SQL}
    AND (origin = 'operator' OR action = 'outside')
"""  # noqa: S608 - constant states
_HAVING: Final = """
    SELECT DISTINCT subject.place FROM term CROSS JOIN subject
    WHERE subject.id = term.subject AND term.term IN :terms
    AND subject.home = :home AND subject.relation = 'pending'
"""
_FEW: Final = f"(SELECT sum(amount) FROM counter WHERE home = :home AND {WAITING_SQL}) <= :most"  # noqa: S608 - constant states
_NUMBER: Final = "SELECT coalesce(max(round), 0) FROM home WHERE id = :home"
_TOP: Final = "SELECT coalesce(max(sequence), 0) FROM dirty WHERE home = :home"
_DIRTY: Final = """
    SELECT dirty.proposal, dirty.text, proposal.state FROM dirty
    LEFT JOIN proposal ON proposal.id = dirty.proposal
    WHERE dirty.home = :home ORDER BY dirty.sequence
"""
_AUTOMATIC: Final = "state = 'ready' AND verdict = 'auto-apply'"
_NOTE: Final = """
    INSERT INTO record (home, source, hint, proposal, done) VALUES
        (:home, :source, :hint, :id, EXISTS (
            SELECT 1 FROM proposal WHERE id = :id AND state IN ('applied', 'rejected')))
    ON CONFLICT (home, source) DO UPDATE SET
        hint = excluded.hint, proposal = excluded.proposal, done = excluded.done
"""
_OPEN_AMONG: Final = f"SELECT id FROM proposal WHERE id IN :ids AND {OPEN_SQL} ORDER BY position"  # noqa: S608 - constant states


class SqlRecords(LedgerPart):
    """The pending files that were read."""

    def records(self, home: str) -> dict[str, str]:
        """The hint of each pending file that was read."""
        sql = "SELECT source, hint FROM record WHERE home = :home"
        with self._database.reading() as tx:
            return {unshield(source): hint for source, hint in tx.rows(sql, {"home": home})}

    def mark_vanished(self, home: str, sources: Collection[str]) -> tuple[str, ...]:
        """Marks the open proposals of vanished files as decided elsewhere; gives their ids."""
        if not sources:
            return ()
        reason = "its pending file is gone: decided elsewhere"
        forget = "DELETE FROM record WHERE home = :home AND source IN :sources"
        with self._database.writing(home) as tx:
            proposals = records_at(tx, home, sources)
            lost = open_among(tx, proposals.values())
            for chunk in chunks(sources):
                tx.put(forget, {"home": home, "sources": chunk})
            close(tx, home, lost, reason, self._database.now())
        return tuple(lost)

    def leftovers(self, home: str) -> tuple[tuple[str, str], ...]:
        """Files of proposals that are applied or rejected, with the SHA-256 of their content."""
        with self._database.reading() as tx:
            rows = tx.rows(_LEFT, {"home": home})
            return tuple((unshield(source), sha) for source, sha in rows)

    def decided_records(self, home: str) -> tuple[tuple[str, str], ...]:
        """Each file that a decided proposal ever came from, with the SHA-256 of its content."""
        with self._database.reading() as tx:
            rows = tx.rows(_DECIDED, {"home": home})
            return tuple((unshield(source), sha) for source, sha in rows)


class SqlEvaluations(LedgerPart):
    """The open proposals, and the keys of their stored evaluations."""

    @contextmanager
    def together(self, *homes: str) -> Iterator[Callable[[], None]]:
        """One transaction over this thread's reads and writes, until the function is called.

        Nobody else writes to these homes meanwhile.
        """
        with self._database.together(*homes) as end, self._database.writing(*homes) as tx:
            for home in homes:
                expect_lines(tx, home)
            yield end

    def begin_refresh(self, home: str) -> RefreshStart:
        """The state of the queue now."""
        its = {"home": home}
        with self._database.reading() as tx:
            numbers, tops, dirty_rows = (tx.later(sql, its) for sql in (_NUMBER, _TOP, _DIRTY))
            number, top, rows = numbers()[0][0], tops()[0][0], dirty_rows()
            dirty = {unshield(id): state for id, _, state in rows if id is not None}
            return RefreshStart(
                home=home,
                number=number,
                has_moved=top > 0,
                arrived=frozenset(id for id, state in dirty.items() if state in WAITING),
                departed=frozenset(id for id, state in dirty.items() if state not in WAITING),
                texts=tuple(unshield(text) for id, text, _ in rows if id is None and text),
                covered=top,
            )

    def last_evaluations(self, home: str, most: int = ALL) -> dict[str, LastEvaluation]:
        """Those of the proposals that are open and can be read, by id, oldest first."""
        with self._reading("The queue") as tx:
            return _last_evaluations(tx.rows(_LAST_OF_ALL, {"home": home, "most": most}))

    def inputs(self, home: str) -> str | None:
        """What the last pass over a home evaluated against; None where that is not known."""
        with self._database.reading() as tx:
            rows = tx.rows("SELECT inputs FROM home WHERE id = :home", {"home": home})
            return None if not rows or rows[0][0] is None else unshield(rows[0][0])

    def about_skills(self, home: str) -> frozenset[str]:
        with self._database.reading() as tx:
            return frozenset(unshield(id) for (id,) in tx.rows(_ABOUT_SKILLS, {"home": home}))

    def made_here(self, home: str) -> frozenset[str]:
        """The waiting proposals that no agent recorded: reversals, and changes outside review."""
        with self._database.reading() as tx:
            return frozenset(unshield(id) for (id,) in tx.rows(_MADE_HERE, {"home": home}))

    def having(self, home: str, terms: Collection[str]) -> frozenset[str]:
        """The proposals of which a text in the index has one of these terms."""
        with self._database.reading() as tx:
            parts = (tx.rows(_HAVING, {"home": home, "terms": part}) for part in chunks(terms))
            return frozenset(unshield(id) for rows in parts for (id,) in rows)

    def related(self, home: str, ids: Collection[str], most: int) -> dict[str, LastEvaluation]:
        """Those of the newest open proposals about the entries and skills of these, by id."""
        values = {"home": home, "ids": list(ids), "most": most}
        with self._reading("The queue") as tx:
            return _last_evaluations(tx.rows(_RELATED, values))

    def end_refresh(
        self,
        begun: RefreshStart,
        keys: Mapping[str, str],
        stagings: Sequence[Staging] = (),
        stamp: str | None = None,
        inputs: str | None = None,
    ) -> bool:
        """Stores the evaluations of a pass and its inputs, unless another one ended in between."""
        its = {"home": begun.home}
        with self._database.writing(begun.home) as tx:
            # By the transaction that holds the home: another pass may have ended a moment ago.
            # Before anything is written: in the transaction of the whole pass it is known.
            is_last: bool = first(tx, _NUMBER, its) == begun.number
            store_stagings(tx, stagings)
            if stamp is not None:
                upsert(tx, "home", ("id",), {"id": begun.home, "stamp": stamp})
            if is_last:
                insert(tx, "home", [{"id": begun.home, "stamp": None}], missing=True)
                turn = "UPDATE home SET round = round + 1, inputs = :inputs WHERE id = :home"
                tx.put(turn, its | {"inputs": inputs})
                keep = "UPDATE proposal SET evaluation_key = :key WHERE id = :id"
                tx.many(keep, [{"id": id, "key": key} for id, key in keys.items()])
                covered = its | {"covered": begun.covered}
                tx.put("DELETE FROM dirty WHERE home = :home AND sequence <= :covered", covered)
        return is_last

    def automatic(self, home: str) -> tuple[str, ...]:
        """The ready proposals that the policy approves, oldest first."""
        sql = f"SELECT id FROM proposal WHERE home = :home AND {_AUTOMATIC} ORDER BY position"  # noqa: S608 - constant
        with self._database.reading() as tx:
            return tuple(unshield(id) for (id,) in tx.rows(sql, {"home": home}))

    def note(self, items: Collection[QueueItem]) -> None:
        """Stores the findings of these rows, where the proposal is still automatic and the same."""
        rows = [
            {
                "id": item.id,
                "digest": item.digest,
                "findings": dump(findings_to_json(item.findings)),
                "gravity": gravity_of(item.findings),
            }
            for item in items
        ]
        sql = (
            "UPDATE proposal SET findings = :findings, gravity = :gravity"
            " WHERE id = :id AND digest = :digest"
        )
        if rows:
            with self._database.writing(*{item.home for item in items}) as tx:
                tx.many(f"{sql} AND {_AUTOMATIC}", rows)

    def passes(self, home: str) -> int:
        """How many passes over a home have ended."""
        with self._database.reading() as tx:
            number: int = first(tx, _NUMBER, {"home": home})
            return number

    def few_proposals(self, home: str, most: int) -> tuple[Proposal, ...]:
        """The open proposals of a home in full, oldest first; none where more than these wait."""
        with self._reading("An open proposal") as tx:
            values = {"home": home, "most": most}
            return tuple(read_proposals(tx, f"home = :home AND {WAITING_SQL} AND {_FEW}", values))

    def proposals(self, ids: Collection[str]) -> tuple[Proposal, ...]:
        """The open ones among these proposals, oldest first, in full."""
        condition = f"id IN :ids AND {WAITING_SQL}"
        with self._reading("An open proposal") as tx:
            parts = (read_proposals(tx, condition, {"ids": part}) for part in chunks(ids))
            return tuple(chain.from_iterable(parts))


def _last_evaluations(rows: Iterable[Row]) -> dict[str, LastEvaluation]:
    return {
        unshield(id): LastEvaluation(key, State(state), verdict, digest)
        for id, key, state, verdict, digest in rows
    }


Held: TypeAlias = Mapping[str, Callable[[], Sequence[Row]]]
Source: TypeAlias = tuple[str, str, str]
"""The home of a proposal, the file that holds it, and its id."""


def held_before(tx: Transaction, records: Iterable[Source]) -> Held:
    """By home, what these files held when they were last read."""
    files: dict[str, list[str]] = {}
    for home, source, _ in records:
        files.setdefault(home, []).append(source)
    return {home: tx.later(_HELD, {"home": home, "sources": of}) for home, of in files.items()}


def replaced_by(records: Iterable[Source], held: Held) -> list[tuple[str, str]]:
    """Home and id of the proposals that these files held, and hold no more."""
    now = {(home, source): id for home, source, id in records}
    return [
        (home, unshield(id))
        for home, rows in held.items()
        for source, id in rows()
        if now[home, unshield(source)] != unshield(id)
    ]


def note_records(tx: Transaction, records: Iterable[Source], hints: Mapping[str, str]) -> None:
    """Stores which file holds which proposal."""
    last = {(home, source): id for home, source, id in records}
    rows = [
        {"home": home, "source": source, "hint": hints.get(source, ""), "id": id}
        for (home, source), id in last.items()
    ]
    tx.many(_NOTE, rows)


def records_at(tx: Transaction, home: str, sources: Iterable[str]) -> dict[str, str]:
    """The proposals that these files held when they were last read."""
    rows = tx.rows(_HELD, {"home": home, "sources": list(sources)})
    return {unshield(source): unshield(id) for source, id in rows}


def open_among(tx: Transaction, ids: Iterable[str]) -> list[str]:
    """The open ones among these proposals."""
    return [unshield(id) for chunk in chunks(ids) for (id,) in tx.rows(_OPEN_AMONG, {"ids": chunk})]


def close(tx: Transaction, home: str, ids: Sequence[str], reason: str, at: datetime) -> None:
    """Marks proposals as decided elsewhere."""
    sql = "UPDATE proposal SET state = :state, reason = :reason WHERE id IN :ids"
    for chunk in chunks(ids):
        tx.put(sql, {"ids": chunk, "state": State.ELSEWHERE.value, "reason": reason})
    log(tx, [Note("elsewhere", home, id, NOBODY, at, {"reason": reason}) for id in ids])

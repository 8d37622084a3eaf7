"""What a pass over a home remembers for the next one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, select, text, update
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from reviewdeck.ledger import each_pass
from reviewdeck.ledger.audit import NOBODY, Note, log
from reviewdeck.ledger.bulk import Many, insert_missing
from reviewdeck.ledger.cells import dump, load, shield, unshield
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.listing import OPEN_SQL, WAITING, WAITING_SQL
from reviewdeck.ledger.records import base_shas, proposal_of
from reviewdeck.ledger.stagings import store_stagings
from reviewdeck.ledger.storage import Part, asked, bytes_of, chunks, put
from reviewdeck.ledger.tables import (
    FootingRow,
    HomeRow,
    KinRow,
    ObservationRow,
    ProposalRow,
    RecordRow,
    StirredRow,
    SubjectRow,
    table_of,
)
from reviewdeck.ledger.texts import subject_in
from reviewdeck.model import Proposal, QueueItem, Revision, State
from reviewdeck.model.codec import findings_to_json
from reviewdeck.ports import ALWAYS, Round, Staging, Stirred

_PROPOSAL = table_of(ProposalRow)
_RECORD = table_of(RecordRow)
_STIRRED = table_of(StirredRow)
_SUBJECT = table_of(SubjectRow)
_FOOTING = table_of(FootingRow)
_KIN = table_of(KinRow)

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
_NEEDING = f"""
    SELECT proposal.id, min(need.value) FROM proposal, json_each(proposal.needs) AS need
    WHERE proposal.home = :home AND {WAITING_SQL}
    AND need.value IN (SELECT value FROM json_each(:asked))
    GROUP BY proposal.id ORDER BY proposal.position
"""  # noqa: S608 - constant states
_SPARE = 500
"""More questions than this and those that nobody asks any more are dropped."""


class SqlRecords(Part):
    """Which pending files were read."""

    def records(self, home: str) -> dict[str, str]:
        """The hint of each pending file that was read."""
        with self._storage.viewing() as session:
            rows = asked(session, each_pass.RECORDS, shield(home))
            return {unshield(source): hint for source, hint in rows}

    def lose(self, home: str, sources: Collection[str]) -> tuple[str, ...]:
        """These files are gone: what waits of them is decided elsewhere."""
        if not sources:
            return ()
        reason = "its pending file is gone: decided elsewhere"
        with self._storage.writing() as connection:
            held = records_at(connection, home, sources)
            lost = open_among(connection, held.values())
            for chunk in chunks(sources):
                gone = delete(_RECORD).where(_RECORD.c.home == home, _RECORD.c.source.in_(chunk))
                connection.execute(gone)
            close(connection, home, lost, reason, self._storage.now())
        return tuple(lost)

    def leftovers(self, home: str) -> tuple[tuple[str, str], ...]:
        """Files of proposals that are applied or rejected, with the SHA-256 of their content."""
        with self._storage.viewing() as session:
            return tuple(
                (unshield(source), sha)
                for source, sha in asked(session, each_pass.LEFT, shield(home))
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


class SqlRounds(Part):
    """What the stored stagings rest on."""

    def together(self) -> AbstractContextManager[Callable[[], None]]:
        """All that this thread reads and writes is one, until what is given is called."""
        return self._storage.together()

    def begin_round(self, home: str) -> Round:
        """How things stand now."""
        mine = shield(home)
        with self._storage.viewing() as session:
            footing = asked(session, each_pass.ANSWERS, mine)
            ((number,),) = asked(session, each_pass.NUMBER, mine)
            ((top,),) = asked(session, each_pass.TOP, mine)
            return Round(
                home=home,
                number=number,
                footing={unshield(question): unshield(answer) for question, answer in footing},
                stirred=_stirred(session, mine),
                remembered=tuple(map(subject_in, asked(session, each_pass.REMEMBERED, mine))),
                unstaged=tuple(id for (id,) in asked(session, each_pass.UNSTAGED, mine)),
                top=top,
            )

    def end_round(
        self,
        round: Round,
        needs: Mapping[str, Collection[str]],
        footing: Mapping[str, str],
        stagings: Sequence[Staging] = (),
        stamp: str | None = None,
    ) -> bool:
        """The stagings of a pass hold from now on, unless another pass came in between."""
        home = table_of(HomeRow)
        mine = (home.c.id == round.home) & (home.c.round == round.number)
        with self._storage.writing() as connection:
            store_stagings(connection, stagings)
            if stamp is not None:
                put(connection, HomeRow, "id", {"id": round.home, "stamp": stamp})
            insert_missing(connection, HomeRow, [{"id": round.home, "stamp": None}])
            turn = update(home).where(mine).values(round=round.number + 1)
            if connection.execute(turn).rowcount != 1:
                return False
            _keep_needs(connection, needs)
            _keep_footing(connection, round, footing)
            done = delete(_STIRRED).where(
                _STIRRED.c.home == round.home, _STIRRED.c.sequence <= round.top
            )
            connection.execute(done)
            _drop_unasked(connection, round.home, footing)
        return True

    def waiting(self, home: str) -> tuple[str, ...]:
        """Every proposal that is open and can be read, oldest first."""
        query = (
            select(_PROPOSAL.c.id)
            .where(_PROPOSAL.c.home == home, _PROPOSAL.c.state.in_(WAITING))
            .order_by(_PROPOSAL.c.position)
        )
        with self._storage.viewing() as session:
            return tuple(session.scalars(query))

    def automatic(self, home: str) -> tuple[str, ...]:
        """Every proposal that is ready and that the policy lets through, oldest first."""
        is_ready = _PROPOSAL.c.state == State.READY.value
        query = (
            select(_PROPOSAL.c.id)
            .where(_PROPOSAL.c.home == home, is_ready, _PROPOSAL.c.verdict == "auto-apply")
            .order_by(_PROPOSAL.c.position)
        )
        with self._storage.viewing() as session:
            return tuple(session.scalars(query))

    def note(self, items: Collection[QueueItem]) -> None:
        """Stores the findings of these lines; leaves those alone that are not safe as told."""
        rows = [
            {"b_id": one.id, "b_digest": one.digest, "b_findings": findings_to_json(one.findings)}
            for one in items
        ]
        if rows:
            with self._storage.writing() as connection:
                connection.execute(_SAY, rows)

    def proposals(self, ids: Collection[str]) -> tuple[Proposal, ...]:
        """Those of these proposals that wait, oldest first, in full."""
        at_hand = self._storage.at_hand.take(ids)
        with self._storage.viewing() as session, decoding("An open proposal"):
            rows = _waiting(session, [id for id in ids if id not in at_hand])
            blobs = bytes_of(session, (sha for row in rows for sha in base_shas(row)))
            found = [(int(row.position), proposal_of(row, blobs)) for row in rows]
            places = asked(session, each_pass.PLACES, dump(list(at_hand))) if at_hand else ()
        found += [(position, at_hand[id]) for position, id in places]
        return tuple(proposal for _, proposal in sorted(found, key=itemgetter(0)))

    def needing(self, home: str, questions: Collection[str]) -> dict[str, str]:
        """Waiting proposals whose staging rests on one of these answers, with the first one."""
        if not questions:
            return {}
        asked = {"home": home, "asked": dump(sorted(questions))}
        with self._storage.viewing() as session:
            return {id: question for id, question in session.execute(text(_NEEDING), asked)}

    def kin(self, others: Collection[str]) -> dict[str, str]:
        """Waiting proposals that were found to be like one of these, with the first one."""
        found: dict[str, str] = {}
        with self._storage.viewing() as session:
            for chunk in chunks(others):
                query = (
                    select(_KIN.c.proposal, _KIN.c.other)
                    .join(_PROPOSAL, _PROPOSAL.c.id == _KIN.c.proposal)
                    .where(_KIN.c.other.in_(chunk), _PROPOSAL.c.state.in_(WAITING))
                )
                for proposal, other in session.execute(query):
                    found.setdefault(proposal, other)
        return found

    def crowded(self, ids: Collection[str], most: int) -> set[str]:
        """Those of these proposals that were found to be like so many others that wait."""
        found: set[str] = set()
        with self._storage.viewing() as session:
            for chunk in chunks(ids):
                query = (
                    select(_KIN.c.proposal)
                    .join(_PROPOSAL, _PROPOSAL.c.id == _KIN.c.other)
                    .where(_KIN.c.proposal.in_(chunk), _PROPOSAL.c.state.in_(WAITING))
                    .group_by(_KIN.c.proposal)
                    .having(func.count() >= most)
                )
                found.update(session.scalars(query))
        return found

    def moments(self, home: str, path: str, most: int) -> Sequence[tuple[datetime, Revision]]:
        """From when on a document was at which of its last revisions, the newest first."""
        table = table_of(ObservationRow)
        query = (
            select(table.c.at, table.c.revision)
            .where(table.c.home == home, table.c.path == path)
            .order_by(table.c.sequence.desc())
            .limit(most)
        )
        with self._storage.viewing() as session, decoding("An observation"):
            return [(at, Revision(revision)) for at, revision in session.execute(query)]


def note_records(
    connection: Connection, found: Iterable[tuple[str, str, str]], hints: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Remembers which file holds which proposal: home, source, id each.

    Gives home and id of what these files held before.
    """
    by_home: dict[str, dict[str, str]] = {}
    for home, source, id in found:
        by_home.setdefault(home, {})[source] = id
    replaced: list[tuple[str, str]] = []
    for home, ids in by_home.items():
        held = records_at(connection, home, ids)
        replaced += [(home, id) for source, id in held.items() if ids[source] != id]
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
    """Which proposals these files held when they were last read."""
    rows = asked(connection, each_pass.HELD, shield(home), dump([shield(one) for one in sources]))
    return {unshield(source): id for source, id in rows}


def open_among(connection: Connection, ids: Iterable[str]) -> list[str]:
    """Those of these proposals that are open."""
    found: list[str] = []
    for chunk in chunks(ids):
        query = select(_PROPOSAL.c.id).where(_PROPOSAL.c.id.in_(chunk), text(OPEN_SQL))
        found += connection.scalars(query.order_by(_PROPOSAL.c.position))
    return found


def close(connection: Connection, home: str, ids: Sequence[str], reason: str, at: datetime) -> None:
    """These proposals are decided elsewhere."""
    for chunk in chunks(ids):
        query = update(_PROPOSAL).where(_PROPOSAL.c.id.in_(chunk))
        connection.execute(query.values(state=State.ELSEWHERE.value, reason=reason))
    log(connection, [Note("elsewhere", home, id, NOBODY, at, {"reason": reason}) for id in ids])


def _waiting(session: Connection, ids: Iterable[str]) -> list[Any]:
    """The rows of those of these proposals that wait."""
    return [
        row
        for chunk in chunks(ids)
        for row in session.execute(
            select(_PROPOSAL).where(_PROPOSAL.c.id.in_(chunk), _PROPOSAL.c.state.in_(WAITING))
        )
    ]


def _stirred(session: Connection, home: str) -> tuple[Stirred, ...]:
    rows = asked(session, each_pass.MOVING, home)
    return tuple(Stirred(id, state in WAITING) for id, state in rows)


def _keep_needs(connection: Connection, needs: Mapping[str, Collection[str]]) -> None:
    if not needs:
        return
    said: dict[frozenset[str], str] = {}
    rows = []
    for id, questions in needs.items():
        key = frozenset(questions)
        if key not in said:
            said[key] = dump(sorted(key))
        rows.append({"b_id": id, "b_needs": said[key]})
    _NEED.execute(connection, rows)


_NEED = Many(
    update(_PROPOSAL).where(_PROPOSAL.c.id == bindparam("b_id")).values(needs=bindparam("b_needs"))
)


_IS_READY = _PROPOSAL.c.state == State.READY.value


def _keep_footing(connection: Connection, round: Round, footing: Mapping[str, str]) -> None:
    moved = [
        {"home": round.home, "question": question, "answer": answer}
        for question, answer in footing.items()
        if round.footing.get(question) != answer
    ]
    if moved:
        query = sqlite_insert(_FOOTING)
        changes = {"answer": query.excluded.answer}
        keys = ["home", "question"]
        connection.execute(query.on_conflict_do_update(index_elements=keys, set_=changes), moved)
    _forget(connection, round.home, [one for one in round.footing if one not in footing])


def _drop_unasked(connection: Connection, home: str, footing: Collection[str]) -> None:
    """Questions that only proposals asked which are decided by now."""
    if len(footing) <= _SPARE:
        return
    asked = connection.scalars(
        select(_PROPOSAL.c.needs)
        .where(_PROPOSAL.c.home == home, text(WAITING_SQL), _PROPOSAL.c.needs.is_not(None))
        .distinct()
    )
    used = {question for needs in asked for question in load(needs)}
    spare = [one for one in footing if one not in used and not one.startswith(ALWAYS)]
    _forget(connection, home, spare)


def _forget(connection: Connection, home: str, questions: Sequence[str]) -> None:
    for chunk in chunks(questions):
        mine = (_FOOTING.c.home == home) & _FOOTING.c.question.in_(chunk)
        connection.execute(delete(_FOOTING).where(mine))

"""Queries for whole proposals, documents, the journal, conversations; values from their rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from sys import intern
from typing import Any, Final, TypeAlias

from reviewdeck.ledger.blobs import bytes_of
from reviewdeck.ledger.cells import (
    NULL,
    dump,
    load,
    moment_of,
    optional_moment,
    optional_text,
    unshield,
)
from reviewdeck.ledger.columns import Codec, Columns, actor_cell, actor_of
from reviewdeck.ledger.database import NONE, Row, Transaction, Values
from reviewdeck.ledger.list_sql import WAITING_SQL
from reviewdeck.model import (
    ABSENT,
    OUTSIDE,
    About,
    Base,
    Began,
    Change,
    Decision,
    DirectChange,
    Event,
    Kind,
    Lineage,
    Message,
    Observation,
    Operation,
    Proposal,
    RecordedChange,
    Relation,
    Revision,
    Role,
    State,
    Transcript,
    Turn,
)
from reviewdeck.model.codec import (
    bases_from_json,
    edits_from_json,
    effects_from_json,
    effects_to_json,
    seal_from_json,
    seal_to_json,
)
from reviewdeck.model.ledger import Found, OpenBatch, Posting, Subject, bounded_key

LAST: Final = chr(0x10FFFF)
"""Above every character of an id: the end of a range of ids with one prefix."""
_MATCHES: Final = 100
"""The most ids with one prefix that are compared."""
NEWEST: Final = 1000
"""The events searched for the latest time: after a clock was set back it is not the last."""


_PROPOSAL: Final = (
    "id, home, kind, action, target, payload_sha, origin, source, source_id, summary,"
    " created_at, ingested_at, body"
)


def read_proposals(
    tx: Transaction, where: str, values: Values, *, with_bases: bool = True
) -> Iterator[Proposal]:
    """Proposals, oldest first: whole, with the texts of their bases, or without any base."""
    sql = f"SELECT {_PROPOSAL} FROM proposal WHERE {where} ORDER BY position"  # noqa: S608 - constant columns
    rows = [(row, load(row[-1])) for row in tx.rows(sql, values)]
    if not with_bases:
        return (_proposal_of(row, {**body, "bases": {}}, {}) for row, body in rows)
    blobs = bytes_of(tx, (sha for _, body in rows for sha in _base_shas(body)))
    return (_proposal_of(row, body, blobs) for row, body in rows)


_DROPPED_OUTSIDE: Final = (
    "home = :home AND state = :state AND action = :action AND reason = :reason"
)


def read_dropped_outside(
    tx: Transaction, home: str, reason: str, revisions: Mapping[str, Revision]
) -> Iterator[Proposal]:
    """Changes outside review that were dropped for this reason and led to these revisions."""
    values = {"home": home, "state": State.ELSEWHERE.value, "action": OUTSIDE, "reason": reason}
    return (
        proposal
        for proposal in read_proposals(tx, _DROPPED_OUTSIDE, values)
        if any(revisions.get(change.path) == change.after for change in proposal.outside)
    )


def _base_shas(body: Mapping[str, Any]) -> Iterator[str]:
    for base in body["bases"].values():
        if base["has_text"] and base["revision"] != ABSENT:
            yield base["revision"]


def _proposal_of(row: Row, body: Mapping[str, Any], blobs: Mapping[str, bytes]) -> Proposal:
    id, home, kind, action, target, payload_sha, origin, *more = row
    source, source_id, summary, created_at, ingested_at, _ = more
    return Proposal(
        id=unshield(id),
        home=unshield(home),
        kind=Kind(kind),
        action=unshield(action),
        target=unshield(target),
        edits=edits_from_json(body["edits"]),
        payload_sha=payload_sha,
        origin=unshield(origin),
        source=optional_text(source),
        source_id=optional_text(source_id),
        summary=unshield(summary),
        created_at=optional_moment(created_at),
        ingested_at=moment_of(ingested_at),
        bases={p: _with_text(b, blobs) for p, b in bases_from_json(body["bases"]).items()},
        session=body.get("session"),
        turn=body.get("turn"),
        tool_call=body.get("tool_call"),
        model=body.get("model"),
        provenance=body.get("provenance") or {},
        unknown_keys=tuple(body["unknown_keys"]),
        undoes=body.get("undoes"),
        takes_back=body.get("takes_back"),
        author=body.get("author") or "",
        outside=tuple(map(_direct_change_of, body.get("outside") or ())),
    )


def _direct_change_of(cells: Row) -> DirectChange:
    path, before, after, *modes = cells
    return DirectChange(path, before, after, (modes[0][0], modes[0][1]) if modes else None)


def _with_text(base: Base, blobs: Mapping[str, bytes]) -> Base:
    if not base.has_text or base.revision == ABSENT:
        return base
    return replace(base, data=blobs[base.revision])


def read_matches(tx: Transaction, prefix: str, homes: Sequence[str]) -> list[tuple[str, str, bool]]:
    """The proposals that match an id: id, state, and whether it is the agent's own id."""
    of_homes = "AND home IN :among" if homes else ""
    sql = (
        "SELECT id, state, coalesce(source_id = :own, FALSE) FROM proposal"  # noqa: S608 - constant parts
        f" WHERE (source_id = :own OR (id >= :prefix AND id < :last)) {of_homes}"
        " ORDER BY position LIMIT :most"
    )
    values = {
        "prefix": prefix,
        "own": bounded_key(prefix),
        "last": prefix + LAST,
        "among": homes,
        "most": _MATCHES,
    }
    return [(unshield(id), state, bool(is_own)) for id, state, is_own in tx.rows(sql, values)]


JUDGEMENTS: Final = "SELECT proposal, body FROM judgement WHERE proposal IN :among"
ORIGINS: Final = """
    SELECT proposal, body FROM judgement
    WHERE proposal IN :among AND policy = :by AND is_settled
"""


IS_CURRENT: Final = (
    "(subject.relation <> 'pending' OR EXISTS (SELECT 1 FROM proposal"  # noqa: S608 - constant states
    f" WHERE proposal.id = subject.place AND {WAITING_SQL}))"
)
"""A proposal may be decided and still be in the index until the next pass."""
_SUBJECT: Final = "SELECT id, relation, text, place, domain FROM subject"
_SUBJECTS: Final = f"{_SUBJECT} WHERE id IN :numbers AND {IS_CURRENT}"
SUBJECTS_OF: Final = f"""
    {_SUBJECT} WHERE home = :home AND domain IN :domains AND relation = 'pending' AND {IS_CURRENT}
"""
_HAVING: Final = """
    FROM term CROSS JOIN subject
    WHERE subject.id = term.subject AND term.term IN :terms AND subject.home = :home
"""
"""CROSS: SQLite would else begin with all texts of the home."""
_COUNTS: Final = f"SELECT term.term, count(*) {_HAVING} GROUP BY term.term"
_POSTINGS: Final = f"SELECT term.term, term.subject {_HAVING}"
_FOUND: Final = f"""
    WITH counted (term, amount) AS MATERIALIZED ({_COUNTS}),
    found (term, number) AS MATERIALIZED (
        {_POSTINGS} AND term.term IN (SELECT term FROM counted WHERE amount <= :most))
    SELECT NULL, NULL, NULL, NULL, NULL, term, amount FROM counted
    UNION ALL SELECT number, NULL, NULL, NULL, NULL, term, NULL FROM found
    UNION ALL SELECT id, relation, text, place, domain, NULL, NULL FROM subject
        WHERE id IN (SELECT number FROM found) AND {IS_CURRENT}
"""  # noqa: S608 - constant parts
"""The three others as one, which takes SQLite up to twice as long."""

_RELATIONS: Final = {relation.value: relation for relation in Relation}


def subject_of(row: Row) -> Subject:
    """A text of the index, from its row."""
    _, relation, text, place, domain = row
    where = unshield(place)
    if relation != Relation.PENDING:  # thousands of texts went from a few documents
        where = intern(where)
    return Subject(_RELATIONS[relation], unshield(text), where, intern(unshield(domain)))


def read_found(tx: Transaction, home: str, terms: Collection[str], most: int) -> Found:
    """The texts that have these terms; of a term with more than `most`, their number alone."""
    read = _read_at_once if tx.is_far else _read_by_steps
    counts, places, subjects = read(tx, home, list(terms), most)
    texts: defaultdict[str, list[int]] = defaultdict(list)
    for term, number in places:
        texts[term].append(number)
    return Found(
        {term: Posting(amount, texts.get(term, ())) for term, amount in counts},
        {row[0]: subject_of(row) for row in subjects},
    )


_Rows: TypeAlias = Sequence[Row]


def _read_by_steps(
    tx: Transaction, home: str, terms: Collection[str], most: int
) -> tuple[_Rows, _Rows, _Rows]:
    counts = tx.rows(_COUNTS, {"home": home, "terms": terms})
    rare = [term for term, amount in counts if amount <= most]
    if not rare:
        return counts, (), ()
    places = tx.rows(_POSTINGS, {"home": home, "terms": rare})
    return counts, places, tx.rows(_SUBJECTS, {"numbers": {number for _, number in places}})


def _read_at_once(
    tx: Transaction, home: str, terms: Collection[str], most: int
) -> tuple[_Rows, _Rows, _Rows]:
    rows = tx.rows(_FOUND, {"home": home, "terms": terms, "most": most})
    counts = [row[5:] for row in rows if row[6] is not None]
    places = [(row[5], row[0]) for row in rows if row[5] is not None and row[6] is None]
    return counts, places, [row[:5] for row in rows if row[5] is None]


OBSERVATION: Final = Columns(
    Observation,
    actor=Codec(
        lambda cell: None if cell is None or cell == NULL else actor_of(cell),
        lambda actor: NULL if actor is None else actor_cell(actor),
    ),
)
SEEN: Final = f"SELECT {OBSERVATION.sql} FROM observation"  # noqa: S608 - constant
_NEWEST_OF_EACH: Final = """sequence IN (
    WITH RECURSIVE document (path) AS (
        SELECT min(path) FROM observation WHERE home = :home
        UNION ALL
        SELECT (SELECT min(path) FROM observation WHERE home = :home AND path > document.path)
        FROM document WHERE document.path IS NOT NULL
    )
    SELECT (SELECT max(sequence) FROM observation WHERE home = :home AND path = document.path)
    FROM document WHERE document.path IS NOT NULL
)"""
"""Skips from document to document through the index: a long history costs nothing."""


def read_latest(tx: Transaction, home: str) -> dict[str, Observation]:
    """The last observation of each document."""
    rows = tx.rows(f"{SEEN} WHERE {_NEWEST_OF_EACH}", {"home": home})
    return {observation.path: observation for observation in map(OBSERVATION.value, rows)}


HERE: Final = "(:host = '' OR host IN (:host, ''))"
"""The condition that a home is on this host, or is not known to be on another one."""
PLACE: Final = f"""
    SELECT home, number, mark, EXISTS (
        SELECT 1 FROM place AS other
        WHERE other.mark = place.mark AND other.path NOT IN (place.path, '')
        AND (other.host IN (place.host, '') OR place.host = '')
    ) FROM place WHERE path = :path AND {HERE} ORDER BY host DESC
"""  # noqa: S608 - constant


KIND: Final = f"""
    SELECT kind FROM place WHERE (path = :path OR (mark = :mark AND mark <> '')) AND {HERE}
    ORDER BY CASE WHEN mark = :mark THEN 0 WHEN path = :path THEN 1 ELSE 2 END LIMIT 1
"""  # noqa: S608 - constant


OPERATION: Final = Columns(
    Operation,
    without="changes",
    effects=Codec(
        lambda cell: effects_from_json(load(cell)), lambda effects: dump(effects_to_json(effects))
    ),
)
DECISION: Final = Columns(
    Decision,
    seal=Codec(
        lambda cell: None if cell is None else seal_from_json(load(cell)),
        lambda seal: dump(seal_to_json(seal)),
    ),
)
_CHANGES: Final = (
    'SELECT operation, path, "before", "after", mode, tree, was_mode FROM operation_change'
    " WHERE operation IN (SELECT id FROM operation {where}) ORDER BY operation, ordinal"
)
_WRITES: Final = (
    'SELECT path, "before", "after", mode, tree, was_mode FROM batch_write'
    " WHERE batch = :batch ORDER BY ordinal"
)
_AWAITED: Final = """
    SELECT path, "before", "after", mode, tree, was_mode FROM batch_write
    JOIN batch ON batch.id = batch_write.batch
    WHERE batch.home = :home AND NOT batch.settled AND batch.state = 'intent'
    ORDER BY batch.started_at, batch.id, ordinal
"""


UNDOING: Final = """
    WITH RECURSIVE link (id, proposal, undoes, depth) AS (
        SELECT id, proposal, undoes, 0 FROM operation WHERE id = :of
        UNION ALL SELECT operation.id, operation.proposal, operation.undoes, depth + 1 FROM link
        JOIN operation ON operation.id = link.undoes)
    SELECT proposal.id, proposal.state FROM link JOIN proposal ON proposal.id = link.proposal
    WHERE depth > 0 ORDER BY depth
"""


def read_operations(
    tx: Transaction, where: str = "", values: Values = NONE
) -> tuple[Operation, ...]:
    """Operations with their changes; `where` includes the order."""
    rows = tx.later(f"SELECT {OPERATION.sql} FROM operation {where}", values)  # noqa: S608 - constant
    changes: defaultdict[str, list[RecordedChange]] = defaultdict(list)
    for operation, *change in tx.rows(_CHANGES.format(where=where), values):
        changes[operation].append(_recorded_change_of(change))
    return tuple(OPERATION.value(row, changes=tuple(changes[row[0]])) for row in rows())


def _recorded_change_of(row: Row) -> RecordedChange:
    path, before, after, mode, tree, was_mode = row
    ends = Revision(before), Revision(after)
    return RecordedChange(unshield(path), *ends, mode, optional_text(tree), was_mode)


def read_decisions(tx: Transaction, where: str = "", values: Values = NONE) -> tuple[Decision, ...]:
    """Decisions, oldest first."""
    sql = f"SELECT {DECISION.sql} FROM decision {where} ORDER BY sequence"  # noqa: S608 - constant
    return tuple(map(DECISION.value, tx.rows(sql, values)))


OF_BATCH: Final = (
    "WHERE batch = :batch OR id IN (SELECT decision FROM vote WHERE vote.batch = :batch)"
)
"""The decisions for which a batch was begun, and the votes that they rest on."""
_VOTES: Final = "SELECT decision, proposal, home, revisions FROM vote"


def read_votes(tx: Transaction) -> dict[str, About]:
    """By decision, what each vote was about."""
    return {
        unshield(id): vote_about(unshield(proposal), home, revisions)
        for id, proposal, home, revisions in tx.rows(_VOTES)
    }


def vote_about(proposal: str, home: str, revisions: str) -> About:
    """What a vote was about, from its cells."""
    ends = ((path, before, after) for path, before, after in load(revisions))
    return About(unshield(home), (proposal,), tuple(ends))


DEFERRALS: Final = (
    "WHERE verb = 'defer' AND EXISTS (SELECT 1 FROM proposal"  # noqa: S608 - constant states
    f" WHERE id = decision.proposal AND home = :home AND {WAITING_SQL})"
)


UNDONE: Final = """
    SELECT operation.proposal, operation.undone_by,
    coalesce(later.finished_at, operation.finished_at), coalesce(later.actor, operation.actor)
    FROM operation LEFT JOIN operation AS later ON later.id = operation.undone_by
    WHERE operation.home = :home AND operation.kind = 'apply' AND operation.state = 'done'
    AND operation.proposal IN (
        SELECT proposal FROM operation WHERE home = :home AND undone_by IS NOT NULL)
    ORDER BY operation.sequence
"""


EVENT: Final = Columns(Event, detail=Codec(load))
EVENTS: Final = f"SELECT {EVENT.sql} FROM event"  # noqa: S608 - constant
NOTES: Final = f"{EVENTS} WHERE name = :name AND subject = :of ORDER BY position"
EVENTS_OF: Final = f"{EVENTS} WHERE name = :name AND home = :home ORDER BY position"


class BatchParts:
    """Reads an unfinished batch: its operations, decisions and writes, in whichever order."""

    def __init__(self, tx: Transaction, batch: str, home: str) -> None:
        self._tx, self._batch, self._home = tx, batch, home
        self._its = {"batch": batch}

    def operations(self) -> tuple[Operation, ...]:
        return read_operations(self._tx, "WHERE batch = :batch ORDER BY sequence", self._its)

    def decisions(self) -> tuple[Decision, ...]:
        return read_decisions(self._tx, OF_BATCH, self._its)

    def writes(self) -> tuple[Change, ...]:
        return _changes_of(self._tx, self._tx.rows(_WRITES, self._its))

    def whole(self) -> OpenBatch:
        return OpenBatch(
            batch=self._batch,
            home=self._home,
            operations=self.operations(),
            decisions=self.decisions(),
            writes=self.writes(),
        )


def read_awaited(tx: Transaction, home: str) -> tuple[Change, ...]:
    """What is decided for a home and not written yet, oldest first."""
    return _changes_of(tx, tx.rows(_AWAITED, {"home": home}))


def _changes_of(tx: Transaction, rows: Sequence[Row]) -> tuple[Change, ...]:
    blobs = bytes_of(tx, (sha for row in rows for sha in row[1:3] if sha is not None))
    return tuple(
        Change(
            path=unshield(path),
            before=None if before is None else blobs[before],
            after=None if after is None else blobs[after],
            mode=mode,
            tree=optional_text(tree),
            was_mode=was_mode,
        )
        for path, before, after, mode, tree, was_mode in rows
    )


def read_pin(tx: Transaction, name: str) -> str | None:
    """The value pinned under a name; None for none."""
    rows = tx.rows("SELECT value FROM pin WHERE name = :name", {"name": name})
    return unshield(rows[0][0]) if rows else None


TOTALS: Final = (
    "SELECT count(*), count(*) FILTER (WHERE ending = 'failed'), sum(proposal_count),"
    " sum(denied_count), sum(input_tokens), sum(output_tokens), sum(cached_tokens), sum(cost),"
    " max(finished_at) FROM review"
)


TRANSCRIPTS: Final = f"""
    SELECT transcript.id, transcript.session, parent, began, started_at, last_at, turns, messages,
        coalesce(
            (SELECT max(place.home) FROM place
                WHERE place.path = transcript.home AND path <> '' AND {HERE}),
            transcript.home),
        platform
    FROM transcript WHERE transcript.session = :session ORDER BY transcript.sequence
"""  # noqa: S608 - constant
"""A recorder knows the path of a home, and not its id after a move."""
HAS_TURNS: Final = f"""
    SELECT 1 FROM transcript WHERE home = :home
        OR home = (SELECT path FROM place WHERE place.home = :home AND {HERE}) LIMIT 1
"""  # noqa: S608 - constant
TURNS: Final = """
    SELECT number, at, messages, id FROM turn
    WHERE transcript = (SELECT sequence FROM transcript WHERE id = :transcript)
    AND number < :before ORDER BY number DESC LIMIT :most
"""


def transcript_of(row: Row) -> Transcript:
    """A transcript, from its row."""
    id, session, parent, began, started_at, last_at, turns, messages, home, platform = row
    return Transcript(
        id=unshield(id),
        lineage=Lineage(unshield(session), optional_text(parent), Began(began)),
        started_at=moment_of(started_at),
        last_at=moment_of(last_at),
        turns=turns,
        messages=messages,
        home=unshield(home),
        platform=unshield(platform),
    )


def turn_of(row: Row) -> Turn:
    """A turn, from its row."""
    number, at, messages, id = row
    texts = tuple(Message(Role(role), *more) for role, *more in load(messages))
    return Turn(number, moment_of(at), texts, optional_text(id))

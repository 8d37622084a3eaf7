"""Whole proposals, documents, the journal, conversations: plain SQL, as `list_sql` for lists.

Each query is written once: the ledger runs it over its own connection, the light reader
over the standard library alone. Every value is bound.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from sys import intern
from typing import Any, Final

from reviewdeck.ledger.blobs import AMONG, Run, bytes_of, chunks, listed
from reviewdeck.ledger.cells import dump, load, micros_of, moment_of, shield, unshield
from reviewdeck.ledger.list_sql import WAITING_SQL
from reviewdeck.ledger.pass_sql import SUBJECTS
from reviewdeck.model import (
    ABSENT,
    NOTE,
    OUTSIDE,
    Actor,
    Base,
    Began,
    Cause,
    Change,
    Decision,
    DirectChange,
    Effect,
    Event,
    Judgement,
    Kind,
    Lineage,
    Marks,
    Message,
    Observation,
    Operation,
    OperationKind,
    OperationState,
    Origin,
    Proposal,
    RecordedChange,
    Relation,
    ReviewTotals,
    Revision,
    Role,
    State,
    Transcript,
    Turn,
    Verb,
)
from reviewdeck.model.codec import (
    actor_from_json,
    bases_from_json,
    edits_from_json,
    effects_from_json,
    judgement_from_json,
    origin_from_json,
    seal_from_json,
)
from reviewdeck.model.decisions import BASELINE, BEGINNINGS
from reviewdeck.ports import Baseline, OpenBatch, Subject, Undone

LAST: Final = chr(0x10FFFF)
"""Above every character of an id: the end of a range of ids with one prefix."""
_MATCHES: Final = 100
"""The most ids with one prefix that are compared."""
_NEWEST: Final = 1000
"""The events searched for the latest time: after a clock was set back it is not the last."""


_PROPOSAL: Final = (
    "id, home, kind, action, target, payload_sha, origin, source, source_id, summary,"
    " created_at, ingested_at, body"
)


def read_proposals(
    run: Run, where: str, values: Mapping[str, object], most: int | None = None
) -> Iterator[Proposal]:
    """Whole proposals, oldest first, with the texts of their bases."""
    limit = -1 if most is None else most
    sql = f"SELECT {_PROPOSAL} FROM proposal WHERE {where} ORDER BY position LIMIT :most"  # noqa: S608 - constant columns
    rows = [(row, load(row[-1])) for row in run(sql, {**values, "most": limit})]
    blobs = bytes_of(run, (sha for _, body in rows for sha in _base_shas(body)))
    return (_proposal_of(row, body, blobs) for row, body in rows)


def read_outside(run: Run, home: str) -> tuple[Proposal, ...]:
    """The open changes outside review in a home, oldest first."""
    where = f"home = :home AND action = :action AND {WAITING_SQL}"
    return tuple(read_proposals(run, where, {"home": shield(home), "action": OUTSIDE}))


_DROPPED_OUTSIDE: Final = """
    home = :home AND state = :state AND action = :action AND reason = :reason AND EXISTS (
        SELECT 1 FROM json_each(body, '$.outside') AS change, json_each(:revisions) AS document
        WHERE json_extract(change.value, '$[0]') = json_extract(document.value, '$[0]')
        AND json_extract(change.value, '$[2]') = json_extract(document.value, '$[1]')
    )
"""


def read_dropped_outside(
    run: Run, home: str, reason: str, revisions: Mapping[str, Revision]
) -> Iterator[Proposal]:
    """Changes outside review that were dropped for this reason and led to these revisions."""
    values = {
        "home": shield(home),
        "state": State.ELSEWHERE.value,
        "action": OUTSIDE,
        "reason": shield(reason),
        "revisions": dump(sorted(revisions.items())),
    }
    return read_proposals(run, _DROPPED_OUTSIDE, values)


def _base_shas(body: Mapping[str, Any]) -> Iterator[str]:
    """The blobs that hold the texts of a proposal's bases."""
    for base in body["bases"].values():
        if base["has_text"] and base["revision"] != ABSENT:
            yield base["revision"]


def _proposal_of(
    row: Sequence[Any], body: Mapping[str, Any], blobs: Mapping[str, bytes]
) -> Proposal:
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
        source=_optional_text(source),
        source_id=_optional_text(source_id),
        summary=unshield(summary),
        created_at=_moment(created_at),
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
        outside=tuple(map(_direct_change_of, body.get("outside") or ())),
    )


def _direct_change_of(cells: Sequence[Any]) -> DirectChange:
    path, before, after, *modes = cells
    return DirectChange(path, before, after, (modes[0][0], modes[0][1]) if modes else None)


def _with_text(base: Base, blobs: Mapping[str, bytes]) -> Base:
    if not base.has_text or base.revision == ABSENT:
        return base
    return replace(base, data=blobs[base.revision])


def read_matches(run: Run, prefix: str, homes: Sequence[str]) -> list[tuple[str, str, bool]]:
    """The proposals that match an id: id, state, and whether it is the agent's own id."""
    of_homes = f"AND home {AMONG}" if homes else ""
    sql = (
        "SELECT id, state, source_id IS :prefix FROM proposal"  # noqa: S608 - constant parts
        f" WHERE (source_id = :prefix OR (id >= :prefix AND id < :last)) {of_homes}"
        " ORDER BY position LIMIT :most"
    )
    shielded = shield(prefix)
    values = {"prefix": shielded, "last": shielded + LAST, "among": listed(homes), "most": _MATCHES}
    return [(unshield(id), state, bool(is_own)) for id, state, is_own in run(sql, values)]


def read_state(run: Run, id: str) -> State | None:
    """The state of a proposal."""
    rows = run("SELECT state FROM proposal WHERE id = :id", {"id": shield(id)})
    return State(rows[0][0]) if rows else None


def read_judgement(run: Run, proposal: str) -> Judgement | None:
    """The last judgement of a proposal."""
    rows = run("SELECT body FROM judgement WHERE proposal = :of", {"of": shield(proposal)})
    return judgement_from_json(load(rows[0][0])) if rows else None


def read_evaluation_key(run: Run, proposal: str) -> str | None:
    """The key of a proposal's last evaluation."""
    rows = run("SELECT evaluation_key FROM proposal WHERE id = :of", {"of": shield(proposal)})
    return next((key for (key,) in rows), None)


_ORIGINS: Final = f"""
    SELECT proposal, json_extract(body, '$.origin') FROM judgement
    WHERE proposal {AMONG} AND policy = :by AND is_settled
"""  # noqa: S608 - constant


def read_origins(run: Run, proposals: Collection[str], policy: str) -> Iterator[tuple[str, Origin]]:
    """The settled origins of these proposals under this policy file."""
    for id, text in run(_ORIGINS, {"among": listed(proposals), "by": policy}):
        if text is not None and (origin := origin_from_json(load(text))) is not None:
            yield unshield(id), origin


def read_subjects(run: Run, home: str) -> Iterator[Subject]:
    """The texts of open proposals, and the remembered ones."""
    return map(_subject_of, run(SUBJECTS, {"home": shield(home)}))


_RELATIONS: Final = {relation.value: relation for relation in Relation}


def _subject_of(row: Sequence[Any]) -> Subject:
    relation, text, place, domain = row
    where = unshield(place)
    if relation != Relation.PENDING:  # thousands of texts went from a few documents
        where = intern(where)
    return Subject(_RELATIONS[relation], unshield(text), where, intern(unshield(domain)))


_SEEN: Final = (
    "SELECT home, path, revision, at, cause, operation, proposal, actor, mode FROM observation"
)
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


def read_observations(run: Run, home: str, path: str | None) -> Iterator[Observation]:
    """The observations of one document, or of all, oldest first."""
    of_it = "" if path is None else "AND path = :path"
    values = {"home": shield(home), "path": shield(path or "")}
    return map(
        _observation_of, run(f"{_SEEN} WHERE home = :home {of_it} ORDER BY sequence", values)
    )


def read_latest(run: Run, home: str) -> dict[str, Observation]:
    """The last observation of each document."""
    observations = map(
        _observation_of, run(f"{_SEEN} WHERE {_NEWEST_OF_EACH}", {"home": shield(home)})
    )
    return {observation.path: observation for observation in observations}


def read_baseline(run: Run, home: str) -> Baseline | None:
    """The baseline of a home, until it is reviewed."""
    if read_pin(run, f"{BASELINE}{home}") is not None:
        return None
    sql = "SELECT count(*), min(at) FROM observation WHERE home = :home AND cause = :seen"
    amount, at = run(sql, {"home": shield(home), "seen": Cause.SEEN.value})[0]
    return Baseline(amount, moment_of(at)) if amount else None


def count_changes_outside(run: Run, home: str, since: datetime) -> int:
    """The number of changes outside review observed after a moment."""
    sql = "SELECT count(*) FROM observation WHERE home = :home AND cause = :cause AND at > :since"
    values = {"home": shield(home), "cause": Cause.OUTSIDE.value, "since": micros_of(since)}
    ((amount,),) = run(sql, values)
    return int(amount)


def read_revision_at(run: Run, home: str, path: str, moment: datetime) -> Observation | None:
    """The last observation of a document at or before a moment."""
    sql = (
        f"{_SEEN} WHERE home = :home AND path = :path AND at <= :moment"
        " ORDER BY sequence DESC LIMIT 1"
    )
    values = {"home": shield(home), "path": shield(path), "moment": micros_of(moment)}
    return next(map(_observation_of, run(sql, values)), None)


def read_moments(run: Run, home: str, path: str, most: int) -> list[tuple[datetime, Revision]]:
    """The last revisions of a document with the times they were observed, newest first."""
    sql = (
        "SELECT at, revision FROM observation WHERE home = :home AND path = :path"
        " ORDER BY sequence DESC LIMIT :most"
    )
    values = {"home": shield(home), "path": shield(path), "most": most}
    return [(moment_of(at), Revision(revision)) for at, revision in run(sql, values)]


def _observation_of(row: Sequence[Any]) -> Observation:
    home, path, revision, at, cause, operation, proposal, actor, mode = row
    return Observation(
        home=unshield(home),
        path=unshield(path),
        revision=Revision(revision),
        at=moment_of(at),
        cause=Cause(cause),
        operation=_optional_text(operation),
        proposal=_optional_text(proposal),
        actor=None if actor is None or actor == "null" else actor_of(actor),
        mode=mode,
    )


def read_marks(run: Run, home: str) -> Marks:
    """Until when an operator has seen the agent's changes, by document."""
    its = {"home": shield(home)}
    looked = run("SELECT looked_at FROM home WHERE id = :home", its)
    rows = run("SELECT path, at FROM seen WHERE home = :home", its)
    documents = {unshield(path): moment_of(at) for path, at in rows}
    return Marks(_moment(looked[0][0]) if looked else None, documents)


_PLACE: Final = """
    SELECT home, number, mark, EXISTS (
        SELECT 1 FROM place AS other
        WHERE other.mark = place.mark AND other.path NOT IN (place.path, '')
    ) FROM place WHERE path = :path
"""


def read_home_at(run: Run, path: str, marker: tuple[str, str] | None) -> str | None:
    """The id of the home at this path, where number and mark are those of its directory.

    None where that has to be examined: it may have been moved, or be or have a copy.
    """
    rows = run(_PLACE, {"path": shield(path)})
    if not rows or marker is None:
        return None
    id, number, mark, has_copy = rows[0]
    is_known = mark and not has_copy and marker == (number, marker[1] and mark)
    return unshield(id) if is_known else None


_OPERATION: Final = (
    "SELECT id, batch, kind, state, home, proposal, actor, digest, started_at, finished_at,"
    " undoes, undone_by, settled, effects FROM operation"
)
_CHANGES: Final = (
    'SELECT operation, path, "before", "after", mode, tree, was_mode FROM operation_change'  # noqa: S608 - constant
    f" WHERE operation {AMONG} ORDER BY operation, ordinal"
)
_DECISION: Final = (
    "SELECT id, proposal, verb, actor, at, digest, reason, text_sha, batch, seal, policy"
    " FROM decision"
)
_WRITES: Final = (
    'SELECT path, "before", "after", mode, tree, was_mode FROM batch_write'
    " WHERE batch = :batch ORDER BY ordinal"
)


def read_operations(
    run: Run, where: str = "", values: Mapping[str, object] | None = None
) -> tuple[Operation, ...]:
    """Operations with their changes; `where` includes the order."""
    rows = run(f"{_OPERATION} {where}", values or {})
    changes: defaultdict[str, list[RecordedChange]] = defaultdict(list)
    for chunk in chunks(unshield(row[0]) for row in rows):
        for operation, *change in run(_CHANGES, {"among": listed(chunk)}):
            changes[operation].append(_recorded_change_of(change))
    return tuple(_operation_of(row, changes[row[0]]) for row in rows)


def _operation_of(row: Sequence[Any], changes: Iterable[RecordedChange]) -> Operation:
    id, batch, kind, state, home, proposal, actor, digest, started_at, *more = row
    finished_at, undoes, undone_by, settled, effects = more
    return Operation(
        id=unshield(id),
        batch=unshield(batch),
        kind=OperationKind(kind),
        state=OperationState(state),
        home=unshield(home),
        proposal=unshield(proposal),
        actor=actor_of(actor),
        digest=digest,
        changes=tuple(changes),
        started_at=moment_of(started_at),
        finished_at=_moment(finished_at),
        undoes=_optional_text(undoes),
        undone_by=_optional_text(undone_by),
        effects=effects_from_json(load(effects)),
        settled=bool(settled),
    )


def _recorded_change_of(row: Sequence[Any]) -> RecordedChange:
    path, before, after, mode, tree, was_mode = row
    ends = Revision(before), Revision(after)
    return RecordedChange(unshield(path), *ends, mode, _optional_text(tree), was_mode)


def read_inverse(run: Run, operation: str) -> tuple[Effect, ...]:
    """The inverse of an operation's side effects."""
    rows = run("SELECT inverse FROM operation WHERE id = :id", {"id": shield(operation)})
    return effects_from_json(load(rows[0][0])) if rows else ()


def read_decisions(
    run: Run, where: str = "", values: Mapping[str, object] | None = None
) -> tuple[Decision, ...]:
    """Decisions, oldest first."""
    return tuple(map(_decision_of, run(f"{_DECISION} {where} ORDER BY sequence", values or {})))


def _decision_of(row: Sequence[Any]) -> Decision:
    id, proposal, verb, actor, at, digest, reason, text_sha, batch, seal, policy = row
    return Decision(
        id=unshield(id),
        proposal=unshield(proposal),
        verb=Verb(verb),
        actor=actor_of(actor),
        at=moment_of(at),
        digest=digest,
        reason=unshield(reason),
        text_sha=text_sha,
        batch=_optional_text(batch),
        seal=None if seal is None else seal_from_json(load(seal)),
        policy=policy,
    )


_DEFERRALS: Final = (
    "WHERE verb = 'defer' AND EXISTS (SELECT 1 FROM proposal"  # noqa: S608 - constant states
    f" WHERE id = decision.proposal AND home = :home AND {WAITING_SQL})"
)


def read_deferrals(run: Run, home: str) -> dict[str, Decision]:
    """The newest deferral of each pending proposal of a home."""
    return {
        decision.proposal: decision
        for decision in read_decisions(run, _DEFERRALS, {"home": shield(home)})
    }


_UNDONE: Final = """
    SELECT operation.proposal, operation.undone_by,
    coalesce(later.finished_at, operation.finished_at), coalesce(later.actor, operation.actor)
    FROM operation LEFT JOIN operation AS later ON later.id = operation.undone_by
    WHERE operation.home = :home AND operation.kind = 'apply' AND operation.state = 'done'
    AND operation.proposal IN (
        SELECT proposal FROM operation WHERE home = :home AND undone_by IS NOT NULL)
    ORDER BY operation.sequence
"""


def read_undone(run: Run, home: str) -> dict[str, Undone]:
    """The proposals whose newest application was undone, with the undo."""
    undone: dict[str, Undone] = {}
    for proposal, by, at, actor in run(_UNDONE, {"home": shield(home)}):
        undone.pop(unshield(proposal), None)  # The newest application counts.
        if by is not None:
            undone[unshield(proposal)] = Undone(unshield(by), moment_of(at), actor_of(actor))
    return undone


_NOTES: Final = """
    SELECT sequence, at, name, home, subject, actor, detail, previous, sha FROM event
    WHERE name = :name AND subject = :of ORDER BY sequence
"""


def read_notes(run: Run, proposal: str) -> Iterator[Event]:
    """The notes about a proposal, oldest first."""
    values = {"name": NOTE, "of": shield(proposal)}
    for sequence, at, name, home, subject, actor, detail, previous, sha in run(_NOTES, values):
        yield Event(
            sequence=sequence,
            at=moment_of(at),
            name=name,
            home=unshield(home),
            subject=unshield(subject),
            actor=actor_of(actor),
            detail=load(detail),
            previous=previous,
            sha=sha,
        )


def read_unfinished(run: Run, home: str) -> tuple[OpenBatch, ...]:
    """Batches that are intents still, or done and not settled."""
    sql = "SELECT id, home FROM batch WHERE home = :home AND NOT settled ORDER BY started_at"
    return tuple(_open_batch(run, *row) for row in run(sql, {"home": shield(home)}))


def _open_batch(run: Run, batch: str, home: str) -> OpenBatch:
    its = {"batch": batch}
    rows = run(_WRITES, its)
    blobs = bytes_of(run, (sha for row in rows for sha in row[1:3] if sha is not None))
    return OpenBatch(
        batch=unshield(batch),
        home=unshield(home),
        operations=read_operations(run, "WHERE batch = :batch ORDER BY sequence", its),
        decisions=read_decisions(run, "WHERE batch = :batch", its),
        writes=tuple(
            Change(
                path=unshield(path),
                before=None if before is None else blobs[before],
                after=None if after is None else blobs[after],
                mode=mode,
                tree=_optional_text(tree),
                was_mode=was_mode,
            )
            for path, before, after, mode, tree, was_mode in rows
        ),
    )


@lru_cache(maxsize=256)
def actor_of(cell: str) -> Actor:
    """The actor of a cell."""
    return actor_from_json(load(cell))


def read_newest_event(run: Run) -> datetime | None:
    """The latest time of the last events."""
    sql = "SELECT max(at) FROM (SELECT at FROM event ORDER BY sequence DESC LIMIT :most)"
    ((newest,),) = run(sql, {"most": _NEWEST}) or ((None,),)
    return _moment(newest)


def read_pin(run: Run, name: str) -> str | None:
    """The value pinned under a name; None for none."""
    rows = run("SELECT value FROM pin WHERE name = :name", {"name": name})
    return unshield(rows[0][0]) if rows else None


def read_is_signed(run: Run) -> bool:
    """Whether a decision is signed, or a line of the log says that decisions are."""
    if run("SELECT 1 FROM decision WHERE counter > 0 LIMIT 1", {}):
        return True
    sql = f"SELECT 1 FROM event WHERE name {AMONG} LIMIT 1"  # noqa: S608 - constant
    return bool(run(sql, {"among": listed(BEGINNINGS)}))


_TOTALS: Final = (
    "SELECT count(*), count(*) FILTER (WHERE ending = 'failed'), sum(proposal_count),"
    " sum(denied_count), sum(input_tokens), sum(output_tokens), sum(cached_tokens), sum(cost),"
    " max(finished_at) FROM review"
)


def read_totals(run: Run, homes: Sequence[str]) -> ReviewTotals:
    """The totals over all runs of the background reviewer."""
    rows = run(f"{_TOTALS} WHERE home {AMONG}" if homes else _TOTALS, {"among": listed(homes)})
    if not rows:
        return ReviewTotals()
    runs, failed, proposals, denied, input, output, cached, cost, last = rows[0]
    return ReviewTotals(
        runs=runs,
        failed=failed,
        proposals=proposals or 0,
        denied=denied or 0,
        input_tokens=input or 0,
        output_tokens=output or 0,
        cached_tokens=cached or 0,
        cost=cost,
        last=_moment(last),
    )


_TRANSCRIPTS: Final = """
    SELECT transcript.id, transcript.session, parent, began, started_at, last_at, turns, messages,
        coalesce(place.home, transcript.home), platform
    FROM transcript LEFT JOIN place ON place.path = transcript.home AND place.path <> ''
    WHERE transcript.session = :session ORDER BY transcript.sequence
"""
"""A recorder knows the path of a home, and not its id after a move."""
_HAS_TURNS: Final = """
    SELECT 1 FROM transcript
    WHERE home = :home OR home = (SELECT path FROM place WHERE place.home = :home) LIMIT 1
"""
_TURNS: Final = """
    SELECT number, at, messages, id FROM turn
    WHERE transcript = (SELECT sequence FROM transcript WHERE id = :transcript)
    AND number < :before ORDER BY number DESC LIMIT :most
"""


def read_transcripts(run: Run, session: str) -> Iterator[Transcript]:
    """The transcripts of a session, oldest first."""
    return map(_transcript_of, run(_TRANSCRIPTS, {"session": shield(session)}))


def read_has_turns(run: Run, home: str) -> bool:
    """Whether any session of this home was recorded and is still stored."""
    return bool(run(_HAS_TURNS, {"home": shield(home)}))


def read_turns(run: Run, transcript: str, before: int | None, limit: int | None) -> Iterator[Turn]:
    """The last turns of a transcript, those before this number; in order."""
    values = {
        "transcript": shield(transcript),
        "before": 2**62 if before is None else before,
        "most": -1 if limit is None else limit,
    }
    return map(_turn_of, reversed(run(_TURNS, values)))


def _transcript_of(row: Sequence[Any]) -> Transcript:
    id, session, parent, began, started_at, last_at, turns, messages, home, platform = row
    return Transcript(
        id=unshield(id),
        lineage=Lineage(unshield(session), _optional_text(parent), Began(began)),
        started_at=moment_of(started_at),
        last_at=moment_of(last_at),
        turns=turns,
        messages=messages,
        home=unshield(home),
        platform=unshield(platform),
    )


def _turn_of(row: Sequence[Any]) -> Turn:
    number, at, messages, id = row
    texts = tuple(Message(Role(role), *more) for role, *more in load(messages))
    return Turn(number, moment_of(at), texts, _optional_text(id))


def _optional_text(cell: str | None) -> str | None:
    return None if cell is None else unshield(cell)


def _moment(cell: int | None) -> datetime | None:
    return None if cell is None else moment_of(cell)

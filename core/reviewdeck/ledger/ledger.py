"""The ledger: what it answers; its parts, which also write, on the same database."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from itertools import chain
from types import TracebackType
from typing import Final, Self

from reviewdeck.errors import UnknownId, UnknownOperation
from reviewdeck.ledger import view_sql as view
from reviewdeck.ledger.audit import SqlAudit
from reviewdeck.ledger.blobs import bytes_of, chunks
from reviewdeck.ledger.cells import load, moment_of, optional_moment, unshield
from reviewdeck.ledger.columns import actor_of
from reviewdeck.ledger.database import ALL, first
from reviewdeck.ledger.decided import SqlDecided
from reviewdeck.ledger.drafts import SqlDrafts, SqlMemory, SqlPlaces
from reviewdeck.ledger.errands import SqlErrands
from reviewdeck.ledger.hosts import SqlHosts
from reviewdeck.ledger.intents import SqlIntents
from reviewdeck.ledger.list_sql import (
    WAITING_SQL,
    read_counts,
    read_item,
    read_items,
    read_outlines,
    read_page,
    read_stamp,
)
from reviewdeck.ledger.looks import SqlLooks
from reviewdeck.ledger.passes import SqlEvaluations, SqlRecords
from reviewdeck.ledger.presence import SqlPresence
from reviewdeck.ledger.proposals import SqlLives, SqlProposals
from reviewdeck.ledger.revisions import SqlRevisions
from reviewdeck.ledger.seals import SqlPins
from reviewdeck.ledger.sessions import SqlReviews, SqlTurns
from reviewdeck.ledger.subjects import SqlSubjects
from reviewdeck.model import (
    ABSENT,
    NOTE,
    OPEN_STATES,
    OUTSIDE,
    Cause,
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
from reviewdeck.model.codec import effects_from_json, judgement_from_json, origin_from_json
from reviewdeck.model.decisions import BASELINE, BEGINNINGS, ENDS
from reviewdeck.model.ledger import (
    Baseline,
    Counts,
    Filter,
    Found,
    OpenBatch,
    Subject,
    Undone,
    bounded_key,
)

_MOST_NAMED: Final = 6
"""The most ids that an error names."""


class Ledger(
    SqlProposals,
    SqlRevisions,
    SqlIntents,
    SqlDrafts,
    SqlMemory,
    SqlAudit,
    SqlRecords,
    SqlEvaluations,
    SqlSubjects,
    SqlTurns,
    SqlReviews,
    SqlLives,
    SqlDecided,
    SqlPins,
    SqlPlaces,
    SqlPresence,
    SqlHosts,
    SqlLooks,
    SqlErrands,
):
    """The whole ledger in one database, so that one transaction can cover any part.

    Where it was opened to be read, every write is refused.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._database.close()

    def break_off(self) -> None:
        """Ends what other threads wait for: this program ends, and the ledger does not answer."""
        self._database.break_off()

    def counts(self, homes: Sequence[str] = ()) -> Counts:
        """The number of proposals in each state."""
        with self._reading("The counters") as tx:
            return read_counts(tx, homes, self._opener.names)

    def page(
        self, selection: Filter, *, after: int | None = None, limit: int = 100
    ) -> tuple[QueueItem, ...]:
        """Newest first, by keyset."""
        with self._reading("A page of the queue") as tx:
            return read_page(tx, selection, after, limit)

    def item(self, id: str) -> QueueItem:
        """One row of the queue. Raises UnknownId."""
        with self._reading(f"Proposal {id}") as tx:
            item = read_item(tx, id)
        if item is None:
            raise _unknown_id(id)
        return item

    def items(self, ids: Sequence[str]) -> tuple[QueueItem, ...]:
        """Several rows of the queue, in this order; unknown ids are left out."""
        with self._reading("The queue") as tx:
            return tuple(item for part in chunks(ids) for item in read_items(tx, part))

    def outside(self, home: str) -> tuple[Proposal, ...]:
        """The open changes outside review, oldest first."""
        with self._reading("What was changed outside review") as tx:
            where = f"home = :home AND action = :action AND {WAITING_SQL}"
            values = {"home": home, "action": OUTSIDE}
            return tuple(view.read_proposals(tx, where, values))

    def outlines(
        self, selection: Filter, *, after: int | None = None, limit: int = 1_000
    ) -> tuple[Outline, ...]:
        """As `page`, with only the fields for ordering and filtering a long queue."""
        with self._reading("A page of the queue") as tx:
            return read_outlines(tx, selection, after, limit)

    def stamp(self, home: str) -> str | None:
        """The stamp stored when this home was last taken in; empty where none could be."""
        with self._reading("The stamp") as tx:
            return read_stamp(tx, home)

    def resolve(self, prefix: str, homes: Sequence[str] = ()) -> str:
        """The one proposal with this id, unique prefix of it, or unique id of the agent's own.

        An agent may use its own ids again: then the one that is still open is meant.
        """
        with self._reading("The queue") as tx:
            matches = view.read_matches(tx, prefix, homes) if prefix else []
        ids = [id for id, _, _ in matches]
        if prefix in ids:
            return prefix
        if len(ids) > 1:
            waiting = [id for id, state, own in matches if own and state in OPEN_STATES]
            own_ids = [id for id, _, own in matches if not own]
            ids = waiting if len(waiting) == 1 and not own_ids else ids
        match ids:
            case [id]:
                return id
            case []:
                raise _unknown_id(prefix, self._proposal_of(prefix))
            case _:
                candidates = ", ".join(ids[:_MOST_NAMED]) + (
                    ", ..." if len(ids) > _MOST_NAMED else ""
                )
                raise UnknownId(f"{prefix} could be any of {candidates}.")

    def _proposal_of(self, operation: str) -> str | None:
        """The proposal of an operation; None where there is no such operation."""
        try:
            return self.operation(operation).proposal
        except UnknownOperation:
            return None

    def state_of(self, id: str) -> State | None:
        """The state of a proposal; None for an unknown id."""
        with self._reading(f"Proposal {id}") as tx:
            rows = tx.rows("SELECT state FROM proposal WHERE id = :id", {"id": id})
            return State(rows[0][0]) if rows else None

    def proposal(self, id: str) -> Proposal:
        """The whole proposal. Raises UnknownId. A quarantined one has no edits."""
        with self._reading(f"Proposal {id}") as tx:
            proposal = next(view.read_proposals(tx, "id = :id", {"id": id}), None)
        if proposal is None:
            raise _unknown_id(id)
        return proposal

    def judgement(self, proposal: str) -> Judgement | None:
        """The last judgement of a proposal while it was open; None without one."""
        return self.judgements([proposal]).get(proposal)

    def judgements(self, proposals: Collection[str]) -> dict[str, Judgement]:
        """The last judgement of each of these proposals while it was open, by id."""
        with self._reading("A judgement") as tx:
            rows = (tx.rows(view.JUDGEMENTS, {"among": part}) for part in chunks(proposals))
            return {
                unshield(id): judgement_from_json(load(body))
                for id, body in chain.from_iterable(rows)
            }

    def sessions(self, proposals: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """By proposal, the conversations that it came from, where known."""
        sessions: dict[str, tuple[str, ...]] = {}
        sql = "SELECT proposal, body FROM judgement WHERE proposal IN :ids"
        with self._reading("A judgement") as tx:
            for chunk in chunks(proposals):
                for id, body in tx.rows(sql, {"ids": chunk}):
                    origin = load(body)["origin"]
                    sessions[unshield(id)] = tuple(origin["sessions"]) if origin else ()
        return sessions

    def evaluation_key(self, proposal: str) -> str | None:
        """The key of a proposal's stored evaluation; None where it has to be evaluated again."""
        with self._reading("An evaluation") as tx:
            rows = tx.rows("SELECT evaluation_key FROM proposal WHERE id = :of", {"of": proposal})
            return next((key for (key,) in rows), None)

    def origins(self, proposals: Collection[str], policy: str) -> dict[str, Origin]:
        """The settled origins of these proposals under this policy file."""
        with self._reading("A judgement") as tx:
            rows = tx.rows(view.ORIGINS, {"among": proposals, "by": policy})
            stored = ((id, origin_from_json(load(body)["origin"])) for id, body in rows)
            return {unshield(id): origin for id, origin in stored if origin is not None}

    def subject_count(self, home: str) -> int:
        """The number of texts that others are compared with."""
        with self._database.reading() as tx:
            amount: int = first(
                tx, "SELECT count(*) FROM subject WHERE home = :home", {"home": home}
            )
            return amount

    def subjects_of(self, home: str, domains: Collection[str]) -> tuple[Subject, ...]:
        """The texts of open proposals in these domains."""
        with self._reading("A text of the index") as tx:
            values = {"home": home, "domains": list(domains)}
            return tuple(map(view.subject_of, tx.rows(view.SUBJECTS_OF, values)))

    def texts_with(self, home: str, terms: Collection[str], most: int) -> Found:
        """The texts that have these terms; of a term with more than `most`, their number alone."""
        with self._reading("A text of the index") as tx:
            return view.read_found(tx, home, terms, most)

    def content(self, revision: Revision) -> bytes | None:
        """The bytes of a revision; None when it is ABSENT or not stored."""
        if revision == ABSENT:
            return None
        with self._reading("A revision") as tx:
            return bytes_of(tx, [revision]).get(revision)

    def observations(self, home: str, path: str | None = None) -> tuple[Observation, ...]:
        """The observations of one document, or of all, oldest first."""
        with self._reading("An observation") as tx:
            of_it = "" if path is None else "AND path = :path"
            values = {"home": home, "path": path or ""}
            return tuple(
                map(
                    view.OBSERVATION.value,
                    tx.rows(f"{view.SEEN} WHERE home = :home {of_it} ORDER BY sequence", values),
                )
            )

    def latest(self, home: str) -> dict[str, Observation]:
        """The last observation of each document."""
        with self._reading("An observation") as tx:
            return view.read_latest(tx, home)

    def baseline(self, home: str) -> Baseline | None:
        """The baseline of a home; None once it is reviewed."""
        with self._reading("An observation") as tx:
            if view.read_pin(tx, f"{BASELINE}{home}") is not None:
                return None
            sql = "SELECT count(*), min(at) FROM observation WHERE home = :home AND cause = :seen"
            amount, at = tx.rows(sql, {"home": home, "seen": Cause.SEEN.value})[0]
            return Baseline(amount, moment_of(at)) if amount else None

    def changes_outside(self, home: str, since: datetime) -> int:
        """The number of changes outside review observed after a moment."""
        with self._reading("An observation") as tx:
            sql = (
                "SELECT count(*) FROM observation"
                " WHERE home = :home AND cause = :cause AND at > :since"
            )
            values = {"home": home, "cause": Cause.OUTSIDE.value, "since": since}
            ((amount,),) = tx.rows(sql, values)
            return int(amount)

    def revision_at(self, home: str, path: str, moment: datetime) -> Observation | None:
        """The last observation of a document at or before a moment."""
        with self._reading("An observation") as tx:
            sql = (
                f"{view.SEEN} WHERE home = :home AND path = :path AND at <= :moment"
                " ORDER BY sequence DESC LIMIT 1"
            )
            values = {"home": home, "path": path, "moment": moment}
            return next(map(view.OBSERVATION.value, tx.rows(sql, values)), None)

    def moments(
        self, home: str, path: str, most: int
    ) -> Sequence[tuple[datetime, Revision, Cause]]:
        """The last revisions of a document: when and by what they came to be, newest first."""
        with self._reading("An observation") as tx:
            sql = (
                "SELECT at, revision, cause FROM observation WHERE home = :home AND path = :path"
                " ORDER BY sequence DESC LIMIT :most"
            )
            rows = tx.rows(sql, {"home": home, "path": path, "most": most})
            return [(moment_of(at), Revision(sha), Cause(cause)) for at, sha, cause in rows]

    def marks(self, home: str) -> Marks:
        """Until when this operator has seen the agent's changes, by document."""
        sql = "SELECT path, at FROM seen WHERE home = :home AND operator = :operator"
        with self._reading("A mark") as tx:
            for name in self._opener.names:
                rows = tx.rows(sql, {"home": home, "operator": name})
                if rows:
                    seen = {unshield(path): moment_of(at) for path, at in rows}
                    return Marks(seen.pop("", None), seen)
        return Marks()

    def unfinished(self, home: str) -> tuple[OpenBatch, ...]:
        """Batches that are intents still, or done and not settled."""
        sql = "SELECT id FROM batch WHERE home = :home AND NOT settled ORDER BY started_at"
        with self._database.at_once(), self._reading("An unfinished batch") as tx:
            ids = [unshield(id) for (id,) in tx.rows(sql, {"home": home})]
            batches = [view.BatchParts(tx, id, home) for id in ids]
            for parts in batches:
                self.foresee((parts.operations, parts.decisions, parts.writes))
            return tuple(parts.whole() for parts in batches)

    def operations(
        self, *, home: str | None = None, limit: int | None = None
    ) -> tuple[Operation, ...]:
        """Operations, newest first."""
        of_it = "" if home is None else "WHERE home = :home"
        values = {"home": home or "", "most": ALL if limit is None else limit}
        with self._reading("An operation") as tx:
            ordered = f"{of_it} ORDER BY sequence DESC LIMIT :most"
            return view.read_operations(tx, ordered, values)

    def operation(self, prefix: str) -> Operation:
        """The operation with this id or unique prefix of it. Raises UnknownId."""
        ordered = "WHERE id >= :first AND id < :last ORDER BY id LIMIT :most"
        values = {"first": prefix, "last": prefix + view.LAST, "most": _MOST_NAMED}
        with self._reading(f"Operation {prefix}") as tx:
            matches = view.read_operations(tx, ordered, values) if prefix else ()
        exact = [operation for operation in matches if operation.id == prefix] or matches
        match exact:
            case [only]:
                return only
            case []:
                raise UnknownOperation(f"There is no operation {prefix or repr(prefix)}.")
            case _:
                raise UnknownOperation(
                    f"{prefix} could be any of {', '.join(operation.id for operation in exact)}."
                )

    def proposals_of(self, operations: Collection[str]) -> dict[str, Proposal]:
        """The proposals of these operations, by operation, without bases."""
        its = {"of": list(operations)}
        with self._reading("A proposal") as tx:
            places = tx.later("SELECT id, proposal FROM operation WHERE id IN :of", its)
            where = "id IN (SELECT proposal FROM operation WHERE id IN :of)"
            proposals = view.read_proposals(tx, where, its, with_bases=False)
            found = {proposal.id: proposal for proposal in proposals}
            return {unshield(id): found[unshield(proposal)] for id, proposal in places()}

    def without_bases(self, ids: Collection[str]) -> dict[str, Proposal]:
        """Those of these proposals that there are, without bases, by id."""
        with self._reading("A proposal") as tx:
            parts = [
                view.read_proposals(tx, "id IN :ids", {"ids": part}, with_bases=False)
                for part in chunks(sorted({*ids}))
            ]
            return {proposal.id: proposal for proposal in chain.from_iterable(parts)}

    def undoing(self, operation: str) -> tuple[tuple[str, State], ...]:
        """What an operation undid, what that had undone and so on: proposals with their states."""
        with self._reading(f"Operation {operation}") as tx:
            rows = tx.rows(view.UNDOING, {"of": operation})
            return tuple((unshield(proposal), State(state)) for proposal, state in rows)

    def inverse_effects(self, operation: str) -> tuple[Effect, ...]:
        """The inverse of an operation's side effects: of those that are done, or begun."""
        with self._reading(f"Operation {operation}") as tx:
            rows = tx.rows("SELECT inverse FROM operation WHERE id = :id", {"id": operation})
            return effects_from_json(load(rows[0][0])) if rows else ()

    def decisions(self, proposal: str) -> tuple[Decision, ...]:
        """The decisions about a proposal, oldest first."""
        with self._reading("A decision") as tx:
            return view.read_decisions(tx, "WHERE proposal = :of", {"of": proposal})

    def undone(self, home: str) -> Mapping[str, Undone]:
        """The proposals of a home whose newest application was taken back, and by what."""
        with self._reading("An operation") as tx:
            undone: dict[str, Undone] = {}
            for proposal, by, at, actor in tx.rows(view.UNDONE, {"home": home}):
                undone.pop(unshield(proposal), None)  # The newest application counts.
                if by is not None:
                    undone[unshield(proposal)] = Undone(
                        unshield(by), moment_of(at), actor_of(actor)
                    )
            return undone

    def deferrals(self, home: str) -> Mapping[str, Decision]:
        """The newest deferral of each pending proposal of a home that has one."""
        with self._reading("A decision") as tx:
            return {
                decision.proposal: decision
                for decision in view.read_decisions(tx, view.DEFERRALS, {"home": home})
            }

    def notes(self, proposal: str) -> tuple[Event, ...]:
        """The notes that operators wrote about a proposal, oldest first."""
        with self._reading("An event") as tx:
            return tuple(map(view.EVENT.value, tx.rows(view.NOTES, {"name": NOTE, "of": proposal})))

    def ends(self, home: str) -> Mapping[str, date]:
        """By proposal of a home, the last day that an operator set for what it adds."""
        with self._reading("An event") as tx:
            events = map(view.EVENT.value, tx.rows(view.EVENTS_OF, {"name": ENDS, "home": home}))
            return {each.subject: date.fromisoformat(str(each.detail["on"])) for each in events}

    def newest_event(self) -> datetime | None:
        """The latest time of the last events."""
        with self._reading("An event") as tx:
            sql = (
                "SELECT max(at) FROM"
                " (SELECT at FROM event ORDER BY position DESC LIMIT :most) AS last_events"
            )
            ((newest,),) = tx.rows(sql, {"most": view.NEWEST}) or ((None,),)
            return optional_moment(newest)

    def pinned(self, name: str) -> str | None:
        """The value pinned under a name; None for none."""
        with self._reading("A pin") as tx:
            return view.read_pin(tx, name)

    def is_signed(self) -> bool:
        """Whether decisions are signed in this ledger, by a row or a line of the log."""
        with self._reading("A decision") as tx:
            sql = (
                "SELECT 1 WHERE EXISTS (SELECT 1 FROM decision WHERE signer IS NOT NULL)"
                " OR EXISTS (SELECT 1 FROM event WHERE name IN :among)"
            )
            return bool(tx.rows(sql, {"among": BEGINNINGS}))

    def review_totals(self, homes: Sequence[str] = ()) -> ReviewTotals:
        """The totals over all runs of the background reviewer."""
        with self._reading("A review") as tx:
            rows = tx.rows(
                f"{view.TOTALS} WHERE home IN :among" if homes else view.TOTALS, {"among": homes}
            )
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
                last=optional_moment(last),
            )

    def transcripts(self, session: str) -> tuple[Transcript, ...]:
        with self._reading(f"Session {session}") as tx:
            values = {"session": bounded_key(session), "host": self._opener.host}
            return tuple(map(view.transcript_of, tx.rows(view.TRANSCRIPTS, values)))

    def has_turns(self, home: str) -> bool:
        """Whether any session of this home was recorded and is still stored."""
        with self._reading("A transcript") as tx:
            return bool(tx.rows(view.HAS_TURNS, {"home": home, "host": self._opener.host}))

    def turns(
        self, transcript: str, *, before: int | None = None, limit: int | None = None
    ) -> tuple[Turn, ...]:
        with self._reading(f"Transcript {transcript}") as tx:
            values = {
                "transcript": transcript,
                "before": ALL if before is None else before,
                "most": ALL if limit is None else limit,
            }
            return tuple(map(view.turn_of, reversed(tx.rows(view.TURNS, values))))

    def home_at(self, path: str, marker: tuple[str, str] | None) -> str | None:
        """The id of the home at this path; None where its directory has to be examined."""
        with self._reading("The places of homes") as tx:
            rows = tx.rows(view.PLACE, {"path": path, "host": self._opener.host})
            if not rows or marker is None:
                return None
            id, number, mark, has_copy = rows[0]
            is_known = mark and not has_copy and marker == (number, marker[1] and mark)
            return unshield(id) if is_known else None

    def kind_at(self, path: str, mark: str) -> str:
        """What the home at this path, or with this mark, was first opened as; empty for neither."""
        with self._reading("The kind of a home") as tx:
            values = {"path": path, "mark": mark, "host": self._opener.host}
            return str(first(tx, view.KIND, values) or "")


def _unknown_id(id: str, proposal: str | None = None) -> UnknownId:
    """The error for an id that no proposal has; `proposal` is that of the operation with it."""
    hint = proposal and f"It is an operation, of the proposal {proposal[:8]}."
    return UnknownId(f"There is no proposal {id or repr(id)}.", hint=hint)

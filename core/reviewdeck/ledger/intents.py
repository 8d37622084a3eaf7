"""Intents and how they end. Each step is one transaction, with its events in the audit log."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from reviewdeck.errors import LeaseLost, NotDecidable, UnknownId, UnknownOperation
from reviewdeck.ledger.audit import MOST_TRIES, Note, expect_lines, log, overtaken
from reviewdeck.ledger.blobs import chunks, keep_bytes, keep_near
from reviewdeck.ledger.cells import dump, load, optional_text, unshield
from reviewdeck.ledger.columns import actor_of
from reviewdeck.ledger.database import CLOCK, HomeOf, Transaction, Values, first, insert
from reviewdeck.ledger.operations import (
    ON_DISK,
    SqlOperations,
    change_rows,
    decision_note,
    decision_row,
    is_by_policy,
    operation_row,
    write_rows,
)
from reviewdeck.ledger.proposals import states_of
from reviewdeck.ledger.revisions import store_observations
from reviewdeck.ledger.votes import SqlVotes, end_vote, still_open, use_votes
from reviewdeck.model import (
    ABSENT,
    OPEN_STATES,
    ActorKind,
    Decision,
    Effect,
    Observation,
    Operation,
    OperationKind,
    OperationState,
    Restore,
    State,
    revision_of,
)
from reviewdeck.model.codec import edits_from_json, effects_to_json
from reviewdeck.model.ledger import Claim, Lease, OpenBatch
from reviewdeck.ports import SignerOf, nobody_signs

_IN_FORCE: Final = frozenset(
    state.value for state in (State.APPROVED, State.APPLYING, State.APPLIED)
)
LEASE: Final = 60.0
"""Seconds for which a host alone may say how a batch ended: writing one takes far less."""
NO_DETAIL: Mapping[str, object] = MappingProxyType({})

_OF_BATCH: Final = "IN (SELECT proposal FROM operation WHERE batch = :of)"
_ENDED: Final = "SET state = :state, finished_at = :at, settled = :settled"
_END_BATCH: Final = f"UPDATE batch {_ENDED} WHERE id = :of AND state = 'intent'"
_OF_EPOCH: Final = "AND epoch = :epoch"
_END_OPERATIONS: Final = f"UPDATE operation {_ENDED} WHERE batch = :of"
_MEMBERS: Final = """
    SELECT id, kind, home, proposal, undoes, claimed_from, actor FROM operation
    WHERE batch = :of ORDER BY sequence
"""
_APPLY: Final = f"UPDATE proposal SET state = 'applied', reason = '' WHERE id {_OF_BATCH}"  # noqa: S608 - constant
_DROP_DRAFTS: Final = f"DELETE FROM draft WHERE proposal {_OF_BATCH} AND operator IN :deciders"  # noqa: S608 - constant
_MOVE: Final = "UPDATE proposal SET state = :state, reason = :reason WHERE id = :of"
_PUT_BACK: Final = """
    UPDATE proposal SET state = 'ready', verdict = 'review', digest = NULL, evaluation_key = NULL,
        reason = :reason
    WHERE id = :of
"""
_FORGET_RECORD: Final = "DELETE FROM record WHERE proposal = :of"
_DROP_DRAFT: Final = "DELETE FROM draft WHERE proposal = :of"
_DROP_OWN: Final = f"{_DROP_DRAFT} AND operator IN :deciders"
"""What others prepared stays theirs, and is shown as overtaken."""
_DRAFTED: Final = "EXISTS (SELECT 1 FROM draft WHERE proposal = :of)"
_OWNER: Final = """
    SELECT batch.worker, host.name FROM batch LEFT JOIN host ON host.id = batch.worker
    WHERE batch.id = :of
"""
_SETTLE_BATCH: Final = "UPDATE batch SET settled = TRUE WHERE id = :of AND NOT settled"
_SETTLE_OPERATIONS: Final = "UPDATE operation SET settled = TRUE WHERE batch = :of"
_KEEP_INVERSE: Final = "UPDATE operation SET inverse = :inverse WHERE id = :of AND NOT settled"
_CHAINS: Final = """
    WITH RECURSIVE link (id, proposal, undoes) AS (
        SELECT id, proposal, undoes FROM operation WHERE id IN {first}
        UNION SELECT operation.id, operation.proposal, operation.undoes FROM link
        JOIN operation ON operation.id = link.undoes)
    SELECT link.id, link.proposal, link.undoes, applied.state, applied.body
    FROM link JOIN proposal AS applied ON applied.id = link.proposal
"""
_UNDONE_BY_BATCH: Final = "(SELECT undoes FROM operation WHERE batch = :of)"
_UNDONE_BY: Final = "UPDATE operation SET undone_by = :undo WHERE id = :of"
_APPROVE: Final = "UPDATE proposal SET state = 'approved' WHERE id IN :ids AND state IN :allowed"
_BEGIN_BATCH: Final = """
    INSERT INTO batch (id, home, started_at, settled, state)
    SELECT :id, :home, :started_at, FALSE, CASE WHEN count(*) = :amount THEN 'intent' END
    FROM proposal WHERE id IN :ids AND state = 'approved'
"""
"""Not without its proposals: no state is NULL."""
_CLAIM: Final = f"""
    UPDATE batch SET epoch = epoch + 1, worker = :worker, lease_until = {CLOCK} + :lease
    WHERE id = :of AND state = 'intent'
        AND (lease_until IS NULL OR lease_until <= {CLOCK} OR (epoch = :held AND worker = :worker))
    RETURNING epoch
"""  # noqa: S608 - constant
_LET_GO: Final = f"""
    UPDATE batch SET lease_until = {CLOCK} WHERE id = :of AND state = 'intent' {_OF_EPOCH}
"""  # noqa: S608 - constant
_KNOWN: Final = "SELECT id FROM batch WHERE id IN :ids"
_TAKE: Final = f"""
    UPDATE proposal SET state = 'applying' WHERE id {_OF_BATCH} AND state = 'approved'
        AND EXISTS (SELECT 1 FROM batch WHERE id = :of AND state = 'intent' AND worker = :worker)
    RETURNING id
"""  # noqa: S608 - constant
_BEING_UNDONE: Final = f"""
    SELECT undoes FROM operation WHERE undoes IN :targets AND {ON_DISK} AND undone_by IS NULL
"""  # noqa: S608 - constant states
_LAST_SEEN: Final = """
    SELECT path, revision FROM observation WHERE sequence IN
        (SELECT max(sequence) FROM observation WHERE home = :home AND path IN :paths GROUP BY path)
"""
_RESCUED: Final = "SELECT 1 FROM rescued WHERE batch = :batch AND path = :path AND sha = :sha"
_SINCE_FENCE: Final = f"""
    SELECT actor, batch FROM operation
    WHERE home = :home AND {ON_DISK} AND sequence >
        (SELECT coalesce(max(sequence), 0) FROM operation WHERE id = :after)
"""  # noqa: S608 - constant states


class _Member(NamedTuple):
    """One operation of a batch: what its end needs."""

    id: str
    kind: str
    home: str
    proposal: str
    undoes: str | None
    claimed_from: str
    actor: str


class _Link(NamedTuple):
    """One operation in a chain of undoing, and its proposal."""

    id: str
    proposal: str
    undoes: str | None
    state: str
    body: str


def _end(
    tx: Transaction,
    batch: str,
    at: datetime,
    state: OperationState,
    epoch: int | None,
    *,
    is_settled: bool = True,
) -> bool:
    """Ends an intent; False when it has ended like this before.

    Raises LeaseLost where it was claimed again since this epoch.
    """
    values = {"of": batch, "state": state.value, "at": at, "settled": is_settled}
    of_epoch = {} if epoch is None else {"epoch": epoch}
    if tx.run(f"{_END_BATCH} {_OF_EPOCH}" if of_epoch else _END_BATCH, values | of_epoch) == 1:
        tx.put(_END_OPERATIONS, values)
        return True
    current = _state_of(tx, batch)
    if current == OperationState.INTENT:
        raise _lease_lost(tx, batch)
    if current != state:
        raise NotDecidable(f"Batch {batch} has ended already: {current}.")
    return False


_Links: TypeAlias = Callable[[], Mapping[str, _Link]]


def _links(tx: Transaction, first: str, values: Values) -> _Links:
    """These operations, what they undid, what that had undone and so on: once they are wanted."""
    rows = tx.later(_CHAINS.format(first=first), values)

    def links() -> Mapping[str, _Link]:
        return {
            unshield(id): _Link(unshield(id), unshield(proposal), optional_text(undoes), *rest)
            for id, proposal, undoes, *rest in rows()
        }

    return links


def _link_of(links: Mapping[str, _Link], id: str) -> _Link:
    if id not in links:
        raise UnknownOperation(f"There is no operation {id}.")
    return links[id]


def _settle(tx: Transaction, batch: str, at: datetime) -> None:
    members = _members(tx, batch)
    if tx.run(_SETTLE_BATCH, {"of": batch}) != 1:
        _state_of(tx, batch)  # Raises UnknownId; else it is settled already.
        return
    tx.put(_SETTLE_OPERATIONS, {"of": batch})
    log(tx, _end_notes("settle", batch, members(), at))


def _lease_lost(tx: Transaction, batch: str) -> LeaseLost:
    rows = tx.rows(_OWNER, {"of": batch})
    worker, name = rows[0] if rows else ("", None)
    owner = unshield(name or "") or worker or "another process"
    return LeaseLost(f"{owner} took over the batch {batch}, and says how it ended.")


def _members(tx: Transaction, batch: str) -> Callable[[], list[_Member]]:
    """The operations of a batch, in order, once they are wanted."""
    rows = tx.later(_MEMBERS, {"of": batch})
    return lambda: [
        _Member(
            unshield(id),
            kind,
            unshield(home),
            unshield(proposal),
            optional_text(undoes),
            claimed_from,
            actor,
        )
        for id, kind, home, proposal, undoes, claimed_from, actor in rows()
    ]


def _link_undone(
    tx: Transaction, operations: Sequence[_Member], links: Mapping[str, _Link], at: datetime
) -> list[Note]:
    """Links undone operations: an undone proposal is pending again, one undone twice is applied.

    An operator's own proposal is rejected instead of pending again. Gives the events of
    the proposals that are pending again.
    """
    waiting: list[Note] = []
    for row in operations:
        if row.kind != OperationKind.UNDO:
            continue
        by: str | None = row.id
        undoes = row.undoes
        while undoes is not None:
            target = _link_of(links, undoes)
            tx.put(_UNDONE_BY, {"of": target.id, "undo": by})
            if by is None:
                tx.put(_DROP_DRAFT, {"of": target.proposal})
                _move(tx, target.proposal, State.APPLIED, "")
            elif _is_operators(target):
                _move(tx, target.proposal, State.REJECTED, f"taken back by {by}")
            else:
                # Its pending file was removed when it was applied: that it is missing does not mean
                # any more that it was decided elsewhere.
                tx.put(_PUT_BACK, {"of": target.proposal, "reason": f"undone by {by}"})
                tx.put(_FORGET_RECORD, {"of": target.proposal})
                actor = actor_of(row.actor)
                waiting.append(
                    Note("returned", row.home, target.proposal, actor, at, {"undone_by": by})
                )
            by, undoes = (target.id if by is None else None), target.undoes
    return waiting


def _is_operators(link: _Link) -> bool:
    edits = edits_from_json(load(link.body)["edits"])
    return bool(edits) and all(isinstance(edit, Restore) for edit in edits)


def _intent_note(operation: Operation) -> Note:
    detail: dict[str, object] = {
        "batch": operation.batch,
        "proposal": operation.proposal,
        "digest": operation.digest,
        "changes": [[change.path, change.before, change.after] for change in operation.changes],
    }
    if operation.undoes is not None:
        detail["undoes"] = operation.undoes
    return Note(
        "begin", operation.home, operation.id, operation.actor, operation.started_at, detail
    )


def _end_notes(
    name: str,
    batch: str,
    operations: Iterable[_Member],
    at: datetime,
    detail: Mapping[str, object] = NO_DETAIL,
) -> list[Note]:
    """One event for each operation of a batch."""
    return [
        Note(
            name,
            row.home,
            row.id,
            actor_of(row.actor),
            at,
            {"batch": batch, "proposal": row.proposal, **detail},
        )
        for row in operations
    ]


def _state_of(tx: Transaction, batch: str) -> str:
    state = first(tx, "SELECT state FROM batch WHERE id = :of", {"of": batch})
    if state is None:
        raise UnknownId(f"There is no batch {batch}.")
    return str(state)


def _returned_state(row: _Member, state: OperationState) -> State:
    claimed_from = State(row.claimed_from)
    if claimed_from not in OPEN_STATES and claimed_from is not State.APPROVED:
        return claimed_from  # it was not in the queue before either
    return State.CONFLICT if state is OperationState.CONFLICT else State.READY


def _move(tx: Transaction, proposal: str, state: State, reason: str) -> None:
    tx.put(_MOVE, {"of": proposal, "state": state.value, "reason": reason})


class SqlIntents(SqlOperations, SqlVotes):
    """Batches of operations from their approval to their end, and decisions that write nothing."""

    def begin(
        self, claims: Sequence[Claim], signer_of: SignerOf = nobody_signs
    ) -> tuple[str, ...] | None:
        """Approves the proposals and stores the intents, durably, in one transaction.

        A batch of which one proposal cannot be approved any more is left out whole; so is one that
        undoes an operation that cannot be undone any more. The write lock is held from the start,
        so what is read here is what is approved. None, and nothing is stored, where one starts from
        a revision that was never observed.
        """
        for _ in range(MOST_TRIES):
            claims, ground = self._sealed_claims(claims, signer_of)
            homes = _homes_of(claims)
            with self._database.writing(*homes) as tx:
                is_same, is_observed = ground.is_same(tx), _are_starts_observed(tx, claims)
                for home in homes:
                    expect_lines(tx, home)
                begun, before = _claimable(tx, claims)
                if not is_observed():
                    return None
                # A claim that is left out would leave a gap in the counters.
                if is_same() and (len(begun) == len(claims) or not ground.keys):
                    use_votes(tx, begun)
                    _store(tx, begun, before)
                    return tuple(claim.operations[0].batch for claim in begun)
            claims = begun
        raise overtaken(claims[0].operations[0].home if claims else "")

    def unknown_batches(self, batches: Collection[str]) -> frozenset[str]:
        """The batches among these that this ledger has no record of."""
        with self._database.reading() as tx:
            known = {unshield(id) for (id,) in tx.rows(_KNOWN, {"ids": list(batches)})}
        return frozenset(batches) - known

    def readmit(self, batch: OpenBatch) -> bool:
        """Takes in what a host is writing, or wrote, and this ledger lost: under the same ids.

        False where it does not know the proposals either, or they were decided otherwise since.
        """
        ids = dict.fromkeys(operation.proposal for operation in batch.operations)
        states = frozenset((*OPEN_STATES, State.ELSEWHERE))
        claim = Claim(batch.operations, batch.decisions, batch.writes, {}, tuple(states))
        with self._database.writing(batch.home) as tx:
            states_now, not_undoable = states_of(tx, ids), _targets_not_undoable(tx, [claim])
            before = states_now()
            if not _is_claimable(claim, before, not_undoable()):
                return False
            _store(tx, [claim], before)
            return True

    def claim_batch(self, batch: str, held: int = 0) -> Lease | None:
        """Takes a batch to be written by this host; None where another one has it, or it ended.

        It is free where nobody claimed it, or the lease is over by the database's clock; `held` is
        the epoch under which it stands in this host's journal: an image of the same machine has its
        id too, and may be at work on the home. In a ledger of one host the lease is
        over at once: there the lock of the journal keeps others out.
        """
        lease = int(LEASE * 1_000_000) if self._opener.host else 0
        values = {"of": batch, "worker": self._opener.host, "lease": lease, "held": held}
        with self._database.writing(HomeOf("batch", (batch,))) as tx:
            claimed, taken = (tx.later(sql, values) for sql in (_CLAIM, _TAKE))
        # Over a network they come with the end of the transaction.
        return next((Lease(epoch, bool(taken())) for (epoch,) in claimed()), None)

    def let_go(self, batch: str, epoch: int) -> None:
        """Ends a lease at once: nobody is writing the batch, and anybody may claim it."""
        with self._database.writing(HomeOf("batch", (batch,))) as tx:
            tx.put(_LET_GO, {"of": batch, "epoch": epoch})

    def finish(
        self,
        batch: str,
        at: datetime,
        observations: Sequence[Observation],
        *,
        epoch: int | None = None,
        is_settled: bool = False,
    ) -> None:
        """The writes are in place: operations done, proposals applied, observations stored.

        Those who decided have used up their drafts. `is_settled` says what `settle` does, too.
        Doing it twice is the same as once. Raises LeaseLost where the batch was claimed again since
        this epoch, NotDecidable where it ended otherwise.
        """
        with self._database.writing(HomeOf("batch", (batch,))) as tx:
            members = _members(tx, batch)
            links = _links(tx, _UNDONE_BY_BATCH, {"of": batch})
            if not _end(tx, batch, at, OperationState.DONE, epoch, is_settled=is_settled):
                if is_settled:
                    _settle(tx, batch, self._database.now())
                return
            operations = members()
            tx.put(_APPLY, {"of": batch})
            deciders = {*self._opener.names, *(actor_of(row.actor).name for row in operations)}
            tx.put(_DROP_DRAFTS, {"of": batch, "deciders": sorted(deciders)})
            waiting = _link_undone(tx, operations, links(), at)
            store_observations(tx, observations)
            done = _end_notes("settle", batch, operations, self._database.now())
            notes = [*_end_notes("finish", batch, operations, at), *waiting]
            log(tx, [*notes, *done] if is_settled else notes)

    def abandon(
        self,
        batch: str,
        at: datetime,
        state: OperationState,
        reason: str,
        *,
        epoch: int | None = None,
    ) -> None:
        """The writes are not in place: proposals go back to the queue, with their drafts.

        Raises as `finish` does.
        """
        with self._database.writing(HomeOf("batch", (batch,))) as tx:
            members = _members(tx, batch)
            if not _end(tx, batch, at, state, epoch):
                return
            operations = members()
            for row in operations:
                _move(tx, row.proposal, _returned_state(row, state), reason)
            detail: dict[str, object] = {"state": state, "reason": reason}
            log(tx, _end_notes("abandon", batch, operations, at, detail))

    def rescue(self, batch: str, path: str, data: bytes, at: datetime) -> None:
        """Stores bytes of another program that we displaced, or would have. Twice is once."""
        sha = revision_of(data)
        with self._database.writing(HomeOf("batch", (batch,))) as tx:
            operations = _members(tx, batch)()
            if not operations:
                raise UnknownId(f"There is no batch {batch}.")
            row = {"batch": batch, "path": path, "sha": sha, "at": at}
            if tx.rows(_RESCUED, row):
                return
            keep_bytes(tx, [data])
            insert(tx, "rescued", [row])
            actor = actor_of(operations[0].actor)
            detail: dict[str, object] = {"batch": batch, "sha": sha}
            log(tx, [Note("rescue", operations[0].home, path, actor, at, detail)])

    def keep_inverse(self, operation: str, effects: Sequence[Effect]) -> None:
        """Stores the inverse of an operation's side effects; final once they are settled."""
        with self._database.writing(HomeOf("operation", (operation,))) as tx:
            tx.put(_KEEP_INVERSE, {"of": operation, "inverse": dump(effects_to_json(effects))})

    def settle(self, batch: str) -> None:
        """The side effects are done and the pending records retired."""
        with self._database.writing(HomeOf("batch", (batch,))) as tx:
            _settle(tx, batch, self._database.now())

    def decide(
        self,
        decision: Decision,
        state: State,
        from_states: Sequence[State],
        signer_of: SignerOf = nobody_signs,
        also: Callable[[], None] = lambda: None,
        vote: str | None = None,
    ) -> bool:
        """Records a decision that writes nothing to the home. False when another one won.

        `vote` is the other operator's that it rests on: False too where that is open no more.

        A rule's leaves alone what any operator has drafted. A proposal that it leaves open is
        evaluated anew by the next pass. What `also` writes to the ledger is stored with the
        decision, or neither is.
        """
        values = {
            "of": decision.proposal,
            "state": state.value,
            "reason": decision.reason,
            "allowed": [one.value for one in from_states],
        }
        anew = ", evaluation_key = NULL" if state.is_open else ""
        undrafted = f" AND NOT {_DRAFTED}" if decision.actor.kind is ActorKind.POLICY else ""
        move = (
            f"UPDATE proposal SET state = :state, reason = :reason{anew}"  # noqa: S608 - constant
            f" WHERE id = :of AND state IN :allowed{undrafted}"
        )
        with self._database.reading() as tx:
            cell = first(tx, "SELECT home FROM proposal WHERE id = :of", values)
        if cell is None:
            raise UnknownId(f"There is no proposal {decision.proposal}.")
        home = unshield(cell)
        for _ in range(MOST_TRIES):
            decided, ground = self._sealed(decision, home, signer_of)
            with self._database.together(home), self._database.writing(home) as tx:
                expect_lines(tx, home)
                if not ground.is_same(tx)():
                    continue
                if vote is not None and vote not in still_open(tx, [vote])():
                    return False
                if tx.run(move, values) != 1:
                    return False
                if vote is not None:
                    end_vote(tx, vote)
                deciders = sorted({*self._opener.names, decision.actor.name})
                tx.put(_DROP_OWN, {"of": decision.proposal, "deciders": deciders})
                insert(tx, "decision", [decision_row(decided)])
                notes = [decision_note(decided, home)]
                if state is State.QUARANTINED:  # Any other reopened rejection stays one.
                    detail: dict[str, object] = {"reason": decided.reason}
                    notes.append(replace(notes[0], name="returned", detail=detail))
                log(tx, notes)
                also()
                return True
        raise overtaken(home)


def _homes_of(claims: Iterable[Claim]) -> set[str]:
    return {operation.home for claim in claims for operation in claim.operations}


def _claimable(tx: Transaction, claims: Sequence[Claim]) -> tuple[list[Claim], dict[str, str]]:
    """The claims that can be begun now, in order, and the states of their proposals."""
    proposals = (operation.proposal for claim in claims for operation in claim.operations)
    states_now = states_of(tx, dict.fromkeys(proposals))
    not_undoable_now = _targets_not_undoable(tx, claims)
    open_now = still_open(tx, [vote for claim in claims for vote in claim.votes])
    fenced_off = [_is_fenced_off(tx, claim) for claim in claims]
    states, not_undoable, open_votes = states_now(), not_undoable_now(), open_now()
    before = dict(states)
    begun: list[Claim] = []
    for claim, is_fenced_off in zip(claims, fenced_off, strict=True):
        if not open_votes.issuperset(claim.votes):
            continue
        if not is_fenced_off() and _is_claimable(claim, states, not_undoable):
            states |= {op.proposal: State.APPROVED.value for op in claim.operations}
            not_undoable |= {op.undoes for op in claim.operations if op.undoes is not None}
            begun.append(claim)
    return begun, before


def _targets_not_undoable(tx: Transaction, claims: Sequence[Claim]) -> Callable[[], set[str]]:
    """The operations that these claims would undo, and cannot: once they are wanted.

    They are undone already, or are being undone, or what would hold again was applied anew, or is
    applied by one of these claims.
    """
    claimed = {op.proposal for claim in claims for op in claim.operations}
    targets = [op.undoes for claim in claims for op in claim.operations if op.undoes is not None]
    if not targets:
        return set
    parts = [*chunks(targets)]
    undone = [tx.later(_BEING_UNDONE, {"targets": part}) for part in parts]
    chains = [_links(tx, ":targets", {"targets": part}) for part in parts]

    def not_undoable() -> set[str]:
        links = {id: link for chain_of in chains for id, link in chain_of().items()}
        anew = {id for id in targets if _is_applied_anew(links, id, claimed)}
        return anew | {unshield(id) for rows in undone for (id,) in rows()}

    return not_undoable


def _is_applied_anew(links: Mapping[str, _Link], operation: str, claimed: Collection[str]) -> bool:
    """Whether a proposal that the undo of this operation applies again is applied, or claimed."""
    undone = _link_of(links, operation).undoes
    while undone is not None:
        again = _link_of(links, undone)
        if again.state in _IN_FORCE or again.proposal in claimed:
            return True
        undone = None if again.undoes is None else _link_of(links, again.undoes).undoes
    return False


def _is_claimable(claim: Claim, states: dict[str, str], not_undoable: set[str]) -> bool:
    operations = claim.operations
    return (
        bool(operations)
        and all(states.get(op.proposal) in claim.from_states for op in operations)
        and not any(op.undoes in not_undoable for op in operations)
    )


def _is_fenced_off(tx: Transaction, claim: Claim) -> Callable[[], bool]:
    """Whether the policy applied something else since the allowances were counted, once wanted."""
    fence = claim.fence
    if fence is None or not claim.operations:
        return bool
    values = {"home": claim.operations[0].home, "after": fence.after}
    rows = tx.later(_SINCE_FENCE, values)
    return lambda: any(
        is_by_policy(actor) for actor, batch in rows() if unshield(batch) not in fence.own
    )


def _are_starts_observed(tx: Transaction, claims: Sequence[Claim]) -> Callable[[], bool]:
    """Whether these start from what was seen last of each document, once it is wanted."""
    seen = [
        (claim.starts, tx.later(_LAST_SEEN, {"home": home, "paths": list(claim.starts)}))
        for claim in claims
        for home in _homes_of([claim])
        if claim.starts
    ]

    def are_observed() -> bool:
        for starts, rows in seen:
            last = {unshield(path): revision for path, revision in rows()}
            if any(last.get(path, ABSENT) != revision for path, revision in starts.items()):
                return False
        return True

    return are_observed


def _store(tx: Transaction, claims: Sequence[Claim], before: dict[str, str]) -> None:
    operations = [operation for claim in claims for operation in claim.operations]
    writes = [(claim.operations[0].batch, claim.writes) for claim in claims]
    written = [
        [end for write in claim.writes for end in (write.before, write.after) if end is not None]
        for claim in claims
    ]
    keep_bytes(tx, chain.from_iterable(written))
    keep_near(tx, ((claim.contents, ends) for claim, ends in zip(claims, written, strict=True)))
    for claim in claims:
        first, proposals = claim.operations[0], {op.proposal for op in claim.operations}
        # What is told again after it was lost may have been taken for decided elsewhere.
        ids = {id for id in proposals if before[id] != State.ELSEWHERE}
        tx.put(_APPROVE, {"ids": ids, "allowed": [state.value for state in claim.from_states]})
        batch = {"id": first.batch, "home": first.home, "started_at": first.started_at}
        tx.put(_BEGIN_BATCH, {**batch, "ids": ids, "amount": len(ids)})
    insert(tx, "operation", [operation_row(op, before[op.proposal]) for op in operations])
    insert(tx, "operation_change", [row for op in operations for row in change_rows(op)])
    insert(tx, "batch_write", [row for batch, parts in writes for row in write_rows(batch, parts)])
    decisions = [decision for claim in claims for decision in claim.decisions]
    insert(tx, "decision", [decision_row(decision) for decision in decisions])
    homes = {operation.proposal: operation.home for operation in operations}
    notes = [decision_note(decision, homes[decision.proposal]) for decision in decisions]
    log(tx, notes + [_intent_note(operation) for operation in operations])

"""Intents and their ends, decisions, and what recovery is given."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.ledger.samples import (
    HOME,
    MEMORY,
    OPERATOR,
    START,
    OpenLedger,
    begin,
    claim,
    decision,
    id_of,
    operation,
    proposal,
)

from reviewdeck.errors import LedgerDamaged, NotDecidable, UnknownId
from reviewdeck.ledger import intents
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.row_sums import TAKEN_IN
from reviewdeck.model import (
    Actor,
    ActorKind,
    Cause,
    Change,
    Draft,
    Effect,
    EffectKind,
    Event,
    Observation,
    OperationState,
    State,
    Verb,
    revision_of,
)
from reviewdeck.model.decisions import CHECKPOINT
from reviewdeck.model.ledger import Filter, Lease

NEW = revision_of(b"old\nnew\n")


def states(ledger: Ledger) -> dict[str, State]:
    """Where every proposal stands."""
    return {item.id: item.state for item in ledger.page(Filter())}


def told(ledger: Ledger) -> list[Event]:
    """The lines of the log after those that say what was taken in."""
    return [event for event in ledger.events() if event.name not in (TAKEN_IN, CHECKPOINT)]


def names(ledger: Ledger) -> list[str]:
    """What these lines tell of."""
    return [event.name for event in told(ledger)]


def seen(operation_id: str) -> Observation:
    """What the deck observes once an operation is done."""
    return Observation(HOME, MEMORY, NEW, START, Cause.OPERATION, operation_id, id_of(1), OPERATOR)


@pytest.fixture
def queue(ledger: Ledger) -> Ledger:
    """A ledger with five proposals that wait."""
    ledger.add([proposal(n) for n in range(1, 6)], {})
    return ledger


def test_an_intent_is_all_there_for_a_program_that_starts_later(
    queue: Ledger, open_here: OpenLedger, tmp_path: Path
) -> None:
    wanted = claim(1, 2, batch="b1")
    assert begin(queue, wanted) == ("b1",)
    later = open_here(tmp_path)
    (batch,) = later.unfinished(HOME)
    later.close()
    assert (batch.batch, batch.home) == ("b1", HOME)
    assert batch.operations == wanted.operations
    assert batch.writes == wanted.writes
    assert queue.content(revision_of(b"old\n")) == b"old\n"
    assert queue.content(NEW) == b"old\nnew\n"
    assert queue.unfinished("/homes/otto") == ()


def test_absent_and_empty_documents_are_told_apart(queue: Ledger) -> None:
    writes = (
        Change("skills/a/SKILL.md", None, b"", tree="skills/a"),
        Change("skills/b/SKILL.md", b"", None, mode=0o755),
    )
    begin(queue, replace(claim(1, batch="b1"), writes=writes))
    assert queue.unfinished(HOME)[0].writes == writes


def test_a_batch_with_one_proposal_that_is_taken_is_left_out_whole(queue: Ledger) -> None:
    begun = begin(queue, claim(1, batch="b1"), claim(2, 1, batch="b2"), claim(3, batch="b3"))
    assert begun == ("b1", "b3")
    assert states(queue) == {
        id_of(1): State.APPLYING,
        id_of(2): State.READY,
        id_of(3): State.APPLYING,
        id_of(4): State.READY,
        id_of(5): State.READY,
    }
    assert [batch.batch for batch in queue.unfinished(HOME)] == ["b1", "b3"]
    assert queue.decisions(id_of(2)) == ()


def test_a_claim_takes_only_what_is_in_a_state_that_it_names(queue: Ledger) -> None:
    assert begin(queue, replace(claim(1, batch="b1"), from_states=(State.APPROVED,))) == ()
    assert begin(queue, replace(claim(1, batch="b1"), operations=())) == ()
    unknown = replace(operation(1, "b2"), proposal="nothing")
    assert begin(queue, replace(claim(1, batch="b2"), operations=(unknown,))) == ()
    assert names(queue) == []


def test_what_is_approved_is_taken_to_be_written_once(queue: Ledger, tmp_path: Path) -> None:
    assert queue.begin([claim(1, 2, batch="b1")]) == ("b1",)
    assert {states(queue)[id_of(1)], states(queue)[id_of(2)]} == {State.APPROVED}
    assert [batch.batch for batch in queue.unfinished(HOME)] == ["b1"]
    assert queue.begin([claim(2, batch="b2")]) == ()
    assert queue.claim_batch("b1") == Lease(1, was_approved=True)
    assert {states(queue)[id_of(1)], states(queue)[id_of(2)]} == {State.APPLYING}


def test_what_is_finished_is_applied_and_observed(queue: Ledger) -> None:
    queue.put_draft(Draft(id_of(1), Verb.APPROVE, "d", START))
    queue.put_draft(Draft(id_of(2), Verb.APPROVE, "d", START))
    begin(queue, claim(1, batch="b1"))
    first = operation(1, "b1")
    queue.finish("b1", START, [seen(first.id)])
    assert queue.item(id_of(1)).state is State.APPLIED
    done = queue.operation(first.id)
    assert done == replace(first, state=OperationState.DONE, finished_at=START)
    assert queue.observations(HOME, MEMORY) == (seen(first.id),)
    assert [draft.proposal for draft in queue.drafts()] == [id_of(2)]


def test_finishing_twice_is_finishing_once(queue: Ledger) -> None:
    begin(queue, claim(1, batch="b1"))
    for _ in range(2):
        queue.finish("b1", START, [seen(operation(1, "b1").id)])
    assert len(queue.observations(HOME)) == 1
    assert names(queue) == ["approve", "begin", "finish"]


def test_a_finished_batch_is_open_until_it_is_settled(queue: Ledger) -> None:
    begin(queue, claim(1, 2, batch="b1"))
    queue.finish("b1", START, [])
    (batch,) = queue.unfinished(HOME)
    assert batch.operations[0].state is OperationState.DONE
    back = (Effect(EffectKind.RESTORE_RECORD, "release-notes", '{"patches": 1}'),)
    operation_id = operation(1, "b1").id
    queue.keep_inverse(operation_id, back)
    queue.settle("b1")
    queue.settle("b1")
    queue.keep_inverse(operation_id, ())
    assert queue.unfinished(HOME) == ()
    assert queue.operation(operation_id).settled
    assert queue.inverse_effects(operation_id) == back
    assert queue.inverse_effects(operation(2, "b1").id) == ()
    assert queue.inverse_effects("nothing") == ()


@pytest.mark.parametrize(
    ("end", "state"),
    [(OperationState.ABANDONED, State.READY), (OperationState.CONFLICT, State.CONFLICT)],
)
def test_what_is_abandoned_goes_back_to_the_queue_with_its_draft(
    queue: Ledger, end: OperationState, state: State
) -> None:
    draft = Draft(id_of(1), Verb.APPROVE, "d", START)
    queue.put_draft(draft)
    begin(queue, claim(1, 2, batch="b1"))
    for _ in range(2):
        queue.abandon("b1", START, end, "the file had changed")
    assert queue.item(id_of(1)).state is state
    assert queue.item(id_of(2)).reason == "the file had changed"
    assert queue.unfinished(HOME) == ()
    assert {op.state for op in queue.operations()} == {end}
    assert queue.drafts() == (draft,)
    assert begin(queue, claim(1, 2, batch="b2")) == ("b2",)


def test_a_batch_ends_in_one_way_only(queue: Ledger) -> None:
    begin(queue, claim(1, batch="b1"), claim(2, batch="b2"))
    queue.finish("b1", START, [])
    queue.abandon("b2", START, OperationState.ABANDONED, "")
    with pytest.raises(NotDecidable):
        queue.abandon("b1", START, OperationState.ABANDONED, "")
    with pytest.raises(NotDecidable):
        queue.finish("b2", START, [])
    assert queue.item(id_of(1)).state is State.APPLIED
    assert queue.item(id_of(2)).state is State.READY


def test_a_batch_that_was_never_begun_has_no_end(queue: Ledger) -> None:
    with pytest.raises(UnknownId):
        queue.finish("b9", START, [])
    with pytest.raises(UnknownId):
        queue.rescue("b9", MEMORY, b"", START)


def test_an_undo_is_linked_to_what_it_takes_back(queue: Ledger) -> None:
    begin(queue, claim(1, batch="b1"))
    queue.finish("b1", START, [])
    first = operation(1, "b1").id
    assert begin(queue, claim(2, batch="b2", undoes=first)) == ("b2",)
    assert queue.operation(first).undone_by is None
    assert begin(queue, claim(3, batch="b3", undoes=first)) == ()
    queue.finish("b2", START, [])
    assert queue.operation(first).undone_by == operation(2, "b2").id
    assert begin(queue, claim(3, batch="b3", undoes=first)) == ()


def test_an_undo_that_was_abandoned_can_be_tried_again(queue: Ledger) -> None:
    begin(queue, claim(1, batch="b1"))
    queue.finish("b1", START, [])
    first = operation(1, "b1").id
    begin(queue, claim(2, batch="b2", undoes=first))
    queue.abandon("b2", START, OperationState.CONFLICT, "")
    assert queue.operation(first).undone_by is None
    assert begin(queue, claim(2, batch="b3", undoes=first)) == ("b3",)


def test_what_is_taken_back_and_brought_again_can_be_taken_back_once_more(queue: Ledger) -> None:
    begin(queue, claim(1, batch="b1"))
    queue.finish("b1", START, [])
    first, undo = operation(1, "b1").id, operation(2, "b2").id
    begin(queue, claim(2, batch="b2", undoes=first))
    queue.finish("b2", START, [])
    assert queue.state_of(id_of(1)) is State.READY
    begin(queue, claim(3, batch="b3", undoes=undo))
    queue.finish("b3", START, [])
    assert queue.state_of(id_of(1)) is State.APPLIED
    assert queue.operation(first).undone_by is None
    assert begin(queue, claim(4, batch="b4", undoes=first)) == ("b4",)


def test_a_decision_that_writes_nothing_has_one_winner(queue: Ledger) -> None:
    queue.put_draft(Draft(id_of(1), Verb.REJECT, None, START))
    first, second = decision(1, "a", Verb.REJECT), decision(1, "b", Verb.REJECT)
    assert queue.decide(first, State.REJECTED, [State.READY])
    assert not queue.decide(second, State.REJECTED, [State.READY])
    assert queue.decisions(id_of(1)) == (first,)
    assert queue.item(id_of(1)).reason == "because"
    assert queue.drafts() == ()
    with pytest.raises(UnknownId):
        queue.decide(replace(first, proposal="nothing"), State.REJECTED, [State.READY])


def test_decisions_are_told_oldest_first(queue: Ledger) -> None:
    deferred = decision(1, "a", Verb.DEFER)
    queue.decide(deferred, State.DEFERRED, [State.READY])
    begin(queue, claim(1, batch="b1"))
    assert queue.decisions(id_of(1)) == (deferred, replace(decision(1, "b1"), batch="b1"))


def test_rescued_bytes_are_kept(queue: Ledger) -> None:
    begin(queue, claim(1, batch="b1"))
    queue.rescue("b1", MEMORY, b"somebody else's", START)
    assert queue.content(revision_of(b"somebody else's")) == b"somebody else's"
    event = queue.events()[-1]
    assert (event.name, event.subject) == ("rescue", MEMORY)
    assert event.detail["sha"] == revision_of(b"somebody else's")


def test_bytes_that_are_rescued_again_are_noted_once(queue: Ledger) -> None:
    begin(queue, claim(1, batch="b1"))
    queue.rescue("b1", MEMORY, b"somebody else's", START)
    noted = queue.events()
    queue.rescue("b1", MEMORY, b"somebody else's", START)
    assert queue.events() == noted
    queue.rescue("b1", MEMORY, b"and another's", START)
    assert len(queue.events()) == len(noted) + 1


def test_operations_are_told_newest_first(queue: Ledger) -> None:
    begin(queue, claim(1, 2, batch="b1"), claim(3, batch="b2"))
    ids = [op.id for op in queue.operations()]
    assert ids == [operation(n, b).id for n, b in ((3, "b2"), (2, "b1"), (1, "b1"))]
    assert [op.id for op in queue.operations(home=HOME, limit=1)] == ids[:1]
    assert queue.operations(home="/homes/otto") == ()


def test_what_went_in_by_policy_since_a_moment_is_told_oldest_first(queue: Ledger) -> None:
    rule = Actor(ActorKind.POLICY, "plain-addition", tier="policy")
    wanted = [(1, 3, rule), (2, 1, rule), (3, 2, OPERATOR), (4, 0, rule), (5, -1, rule)]
    for number, hours, actor in wanted:
        one = claim(number, batch=f"b{number}")
        at = START + timedelta(hours=hours)
        begun = replace(one.operations[0], actor=actor, started_at=at)
        begin(queue, replace(one, operations=(begun,)))
    queue.abandon("b4", START, OperationState.ABANDONED, "it was not written")
    lately = queue.automatic_since(HOME, START)
    assert [(one.proposal, one.at) for one in lately] == [
        (id_of(2), START + timedelta(hours=1)),
        (id_of(1), START + timedelta(hours=3)),
    ]
    assert queue.automatic_since("/elsewhere", START) == ()


def test_an_operation_can_be_named_by_its_start(queue: Ledger) -> None:
    for number, id in ((1, "aaa111"), (2, "aab222")):
        begun = replace(operation(number, id), id=id)
        begin(queue, replace(claim(number, batch=id), operations=(begun,)))
    assert queue.operation("aab").id == "aab222"
    with pytest.raises(UnknownId, match="aaa111, aab222"):
        queue.operation("aa")


def test_every_step_leaves_an_event_that_says_who(queue: Ledger) -> None:
    begin(queue, claim(1, batch="b1"), claim(2, batch="b2"))
    queue.finish("b1", START, [])
    queue.abandon("b2", START, OperationState.CONFLICT, "foreign write")
    queue.rescue("b2", MEMORY, b"x", START)
    queue.settle("b1")
    queue.decide(decision(3, verb=Verb.REJECT), State.REJECTED, [State.READY])
    assert names(queue) == [
        *("approve", "approve", "begin", "begin"),
        *("finish", "abandon", "rescue", "settle", "reject"),
    ]
    assert {event.actor for event in told(queue)} == {OPERATOR}
    begun = told(queue)[2]
    assert begun.detail["proposal"] == id_of(1)
    assert begun.detail["changes"] == [[MEMORY, revision_of(b"old\n"), NEW]]
    assert queue.verify() is None


def test_no_batch_is_begun_without_its_proposals(
    queue: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it would be if another program wrote to the same rows without holding their home."""
    monkeypatch.setattr(intents, "_APPROVE", f"{intents._APPROVE} AND id <> '{id_of(2)}'")
    with pytest.raises(LedgerDamaged):
        queue.begin([claim(1, 2, batch="b1")])
    assert (queue.operations(), queue.decisions(id_of(1))) == ((), ())
    assert states(queue)[id_of(1)] is State.READY


@pytest.mark.parametrize(("found", "after"), [(None, b"old\n"), (b"old\n", b"other\n")])
def test_what_starts_from_a_revision_that_was_not_seen_last_is_not_begun(
    queue: Ledger, found: bytes | None, after: bytes
) -> None:
    seen = [data for data in (found, after) if data is not None]
    starting = replace(claim(1, batch="b1"), starts={MEMORY: revision_of(found)})
    for data in seen[:-1]:
        queue.observe([Observation(HOME, MEMORY, revision_of(data), START, Cause.SEEN)], [data])
    assert queue.begin([replace(starting, starts={MEMORY: revision_of(after)})]) is None
    assert (queue.operations(), queue.verify()) == ((), None)
    assert queue.begin([starting]) == ("b1",)


def test_a_batch_that_ended_takes_no_proposal_that_waits_for_another(queue: Ledger) -> None:
    begin(queue, claim(1, batch="b1"))
    queue.abandon("b1", START, OperationState.CONFLICT, "it changed", epoch=1)
    queue.begin([claim(1, batch="b2")])
    assert queue.claim_batch("b1") is None
    assert states(queue)[id_of(1)] is State.APPROVED
    assert queue.claim_batch("b2") == Lease(1, was_approved=True)


def test_what_is_settled_as_it_is_done_is_so_once(queue: Ledger) -> None:
    begin(queue, claim(1, batch="b1"))
    queue.finish("b1", START, [], epoch=1)
    for _ in range(2):
        queue.finish("b1", START, [], epoch=1, is_settled=True)
    assert (queue.unfinished(HOME), names(queue)[-2:]) == ((), ["finish", "settle"])
    begin(queue, claim(2, batch="b2"))
    for _ in range(2):
        queue.finish("b2", START, [], epoch=1, is_settled=True)
    assert (queue.unfinished(HOME), names(queue)[-2:]) == ((), ["finish", "settle"])
    assert queue.verify() is None

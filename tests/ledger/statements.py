"""Calls of every method of a ledger, so that every statement that it has is run once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final

from tests.ledger.samples import (
    HOME,
    MEMORY,
    OPERATOR,
    START,
    begin,
    claim,
    decision,
    id_of,
    operation,
    proposal,
    quarantined,
)

from reviewdeck.ledger.inspection import find_inconsistencies
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import (
    About,
    Began,
    Cause,
    DirectChange,
    Draft,
    Likeness,
    Lineage,
    Marks,
    Message,
    Observation,
    OperationState,
    Relation,
    ReviewRun,
    Role,
    SessionMode,
    State,
    Transcript,
    Turn,
    TurnBatch,
    Verb,
    revision_of,
)
from reviewdeck.model.ledger import (
    DirectoryIdentity,
    Fence,
    Filter,
    OpenBatch,
    Sight,
    Staging,
    Subject,
)
from reviewdeck.model.votes import Vote

REVISION: Final = revision_of(b"old\nnew\n")
OUTSIDE: Final = replace(
    proposal(9),
    action="outside",
    source=None,
    outside=(DirectChange(MEMORY, revision_of(b"old\n"), REVISION),),
)
SEEN: Final = Observation(HOME, MEMORY, REVISION, START, Cause.OUTSIDE, actor=OPERATOR)
TEXT: Final = Subject(Relation.PENDING, "entry 1", id_of(1), "memory")
TRANSCRIPT: Final = Transcript("t", Lineage("s", None, Began.NEW), START, START, 1, 1, HOME, "cli")
TURN: Final = Turn(0, START, (Message(Role.USER, "Keep this."),))
RUN: Final = ReviewRun("r", HOME, "s", "turn", START, START, "done")
PLACE: Final = DirectoryIdentity(HOME, "1:2", "mark")
SIGHT: Final = Sight(HOME, "host", "desk", START, "iris", "hermes", HOME)
STAGED: Final = Staging(id_of(1), State.READY, "auto-apply", "d", (), "")
MANY: Final = tuple(f"/homes/{n}" for n in range(9))
UNDO: Final = claim(1, batch="u", undoes=operation(1, "b").id)


def vote(number: int) -> Vote:
    """A vote to approve a proposal."""
    about = About(HOME, (id_of(number),), ((MEMORY, REVISION, REVISION),))
    return Vote(decision(number, "vote", Verb.VOTE), Verb.APPROVE, about)


def refresh(ledger: Ledger) -> None:
    """A whole pass."""
    begun = ledger.begin_refresh(HOME)
    assert ledger.end_refresh(begun, {id_of(1): "key"}, (STAGED,), "stamp")
    ledger.note(ledger.page(Filter()))


def apply_and_undo(ledger: Ledger) -> None:
    """Applied, taken back, applied again; and one that was not written."""
    begin(ledger, replace(claim(1, batch="b"), fence=Fence("")))
    ledger.rescue("b", MEMORY, b"theirs", START)
    ledger.keep_inverse(operation(1, "b").id, ())
    ledger.finish("b", START, [SEEN], epoch=1)
    ledger.settle("b")
    ledger.add([replace(proposal(7), undoes=operation(1, "b").id)], {})
    undo = replace(UNDO, operations=(replace(operation(7, "u"), undoes=operation(1, "b").id),))
    begin(ledger, replace(undo, decisions=()))
    ledger.finish("u", START, ())
    begin(ledger, claim(2, batch="c"))
    ledger.let_go("c", 1)
    ledger.abandon("c", START, OperationState.CONFLICT, "it changed")


def inconsistencies(ledger: Ledger) -> list[str]:
    """What contradicts itself."""
    with ledger._database.reading() as tx:
        return list(find_inconsistencies(tx))


def look_twice(ledger: Ledger) -> None:
    """A look, and the same one again."""
    ledger.put_look(SIGHT, "sum", "{}", [b"bytes"])
    ledger.put_look(SIGHT, "sum", "{}", [])


CALLS: Final[dict[str, Callable[[Ledger], object]]] = {
    "add": lambda it: it.add(
        [*map(proposal, range(1, 7)), quarantined(1), OUTSIDE], {"a": b"record"}, {}, [TEXT]
    ),
    "repair": lambda it: it.repair(
        replace(proposal(8), id=quarantined(1).id), b"{}", [], OPERATOR, START
    ),
    "observe": lambda it: it.observe([SEEN], [b"old\nnew\n"], latest={}),
    "learn_modes": lambda it: it.learn_modes(HOME, {MEMORY: (REVISION, 0o600)}),
    "claim": lambda it: it.claim(OUTSIDE, OPERATOR),
    "disclaim": lambda it: it.disclaim(OUTSIDE, OPERATOR),
    "stage": lambda it: it.stage([STAGED]),
    "begin_refresh": refresh,
    "put_draft": lambda it: it.put_draft(Draft(id_of(1), Verb.APPROVE, "d", START)),
    "clear_draft": lambda it: it.clear_draft(id_of(1)),
    "begin": apply_and_undo,
    "decide": lambda it: (
        it.decide(decision(3), State.REJECTED, (State.READY,)),
        it.decide(decision(4), State.DEFERRED, (State.READY,)),
    ),
    "vote": lambda it: it.vote(vote(2), (State.READY,)),
    "votes": lambda it: (it.votes(), it.votes([id_of(2)])),
    "note_looking": lambda it: it.note_looking(id_of(2), 30),
    "looking": lambda it: it.looking(),
    "has_others": lambda it: it.has_others(),
    "withdraw": lambda it: it.withdraw(decision(2, "withdraw", Verb.WITHDRAW)),
    "drop": lambda it: it.drop(id_of(5), "nothing is left"),
    "mark_vanished": lambda it: it.mark_vanished(HOME, ["pending/memory/6.json"]),
    "remember": lambda it: it.remember(
        HOME, [Likeness(Relation.REJECTED, "text", 1.0, "place")], START
    ),
    "forget": lambda it: it.forget(HOME, Relation.REJECTED, "place"),
    "append": lambda it: it.append("note", home=HOME, subject="x", actor=OPERATOR, at=START),
    "put_marks": lambda it: it.put_marks(HOME, Marks(START, {MEMORY: START}), OPERATOR, START),
    "pin": lambda it: it.pin("operators", "value"),
    "put_place": lambda it: it.put_place(HOME, PLACE, "spare", "home-moved", kind="hermes"),
    "retain": lambda it: it.retain(
        [TurnBatch(TRANSCRIPT, (TURN,)), TurnBatch(TRANSCRIPT, (TURN,), SessionMode.REPLACE)]
    ),
    "add_review": lambda it: it.add_review(RUN),
    "index": lambda it: it.index(HOME, [TEXT]),
    "unindex": lambda it: it.unindex(HOME, [id_of(2)]),
    "all_decisions": lambda it: it.all_decisions(),
    "automatic": lambda it: it.automatic(HOME),
    "automatic_since": lambda it: it.automatic_since(HOME, START),
    "baseline": lambda it: it.baseline(HOME),
    "begun": lambda it: it.begun("x"),
    "changes_outside": lambda it: it.changes_outside(HOME, START),
    "content": lambda it: it.content(REVISION),
    "counts": lambda it: (it.counts(), it.counts([HOME])),
    "decided_records": lambda it: it.decided_records(HOME),
    "decisions": lambda it: it.decisions(id_of(1)),
    "decisions_in": lambda it: it.decisions_in("b"),
    "deferrals": lambda it: it.deferrals(HOME),
    "drafts": lambda it: it.drafts(),
    "dropped_outside": lambda it: it.dropped_outside(HOME, "x", {MEMORY: REVISION}),
    "evaluation_key": lambda it: it.evaluation_key(id_of(1)),
    "unknown_batches": lambda it: it.unknown_batches(["b", "x"]),
    "readmit": lambda it: it.readmit(
        OpenBatch("r", HOME, (operation(6, "r"),), claim(6, batch="r").writes, (decision(6),))
    ),
    "heads": lambda it: it.heads([HOME, ""]),
    "require": lambda it: it.require(it.heads([HOME])),
    "chain": lambda it: it.chain(HOME),
    "events": lambda it: it.events(),
    "has_turns": lambda it: it.has_turns(HOME),
    "home_at": lambda it: it.home_at(HOME, ("1:2", "mark")),
    "inverse_effects": lambda it: it.inverse_effects("x"),
    "is_signed": lambda it: it.is_signed(),
    "item": lambda it: it.item(id_of(1)),
    "items": lambda it: it.items([id_of(1)]),
    "judgement": lambda it: it.judgement(id_of(1)),
    "judgements": lambda it: it.judgements([id_of(1)]),
    "last_evaluations": lambda it: it.last_evaluations(HOME),
    "kind_at": lambda it: it.kind_at(HOME, "mark"),
    "known_homes": lambda it: it.known_homes(),
    "last_pinned": lambda it: it.last_pinned("operators"),
    "latest": lambda it: it.latest(HOME),
    "leftovers": lambda it: it.leftovers(HOME),
    "lives": lambda it: list(it.lives([HOME])),
    "marks": lambda it: it.marks(HOME),
    "moments": lambda it: it.moments(HOME, MEMORY, 3),
    "newest_event": lambda it: it.newest_event(),
    "notes": lambda it: it.notes(id_of(1)),
    "observations": lambda it: (it.observations(HOME), it.observations(HOME, MEMORY)),
    "open_proposals": lambda it: it.open_proposals(HOME),
    "operation": lambda it: it.operation(operation(1, "b").id),
    "operations": lambda it: (it.operations(), it.operations(home=HOME)),
    "origins": lambda it: it.origins([id_of(1)], "policy"),
    "outlines": lambda it: it.outlines(Filter((HOME,))),
    "outside": lambda it: it.outside(HOME),
    "page": lambda it: [
        it.page(Filter(homes, states))
        for homes in ((), (HOME,), MANY)
        for states in ((), tuple(State))
    ],
    "pinned": lambda it: it.pinned("operators"),
    "proposal": lambda it: it.proposal(id_of(1)),
    "proposals": lambda it: it.proposals([id_of(1)]),
    "records": lambda it: it.records(HOME),
    "inputs": lambda it: it.inputs(HOME),
    "about_skills": lambda it: it.about_skills(HOME),
    "made_here": lambda it: it.made_here(HOME),
    "having": lambda it: it.having(HOME, ["text"]),
    "related": lambda it: it.related(HOME, [id_of(1)], 9),
    "resolve": lambda it: (it.resolve(id_of(1)), it.resolve(id_of(1), [HOME])),
    "review_totals": lambda it: (it.review_totals(), it.review_totals([HOME])),
    "note_host": lambda it: it.note_host("desk", "1.0"),
    "hosts": lambda it: it.hosts(),
    "put_look": look_twice,
    "put_errand": lambda it: it.put_errand(decision(3), ["d"]),
    "errands": lambda it: it.errands(HOME),
    "end_errand": lambda it: it.end_errand(decision(3).id),
    "sights": lambda it: it.sights(),
    "awaited": lambda it: it.awaited(HOME),
    "look_at": lambda it: it.look_at(HOME, "sum"),
    "written_since_look": lambda it: it.written_since_look(HOME),
    "contents": lambda it: it.contents([REVISION]),
    "homes_with_work": lambda it: it.homes_with_work([HOME]),
    "reviews": lambda it: (it.reviews(), it.reviews([HOME])),
    "revision_at": lambda it: it.revision_at(HOME, MEMORY, START + timedelta(days=1)),
    "sessions": lambda it: it.sessions([id_of(1)]),
    "signers": lambda it: it.signers(),
    "stamp": lambda it: it.stamp(HOME),
    "state_of": lambda it: it.state_of(id_of(1)),
    "texts_with": lambda it: it.texts_with(HOME, ["entry"], 9),
    "subject_count": lambda it: it.subject_count(HOME),
    "subjects_of": lambda it: it.subjects_of(HOME, ["memory"]),
    "said": lambda it: it.said(HOME, ["a"], limit=3),
    "transcripts": lambda it: it.transcripts("s"),
    "turns": lambda it: it.turns("t"),
    "arrivals": lambda it: list(it.arrivals([HOME], START, ["undo"])),
    "ends": lambda it: it.ends(HOME),
    "evidence": lambda it: it.evidence([id_of(1)]),
    "past": lambda it: it.past([HOME], 9),
    "rejections": lambda it: list(it.rejections([HOME], START)),
    "reopened": lambda it: it.reopened(HOME),
    "tallies": lambda it: list(it.tallies([HOME], START)),
    "undone": lambda it: it.undone(HOME),
    "unfinished": lambda it: it.unfinished(HOME),
    "unindexed": lambda it: it.unindexed(HOME),
    "few_proposals": lambda it: it.few_proposals(HOME, 99),
    "passes": lambda it: it.passes(HOME),
    "proposals_of": lambda it: it.proposals_of([operation(1, "b").id]),
    "undoing": lambda it: it.undoing(operation(1, "b").id),
    "without_bases": lambda it: it.without_bases([id_of(1), id_of(2)]),
    "homes_read": lambda it: it.homes_read(),
    "verify": lambda it: (it.verify(), it.verify(HOME), inconsistencies(it)),
}
"""By method, in an order in which each has something to do."""

WITHIN: Final = frozenset(
    {
        *("end_refresh", "note", "rescue", "keep_inverse", "finish", "settle", "abandon"),
        *("claim_batch", "let_go"),
    }
)
"""Called by one of those."""
NO_STATEMENT: Final = frozenset(
    {
        "at_once",
        "break_off",
        "close",
        "foresee",
        "machine",
        "mode",
        "operator",
        "refuse_machine",
        "together",
    }
    | {"wait_for_news"}
)

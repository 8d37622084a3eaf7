"""Decisions and the live home: which still hold, which can be rebased, which have moved.

A draft names the digest of what was on the screen. When its document changes, that is evaluated
again from the ledger's own bytes; the digest proves that it is the same. Only when the draft's
edit, its result and its findings are equal on the live document is the draft carried over, and
that is journaled. In every other case it is not committed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.evaluate import Look
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.errors import NotPermitted
from reviewdeck.model import ActorKind, Change, Decision, Draft, Plan, Ready, State, Verb
from reviewdeck.planning.compose import ChosenProposal, Composed, compose
from reviewdeck.planning.overlay import Overlay
from reviewdeck.planning.rebase import merge_for
from reviewdeck.policy.gate import NOT_CURRENT
from reviewdeck.ports import OpenHome, Snapshot
from reviewdeck.text import entries, lines
from reviewdeck.text.conflicts import Clean
from reviewdeck.text.diff import diff
from reviewdeck.text.entries import RIVALS, likeness

EARLIER_STATES = 20
"""The most earlier states of its documents among which a draft's digest is searched."""

_FORGOTTEN = "no recent state of its documents gives that digest"

_PASSING = frozenset({"merged", NOT_CURRENT})
"""Findings that only say that the document moved."""


@dataclass(frozen=True, slots=True)
class Held:
    """A draft that has the same effect on the live text."""

    draft: Draft
    """With the digest of its plan now, and for a merge the operator's own text, carried over."""
    earlier_digest: str
    """The digest of what was shown, in full; mostly the same."""


class LeftOutReason(StrEnum):
    """Why a draft is not part of a commit."""

    MOVED = "moved"
    """Its effect would differ now: back to the queue."""
    DECIDED = "decided"
    """The proposal is not open any more."""
    AWAITED = "awaited"
    """Its operator approved it, and another machine has yet to write it."""
    OVERTAKEN = "overtaken"
    """Another operator decided the proposal: it stays a draft until its operator drops it."""
    CLASHES = "clashes"
    """It conflicts with another draft, and stays a draft."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One draft that is not part of a commit, and why."""

    draft: Draft
    fate: LeftOutReason
    message: str


def shown_digest(evaluation: Evaluation, document: str | None, snapshot: Snapshot) -> str:
    """The digest that a decision with an operator's own text names, or the text's revision."""
    return evaluation.digest or snapshot.document(document or "").revision


class DraftChecker:
    """Compares drafts on one home with its live texts: each is evaluated once, on one snapshot."""

    def __init__(self, engine: EngineContext, open_home: OpenHome) -> None:
        self._engine = engine
        self._home = open_home.home
        self.evaluator = engine.evaluator_of(open_home.home)
        self._evaluations: dict[str, Evaluation] = {}

    @property
    def snapshot(self) -> Snapshot:
        """The home as it is compared."""
        return self.evaluator.snapshot

    @property
    def look(self) -> Look:
        """The same, for another evaluation of it."""
        return Look(self.snapshot, self.evaluator.paths, self.evaluator.contents)

    def evaluation(self, id: str) -> Evaluation:
        if id not in self._evaluations:
            with self._engine.ledger.at_once():
                proposal = self._engine.ledger.proposal(id)
                self._evaluations[id] = self.evaluator.evaluate(proposal)
        return self._evaluations[id]

    def compose(self, drafts: Sequence[Draft]) -> Composed:
        """The plan of several drafts, in order, on this snapshot."""
        return compose([self._choice(draft) for draft in drafts], self.snapshot)

    def _choice(self, draft: Draft) -> ChosenProposal:
        ledger = self._engine.ledger
        proposal = self.evaluator.with_bases(ledger.proposal(draft.proposal))
        effects = ledger.inverse_effects(proposal.undoes) if proposal.undoes else ()
        return ChosenProposal(proposal, draft.document, draft.text, effects)

    def hold(self, draft: Draft) -> Held | LeftOut:
        """The draft as it holds now, or why it does not."""
        state = self._engine.ledger.state_of(draft.proposal)
        if state is None or not state.is_open or state is State.QUARANTINED:
            if (by := overtaken_by(self._engine, draft.proposal)) is not None:
                message = f"{by.actor.name} decided it: {by.verb}."
                return LeftOut(draft, LeftOutReason.OVERTAKEN, message)
            is_awaited = state in (State.APPROVED, State.APPLYING)
            fate = LeftOutReason.AWAITED if is_awaited else LeftOutReason.DECIDED
            return LeftOut(draft, fate, f"It was decided already ({state or 'gone'}).")
        if draft.verb in (Verb.REJECT, Verb.DEFER, Verb.SUPERSEDE):
            return Held(draft, draft.digest or "")
        now = self.evaluation(draft.proposal)
        if draft.verb is Verb.MERGE:
            return self._merge(draft, now)
        return self._approval(draft, now)

    def _approval(self, draft: Draft, now: Evaluation) -> Held | LeftOut:
        outcome = now.staged.outcome
        if now.state not in (State.READY, State.LIVE) or not isinstance(outcome, Ready):
            return LeftOut(draft, LeftOutReason.MOVED, now.reason)
        digest = now.digest or ""
        if _is_prefix(digest, draft.digest):
            return Held(replace(draft, digest=digest), digest)
        for _, then in self._earlier_states(now):
            if _is_prefix(then.digest, draft.digest):
                differences = [*self._compare_edits(then, now), *_compare_grounds(then, now)]
                if differences:
                    return _moved(draft, differences)
                return Held(replace(draft, digest=digest), then.digest or "")
        return _moved(draft, [_FORGOTTEN])

    def _compare_edits(self, then: Evaluation, now: Evaluation) -> Iterator[str]:
        was, outcome = then.staged.outcome, now.staged.outcome
        if not isinstance(was, Ready) or not isinstance(outcome, Ready):
            yield f"it was {then.state} and is {now.state}"
        elif self.edits(was.plan) != self.edits(outcome.plan):
            yield "its edit or the result of it is another one"
        elif self._similar_neighbours(was.plan) != self._similar_neighbours(outcome.plan):
            yield "the similar entries beside it changed"

    def _merge(self, draft: Draft, now: Evaluation) -> Held | LeftOut:
        path = draft.document or ""
        digest = shown_digest(now, path, self.snapshot)
        if _is_prefix(digest, draft.digest):
            return Held(replace(draft, digest=digest), digest)
        for snapshot, then in self._earlier_states(now):
            was = shown_digest(then, path, snapshot)
            if not _is_prefix(was, draft.digest):
                continue
            carried = self._carry_text(path, draft.text, now, snapshot)
            differences = [*_compare_grounds(then, now)]
            if carried is None:
                differences.insert(0, f"your text does not fit {path} as it is now")
            if differences:
                return _moved(draft, differences)
            return Held(replace(draft, digest=digest, text=carried), was)
        return _moved(draft, [_FORGOTTEN])

    def _carry_text(
        self, path: str, text: str | None, now: Evaluation, then: Snapshot
    ) -> str | None:
        """The operator's own text rebased onto the live one, where it is the same edit."""
        live, before = self.snapshot.document(path), then.document(path)
        if text is None or live.problem is not None or before.data is None:
            return None
        merged = merge_for(now.proposal, path)(before.text, live.text, text)
        if not isinstance(merged, Clean):
            return None
        edit = self._edit_of(path, before.data, text.encode())
        is_same = self._edit_of(path, live.data, merged.text.encode()) == edit
        return merged.text if is_same else None

    def _earlier_states(self, now: Evaluation) -> Iterator[tuple[Snapshot, Evaluation]]:
        """The proposal against earlier states of its documents, newest first."""
        ledger = self._engine.ledger
        observations = ledger.observations(self._home.id)
        touching = [observation for observation in observations if observation.path in now.paths]
        for end in range(len(touching), max(0, len(touching) - EARLIER_STATES), -1):
            state = {observation.path: observation.revision for observation in touching[:end]}
            past = Overlay(
                self.snapshot,
                [
                    Change(path, self.snapshot.document(path).data, ledger.content(revision))
                    for path, revision in state.items()
                ],
            )
            look = Look(past, self.evaluator.paths)
            with ledger.at_once():
                evaluator = self._engine.evaluator_of(self._home, look)
                then = evaluator.evaluate(ledger.proposal(now.proposal.id))
            yield past, then

    def edits(self, plan: Plan) -> object:
        """The texts that a plan removes and adds, wherever they are, with effects and modes."""
        parts = [self._edit_of(change.path, change.before, change.after) for change in plan.changes]
        return parts, plan.effects, [(change.mode, change.tree) for change in plan.changes]

    def _similar_neighbours(self, plan: Plan) -> list[frozenset[str]]:
        neighbours = []
        for change in plan.changes:
            if not self.snapshot.has_entries(change.path):
                continue
            old, new = (units(data, is_memory=True) for data in (change.before, change.after))
            moving = [
                *(entry for entry in old if entry not in new),
                *(entry for entry in new if entry not in old),
            ]
            staying = (entry for entry in old if entry in new)
            neighbours.append(
                frozenset(
                    entry
                    for entry in staying
                    if any(likeness(entry, moved, RIVALS) for moved in moving)
                )
            )
        return neighbours

    def _edit_of(self, path: str, before: bytes | None, after: bytes | None) -> object:
        """The removed and added texts, wherever they are."""
        is_memory = self.snapshot.has_entries(path)
        old, new = units(before, is_memory=is_memory), units(after, is_memory=is_memory)
        ends = (before is None, after is None)
        hunks = diff(old, new)
        return path, ends, [(old[h.a_start : h.a_end], new[h.b_start : h.b_end]) for h in hunks]


def overtaken_by(engine: EngineContext, proposal: str) -> Decision | None:
    """Another operator's decision by which a proposal is not open any more; None for none."""
    decisions = [each for each in engine.ledger.decisions(proposal) if each.verb not in _OPENING]
    last = decisions[-1] if decisions else None
    if last is None or last.actor.kind is not ActorKind.OPERATOR:
        return None
    return None if last.actor.name in own_names(engine) else last


def own_names(engine: EngineContext) -> tuple[str, ...]:
    """The names under which this operator decides: that of the account, and of an open key."""
    with suppress(NotPermitted):
        return engine.actor.name, engine.operator().name
    return (engine.actor.name,)


_OPENING: Final = frozenset({Verb.VOTE, Verb.WITHDRAW, Verb.DEFER, Verb.REOPEN})
"""The decisions after which a proposal is open."""


def units(data: bytes | None, *, is_memory: bool) -> Sequence[str]:
    """The units of a document: entries for a memory, else lines."""
    text = (data or b"").decode("utf-8", errors="replace")
    return list(entries.parse(text)) if is_memory else lines.split(text)


def _finding_keys(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    findings = (finding for finding in evaluation.findings if finding.code not in _PASSING)
    return sorted((finding.code, finding.severity.value, finding.message) for finding in findings)


def _is_prefix(digest: str | None, prefix: str | None) -> bool:
    """Whether a digest begins with this prefix. Neither may be empty."""
    return bool(prefix) and digest is not None and digest.startswith(prefix or "")


def _moved(draft: Draft, differences: Sequence[str]) -> LeftOut:
    message = f"The change is no longer the one that was shown: {', '.join(differences)}."
    return LeftOut(draft, LeftOutReason.MOVED, message)


def _compare_grounds(then: Evaluation, now: Evaluation) -> Iterator[str]:
    before, after = _finding_keys(then), _finding_keys(now)
    for change, findings, counterparts in (("new", after, before), ("gone", before, after)):
        codes = dict.fromkeys(finding[0] for finding in findings if finding not in counterparts)
        yield from (f"the finding {code!r} is {change}" for code in codes)
    if _similar_texts(then) != _similar_texts(now):
        yield "the texts similar to it changed"


def _similar_texts(evaluation: Evaluation) -> frozenset[tuple[str, str, str]]:
    """The similar texts, wherever they are."""
    return frozenset(
        (likeness.relation.value, likeness.where, likeness.text) for likeness in evaluation.similar
    )

"""Drafts and the live home: which still hold, which can be re-based, which have moved.

A draft names the digest of what was on the screen. When its document changes, that is evaluated
again from the ledger's own bytes; the digest proves that it is the same. Only when the draft's
edit, its result and its findings are equal on the live document is the draft carried over, and
that is journaled. In every other case it goes back to the queue.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.model import Change, Draft, Plan, Ready, State, Verb
from reviewdeck.planning.overlay import Overlay
from reviewdeck.planning.rebase import merge_for
from reviewdeck.policy.gate import NOT_CURRENT
from reviewdeck.ports import Home, OpenHome, Snapshot
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
class Holds:
    """A decision that has the same effect on the live text."""

    earlier_digest: str
    """The digest of what was shown, in full."""
    digest: str
    """The digest of its plan now; mostly the same."""
    text: str | None = None
    """For a merge: the operator's own text, carried over."""


@dataclass(frozen=True, slots=True)
class Differs:
    """A decision that would have another effect now, and the difference."""

    difference: str


class LeftOutReason(StrEnum):
    """Why a draft is not part of a commit."""

    MOVED = "moved"
    """Its effect would differ now: back to the queue."""
    DECIDED = "decided"
    """The proposal is not open any more."""
    CLASHES = "clashes"
    """It conflicts with another draft, and stays a draft."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One draft that is not part of a commit, and why."""

    draft: Draft
    fate: LeftOutReason
    message: str


@dataclass(frozen=True, slots=True)
class CheckedDrafts:
    """The drafts after they were compared with the live home."""

    drafts: tuple[Draft, ...]
    """The drafts that hold, oldest first, with current digests."""
    rebased: tuple[Draft, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def check_drafts(context: Engine) -> CheckedDrafts:
    """Compares every draft with the live home; one whose effect changed is a draft no longer."""
    drafts: list[Draft] = []
    rebased: list[Draft] = []
    left_out: list[LeftOut] = []
    checkers: dict[str, DraftChecker] = {}
    for draft in context.drafts:
        home = context.ledger.item(draft.proposal).home
        checker = checkers.setdefault(home, DraftChecker(context, context.home_by_id(home)))
        now = checker.hold(draft)
        if isinstance(now, LeftOut):
            left_out.append(now)
            _take_out(context, home, now)
            continue
        drafts.append(now)
        if now != draft:
            rebased.append(now)
            _carry_over(context, home, draft, now)
    return CheckedDrafts(tuple(drafts), tuple(rebased), tuple(left_out))


def shown_digest(evaluation: Evaluation, document: str | None, snapshot: Snapshot) -> str:
    """The digest that a decision with an operator's own text names, or the text's revision."""
    return evaluation.digest or snapshot.document(document or "").revision


class DraftChecker:
    """Compares decisions on one home, drafted or named, with its live texts."""

    def __init__(self, context: Engine, open_home: OpenHome) -> None:
        self._context = context
        self._home = open_home.home
        self._evaluator = context.evaluator_of(open_home.home)

    def hold(self, draft: Draft) -> Draft | LeftOut:
        """The draft as it holds now, or why it does not."""
        state = self._context.ledger.state_of(draft.proposal)
        if state is None or not state.is_open or state is State.QUARANTINED:
            return LeftOut(
                draft, LeftOutReason.DECIDED, f"It is {state or 'gone'}: decided already."
            )
        if draft.verb in (Verb.REJECT, Verb.DEFER, Verb.SUPERSEDE):
            return draft
        now = self._evaluator.evaluate(self._context.ledger.proposal(draft.proposal))
        if draft.verb is Verb.MERGE:
            return self._merge(draft, now)
        return self._approval(draft, now)

    def _approval(self, draft: Draft, now: Evaluation) -> Draft | LeftOut:
        outcome = now.staged.outcome
        if now.state not in (State.READY, State.LIVE) or not isinstance(outcome, Ready):
            return LeftOut(draft, LeftOutReason.MOVED, now.reason)
        match self.approval(now, draft.digest or ""):
            case Holds(digest=digest):
                return replace(draft, digest=digest)
            case Differs(difference):
                message = f"It is no longer the change that was drafted: {difference}."
                return LeftOut(draft, LeftOutReason.MOVED, message)

    def approval(self, now: Evaluation, digest_prefix: str) -> Holds | Differs:
        """Whether an approval of what was shown under a digest holds for the current evaluation.

        `digest_prefix` is that digest, or its beginning.
        """
        if _is_prefix(now.digest, digest_prefix):
            return Holds(now.digest or "", now.digest or "")
        for _, then in self._earlier_states(now):
            if _is_prefix(then.digest, digest_prefix):
                differences = [*self._compare_edits(then, now), *_compare_grounds(then, now)]
                if differences:
                    return Differs(", ".join(differences))
                return Holds(then.digest or "", now.digest or "")
        return Differs(_FORGOTTEN)

    def _compare_edits(self, then: Evaluation, now: Evaluation) -> Iterator[str]:
        was, outcome = then.staged.outcome, now.staged.outcome
        if not isinstance(was, Ready) or not isinstance(outcome, Ready):
            yield f"it was {then.state} and is {now.state}"
        elif self.edits(was.plan) != self.edits(outcome.plan):
            yield "its edit or the result of it is another one"
        elif self._similar_neighbours(was.plan) != self._similar_neighbours(outcome.plan):
            yield "the similar entries beside it changed"

    def _merge(self, draft: Draft, now: Evaluation) -> Draft | LeftOut:
        match self.merge(now, draft.digest or "", draft.text, draft.document or ""):
            case Holds(digest=digest, text=text):
                return replace(draft, digest=digest, text=text)
            case Differs():
                return LeftOut(
                    draft, LeftOutReason.MOVED, "The text that it was written for has changed."
                )

    def merge(
        self, now: Evaluation, digest_prefix: str, text: str | None, path: str
    ) -> Holds | Differs:
        """The same for an operator's own text, rebased onto the live one."""
        current_digest = shown_digest(now, path, self._evaluator.snapshot)
        if _is_prefix(current_digest, digest_prefix):
            return Holds(current_digest, current_digest, text)
        for snapshot, then in self._earlier_states(now):
            was = shown_digest(then, path, snapshot)
            if not _is_prefix(was, digest_prefix):
                continue
            carried = self._carry_text(path, text, now, snapshot)
            differences = (
                [] if carried is not None else [f"your text does not fit {path} as it is now"]
            )
            differences += _compare_grounds(then, now)
            return (
                Differs(", ".join(differences))
                if differences
                else Holds(was, current_digest, carried)
            )
        return Differs(_FORGOTTEN)

    def _carry_text(
        self, path: str, text: str | None, now: Evaluation, then: Snapshot
    ) -> str | None:
        """The operator's own text rebased onto the live one, where it is the same edit."""
        live, before = self._evaluator.snapshot.document(path), then.document(path)
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
        observations = self._context.ledger.observations(self._home.id)
        touching = [observation for observation in observations if observation.path in now.paths]
        for end in range(len(touching), max(0, len(touching) - EARLIER_STATES), -1):
            state = {observation.path: observation.revision for observation in touching[:end]}
            past = Overlay(
                self._evaluator.snapshot,
                [
                    Change(
                        path,
                        self._evaluator.snapshot.document(path).data,
                        self._context.ledger.content(revision),
                    )
                    for path, revision in state.items()
                ],
            )
            evaluator = self._context.evaluator_of(EarlierHome(self._home, past))
            yield past, evaluator.evaluate(self._context.ledger.proposal(now.proposal.id))

    def edits(self, plan: Plan) -> object:
        """The texts that a plan removes and adds, wherever they are, with effects and modes."""
        parts = [self._edit_of(change.path, change.before, change.after) for change in plan.changes]
        return parts, plan.effects, [(change.mode, change.tree) for change in plan.changes]

    def _similar_neighbours(self, plan: Plan) -> list[frozenset[str]]:
        """The kept entries that resemble removed or added ones, for each memory of a plan."""
        neighbours = []
        for change in plan.changes:
            if not self._evaluator.snapshot.has_entries(change.path):
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
        is_memory = self._evaluator.snapshot.has_entries(path)
        old, new = units(before, is_memory=is_memory), units(after, is_memory=is_memory)
        ends = (before is None, after is None)
        hunks = diff(old, new)
        return path, ends, [(old[h.a_start : h.a_end], new[h.b_start : h.b_end]) for h in hunks]


class EarlierHome:
    """A home with an earlier snapshot; everything else is as it is now."""

    def __init__(self, home: Home, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.id = home.id
        self.name = home.name
        self.where = home.where
        self._home = home
        self.kind = home.kind
        self.readers = home.readers
        self.scan = home.scan
        self.pending = home.pending
        self.parse = home.parse
        self.parse_repaired = home.parse_repaired
        self.claimed = home.claimed
        self.archives = home.archives
        self.documents = home.documents
        self.index_of = home.index_of
        self.skills = home.skills
        self.linked_skills = home.linked_skills
        self.refusals = home.refusals
        self.keeps_conversations = home.keeps_conversations
        self.conversations = home.conversations
        self.stamp = home.stamp

    @property
    def cautions(self) -> tuple[str, ...]:
        """The home's cautions, read when asked for."""
        return self._home.cautions

    @property
    def ungated(self) -> tuple[str, ...]:
        """The agent's settings that are off, read when asked for."""
        return self._home.ungated

    def snapshot(self) -> Snapshot:
        """The home as it was."""
        return self._snapshot


def units(data: bytes | None, *, is_memory: bool) -> Sequence[str]:
    """The units of a document: entries for a memory, else lines."""
    text = (data or b"").decode("utf-8", errors="replace")
    return list(entries.parse(text)) if is_memory else lines.split(text)


def _finding_keys(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    findings = (finding for finding in evaluation.findings if finding.code not in _PASSING)
    return sorted((finding.code, finding.severity.value, finding.message) for finding in findings)


def _is_prefix(digest: str | None, prefix: str) -> bool:
    """Whether a digest begins with this prefix. Neither may be empty."""
    return bool(prefix) and digest is not None and digest.startswith(prefix)


def _compare_grounds(then: Evaluation, now: Evaluation) -> Iterator[str]:
    """The differences in findings and similar texts."""
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


def return_to_queue(context: Engine, left_out: LeftOut) -> None:
    """Takes a draft back into the queue, with an event."""
    _take_out(context, context.ledger.item(left_out.draft.proposal).home, left_out)


def _take_out(context: Engine, home: str, left_out: LeftOut) -> None:
    context.ledger.clear_draft(left_out.draft.proposal)
    detail: dict[str, object] = {"why": left_out.fate.value, "message": left_out.message}
    _journal(context, "draft-moved", home, left_out.draft, detail)


def _carry_over(context: Engine, home: str, before: Draft, after: Draft) -> None:
    context.ledger.put_draft(after)
    detail: dict[str, object] = {"from": before.digest, "to": after.digest}
    _journal(context, "draft-rebased", home, after, detail)


def _journal(
    context: Engine, name: str, home: str, draft: Draft, detail: dict[str, object]
) -> None:
    context.ledger.append(
        name,
        home=home,
        subject=draft.proposal,
        actor=context.actor,
        at=context.now(),
        detail=detail,
    )

"""Drafts and the live home: which still hold, which can be re-based, which have moved.

A draft names the digest of what was on the screen. When a document moves under it, what was on
the screen is worked out again from the ledger's own bytes; the digest proves that it is the same.
Only when the draft's own edit, its result and its findings come out equal on the live document is
the draft carried over, and that is journaled. In every other case it goes back to the queue.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.evaluate import Evaluation
from reviewdeck.model import Change, Draft, Plan, Ready, State, Verb
from reviewdeck.planning.overlay import Overlay
from reviewdeck.planning.rebase import merge_for
from reviewdeck.policy.gate import NOT_CURRENT
from reviewdeck.ports import Home, OpenHome, Snapshot
from reviewdeck.text import entries, lines
from reviewdeck.text.diff import diff
from reviewdeck.text.entries import RIVALS, likeness
from reviewdeck.text.merge import Clean

EARLIER_STATES = 20
"""How many earlier states of its documents a draft is looked for in."""

_FORGOTTEN = "what was named is none of the last states that its documents were seen in"

_PASSING = frozenset({"merged", NOT_CURRENT})
"""Findings that only say that the document moved."""


@dataclass(frozen=True, slots=True)
class Holds:
    """A decision that comes to the same on what is live now."""

    named: str
    """The digest of what was shown, in full."""
    digest: str
    """The digest of what it comes to now; mostly the same."""
    text: str | None = None
    """For a merge: the operator's own text, carried over."""


@dataclass(frozen=True, slots=True)
class Differs:
    """A decision that would not be about the same any more, and in what."""

    said: str


class Fate(StrEnum):
    """Why a draft is not part of a commit."""

    MOVED = "moved"
    """It would do something else now: back to the queue."""
    DECIDED = "decided"
    """The proposal is not open any more."""
    CLASHES = "clashes"
    """It does not fit after another draft. It stays a draft."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One draft that is not part of a commit, and why."""

    draft: Draft
    fate: Fate
    message: str


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of the drafts when they were held against the live home."""

    drafts: tuple[Draft, ...]
    """Those that hold, oldest first, each with a digest that is up to date."""
    rebased: tuple[Draft, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def keep_up(context: EngineContext) -> Kept:
    """Holds every draft against the live home; what has moved is a draft no longer."""
    kept: list[Draft] = []
    rebased: list[Draft] = []
    left_out: list[LeftOut] = []
    keepers: dict[str, Keeper] = {}
    for draft in context.ledger.drafts():
        home = context.ledger.item(draft.proposal).home
        if home not in context.home_ids:
            continue
        keeper = keepers.setdefault(home, Keeper(context, context.one_home(home)))
        now = keeper.hold(draft)
        if isinstance(now, LeftOut):
            left_out.append(now)
            _take_out(context, home, now)
            continue
        kept.append(now)
        if now != draft:
            rebased.append(now)
            _carry_over(context, home, draft, now)
    return Kept(tuple(kept), tuple(rebased), tuple(left_out))


def shown_digest(evaluation: Evaluation, document: str | None, snapshot: Snapshot) -> str:
    """What a decision with the operator's own text names: a digest, else the text's revision."""
    return evaluation.digest or snapshot.document(document or "").revision


class Keeper:
    """Holds decisions on one home, drafted or named, against what is live there."""

    def __init__(self, context: EngineContext, one: OpenHome) -> None:
        self._context = context
        self._home = one.home
        self._evaluator = context.evaluator_of(one.home)

    def hold(self, draft: Draft) -> Draft | LeftOut:
        """The draft as it holds now, or why it does not."""
        state = self._context.ledger.state_of(draft.proposal)
        if state is None or not state.is_open or state is State.QUARANTINED:
            return LeftOut(draft, Fate.DECIDED, f"It is {state or 'gone'}: decided already.")
        if draft.verb in (Verb.REJECT, Verb.DEFER, Verb.SUPERSEDE):
            return draft
        now = self._evaluator.evaluate(self._context.ledger.proposal(draft.proposal))
        if draft.verb is Verb.MERGE:
            return self._merge(draft, now)
        return self._approval(draft, now)

    def _approval(self, draft: Draft, now: Evaluation) -> Draft | LeftOut:
        outcome = now.staged.outcome
        if now.state not in (State.READY, State.LIVE) or not isinstance(outcome, Ready):
            return LeftOut(draft, Fate.MOVED, now.reason)
        match self.approval(now, draft.digest or ""):
            case Holds(digest=digest):
                return replace(draft, digest=digest)
            case Differs(said):
                message = f"What it does now is not what was drafted: {said}."
                return LeftOut(draft, Fate.MOVED, message)

    def approval(self, now: Evaluation, named: str) -> Holds | Differs:
        """Whether an approval of what was shown under a digest holds for what is ready now.

        `named` is that digest, or its beginning.
        """
        if _begins(now.digest, named):
            return Holds(now.digest or "", now.digest or "")
        for _, then in self._earlier(now):
            if _begins(then.digest, named):
                said = [*self._other_edits(then, now), *_other_grounds(then, now)]
                if said:
                    return Differs(", ".join(said))
                return Holds(then.digest or "", now.digest or "")
        return Differs(_FORGOTTEN)

    def _other_edits(self, then: Evaluation, now: Evaluation) -> Iterator[str]:
        was, outcome = then.staged.outcome, now.staged.outcome
        if not isinstance(was, Ready) or not isinstance(outcome, Ready):
            yield f"it was {then.state} and is {now.state}"
        elif self.edits(was.plan) != self.edits(outcome.plan):
            yield "it changes another text, or makes another one of it"
        elif self._beside(was.plan) != self._beside(outcome.plan):
            yield "what stands beside it is about the same matter now, or is no longer"

    def _merge(self, draft: Draft, now: Evaluation) -> Draft | LeftOut:
        match self.merge(now, draft.digest or "", draft.text, draft.document or ""):
            case Holds(digest=digest, text=text):
                return replace(draft, digest=digest, text=text)
            case Differs():
                return LeftOut(draft, Fate.MOVED, "The text that it was written for has changed.")

    def merge(self, now: Evaluation, named: str, text: str | None, path: str) -> Holds | Differs:
        """The same of the operator's own text, carried over to what is live now."""
        shown = shown_digest(now, path, self._evaluator.snapshot)
        if _begins(shown, named):
            return Holds(shown, shown, text)
        for snapshot, then in self._earlier(now):
            was = shown_digest(then, path, snapshot)
            if not _begins(was, named):
                continue
            carried = self._carried(path, text, now, snapshot)
            said = [] if carried is not None else [f"your text does not fit {path} as it is now"]
            said += _other_grounds(then, now)
            return Differs(", ".join(said)) if said else Holds(was, shown, carried)
        return Differs(_FORGOTTEN)

    def _carried(self, path: str, text: str | None, now: Evaluation, then: Snapshot) -> str | None:
        """The operator's own text on what is live now, when it comes to the same edit."""
        live, before = self._evaluator.snapshot.document(path), then.document(path)
        if text is None or live.problem is not None or before.data is None:
            return None
        merged = merge_for(now.proposal, path)(before.text, live.text, text)
        if not isinstance(merged, Clean):
            return None
        wanted = self._edit(path, before.data, text.encode())
        is_same = self._edit(path, live.data, merged.text.encode()) == wanted
        return merged.text if is_same else None

    def _earlier(self, now: Evaluation) -> Iterator[tuple[Snapshot, Evaluation]]:
        """The proposal against earlier states of its documents, newest first."""
        observations = self._context.ledger.observations(self._home.id)
        touching = [one for one in observations if one.path in now.paths]
        for end in range(len(touching), max(0, len(touching) - EARLIER_STATES), -1):
            state = {one.path: one.revision for one in touching[:end]}
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
            evaluator = self._context.evaluator_of(PastHome(self._home, past))
            yield past, evaluator.evaluate(self._context.ledger.proposal(now.proposal.id))

    def edits(self, plan: Plan) -> object:
        """What a plan takes and brings, wherever it stands, with all that goes with it."""
        parts = [self._edit(change.path, change.before, change.after) for change in plan.changes]
        return parts, plan.effects, [(change.mode, change.tree) for change in plan.changes]

    def _beside(self, plan: Plan) -> list[frozenset[str]]:
        """The entries that stay and are like those that go or come, for each memory of a plan."""
        found = []
        for change in plan.changes:
            if not self._evaluator.snapshot.has_entries(change.path):
                continue
            old, new = (units(data, is_memory=True) for data in (change.before, change.after))
            moving = [
                *(one for one in old if one not in new),
                *(one for one in new if one not in old),
            ]
            staying = (one for one in old if one in new)
            found.append(
                frozenset(
                    one for one in staying if any(likeness(one, other, RIVALS) for other in moving)
                )
            )
        return found

    def _edit(self, path: str, before: bytes | None, after: bytes | None) -> object:
        """What goes and what comes, wherever it stands."""
        is_memory = self._evaluator.snapshot.has_entries(path)
        old, new = units(before, is_memory=is_memory), units(after, is_memory=is_memory)
        ends = (before is None, after is None)
        hunks = diff(old, new)
        return path, ends, [(old[h.a_start : h.a_end], new[h.b_start : h.b_end]) for h in hunks]


class PastHome:
    """A home as it was: everything of it but its snapshot is as it is now."""

    def __init__(self, home: Home, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.id = home.id
        self.name = home.name
        self.where = home.where
        self._home = home
        self.kind = home.kind
        self.scan = home.scan
        self.pending = home.pending
        self.parse = home.parse
        self.parse_repaired = home.parse_repaired
        self.claimed = home.claimed
        self.archives = home.archives
        self.documents = home.documents
        self.index_of = home.index_of
        self.skills = home.skills
        self.keeps_conversations = home.keeps_conversations
        self.conversations = home.conversations
        self.stamp = home.stamp

    @property
    def cautions(self) -> tuple[str, ...]:
        """What somebody has to know of it: read when it is asked for."""
        return self._home.cautions

    @property
    def ungated(self) -> tuple[str, ...]:
        """The agent's settings that are off: read when they are asked for."""
        return self._home.ungated

    def snapshot(self) -> Snapshot:
        """The home as it was."""
        return self._snapshot


def units(data: bytes | None, *, is_memory: bool) -> Sequence[str]:
    """What a document is made of: entries for a memory, else lines."""
    text = (data or b"").decode("utf-8", errors="replace")
    return list(entries.parse(text)) if is_memory else lines.split(text)


def _findings(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    found = (one for one in evaluation.findings if one.code not in _PASSING)
    return sorted((one.code, one.severity.value, one.message) for one in found)


def _begins(digest: str | None, named: str) -> bool:
    """Whether this is the digest that was named. None names nothing, and is named by nothing."""
    return bool(named) and digest is not None and digest.startswith(named)


def _other_grounds(then: Evaluation, now: Evaluation) -> Iterator[str]:
    """What there is to be careful about, and what it is like, where that is another now."""
    before, after = _findings(then), _findings(now)
    for said, some, others in (("new", after, before), ("gone", before, after)):
        codes = dict.fromkeys(one[0] for one in some if one not in others)
        yield from (f"the finding {code!r} is {said}" for code in codes)
    if _neighbours(then) != _neighbours(now):
        yield "it is like other texts"


def _neighbours(evaluation: Evaluation) -> frozenset[tuple[str, str, str]]:
    """The texts that it is like, wherever they stand."""
    return frozenset((one.relation.value, one.where, one.text) for one in evaluation.alike)


def give_up(context: EngineContext, left: LeftOut) -> None:
    """A draft is one no longer: it goes back to the queue, and that is journaled."""
    _take_out(context, context.ledger.item(left.draft.proposal).home, left)


def _take_out(context: EngineContext, home: str, left: LeftOut) -> None:
    context.ledger.clear_draft(left.draft.proposal)
    detail: dict[str, object] = {"why": left.fate.value, "message": left.message}
    _journal(context, "draft-moved", home, left.draft, detail)


def _carry_over(context: EngineContext, home: str, before: Draft, after: Draft) -> None:
    context.ledger.put_draft(after)
    detail: dict[str, object] = {"from": before.digest, "to": after.digest}
    _journal(context, "draft-rebased", home, after, detail)


def _journal(
    context: EngineContext, name: str, home: str, draft: Draft, detail: dict[str, object]
) -> None:
    context.ledger.append(
        name,
        home=home,
        subject=draft.proposal,
        actor=context.actor,
        at=context.now(),
        detail=detail,
    )

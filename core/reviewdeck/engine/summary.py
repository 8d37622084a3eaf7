"""What a commit would do: all drafts compared with the live homes and composed into one plan each.

Nothing here changes a byte of a home. A draft whose effect changed goes back to the queue.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.evaluate import Look
from reviewdeck.engine.history import applied_again
from reviewdeck.engine.holding import DraftChecker, LeftOut, LeftOutReason, units
from reviewdeck.engine.quorum import about_writes, needed, second_vote
from reviewdeck.engine.reverse import drop_own, is_take_back, take_back_id
from reviewdeck.errors import NotDecidable
from reviewdeck.model import About, Change, Dead, Draft, Plan, Ready, Staged, State, Verb
from reviewdeck.model.votes import Quorum, Vote
from reviewdeck.planning.compose import Composed, writes
from reviewdeck.planning.overlay import Overlay
from reviewdeck.planning.stage import stage
from reviewdeck.ports import Snapshot
from reviewdeck.text import entries
from reviewdeck.text.diff import diff

MOST_SIBLINGS = 200
"""The most open proposals that are checked for becoming obsolete."""

_NO_REJECTION = "The rejection that it was drafted with is no longer drafted."
_NOT_DRAFTED = "The proposal that supersedes it is no longer drafted."
_NOT_WRITTEN = "The proposal that supersedes it has yet to be written."
_CLASHES = "The proposal that supersedes it does not fit after the other drafts."
_TWICE = "Another draft applies what it would apply again."


@dataclass(frozen=True, slots=True)
class DraftedDocument:
    """One document from what it is to what all drafts on it make of it."""

    home: str
    change: Change
    proposals: tuple[str, ...]
    """The drafted proposals, in the order in which they are applied."""
    room: entries.SizeChange | None
    removed: tuple[str, ...]
    """Entries, or lines, that are removed."""
    added: int = 0
    """How many entries, or lines, are new."""

    @property
    def path(self) -> str:
        return self.change.path


@dataclass(frozen=True, slots=True)
class HomePart:
    """The part of a commit for one home: one plan, one digest."""

    home: str
    drafts: tuple[Draft, ...]
    composed: Composed
    shown: str
    """The digest that was shown."""
    digest: str
    """The digest that the decision names: of the same effect on the home as it is now."""
    look: Look | None = None
    """The home that it was planned on."""
    documents: tuple[DraftedDocument, ...] = ()
    vote: Vote | None = None
    """The other operator's that it rests on, where two have to approve it: exactly this digest."""


@dataclass(frozen=True, slots=True)
class Superseded:
    """An open proposal that a commit makes obsolete."""

    proposal: str
    by: str


@dataclass(frozen=True, slots=True)
class Summary:
    """A commit's plans and decisions, and the drafts it leaves out."""

    parts: tuple[HomePart, ...] = ()
    quiet: tuple[Draft, ...] = ()
    """Decisions that write nothing: rejections, deferrals, keeping."""
    rebased: tuple[Draft, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    votes: tuple[HomePart, ...] = ()
    """Approvals that wait for another operator's, each alone: they are stored and write nothing."""
    superseded: tuple[Superseded, ...] = ()

    @property
    def documents(self) -> tuple[DraftedDocument, ...]:
        return tuple(document for part in self.parts for document in part.documents)

    @property
    def shown(self) -> tuple[DraftedDocument, ...]:
        """The documents to read: those that are written, then those that are voted for."""
        return tuple(document for part in (*self.parts, *self.votes) for document in part.documents)

    @property
    def voting(self) -> tuple[Draft, ...]:
        """The drafts that are stored as votes."""
        return tuple(draft for part in self.votes for draft in part.drafts)

    @property
    def amount(self) -> int:
        """The number of drafts that are decided."""
        return len(self.quiet) + len(self.votes) + sum(len(part.drafts) for part in self.parts)

    @property
    def digest(self) -> str:
        noted = (*self.quiet, *self.voting)
        quiet = (f"{draft.verb}:{draft.proposal}:{draft.reason}" for draft in noted)
        text = "\n".join([*(part.digest for part in self.parts), *quiet])
        return hashlib.sha256(text.encode()).hexdigest()


class _Drafts:
    """The drafts of one summary, sorted into what is written, what is only noted, what waits."""

    def __init__(self, engine: EngineContext) -> None:
        self._engine = engine
        self._ledger = engine.ledger
        self._checkers: dict[str, DraftChecker] = {}
        self.rebased: list[Draft] = []
        self.left_out: list[LeftOut] = []

    def summary(self) -> Summary:
        drafts = self._without_stray_reverts(self._held())
        drafts, voting, seconded = self._shared(drafts)
        quiet = [draft for draft in drafts if self._is_quiet(draft)]
        writing = self._once([d for d in drafts if d.verb in WRITING and d not in quiet])
        alone = [draft for draft in writing if draft.proposal in seconded]
        writing = [draft for draft in writing if draft not in alone]
        parts, superseded = list[HomePart](), list[Superseded]()
        for draft in alone:
            part = self._part(self._home_of(draft), [draft])
            if part.drafts:
                # Of an own text too, a vote names the digest of the proposal as it was shown.
                shown = draft.digest or part.digest
                vote = seconded[draft.proposal]
                parts.append(replace(part, shown=shown, digest=shown, vote=vote))
                superseded += self._superseded(part, {draft.proposal for draft in drafts})
        for home in self._engine.home_ids:
            ours = [draft for draft in writing if self._home_of(draft) == home]
            if ours and (part := self._part(home, ours)).drafts:
                parts.append(part)
                superseded += self._superseded(part, {draft.proposal for draft in drafts})
        fitting = frozenset(draft.proposal for part in parts for draft in part.drafts)
        quiet += self._following([d for d in drafts if d.verb is Verb.SUPERSEDE], fitting)
        votes = tuple(part for draft in voting if (part := self._vote(draft)).drafts)
        left_out = tuple(self.left_out)
        return Summary(
            tuple(parts), tuple(quiet), tuple(self.rebased), left_out, votes, tuple(superseded)
        )

    def _vote(self, draft: Draft) -> HomePart:
        """What an approval by two would write; nothing where they keep what is live already."""
        home = self._home_of(draft)
        if not self._is_quiet(draft):
            return self._part(home, [draft])
        digest = draft.digest or ""
        return HomePart(home, (draft,), Composed(Plan(home, ()), {}), digest, digest)

    def _shared(
        self, drafts: list[Draft]
    ) -> tuple[list[Draft], tuple[Draft, ...], dict[str, Vote]]:
        """Without the drafts that wait for another operator, which are votes; and who seconds.

        What somebody proposed themselves is left to others: it stays in the queue.
        """
        quorum = self._engine.quorum
        if quorum.needs < 2:
            return drafts, (), {}
        deciding, votes, seconded = list[Draft](), list[Draft](), dict[str, Vote]()
        for draft in drafts:
            about = self._about(draft) if draft.verb in WRITING else None
            if about is None or not self._is_shared(draft, quorum):
                deciding.append(draft)
                continue
            try:
                vote = second_vote(self._engine, draft, about)
            except NotDecidable as own:
                self._return(LeftOut(draft, LeftOutReason.MOVED, own.message))
                continue
            if vote is None:
                votes.append(draft)
            else:
                deciding.append(draft)
                seconded[draft.proposal] = vote
        return deciding, tuple(votes), seconded

    def _about(self, draft: Draft) -> About:
        home = self._home_of(draft)
        return about_writes(home, draft.proposal, self._writes(draft))

    def _writes(self, draft: Draft) -> tuple[Change, ...]:
        if self._is_quiet(draft):
            return ()
        return writes(self._checker(self._home_of(draft)).compose([draft]).plan)

    def _is_shared(self, draft: Draft, quorum: Quorum) -> bool:
        checker = self._checker(self._home_of(draft))
        evaluation = checker.evaluation(draft.proposal)
        return needed(quorum, evaluation, self._writes(draft), checker.snapshot) > 1

    def _held(self) -> list[Draft]:
        """The drafts that hold, oldest first, with current digests."""
        drafts = []
        for draft in self._engine.drafts:
            held = self._checker(self._home_of(draft)).hold(draft)
            if isinstance(held, LeftOut):
                if held.fate is LeftOutReason.OVERTAKEN:
                    self.left_out.append(held)
                elif held.fate is not LeftOutReason.AWAITED:  # It goes once it is written.
                    self._return(held)
                continue
            drafts.append(held.draft)
            if held.draft != draft:
                self.rebased.append(held.draft)
                self._ledger.put_draft(held.draft)
                detail: dict[str, object] = {"from": draft.digest, "to": held.draft.digest}
                self._journal("draft-rebased", draft, detail)
        return drafts

    def _without_stray_reverts(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Without reverts that were drafted with the rejection of a live change that is no draft.

        They leave the queue: what is kept now, or went on changing, is not reverted.
        """
        engine = self._engine
        led = {
            take_back_id(engine, draft.proposal, draft.reason)
            for draft in drafts
            if is_take_back(engine, draft)
        }
        stray = [d for d in drafts if d.proposal not in led and self._is_revert(d)]
        for draft in stray:
            self._return(LeftOut(draft, LeftOutReason.MOVED, _NO_REJECTION))
            drop_own(engine, draft.proposal)
        return [draft for draft in drafts if draft not in stray]

    def _is_revert(self, draft: Draft) -> bool:
        """Whether it was drafted with a rejection, for its reason, and not approved by itself."""
        is_own = draft.verb is Verb.APPROVE and bool(draft.reason)
        return is_own and self._ledger.proposal(draft.proposal).takes_back is not None

    def _is_quiet(self, draft: Draft) -> bool:
        """Whether it writes nothing: it rejects, defers, or keeps what is live already."""
        if draft.verb is Verb.APPROVE:
            return bool(self._ledger.proposal(draft.proposal).outside)
        return draft.verb in (Verb.REJECT, Verb.DEFER, Verb.CLAIM)

    def _once(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Without undos that would apply a proposal again that another of these drafts applies."""
        drafted = {draft.proposal for draft in drafts}
        once = []
        for draft in drafts:
            undoes = self._ledger.proposal(draft.proposal).undoes
            again = (
                ()
                if undoes is None
                else applied_again(self._ledger, self._ledger.operation(undoes))
            )
            if drafted & {proposal for proposal, _ in again}:
                self.left_out.append(LeftOut(draft, LeftOutReason.CLASHES, _TWICE))
            else:
                once.append(draft)
        return once

    def _part(self, home: str, drafts: Sequence[Draft]) -> HomePart:
        """The part of a commit for one home, without the drafts that do not fit."""
        checker = self._checker(home)
        composed = checker.compose(drafts)
        clashing = {staged.proposal.id: staged.outcome for staged in composed.unapplicable}
        fitting = tuple(draft for draft in drafts if draft.proposal not in clashing)
        if clashing and fitting:
            composed = checker.compose(fitting)
        self.left_out += [
            LeftOut(draft, LeftOutReason.CLASHES, _clash_message(clashing[draft.proposal]))
            for draft in drafts
            if draft.proposal in clashing
        ]
        documents = [_document_of(composed, c, checker.snapshot) for c in composed.plan.changes]
        digest = composed.plan.digest
        return HomePart(home, fitting, composed, digest, digest, checker.look, tuple(documents))

    def _superseded(self, part: HomePart, drafted: set[str]) -> list[Superseded]:
        evaluator = self._checker(part.home).evaluator
        after = Overlay(evaluator.snapshot, part.composed.plan.changes)
        by_path = {document.path: document.proposals[-1] for document in part.documents}
        superseded: list[Superseded] = []
        looked = 0
        for proposal in self._ledger.open_proposals(part.home):
            if proposal.id in drafted or proposal.outside or looked >= MOST_SIBLINGS:
                continue
            based = evaluator.with_bases(proposal)
            now = stage(based, evaluator.snapshot).outcome
            path = next((path for path in _paths(now) if path in by_path), None)
            if path is None:
                continue
            looked += 1
            if isinstance(stage(based, after).outcome, Dead):
                superseded.append(Superseded(proposal.id, by_path[path]))
        return superseded

    def _following(self, drafts: Sequence[Draft], fitting: frozenset[str]) -> list[Draft]:
        """The drafts to supersede whose winner is written by the commit.

        One whose winner is no longer drafted goes back to the queue.
        """
        following: list[Draft] = []
        drafted = {draft.proposal for draft in self._engine.drafts}
        for draft in drafts:
            winner = draft.reason
            state = self._ledger.state_of(winner)
            if winner in fitting or state is State.APPLIED:
                following.append(draft)
            elif state in (State.APPROVED, State.APPLYING):
                self.left_out.append(LeftOut(draft, LeftOutReason.AWAITED, _NOT_WRITTEN))
            elif winner in drafted:
                self.left_out.append(LeftOut(draft, LeftOutReason.CLASHES, _CLASHES))
            else:
                self._return(LeftOut(draft, LeftOutReason.MOVED, _NOT_DRAFTED))
        return following

    def _return(self, left_out: LeftOut) -> None:
        """Takes a draft back into the queue, with an event."""
        self.left_out.append(left_out)
        self._ledger.clear_draft(left_out.draft.proposal)
        detail: dict[str, object] = {"why": left_out.fate.value, "message": left_out.message}
        self._journal("draft-moved", left_out.draft, detail)

    def _journal(self, name: str, draft: Draft, detail: dict[str, object]) -> None:
        engine = self._engine
        self._ledger.append(
            name,
            home=self._home_of(draft),
            subject=draft.proposal,
            actor=engine.actor,
            at=engine.now(),
            detail=detail,
        )

    def _checker(self, home: str) -> DraftChecker:
        if home not in self._checkers:
            self._checkers[home] = DraftChecker(self._engine, self._engine.home_by_id(home))
        return self._checkers[home]

    def _home_of(self, draft: Draft) -> str:
        return self._ledger.item(draft.proposal).home


WRITING = (Verb.APPROVE, Verb.MERGE)
"""The verbs of decisions that write to a home."""


def summary(engine: EngineContext) -> Summary:
    """All drafts composed and compared with the live homes. Changes no byte of a home."""
    return _Drafts(engine).summary()


def _document_of(composed: Composed, change: Change, snapshot: Snapshot) -> DraftedDocument:
    limit = snapshot.budget(change.path)
    is_memory = snapshot.has_entries(change.path)
    old = units(change.before, is_memory=is_memory)
    new = units(change.after, is_memory=is_memory)
    room = (
        None if limit is None else entries.SizeChange(entries.size(old), entries.size(new), limit)
    )
    proposals = tuple(
        step.proposal
        for step in composed.plan.steps
        if any(step_change.path == change.path for step_change in step.changes)
    )
    hunks = diff(old, new)
    removed = tuple(text for hunk in hunks for text in old[hunk.a_start : hunk.a_end])
    added = sum(hunk.b_end - hunk.b_start for hunk in hunks)
    return DraftedDocument(composed.plan.home, change, proposals, room, removed, added)


def _clash_message(outcome: Staged) -> str:
    if isinstance(outcome, Dead):
        return f"It does not fit after the other drafts: {outcome.message}"
    return "It changes the same thing as another draft."


def _paths(outcome: Staged) -> tuple[str, ...]:
    if isinstance(outcome, Ready):
        return tuple(change.path for change in outcome.plan.changes)
    return () if isinstance(outcome, Dead) else (outcome.path,)

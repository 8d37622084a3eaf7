"""An operator's drafts: stored, dropped, undone and redone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias, assert_never

from reviewdeck.errors import ReviewdeckError
from reviewdeck.model import Draft, QueueItem, Verb
from reviewdeck.presentation.proposal_words import gist, request_line
from reviewdeck.presentation.words import count
from reviewdeck_tui.queue.view import Backlog

if TYPE_CHECKING:
    from reviewdeck_tui.screens.deck import DeckScreen

_UNDO = "The undo is drafted: ^s shows it, y there writes it."
_MOST = 24
"""Characters of a proposal's words in the name of a step."""
_VERBS: Final = {
    Verb.APPROVE: "approve",
    Verb.MERGE: "merge",
    Verb.REJECT: "reject",
    Verb.DEFER: "defer",
    Verb.SUPERSEDE: "supersede",
    Verb.KEEP: "keep",
    Verb.CLAIM: "claim",
    Verb.REOPEN: "reopen",
}

Drafts: TypeAlias = Mapping[str, Draft | None]
"""By proposal, its draft; None where it has none."""


@dataclass(frozen=True, slots=True)
class DraftStep:
    """A change of drafts, from `before` to `after`."""

    name: str
    """Its name in messages: ``approve 'Give times in UTC'``."""
    before: Drafts
    after: Drafts


@dataclass(frozen=True, slots=True)
class CommitStep:
    """One commit. Its undo is drafted, and written through the summary."""

    name: str
    operations: tuple[str, ...]
    """Ids, newest first."""
    is_redo: bool = False
    """Whether the operations are a written undo, so that undoing them redoes the commit."""


Step: TypeAlias = DraftStep | CommitStep


class DraftController:
    """Stores drafts in the ledger, with their undo and redo stacks. Writes to no home."""

    def __init__(self, host: DeckScreen) -> None:
        self._host = host
        self._undo_stack: list[Step] = []
        """The undo stack, newest last."""
        self._redo_stack: list[Step] = []
        """The redo stack, newest last."""
        self._unstored = 0

    @property
    def is_storing(self) -> bool:
        """Whether a change of drafts is on its way: what was asked for after it waits for it."""
        return self._unstored > 0

    def of(self, id: str) -> Draft | None:
        """The draft of a proposal."""
        return self._host.backlog.drafts.get(id)

    def new(
        self, item: QueueItem, verb: Verb, *, digest: str | None = None, reason: str = ""
    ) -> Draft:
        """A draft as of now, not stored yet."""
        return Draft(item.id, verb, digest, self._host.now(), reason=reason)

    def put(self, drafts: Sequence[Draft], report: str) -> None:
        """Stores drafts as one step."""
        self.record(drafts)
        step = self._undo_stack[-1] if drafts else None

        def job() -> Backlog:
            try:
                return self._host.engine.put_drafts(drafts)
            except ReviewdeckError:
                self._host.call_later(self._forget, step)  # There is nothing to undo.
                raise

        self._change(job, report)

    def _forget(self, step: Step | None) -> None:
        self._undo_stack = [each for each in self._undo_stack if each is not step]
        self._host.show_bars()

    def drop(self, ids: Sequence[str], report: str) -> None:
        self.record_drop(ids)
        self._restore(dict.fromkeys(ids), report)

    def record_drop(self, ids: Sequence[str]) -> None:
        """Pushes a step for drafts that are dropped, while the backlog still has them."""
        before = {id: self.of(id) for id in ids}
        words = self._words_of(ids)
        self._push(DraftStep(f"drop the draft of {words}", before, dict.fromkeys(ids)))

    def with_followers(self, ids: Sequence[str]) -> tuple[str, ...]:
        """These ids, and the proposals whose drafts supersede them in favour of one of these."""
        drafts = self._host.backlog.drafts.values()
        return tuple(
            dict.fromkeys((*ids, *(draft.proposal for draft in drafts if _follows(draft, ids))))
        )

    def record(self, drafts: Sequence[Draft]) -> None:
        """Pushes a step for drafts that are stored already, so that undo restores the old ones."""
        if drafts:
            before = {draft.proposal: self.of(draft.proposal) for draft in drafts}
            after = {draft.proposal: draft for draft in drafts}
            words = self._words_of(
                [draft.proposal for draft in drafts if not _follows(draft, after)]
            )
            self._push(DraftStep(f"{_VERBS[drafts[0].verb]} {words}", before, after))

    def record_commit(self, operations: Sequence[str]) -> None:
        """Drops the steps of decided drafts, and pushes one for the operations that a commit wrote:
        the next undo drafts their undo.

        If they were the undo of an earlier commit, the next redo drafts the undo of that.
        """
        newest = tuple(reversed(operations))
        undo = next(
            (step for step in reversed(self._redo_stack) if isinstance(step, CommitStep)), None
        )
        commits = (step for step in self._undo_stack if isinstance(step, CommitStep))
        self._undo_stack = [step for step in commits if not step.is_redo]
        self._redo_stack = []
        if newest:
            self._undo_stack.append(
                CommitStep(f"write of {count(len(newest), 'proposal')}", newest)
            )
        if newest and undo is not None:
            self._redo_stack = [CommitStep(undo.name, newest, is_redo=True)]

    @property
    def next_undo(self) -> str:
        """The name of the step that the next undo takes back; empty when there is none."""
        if steps := self._undoable:
            return steps[-1].name
        newest = self._newest
        return "" if newest is None else self._name_of(newest)

    def undo(self) -> None:
        """Undoes the last step; of a commit it drafts the undo.

        If another program changed the drafts of that step since, nothing is undone.
        """
        self._undo_stack = self._undoable
        if not self._undo_stack:
            if (newest := self._newest) is None:
                self._host.say("There is nothing to undo.")
                return
            # The draft of an earlier deck.
            self._undo_stack.append(
                DraftStep(self._name_of(newest), {newest.proposal: None}, {newest.proposal: newest})
            )
        step = self._undo_stack.pop()
        match step:
            case DraftStep(name, before, after):
                if self._is_outdated(f"Not undone: {name}", after):
                    return
                self._redo_stack.append(step)
                self._restore(before, f"Undone: {name}. Z redoes it.")
            case CommitStep():
                self._redo_stack.append(step)
                self._toggle_undo_drafts(step, is_drafted=not step.is_redo)
            case _:
                assert_never(step)

    def redo(self) -> None:
        """Redoes the step undone last; if its undo is written, drafts the undo of that."""
        if not self._redo_stack:
            self._host.say("There is nothing to redo.")
            return
        step = self._redo_stack.pop()
        match step:
            case DraftStep(name, before, after):
                if self._is_outdated(f"Not redone: {name}", before):
                    return
                self._undo_stack.append(step)
                self._restore(after, f"Redone: {name}.")
            case CommitStep():
                self._undo_stack.append(step)
                self._toggle_undo_drafts(step, is_drafted=step.is_redo)
            case _:
                assert_never(step)

    def _toggle_undo_drafts(self, step: CommitStep, *, is_drafted: bool) -> None:
        engine = self._host.engine
        if is_drafted:
            self._change(lambda: engine.draft_undos(step.operations), _UNDO)
        else:
            report = f"The drafts of its undo are dropped: the {step.name} stays."
            self._change(lambda: engine.withdraw_undos(step.operations), report)

    def undo_applied(self, id: str) -> None:
        """Drafts the undo of what a proposal wrote."""

        def job() -> Backlog:
            engine = self._host.engine
            return engine.draft_undos(engine.operations_of(id))

        self._change(job, _UNDO)

    @property
    def _undoable(self) -> list[Step]:
        """The undo stack, down to a step of which others have not decided all that it drafted.

        `u` drops what they have.
        """
        steps, overtaken = [*self._undo_stack], self._host.backlog.people.overtaken
        while steps:
            last = steps[-1]
            if isinstance(last, CommitStep) or not overtaken.keys() >= last.after.keys():
                break
            steps.pop()
        return steps

    @property
    def _newest(self) -> Draft | None:
        backlog = self._host.backlog
        drafts = [one for id, one in backlog.drafts.items() if id not in backlog.people.overtaken]
        return max(drafts, key=lambda draft: draft.at, default=None)

    def _name_of(self, draft: Draft) -> str:
        return f"{_VERBS[draft.verb]} {self._words_of([draft.proposal])}"

    def _words_of(self, ids: Sequence[str]) -> str:
        """A proposal in a few words of its own; several as a number."""
        if len(ids) != 1:
            return count(len(ids), "proposal")
        item = self._host.backlog.store.get(ids[0])
        words = ids[0] if item is None else (gist(item) or request_line(item))
        return f"'{words[:_MOST].rstrip()}…'" if len(words) > _MOST else f"'{words}'"

    def _push(self, step: Step) -> None:
        self._undo_stack.append(step)
        self._redo_stack.clear()

    def _is_outdated(self, lead: str, expected: Drafts) -> bool:
        """Whether the drafts are no longer as a step left them; then the operator is told."""
        if all(_is_same(self.of(id), draft) for id, draft in expected.items()):
            return False
        self._host.say(f"{lead}, its draft changed since.", "flag")
        return True

    def _restore(self, earlier: Mapping[str, Draft | None], report: str) -> None:
        self._change(lambda: self._host.engine.restore_drafts(earlier), report)

    def _change(self, job: Callable[[], Backlog], report: str) -> None:
        self._unstored += 1

        def stored() -> None:
            self._unstored -= 1

        def run() -> Backlog:
            try:
                return job()
            finally:
                self._host.call_later(stored)

        self._host.work(run, lambda backlog: self._host.show_backlog(backlog, report))


def _is_same(current: Draft | None, expected: Draft | None) -> bool:
    """Whether two drafts are the same decision: one whose base moved is carried over."""
    if current is None or expected is None:
        return current is expected
    return (current.verb, current.reason, current.document) == (
        expected.verb,
        expected.reason,
        expected.document,
    )


def _follows(draft: Draft, leaders: Collection[str]) -> bool:
    """Whether a draft supersedes its proposal in favour of one of these."""
    return draft.verb is Verb.SUPERSEDE and draft.reason in leaders

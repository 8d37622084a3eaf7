"""The drafts of an operator: made, dropped, and taken back in the order in which they were made."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from textual.message import Message

from reviewdeck.model import Draft, QueueItem, Verb
from reviewdeck.presentation.proposal_words import gist, wanted
from reviewdeck.presentation.words import count
from reviewdeck_tui.controllers.host import Host
from reviewdeck_tui.messages import Stocked
from reviewdeck_tui.queue.view import Stock

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
    """One change of drafts, from what they were to what they became."""

    name: str
    """What it is called: ``approve 'Give times in UTC'``."""
    before: Drafts
    after: Drafts


@dataclass(frozen=True, slots=True)
class CommitStep:
    """What one commit wrote. It is undone by drafts of its undo, through the summary."""

    name: str
    operations: tuple[str, ...]
    """Newest first."""
    is_redo: bool = False
    """Whether they are a written undo: drafting the undo of them is what does it again."""


Step: TypeAlias = DraftStep | CommitStep


class DraftController:
    """Keeps drafts in the ledger, and what to go back to. Writes to no home."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._done: list[Step] = []
        """What can be undone, the newest last."""
        self._undone: list[Step] = []
        """What was undone and can be done again, the newest last."""

    def of(self, id: str) -> Draft | None:
        """The draft of a proposal."""
        return self._host.stock.drafts.get(id)

    def new(
        self, item: QueueItem, verb: Verb, *, digest: str | None = None, reason: str = ""
    ) -> Draft:
        """A draft of now; it is not kept yet."""
        return Draft(item.id, verb, digest, self._host.now(), reason=reason)

    def put(self, drafts: Sequence[Draft], said: str) -> None:
        """Keeps drafts, as one step."""
        self.remember(drafts)
        self._change(lambda: self._host.engine.put_drafts(drafts), said)

    def drop(self, ids: Sequence[str], said: str) -> None:
        """Drops drafts, as one step."""
        before = {id: self.of(id) for id in ids}
        what = self._words_of(ids)
        self._push(DraftStep(f"drop the draft of {what}", before, dict.fromkeys(ids)))
        self._restore(dict.fromkeys(ids), said)

    def with_followers(self, ids: Sequence[str]) -> tuple[str, ...]:
        """These, and the proposals whose drafts supersede them in favour of one of these."""
        drafts = self._host.stock.drafts.values()
        return tuple(dict.fromkeys((*ids, *(one.proposal for one in drafts if _follows(one, ids)))))

    def remember(self, drafts: Sequence[Draft]) -> None:
        """These drafts are kept now: what was drafted before is what the next undo goes back to."""
        if drafts:
            before = {draft.proposal: self.of(draft.proposal) for draft in drafts}
            after = {draft.proposal: draft for draft in drafts}
            words = self._words_of([one.proposal for one in drafts if not _follows(one, after)])
            self._push(DraftStep(f"{_VERBS[drafts[0].verb]} {words}", before, after))

    def wrote(self, operations: Sequence[str]) -> None:
        """A commit wrote these: the next undo drafts theirs.

        Where it wrote the undo of an earlier commit, the next redo drafts the undo of that.
        """
        newest = tuple(reversed(operations))
        undo = next((one for one in reversed(self._undone) if isinstance(one, CommitStep)), None)
        commits = (one for one in self._done if isinstance(one, CommitStep))
        self._done = [one for one in commits if not one.is_redo]
        self._undone = []
        if newest:
            self._done.append(CommitStep(f"write of {count(len(newest), 'proposal')}", newest))
        if newest and undo is not None:
            self._undone = [CommitStep(undo.name, newest, is_redo=True)]

    @property
    def next_undo(self) -> str:
        """What the next undo takes back, in words; empty when there is nothing."""
        if self._done:
            return self._done[-1].name
        newest = self._newest
        return "" if newest is None else self._name_of(newest)

    @property
    def next_redo(self) -> str:
        """What the next redo does again, in words; empty when there is nothing."""
        return self._undone[-1].name if self._undone else ""

    def undo(self) -> None:
        """Takes the last step back; of a commit it drafts the undo.

        What is not as that step left it was changed by somebody else: then nothing is taken back.
        """
        if not self._done:
            if (newest := self._newest) is None:
                self._host.say("There is nothing to take back.")
                return
            # It was drafted by an earlier deck.
            self._done.append(
                DraftStep(self._name_of(newest), {newest.proposal: None}, {newest.proposal: newest})
            )
        step = self._done.pop()
        match step:
            case DraftStep(name, before, after):
                if self._is_moved(f"Not undone: {name}", after):
                    return
                self._undone.append(step)
                self._restore(before, f"Undone: {name}. Z does it again.")
            case CommitStep():
                self._undone.append(step)
                self._turn(step, is_drafted=not step.is_redo)
            case _:
                assert_never(step)

    def redo(self) -> None:
        """Does again what was undone last; where its undo is written, drafts the undo of that."""
        if not self._undone:
            self._host.say("There is nothing to do again.")
            return
        step = self._undone.pop()
        match step:
            case DraftStep(name, before, after):
                if self._is_moved(f"Not done again: {name}", before):
                    return
                self._done.append(step)
                self._restore(after, f"Done again: {name}.")
            case CommitStep():
                self._done.append(step)
                self._turn(step, is_drafted=step.is_redo)
            case _:
                assert_never(step)

    def _turn(self, step: CommitStep, *, is_drafted: bool) -> None:
        """Drafts the undo of what a commit wrote, or takes these drafts back."""
        engine = self._host.engine
        if is_drafted:
            self._change(lambda: engine.draft_undos(step.operations), _UNDO)
        else:
            said = f"The drafts of its undo are taken back: the {step.name} stands."
            self._change(lambda: engine.withdraw_undos(step.operations), said)

    def undo_applied(self, id: str) -> None:
        """Drafts the undo of what a proposal wrote."""

        def job() -> Stock:
            engine = self._host.engine
            return engine.draft_undos(engine.operations_of(id))

        self._change(job, _UNDO)

    @property
    def _newest(self) -> Draft | None:
        drafts = self._host.stock.drafts.values()
        return max(drafts, key=lambda draft: draft.at, default=None)

    def _name_of(self, draft: Draft) -> str:
        return f"{_VERBS[draft.verb]} {self._words_of([draft.proposal])}"

    def _words_of(self, ids: Sequence[str]) -> str:
        """A proposal in a few words of its own; several as their number."""
        if len(ids) != 1:
            return count(len(ids), "proposal")
        item = self._host.stock.shelf.get(ids[0])
        said = ids[0] if item is None else (gist(item) or wanted(item))
        return f"'{said[:_MOST].rstrip()}…'" if len(said) > _MOST else f"'{said}'"

    def _push(self, step: Step) -> None:
        self._done.append(step)
        self._undone.clear()

    def _is_moved(self, lead: str, expected: Drafts) -> bool:
        """Whether the drafts are not what a step left, which the operator is told then."""
        if all(_is_same(self.of(id), draft) for id, draft in expected.items()):
            return False
        self._host.say(f"{lead} is not the newest any more, its draft changed since.", "flag")
        return True

    def _restore(self, earlier: Mapping[str, Draft | None], said: str) -> None:
        self._change(lambda: self._host.engine.restore_drafts(earlier), said)

    def _change(self, job: Callable[[], Stock], said: str) -> None:
        def run() -> Message:
            return Stocked(job(), said)

        self._host.work(run)


def _is_same(now: Draft | None, then: Draft | None) -> bool:
    """Whether it is the same decision: a draft is carried over where only its base moved."""
    if now is None or then is None:
        return now is then
    return (now.verb, now.reason, now.document) == (then.verb, then.reason, then.document)


def _follows(draft: Draft, leaders: Collection[str]) -> bool:
    """Whether a draft supersedes its proposal in favour of one of these."""
    return draft.verb is Verb.SUPERSEDE and draft.reason in leaders

"""The drafts of an operator: made, dropped, and taken back in the order in which they were made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from textual.message import Message

from reviewdeck.model import Draft, QueueItem, Verb
from reviewdeck_tui.controllers.host import Host
from reviewdeck_tui.messages import Stocked
from reviewdeck_tui.queue.view import Stock

_UNDO = "The undo is drafted: ^s shows it, y there writes it."


class DraftController:
    """Keeps drafts in the ledger, and what to go back to. Writes to no home."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._steps: list[Mapping[str, Draft | None]] = []
        """For each change, what was drafted before it."""
        self._written: list[tuple[str, ...]] = []
        """The operations of each commit, newest first."""

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
        self.remember(draft.proposal for draft in drafts)
        self._change(lambda: self._host.engine.put_drafts(drafts), said)

    def drop(self, ids: Sequence[str], said: str) -> None:
        """Drops drafts, as one step."""
        self.remember(ids)
        self._restore(dict.fromkeys(ids), said)

    def with_followers(self, ids: Sequence[str]) -> tuple[str, ...]:
        """These, and the proposals whose drafts supersede them in favour of one of these."""
        drafts = self._host.stock.drafts.values()
        return tuple(dict.fromkeys((*ids, *(one.proposal for one in drafts if _follows(one, ids)))))

    def remember(self, ids: Iterable[str]) -> None:
        """What is drafted of these now is what the next undo goes back to."""
        self._steps.append({id: self.of(id) for id in ids})

    def wrote(self, operations: Sequence[str]) -> None:
        """A commit wrote these: the next undo drafts theirs."""
        self._steps.clear()
        if operations:
            self._written.append(tuple(reversed(operations)))

    def take_back(self) -> None:
        """Undoes the last step; without one, drafts the undo of the last commit."""
        drafts = self._host.stock.drafts
        if self._steps:
            self._restore(self._steps.pop(), "The last draft is taken back.")
        elif self._written:
            operations = self._written.pop()
            self._change(lambda: self._host.engine.draft_undos(operations), _UNDO)
        elif drafts:
            last = max(drafts.values(), key=lambda draft: draft.at)
            self._restore({last.proposal: None}, "The newest draft is taken back.")
        else:
            self._host.say("There is nothing to take back.")

    def undo_applied(self, id: str) -> None:
        """Drafts the undo of what a proposal wrote."""

        def job() -> Stock:
            engine = self._host.engine
            return engine.draft_undos(engine.operations_of(id))

        self._change(job, _UNDO)

    def _restore(self, earlier: Mapping[str, Draft | None], said: str) -> None:
        self._change(lambda: self._host.engine.restore_drafts(earlier), said)

    def _change(self, job: Callable[[], Stock], said: str) -> None:
        def run() -> Message:
            return Stocked(job(), said)

        self._host.work(run)


def _follows(draft: Draft, leaders: Sequence[str]) -> bool:
    """Whether a draft supersedes its proposal in favour of one of these."""
    return draft.verb is Verb.SUPERSEDE and draft.reason in leaders

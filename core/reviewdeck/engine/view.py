"""The read-only side of the engine: some homes and one ledger. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from reviewdeck.engine.stamp import combine_stamp
from reviewdeck.errors import HomeUnavailable
from reviewdeck.model import (
    OUTSIDE,
    Actor,
    Marks,
    Observation,
    Proposal,
    QueueItem,
    State,
)

if TYPE_CHECKING:
    from reviewdeck.engine.evaluation import Evaluation
    from reviewdeck.engine.history import Blamed
    from reviewdeck.engine.source_turns import SourceTurns
    from reviewdeck.ledger.reader import LedgerReader
    from reviewdeck.model.changes import DocumentChanges
    from reviewdeck.policy.in_force import Policy
    from reviewdeck.ports import AuthorityReader, Clock, Home

# A count needs neither rules nor planner: modules that load them are imported where used.


@dataclass(frozen=True, slots=True)
class View:
    """The homes of one operator as they are, and one ledger to be read."""

    homes: tuple[Home, ...]
    ledger: LedgerReader
    now: Clock
    actor: Actor
    authority: AuthorityReader
    policy: Callable[[], Policy]
    """Gives the policy that holds now."""

    @property
    def home_ids(self) -> tuple[str, ...]:
        """The ids of the homes at hand."""
        return tuple(home.id for home in self.homes)

    def home(self, id: str | None = None) -> Home:
        """The home by this id or name; without one, the only home. Raises HomeUnavailable."""
        homes = [home for home in self.homes if id in (None, home.id, home.name)]
        if len(homes) == 1:
            return homes[0]
        raise HomeUnavailable("Which home?" if homes else f"There is no home {id!r} at hand.")

    def is_fresh(self, home: Home) -> bool:
        """Whether nothing moved since the last intake: neither the home nor the policy."""
        stamp = combine_stamp(home.stamp(home.documents()), self.policy().mark)
        return self.ledger.stamp(home.id) == stamp

    def pending(
        self, states: Sequence[State] = (), *, after: int | None = None, limit: int = 100
    ) -> tuple[QueueItem, ...]:
        """A page of the queue, newest first, as the last intake left it. Open ones by default."""
        from reviewdeck.model.ledger import Filter

        chosen = tuple(states) or tuple(state for state in State if state.is_open)
        return self._as_written(
            self.ledger.page(Filter(self.home_ids, chosen), after=after, limit=limit)
        )

    def find(self, id: str) -> QueueItem:
        """One line of the queue, by our id, a unique prefix of it, or the agent's own id."""
        item = self.ledger.item(self.ledger.resolve(id, self.home_ids))
        return self._as_written((item,))[0]

    def _as_written(self, items: tuple[QueueItem, ...]) -> tuple[QueueItem, ...]:
        if all(item.state is not State.APPLIED for item in items):
            return items
        from reviewdeck.engine.written import written_items

        return written_items(self.ledger, items)

    def get(self, id: str) -> Evaluation:
        """One proposal evaluated against the live home.

        Its stored judgement is used while its key holds, except where decisions are signed: there
        an unsigned row of the ledger is not relied on.
        """
        from reviewdeck.engine.evaluate import Evaluator

        proposal = self.ledger.proposal(self.ledger.resolve(id, self.home_ids))
        evaluator = Evaluator(self.home(proposal.home), self.ledger, self.policy())
        if self.authority.signs:
            return evaluator.evaluate(proposal)
        return evaluator.recall(proposal)

    def source_turns(self, proposal: Proposal) -> SourceTurns | None:
        """The turns that led to a proposal, from our recorder or the agent's own sessions.

        None when its session is unknown.
        """
        from reviewdeck.engine.source_turns import find_source_turns, turn_holders

        judgement = self.ledger.judgement(proposal.id)
        origin = None if judgement is None else judgement.origin
        return find_source_turns(
            turn_holders(self.ledger, self.home(proposal.home)), proposal, origin
        )

    def changed_outside(
        self, *, session: str = "", since: datetime | None = None
    ) -> tuple[QueueItem, ...]:
        """Changes outside review that are still live, newest first: open, kept or listed.

        Only of one session, where it is known exactly, or since a moment.
        """
        from reviewdeck.engine.direct import ENDED_REASONS, LIVE_STATES
        from reviewdeck.model.ledger import Filter

        items: list[QueueItem] = []
        after: int | None = None
        filter_ = Filter(self.home_ids, tuple(LIVE_STATES))
        while page := self.ledger.page(filter_, after=after, limit=1_000):
            items += [
                item
                for item in page
                if item.action == OUTSIDE
                and item.reason not in ENDED_REASONS
                and (since is None or (item.created_at or item.ingested_at) >= since)
                and (not session or self._is_written_by(session, item.id))
            ]
            after = page[-1].position
        return tuple(items)

    def _is_written_by(self, session: str, id: str) -> bool:
        from reviewdeck.origin.writers import exact_writer

        judgement = self.ledger.judgement(id)
        return judgement is not None and exact_writer(judgement.origin) == session

    def history(self, document: str, home: str | None = None) -> tuple[Observation, ...]:
        """The revisions of a document, oldest first, with their authors."""
        return self.ledger.observations(self.home(home).id, document)

    def blame(self, document: str, home: str | None = None) -> tuple[Blamed, ...]:
        """The author of each part of a document."""
        from reviewdeck.engine.history import blame

        return blame(self.ledger, self.home(home), document)

    def since(self, moment: datetime | None = None) -> tuple[DocumentChanges, ...]:
        """The changes since a moment, or since an operator last looked: one diff per document."""
        from reviewdeck.engine.changes import changes_since

        documents: list[DocumentChanges] = []
        for home in self.homes:
            marks = self.ledger.marks(home.id) if moment is None else Marks(moment)
            documents += changes_since(self.ledger, home, marks.of)
        return tuple(documents)

    def close(self) -> None:
        """Closes the ledger."""
        self.ledger.close()

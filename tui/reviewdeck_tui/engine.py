"""The engine on its side of the threads: one deck, one caller at a time, plain values out.

Everything here blocks and is called from thread workers. The ORM is loaded with the first call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeVar

from reviewdeck.engine.evaluate import Evaluator
from reviewdeck.engine.options import Settings
from reviewdeck.errors import NotDecidable, ReviewdeckError
from reviewdeck.ledger.reader import open_reader
from reviewdeck.model import NOTE, OUTSIDE, SHOWN, Draft, QueueItem, State, Verb
from reviewdeck.ports import Clock
from reviewdeck.presentation.situation import direct_of
from reviewdeck.sessions.prefetch import BOUND, Prefetch
from reviewdeck_tui.bookmark import Bookshelf, open_bookshelf
from reviewdeck_tui.changes.history import Unseen
from reviewdeck_tui.proposal.own_text import OwnText, own_text_of
from reviewdeck_tui.proposal.view import (
    Prepared,
    ProposalView,
    facts_of,
    look_decided,
    look_open,
    look_unreadable,
)
from reviewdeck_tui.queue.load import read_stock
from reviewdeck_tui.queue.view import Stock
from reviewdeck_tui.second_engine import SecondEngine
from reviewdeck_tui.summary.preview import SummaryPreview, diffs_of
from reviewdeck_tui.summary.requirements import coded, named

Result = TypeVar("Result")

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck
    from reviewdeck.engine.drafts import CommitReport, Progress, Summary
    from reviewdeck.planning.merge import Merging
    from reviewdeck.ports.ledger import Unfinished, UnfinishedMerges
    from reviewdeck_tui.merge.cluster import Member
    from reviewdeck_tui.merge.open import OpenMerge
    from reviewdeck_tui.proposal.parts import Parts
    from reviewdeck_tui.summary.lines import Coverage

_GRACE: Final = 0.1
"""Seconds for which a look waits for the engine before it goes beside it."""


class _BrokenOff(Exception):
    """A look at the homes that nobody waits for. Never leaves the engine."""


class Engine:
    """One deck behind a lock."""

    def __init__(self, settings: Settings, now: Clock) -> None:
        self._settings = settings
        self._now = now
        self._lock = threading.RLock()
        # Readers of their own: what the screen asks for never waits for the engine.
        self._reader, self._pages = open_reader(settings.ledger), open_reader(settings.ledger)
        self._deck: Deck | None = None
        self._examiners: dict[str, Evaluator] = {}
        self._last = Stock()
        self._known: object = None
        self._ahead: Prefetch[QueueItem, Prepared | None] = Prefetch(self._prepared)
        self._is_closed = self._is_left = self._is_judging = False
        self._beside = SecondEngine(settings, now)
        self._unseen = Unseen()
        self._bookshelf: Bookshelf | None = None
        self._keeping = threading.Lock()

    @property
    def bookshelf(self) -> Bookshelf:
        """Where the operator's place is kept."""
        with self._lock:
            if self._bookshelf is None:
                self._bookshelf = open_bookshelf(self._settings, self._now)
            return self._bookshelf

    def leave(self) -> None:
        """The operator leaves by themselves: their place need not be found again."""
        with suppress(ReviewdeckError):
            self.bookshelf.leave()

    def close(self) -> None:
        """Lets go of the ledger."""
        self._is_closed = True
        self._ahead.close()
        self._beside.close()
        with self._lock:
            self._reader.close()
            self._pages.close()
            if self._bookshelf is not None:
                self._bookshelf.close()
                self._bookshelf = None
            if self._deck is not None:
                self._deck.close()
                self._deck = None

    def break_off(self) -> None:
        """Nobody waits for a look at the homes any more, however long it takes."""
        self._is_left = True

    def _go_on(self, _done: int, _total: int) -> None:
        if self._is_left:
            raise _BrokenOff

    def refresh(self, *, force: bool = False) -> Stock | None:
        """The queue when something moved since the last time, or when asked; else None."""
        with self._at_work() as deck:
            moved = [one for one in deck.context.homes if not deck.is_fresh(one)]
            if moved:
                self._forget()
                with suppress(_BrokenOff), self._judging():
                    deck.intake(progress=self._go_on)
            if self._is_left:
                return None
            is_other = deck.context.authority.standing != self._last.standing
            if moved or force or is_other or self._is_stale(deck):
                return self._stock(deck)
            return None

    def look(self, item: QueueItem, is_over: Callable[[], bool]) -> ProposalView | None:
        """One proposal with its diff and what is known of it; None when nobody waits any more."""
        if item.state is State.QUARANTINED:
            return look_unreadable(item)
        while not self._lock.acquire(timeout=_GRACE):
            if is_over():
                return None
            if self._is_judging:
                return self._beside.look(item)
        self._lock.release()
        prepared = self._ahead.take(item, BOUND)
        with self._at_work() as deck:
            if is_over():
                return None
            if not item.state.is_open:
                return look_decided(deck, item)
            if prepared is not None:
                if prepared.is_live(deck.context.one_home(item.home).home.snapshot()):
                    return prepared.look
                self._forget()
            return self._look_open(deck, item).look

    def prepare(self, item: QueueItem) -> None:
        """Works out ahead what will probably be looked at next. Returns at once."""
        is_readable = item.state.is_open and item.state is not State.QUARANTINED
        if is_readable and not self._is_judging:
            self._ahead.ask(item)

    def _prepared(self, item: QueueItem) -> Prepared | None:
        if self._is_closed:
            return None
        with self._at_work() as deck:
            return self._look_open(deck, item)

    def _look_open(self, deck: Deck, item: QueueItem) -> Prepared:
        return look_open(deck, item, self._evaluator(deck, item.home), self._now())

    def _forget(self) -> None:
        """What was live has moved: nothing that was read or prepared before counts any more."""
        self._examiners.clear()
        # What is in flight waits for this very thread: it is dropped, not waited for.
        self._ahead.forget(0.0)

    def with_deck(self, job: Callable[[Deck], Result]) -> Result:
        """Does something with the engine, and gives what it comes to."""
        with self._at_work() as deck:
            return job(deck)

    def put_drafts(self, drafts: Sequence[Draft]) -> Stock:
        """Stores drafts; gives the queue with them.

        Turning down what is live already brings a draft that writes what was there before.
        """
        from reviewdeck.engine.drafts import draft_rejection, is_take_back

        with self._at_work() as deck:
            taken_back = [draft for draft in drafts if is_take_back(deck.context, draft)]
            for draft in drafts:
                now = replace(draft, at=self._now())
                if draft in taken_back:
                    draft_rejection(deck.context, now)
                else:
                    deck.ledger.put_draft(now)
            return self._stock(deck) if taken_back else self._with_drafts(deck)

    def restore_drafts(self, earlier: Mapping[str, Draft | None]) -> Stock:
        """Puts drafts back to what they were; None takes a draft away."""
        from reviewdeck.engine.drafts import withdraw

        with self._at_work() as deck:
            for id, draft in earlier.items():
                if draft is None:
                    withdraw(deck.context, id)
                elif not (state := deck.ledger.state_of(id)) or not state.is_open:
                    raise NotDecidable("It waits no more: draft it again where you drafted it.")
                else:
                    deck.ledger.put_draft(draft)
            # An undo that is not wanted leaves the queue with its draft.
            is_same = all(id in self._last.shelf.by_id for id in earlier) and not any(
                self._last.shelf.by_id[id].action in ("undo", OUTSIDE) for id in earlier
            )
            return self._with_drafts(deck) if is_same else self._stock(deck)

    def draft_undos(self, operations: Sequence[str]) -> Stock:
        """Drafts the taking back of operations, the last one first."""
        from reviewdeck.engine.drafts import draft_undo

        with self._at_work() as deck:
            for operation in operations:
                draft_undo(deck.context, operation)
            return self._stock(deck)

    def withdraw_undos(self, operations: Sequence[str]) -> Stock:
        """Takes the drafts back that would undo operations."""
        from reviewdeck.engine.drafts import withdraw

        with self._at_work() as deck:
            for draft in deck.ledger.drafts():
                if deck.ledger.proposal(draft.proposal).undoes in operations:
                    withdraw(deck.context, draft.proposal)
            return self._stock(deck)

    def reopen(self, ids: Sequence[str]) -> tuple[Stock, int, ReviewdeckError | None]:
        """Takes rejections back; how many, and what kept the last of the others from it."""
        reopened, refused = 0, None
        with self._at_work() as deck:
            for id in ids:
                try:
                    deck.reopen(id, "reopened in the deck")
                except ReviewdeckError as error:
                    refused = error
                else:
                    reopened += 1
            self._forget()
            return self._stock(deck), reopened, refused

    def operations_of(self, proposal: str) -> tuple[str, ...]:
        """What of a proposal was written and can be taken back, newest first."""
        with self._at_work() as deck:
            return tuple(
                one.id
                for one in deck.operations(limit=1_000)
                if one.proposal == proposal and one.undone_by is None
            )

    def own_text(self, item: QueueItem) -> OwnText:
        """What an editor opens for the operator's own version. Raises BadInput."""
        with self._at_work() as deck:
            evaluator = self._evaluator(deck, item.home)
            return own_text_of(
                evaluator.evaluate(deck.ledger.proposal(item.id)), evaluator.snapshot
            )

    def parts(self, item: QueueItem, path: str) -> tuple[OwnText, Parts | None]:
        """A document of a proposal taken apart into its changes; None when it comes or goes."""
        from reviewdeck_tui.proposal.parts import parts_in

        with self._at_work() as deck:
            evaluator = self._evaluator(deck, item.home)
            evaluation = evaluator.evaluate(deck.ledger.proposal(item.id))
            own = replace(own_text_of(evaluation, evaluator.snapshot), document=path)
            return own, parts_in(evaluation.staged.outcome, path, evaluator.snapshot.budget(path))

    def open_merge(self, id: str, known: Unfinished | None = None) -> OpenMerge:
        """A conflict, or a dead one at its likely new place, as far as it was decided.

        `known` is what was decided on the screen and comes before what was kept. Raises BadInput.
        """
        from reviewdeck_tui.merge.open import evaluated_now, open_merge

        with self._at_work() as deck:
            item = deck.ledger.item(id)
            evaluator = self._fresh_evaluator(deck, item.home)
            evaluation = evaluated_now(deck, evaluator, id)
            facts = facts_of(deck, item, evaluation)
            kept = known or self._merges.load(id)
            return open_merge(evaluation, evaluator, facts, kept, self._now())

    def draft_merge(
        self, shown: OpenMerge, text: str | None, others: Sequence[str] = ()
    ) -> tuple[Draft, Stock]:
        """Drafts the result of a merge; others give way to it.

        Raises StaleBase when its texts moved, BadInput.
        """
        from reviewdeck_tui.merge.cluster import giving_way
        from reviewdeck_tui.merge.open import evaluated_now, merge_draft

        with self._at_work() as deck:
            evaluator = self._fresh_evaluator(deck, shown.item.home)
            evaluation = evaluated_now(deck, evaluator, shown.id)
            draft = merge_draft(shown, text, evaluation, evaluator, self._now())
            for one in (draft, *giving_way(shown.id, others, self._now())):
                deck.ledger.put_draft(one)
            return draft, self._with_drafts(deck)

    def keep_merge(self, id: str, latest: Callable[[], Merging]) -> None:
        """Keeps what is decided so far; nothing is kept of a merge in which nothing is."""
        from reviewdeck.planning.merge import to_progress

        with self._keeping:
            merging = latest()
            if merging.choices or merging.kept is not None or merging.is_rewritten:
                self._merges.save(id, merging.sides.digest, to_progress(merging))
            else:
                self._merges.forget(id)

    @property
    def _merges(self) -> UnfinishedMerges:
        return self.bookshelf.merges

    def cluster(self, id: str) -> tuple[Member, ...]:
        """All that waits about the same thing as a proposal, itself among them."""
        from reviewdeck_tui.merge.cluster import read_cluster

        with self._at_work() as deck:
            return read_cluster(deck, id)

    def summary(self) -> SummaryPreview:
        """All drafts worked out together. May carry drafts over, or give them up as moved."""
        from reviewdeck.engine.drafts import summary

        with self._at_work() as deck:
            self.refresh()
            found = summary(deck.context)
            shown = coded(
                deck, SummaryPreview(found, tuple(diffs_of(deck, found)), named(deck, found))
            )
            shown.seen(secrets=False)  # worked out here, not where it is painted
            return shown

    def commit(
        self, shown: Summary, progress: Progress, coverage: Coverage
    ) -> tuple[CommitReport, Stock]:
        """Decides on what was shown. What an earlier run left half done is ended first."""
        from reviewdeck.engine.drafts import commit

        with self._at_work() as deck:
            deck.recover()
            with suppress(ReviewdeckError):  # It may be evicted, so it must not be in the way.
                self.bookshelf.checkpoint("before a commit of drafts")
            report = commit(deck.context, shown, progress)
            self._forget()
            for one in report.committed:
                self._merges.forget(one.proposal)
                share = coverage(one.proposal)
                if share is not None and one.verb in (Verb.APPROVE, Verb.MERGE):
                    detail: dict[str, object] = {
                        "proposal": one.proposal,
                        "share": f"{int(100 * share)}%",
                    }
                    home = deck.ledger.item(one.proposal).home
                    self._append(deck, SHOWN, home, one.proposal, detail)
            return report, self._stock(deck)

    def touch(self) -> None:
        """Somebody is at the keyboard. Waits for nothing."""
        if self._deck is not None:
            self._deck.context.authority.touch()

    def note(self, item: QueueItem, text: str) -> None:
        """Writes an operator's note into the log."""
        with self._at_work() as deck:
            self._append(deck, NOTE, item.home, item.id, {"text": text})

    def _append(
        self, deck: Deck, name: str, home: str, subject: str, detail: dict[str, object]
    ) -> None:
        deck.ledger.append(
            name,
            home=home,
            subject=subject,
            actor=deck.context.actor,
            at=self._now(),
            detail=detail,
        )

    @contextmanager
    def _judging(self) -> Iterator[None]:
        """Meanwhile who looks does not wait: a long queue is judged anew for minutes."""
        self._is_judging = True
        try:
            yield
        finally:
            self._is_judging = False
            self._beside.close()

    @contextmanager
    def _at_work(self) -> Iterator[Deck]:
        with self._lock:
            if self._deck is None:
                self._deck = self._composed()
            yield self._deck

    def _composed(self) -> Deck:
        from reviewdeck.bootstrap import compose_deck

        return compose_deck(self._settings, now=self._now)

    def _evaluator(self, deck: Deck, home: str) -> Evaluator:
        if home not in self._examiners:
            self._examiners[home] = deck.context.evaluator_of(deck.context.one_home(home).home)
        return self._examiners[home]

    def _fresh_evaluator(self, deck: Deck, home: str) -> Evaluator:
        """One that looks at the home as it is at this moment."""
        self._examiners.pop(home, None)
        return self._evaluator(deck, home)

    def _is_stale(self, deck: Deck) -> bool:
        """Whether another program decided or drafted something."""
        counts = deck.ledger.counts(deck.context.home_ids)
        key = (tuple(counts.by_state.items()), counts.drafts)
        known, self._known = self._known, key
        return known is not None and known != key

    def _stock(self, deck: Deck) -> Stock:
        homes = [one.home for one in deck.context.homes]
        counts = deck.ledger.counts(deck.context.home_ids)
        self._known = (tuple(counts.by_state.items()), counts.drafts)
        stock = read_stock(self._reader, self._pages, homes)
        drafts = {draft.proposal: draft for draft in deck.ledger.drafts()}
        operators = (one.actor.kind.value for one in deck.operations(limit=50))
        is_first = not drafts and "operator" not in operators
        is_first = is_first and not counts.by_state.get(State.REJECTED)
        self._last = replace(
            stock,
            drafts=drafts,
            draft_count=len(drafts),
            is_first_run=is_first,
            is_whole=True,
            standing=deck.context.authority.standing,
            unseen=self._unseen.count(deck),
            direct={}
            if counts.oldest_open
            else {one.id: direct_of(deck.ledger, one, self._now()) for one in homes},
        )
        return self._last

    def _with_drafts(self, deck: Deck) -> Stock:
        """The queue as it was read last, with the drafts of now."""
        drafts = {draft.proposal: draft for draft in deck.ledger.drafts()}
        counts = deck.ledger.counts(deck.context.home_ids)
        self._known = (tuple(counts.by_state.items()), counts.drafts)
        self._last = replace(self._last, drafts=drafts, draft_count=len(drafts), is_first_run=False)
        return self._last

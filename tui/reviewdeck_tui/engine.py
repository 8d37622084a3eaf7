"""The engine as workers call it: one caller at a time, plain values out.

Everything here blocks, so call it from thread workers. The first call loads the engine.
"""

from __future__ import annotations

import shlex
import threading
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeVar

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.bursts import burst_of, tallies
from reviewdeck.engine.drafts import draft_undo, put_drafts, withdraw
from reviewdeck.engine.evaluate import Evaluator
from reviewdeck.engine.holding import overtaken_by, own_names
from reviewdeck.engine.options import Settings
from reviewdeck.engine.quorum import withdraw_vote
from reviewdeck.engine.room import make_room
from reviewdeck.engine.suggestions import Suggestion
from reviewdeck.engine.summary import summary
from reviewdeck.errors import BadInput, LedgerUnavailable, NotDecidable, ReviewdeckError
from reviewdeck.model import NOTE, OUTSIDE, SHOWN, Change, Draft, QueueItem, Ready, State, Verb
from reviewdeck.policy_file import add_rule, check_takes_rule
from reviewdeck.ports import Clock
from reviewdeck.presentation.bursts import burst_words
from reviewdeck.presentation.hosts import Workers, workers_of
from reviewdeck.presentation.situation import direct_writes_warning
from reviewdeck.presentation.votes import open_votes, short_vote_words, vote_words
from reviewdeck.presentation.words import count, one_line
from reviewdeck.sessions.prefetch import BOUND, Prefetch
from reviewdeck_tui.bookmark import BookmarkStore, open_bookmarks
from reviewdeck_tui.changes.history import Unseen
from reviewdeck_tui.merge.cluster import supersede_drafts
from reviewdeck_tui.patience import PATIENCE
from reviewdeck_tui.proposal.own_text import EditorText, own_text_of, voted_text
from reviewdeck_tui.proposal.parts import Parts, parts_of_plan
from reviewdeck_tui.proposal.reading import readings_of
from reviewdeck_tui.proposal.view import (
    Prepared,
    ProposalView,
    facts_of,
    view_decided,
    view_open,
    view_unreadable,
)
from reviewdeck_tui.queue.items import ItemStore
from reviewdeck_tui.queue.load import read_backlog
from reviewdeck_tui.queue.people import NOBODY_ELSE, Overtaking, People
from reviewdeck_tui.queue.view import Backlog
from reviewdeck_tui.summary.preview import SummaryPreview, diffs_of
from reviewdeck_tui.summary.requirements import proposals_of, with_codes

Result = TypeVar("Result")

if TYPE_CHECKING:
    from reviewdeck.engine.decide import CommitReport, Progress
    from reviewdeck.engine.engine import Engine
    from reviewdeck.engine.evaluation import Evaluation
    from reviewdeck.engine.summary import Summary
    from reviewdeck.model.ledger import Counts
    from reviewdeck.planning.merge import MergeProgress
    from reviewdeck.policy.own_rules import RuleEffect
    from reviewdeck.ports import Snapshot
    from reviewdeck.ports.merges import Unfinished, UnfinishedMerges
    from reviewdeck_tui.merge.open import OpenMerge
    from reviewdeck_tui.proposal.diff_document import DiffDocument
    from reviewdeck_tui.summary.lines import Coverage

_SECONDS_FOR_OTHERS: Final = 60.0
"""Seconds between two questions whether there are other operators."""
_SECONDS_FOR_WORKERS: Final = 10.0
"""Seconds between two questions whether the workers of other machines are alive."""
_SECONDS_FOR_LOOK: Final = 30.0
"""Seconds for which others see that a proposal is open; it is said again after a third of it."""
_SECONDS_FOR_HUB: Final = 2.0
"""Seconds for which quitting waits for what a hub has not answered."""
_SECONDS_FOR_ENGINE: Final = 0.1
"""Seconds that a view waits for its turn before it is made beside a running pass."""


class _Abandoned(Exception):
    """Raised inside the engine when nobody waits for an intake any more."""


class EngineWorker:
    """One engine behind a lock. What a screen lists is read beside it, from the same ledger."""

    def __init__(self, settings: Settings, now: Clock) -> None:
        self._settings = settings
        self._now = now
        self._lock = threading.RLock()
        self._engine: Engine | None = None
        self._evaluators: dict[str, Evaluator] = {}
        self._last = Backlog()
        self._last_counts: Counts | None = None
        self._prefetch: Prefetch[QueueItem, Prepared | None] = Prefetch(self._prepare_view)
        self._is_closed = self._is_abandoned = self._is_judging = False
        self._unseen = Unseen()
        self._bookmarks: BookmarkStore | None = None
        self._merge_lock = threading.Lock()
        self._has_others, self._others_until = False, 0.0
        self._workers_until = 0.0
        self._looking = ("", 0.0)
        self._watched = ""

    @property
    def bookmarks(self) -> BookmarkStore:
        """The store of the operator's place."""
        with self._lock:
            self._check_open()
            if self._bookmarks is None:
                self._bookmarks = open_bookmarks(self._settings, self._now)
            return self._bookmarks

    @property
    def is_judging(self) -> bool:
        """Whether homes of this machine are being taken in: that may take minutes."""
        return self._is_judging

    def leave(self) -> None:
        """Deletes the operator's place: they quit."""
        with suppress(ReviewdeckError):
            self.bookmarks.leave()

    def close(self) -> None:
        """Closes the ledger for good: what asks for it afterwards is refused."""
        self._is_closed = True
        self._prefetch.close()
        with self._lock:
            if self._bookmarks is not None:
                self._bookmarks.close()
                self._bookmarks = None
            if self._engine is not None:
                self._engine.close()
                self._engine = None

    def abandon(self) -> None:
        """Ends a running intake early, and soon what waits for a hub: the operator quit."""
        self._is_abandoned = True
        if self._engine is not None and self._engine.machine is not None:
            ending = threading.Timer(_SECONDS_FOR_HUB, self._engine.ledger.break_off)
            ending.daemon = True
            ending.start()

    def _check_abandoned(self, _done: int, _total: int) -> None:
        if self._is_abandoned:
            raise _Abandoned

    def refresh(self, *, force: bool = False, looking: str = "") -> Backlog | None:
        """The backlog if anything changed since the last call, or if `force`; else None.

        `looking` is the proposal that is open: where there are other operators, they are told.
        """
        with self._held() as engine:
            self._note_looking(engine, looking)
            changed_homes = [home for home in engine.homes if not engine.is_fresh(home)]
            if changed_homes:
                self._forget()
                with suppress(_Abandoned), self._while_judging():
                    engine.intake(progress=self._check_abandoned)
            if self._is_abandoned:
                return None
            is_other_standing = engine.authority.authorisation != self._last.standing
            is_due = force or is_other_standing or self._last.store.is_cut_off
            is_stale = self._is_stale(engine)
            if is_stale and self._last.sights:
                self._forget()  # What others approved there is what the next one is planned on.
            if changed_homes or is_due or is_stale:
                return self._read_backlog(engine)
            people = self._people(engine, self._last.people.overtaken)
            workers = self._workers(engine)
            if (people, workers) != (self._last.people, self._last.workers):
                self._last = replace(self._last, people=people, workers=workers)
                return self._last
            return None

    def _is_shared(self, engine: Engine) -> bool:
        """Whether other operators use this ledger; looked up now and then."""
        if not self._has_others and time.monotonic() >= self._others_until:
            self._others_until = time.monotonic() + _SECONDS_FOR_OTHERS
            self._has_others = engine.machine is not None or engine.ledger.has_others()
        return self._has_others

    def _workers(self, engine: Engine) -> Workers:
        """Which machines do their work; looked up now and then."""
        if time.monotonic() >= self._workers_until:
            self._workers_until = time.monotonic() + _SECONDS_FOR_WORKERS
            return workers_of(engine)
        return self._last.workers

    def _note_looking(self, engine: Engine, id: str) -> None:
        now = time.monotonic()
        is_noted = self._looking[0] == id and now < self._looking[1]
        self._watched = id or self._watched
        if id and not is_noted and self._is_shared(engine):
            self._looking = (id, now + _SECONDS_FOR_LOOK / 3)
            with suppress(ReviewdeckError):  # It is a courtesy.
                engine.ledger.note_looking(id, _SECONDS_FOR_LOOK)

    def _people(
        self, engine: Engine, overtaken: Mapping[str, Overtaking] = MappingProxyType({})
    ) -> People:
        """What other operators do; a ledger of one operator is not asked."""
        votes = open_votes(engine)
        if not votes and not overtaken and not self._is_shared(engine):
            return NOBODY_ELSE
        items = {id: engine.ledger.item(id) for id in votes}
        digests = {id: item.digest for id, item in items.items()}
        words = {id: short_vote_words(cast, digests[id]) for id, cast in votes.items()}
        looking, names = engine.ledger.looking().items(), own_names(engine)
        return People(
            {id: word for id, word in words.items() if word},
            {id: vote_words(cast, digests[id]) for id, cast in votes.items()},
            frozenset(id for id in votes if any(vote.operator in names for vote in votes[id])),
            frozenset(id for id in votes if voted_text(votes[id], names, items[id])),
            {id: " and ".join(map(one_line, who)) for id, who in looking},
            overtaken,
        )

    def _overtaken(
        self, engine: Engine, drafts: Mapping[str, Draft], store: ItemStore
    ) -> dict[str, Overtaking]:
        """What other operators decided that is drafted here, or was open a moment ago."""
        states = {id: store.state_of(id) for id in (*drafts, self._watched)}
        closed = [id for id, state in states.items() if state is not None and not state.is_open]
        found = {id: by for id in closed if (by := overtaken_by(engine, id)) is not None}
        return {id: Overtaking(by.actor.name, by.verb, by.at) for id, by in found.items()}

    def look(self, item: QueueItem, is_over: Callable[[], bool]) -> ProposalView | None:
        """The view of one proposal; None if nobody waits for it any more."""
        if item.state is State.QUARANTINED:
            return view_unreadable(item)
        while not self._lock.acquire(timeout=_SECONDS_FOR_ENGINE):
            if is_over():
                return None
            if self._is_judging and self._engine is not None:
                return self._look_beside(self._engine, item)
        self._lock.release()
        prepared = self._prefetch.take(item, BOUND)
        with self._held() as engine:
            if is_over():
                return None
            if not item.state.is_open:
                return view_decided(engine, item)
            home = engine.home_by_id(item.home)
            if prepared is not None and not prepared.is_live(home.home.snapshot()):
                self._forget()
                prepared = None
            look = (prepared or self._view_open(engine, item)).look
            if home.sight is not None and look.digest is not None:
                self._last.store.note_digest(item, look.digest)
            return look

    def _look_beside(self, engine: Engine, item: QueueItem) -> ProposalView:
        """The view of a proposal while a pass evaluates the backlog, marked as such.

        Homes and ledger can be read by several threads. Whether the view can be decided on is known
        when the backlog is read again: a decision names the digest of what was shown.
        """
        if not item.state.is_open:
            return replace(view_decided(engine, item), is_judged_again=True)
        # The home may change at any time, so no evaluator is kept.
        evaluator = engine.evaluator_of(engine.home(item.home))
        return replace(view_open(engine, item, evaluator, self._now()).look, is_judged_again=True)

    def prepare(self, item: QueueItem) -> None:
        """Prepares the view that is probably needed next. Returns at once."""
        is_readable = item.state.is_open and item.state is not State.QUARANTINED
        if is_readable and not self._is_judging:
            self._prefetch.ask(item)

    def _prepare_view(self, item: QueueItem) -> Prepared | None:
        with self._held() as engine:
            return self._view_open(engine, item)

    def _view_open(self, engine: Engine, item: QueueItem) -> Prepared:
        return view_open(engine, item, self._evaluator(engine, item.home), self._now())

    def _forget(self) -> None:
        """Drops everything that was read or prepared before a home changed."""
        self._evaluators.clear()
        # A job in flight waits for this very thread: it is dropped, not awaited.
        self._prefetch.forget(0.0)

    def run(self, job: Callable[[Engine], Result]) -> Result:
        """Runs a job with the engine, and returns its result."""
        with self._held() as engine:
            return job(engine)

    def put_drafts(self, drafts: Sequence[Draft]) -> Backlog:
        """Stores drafts, and returns the backlog with them.

        Rejecting a live change also drafts the restore of the text before it.
        """
        with self._held() as engine:
            now = [replace(draft, at=self._now()) for draft in drafts]
            is_queue_changed = put_drafts(engine, now)
            return self._read_backlog(engine) if is_queue_changed else self._replace_drafts(engine)

    def restore_drafts(self, earlier: Mapping[str, Draft | None]) -> Backlog:
        """Restores earlier drafts; None drops a draft."""
        with self._held() as engine:
            for id, draft in earlier.items():
                if draft is None:
                    withdraw(engine, id)
                elif not (state := engine.ledger.state_of(id)) or not state.is_open:
                    raise NotDecidable("It is no longer waiting: its draft is not restored.")
                else:
                    put_drafts(engine, [draft])
            # An undo whose draft is dropped leaves the backlog.
            is_queue_unchanged = all(id in self._last.store for id in earlier) and not any(
                self._last.store.outlines[id].action in ("undo", OUTSIDE) for id in earlier
            )
            read = self._replace_drafts if is_queue_unchanged else self._read_backlog
            return read(engine)

    def draft_undos(self, operations: Sequence[str]) -> Backlog:
        """Drafts the undo of operations, the last one first."""
        with self._held() as engine:
            for operation in operations:
                draft_undo(engine, operation)
            return self._read_backlog(engine)

    def withdraw_undos(self, operations: Sequence[str]) -> Backlog:
        """Withdraws the drafts that would undo operations."""
        with self._held() as engine:
            for draft in engine.drafts:
                if engine.ledger.proposal(draft.proposal).undoes in operations:
                    withdraw(engine, draft.proposal)
            return self._read_backlog(engine)

    def withdraw_vote(self, id: str) -> Backlog:
        """Takes the operator's own vote back. Raises Locked, NotDecidable."""
        with self._held() as engine:
            withdraw_vote(engine, id)
            return self._read_backlog(engine)

    def reopen(self, ids: Sequence[str]) -> tuple[Backlog, int, ReviewdeckError | None]:
        """Reopens rejected proposals: how many, and the last error. Raises it where none was."""
        reopened, refused = 0, None
        with self._held() as engine:
            for id in ids:
                try:
                    engine.reopen(id, "reopened in the deck")
                except ReviewdeckError as error:
                    refused = error
                else:
                    reopened += 1
            self._forget()
            if refused is not None and not reopened:
                raise refused
            return self._read_backlog(engine), reopened, refused

    def operations_of(self, proposal: str) -> tuple[str, ...]:
        """The operations of a proposal that can be undone, newest first."""
        with self._held() as engine:
            return tuple(
                operation.id
                for operation in engine.operations(limit=1_000)
                if operation.proposal == proposal and operation.undone_by is None
            )

    def own_text(self, item: QueueItem) -> EditorText:
        """The text for the own version, or that another operator voted for. Raises BadInput."""
        with self._held() as engine:
            votes = engine.ledger.votes([item.id]).get(item.id, ())
            voted = voted_text(votes, own_names(engine), engine.ledger.item(item.id))
            return voted or own_text_of(*self._evaluated(engine, item))

    def reading(self, item: QueueItem, paths: Sequence[str]) -> DiffDocument:
        """These documents of a proposal as the agents of its home would read them."""
        with self._held() as engine:
            home = engine.home_by_id(item.home).home
            changes: Sequence[Change] = ()
            if item.state.is_open and item.state is not State.QUARANTINED:
                outcome = self._evaluated(engine, item)[0].staged.outcome
                changes = outcome.plan.changes if isinstance(outcome, Ready) else ()
            return readings_of(item.id, paths, changes, home.snapshot(), home.readers)

    def parts(self, item: QueueItem, path: str) -> tuple[EditorText, Parts | None]:
        """A document of a proposal in parts; None if it is created or deleted as a whole."""
        with self._held() as engine:
            evaluation, snapshot = self._evaluated(engine, item)
            own = replace(own_text_of(evaluation, snapshot), document=path)
            return own, parts_of_plan(evaluation.staged.outcome, path, snapshot.budget(path))

    def open_merge(self, id: str, progress: Unfinished | None = None) -> OpenMerge:
        """The merge of a conflict, or of a dead proposal at its likely new place. Raises BadInput.

        `known` is the progress on the screen, which precedes the stored one.
        """
        from reviewdeck_tui.merge.open import evaluate_open, open_merge

        with self._held() as engine:
            item = engine.ledger.item(id)
            evaluator = self._fresh_evaluator(engine, item.home)
            evaluation = evaluate_open(engine, evaluator, id)
            facts = facts_of(engine, item, evaluation)
            progress_ = progress or self._merges.load(id)
            return open_merge(evaluation, evaluator, facts, progress_, self._now())

    def draft_merge(
        self, merge: OpenMerge, text: str | None, superseded: Sequence[str] = ()
    ) -> tuple[Draft, Backlog]:
        """Drafts the result of a merge, and what it supersedes.

        Raises StaleBase if its texts changed, BadInput.
        """
        from reviewdeck_tui.merge.open import evaluate_open, merge_draft

        with self._held() as engine:
            evaluator = self._fresh_evaluator(engine, merge.item.home)
            evaluation = evaluate_open(engine, evaluator, merge.id)
            draft = merge_draft(merge, text, evaluation, evaluator, self._now())
            followers = supersede_drafts(merge.id, superseded, self._now())
            is_queue_changed = put_drafts(engine, [draft, *followers])
            read = self._read_backlog if is_queue_changed else self._replace_drafts
            return draft, read(engine)

    def keep_merge(self, id: str, latest: Callable[[], MergeProgress]) -> None:
        """Stores the progress of a merge; a merge without any is forgotten."""
        from reviewdeck.planning.merge import progress_to_data

        with self._merge_lock:
            merging = latest()
            if merging.choices or merging.unparsed is not None or merging.is_rewritten:
                self._merges.save(id, merging.sides.digest, progress_to_data(merging))
            else:
                self._merges.forget(id)

    @property
    def _merges(self) -> UnfinishedMerges:
        return self.bookmarks.merges

    def burst(self, id: str) -> tuple[tuple[QueueItem, ...], str]:
        """The live changes of one cause and time with this one, and what they did in words."""
        with self._held() as engine:
            burst = burst_of(engine.ledger, engine.find(id))
            if burst is None:
                return (), ""
            return burst.items, burst_words(burst, tallies(engine.ledger, burst))

    def summary(self) -> SummaryPreview:
        """The composed drafts. It may carry drafts over, or give up drafts whose base changed."""

        with self._held() as engine:
            self.refresh()
            summary_ = summary(engine)
            preview = with_codes(
                engine,
                SummaryPreview(
                    summary_,
                    tuple(diffs_of(engine, summary_)),
                    proposals_of(engine, summary_),
                    {id: sight.machine for id, sight in self._last.sights.items()},
                ),
            )
            preview.visible_diffs(secrets=False)  # cached here, not while painting
            return preview

    def commit(
        self, summary: Summary, progress: Progress, coverage: Coverage
    ) -> tuple[CommitReport, Backlog]:
        """Commits the summary that was shown. Recovers an interrupted run first."""
        from reviewdeck.engine.decide import commit

        with self._held() as engine:
            engine.recover()
            # The bookmark may have been evicted, which must not stop a commit.
            with suppress(ReviewdeckError):
                self.bookmarks.checkpoint("before a commit of drafts")
            report = commit(engine, summary, progress)
            self._forget()
            for committed in report.committed:
                self._merges.forget(committed.proposal)
                share = coverage(committed.proposal)
                if share is not None and committed.verb in (Verb.APPROVE, Verb.MERGE):
                    shown = {"proposal": committed.proposal, "share": f"{int(100 * share)}%"}
                    self._log(engine, SHOWN, engine.ledger.item(committed.proposal), shown)
            return report, self._read_backlog(engine)

    def why_no_rule(self) -> str:
        """Why the policy file takes no rule as it is now; empty where it takes one."""
        try:
            check_takes_rule(self._settings.policy)
        except BadInput as error:
            return str(error)
        return ""

    def add_rule(self, suggestion: Suggestion, effect: RuleEffect) -> tuple[str, Backlog]:
        """Writes a rule into the policy file: its name, and the backlog as it is judged then."""
        with self._held() as engine:
            taken = [rule.name for rule in engine.policy().settings.rules]
            rule = suggestion.rule(effect, taken)
            add_rule(engine, self._settings.policy, rule)
            self._forget()
        backlog = self.refresh(force=True)
        return rule.name, backlog or self._last

    def command(self, *words: str) -> str:
        """These words, ready for a shell, as a command on the deck's homes and ledger."""
        return " ".join(("reviewdeck", *words, *map(shlex.quote, self._settings.options)))

    @property
    def policy_path(self) -> str:
        """Where the policy file is, or would be."""
        return str(self._settings.policy.path) if self._settings.policy is not None else ""

    @property
    def signs(self) -> bool:
        """Whether decisions are signed; False until the engine was opened."""
        return self._engine is not None and self._engine.authority.signs

    def make_room(self, id: str) -> tuple[Backlog, str, str]:
        """Queues what makes room for a proposal: the backlog, its id, and what it takes out."""
        with self._held() as engine:
            made = make_room(engine, id)
            words = count(len(made.removed), "entry", "entries")
            return self._read_backlog(engine), made.evaluation.proposal.id, words

    def touch(self) -> None:
        """Notes that the operator is at the keyboard. Never blocks."""
        if self._engine is not None:
            self._engine.authority.touch()

    def note(self, item: QueueItem, text: str) -> None:
        """Writes an operator's note into the log."""
        with self._held() as engine:
            self._log(engine, NOTE, item, {"text": text})

    def _log(self, engine: Engine, name: str, item: QueueItem, detail: Mapping[str, str]) -> None:
        by, at = engine.actor, self._now()
        engine.ledger.append(
            name, home=item.home, subject=item.id, actor=by, at=at, detail={**detail}
        )

    @contextmanager
    def _while_judging(self) -> Iterator[None]:
        """Marks an intake as running, so that views do not wait for it: it may take minutes."""
        self._is_judging = True
        try:
            yield
        finally:
            self._is_judging = False

    @contextmanager
    def _held(self) -> Iterator[Engine]:
        with self._lock:
            self._check_open()
            if self._engine is None:
                self._engine = self._open()
            yield self._engine

    def _check_open(self) -> None:
        """A thread that had to wait must not open the ledger again after the deck has closed it."""
        if self._is_closed:
            raise LedgerUnavailable("The deck has ended.")

    def _open(self) -> Engine:
        return open_engine(self._settings, now=self._now)

    def _evaluator(self, engine: Engine, home: str) -> Evaluator:
        if home not in self._evaluators:
            self._evaluators[home] = engine.evaluator_of(engine.home_by_id(home).home)
        return self._evaluators[home]

    def _evaluated(self, engine: Engine, item: QueueItem) -> tuple[Evaluation, Snapshot]:
        """A proposal judged now, and the home that it was judged in."""
        evaluator = self._evaluator(engine, item.home)
        return evaluator.evaluate(engine.ledger.proposal(item.id)), evaluator.snapshot

    def _fresh_evaluator(self, engine: Engine, home: str) -> Evaluator:
        self._evaluators.pop(home, None)
        return self._evaluator(engine, home)

    def _is_stale(self, engine: Engine) -> bool:
        """Whether another program decided or drafted something."""
        earlier = self._last_counts
        return self._count(engine) != earlier and earlier is not None

    def _count(self, engine: Engine) -> Counts:
        self._last_counts = engine.ledger.counts(engine.home_ids)
        return self._last_counts

    def _read_backlog(self, engine: Engine) -> Backlog:
        homes = [home.home for home in engine.open_homes]
        counts = self._count(engine)
        backlog = read_backlog(engine.ledger, homes, PATIENCE if engine.machine else None)
        stored = {draft.proposal: draft for draft in engine.drafts}
        backlog.store.take_digests(self._last.store)
        overtaken = self._overtaken(engine, stored, backlog.store)
        drafts = _open_drafts(stored, backlog.store, overtaken)
        operators = (operation.actor.kind.value for operation in engine.operations(limit=50))
        is_first = not drafts and "operator" not in operators
        is_first = is_first and not counts.by_state.get(State.REJECTED)
        unseen = self._unseen.count(engine)
        self._last = replace(
            backlog,
            drafts=drafts,
            draft_count=len(drafts),
            is_first_run=is_first,
            is_complete=True,
            sights={each.home.id: each.sight for each in engine.open_homes if each.sight},
            hosts=_hosts_of(engine),
            workers=self._workers(engine),
            people=self._people(engine, overtaken),
            standing=engine.authority.authorisation,
            unseen=sum(unseen.values()),
            unseen_in=unseen,
            direct={
                home.id: direct_writes_warning(engine.ledger, home, self._now()) for home in homes
            },
        )
        return self._last

    def _replace_drafts(self, engine: Engine) -> Backlog:
        """The backlog as it was read last, with the current drafts."""
        stored = {draft.proposal: draft for draft in engine.drafts}
        drafts = _open_drafts(stored, self._last.store, self._last.people.overtaken)
        self._count(engine)
        self._last = replace(self._last, drafts=drafts, draft_count=len(drafts), is_first_run=False)
        return self._last


def _open_drafts(
    drafts: Mapping[str, Draft], store: ItemStore, overtaken: Container[str]
) -> dict[str, Draft]:
    """Those not decided: the ledger keeps a draft until the home's machine has written it."""
    return {
        id: draft
        for id, draft in drafts.items()
        if id in overtaken or store.state_of(id) not in (State.APPROVED, State.APPLYING)
    }


def _hosts_of(engine: Engine) -> dict[str, str]:
    """By home, the name of its machine; empty for a ledger of one machine."""
    if engine.machine is None:
        return {}
    return {
        each.home.id: each.sight.machine if each.sight else engine.machine.name
        for each in engine.open_homes
    }

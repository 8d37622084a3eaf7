"""The status of a home: the queue, the size of its memories, changes outside review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from reviewdeck.engine.pause import why_nothing_is_automatic, why_paused
from reviewdeck.engine.probation import NEWEST, on_probation
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.place import shown
from reviewdeck.model import Allowance, Cause, Loading, Observation, ReviewRun, ReviewTotals, State
from reviewdeck.model.ledger import Baseline, Counts, Sight
from reviewdeck.ports import Home, SkillSight
from reviewdeck.presentation.items import moment_json
from reviewdeck.presentation.words import age_of, count, direct_writes_words
from reviewdeck.text.redact import redact
from reviewdeck.values import dataclass

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine

_MAX_BUDGETS = 6
"""Budgets that are shown of one home at most: the fullest."""
_ONE_DAY = timedelta(days=1)
WAITING = tuple(state for state in State if state.is_open and state is not State.DEFERRED)


@dataclass(frozen=True, slots=True)
class Budget:
    """How much of one document's limit is used."""

    document: str
    allowance: Allowance
    label: str
    """The file's name, or its path if another document has the same name."""

    def as_json(self) -> dict[str, Any]:
        allowance = self.allowance
        return {
            "document": self.document,
            "used": allowance.used,
            "limit": allowance.limit,
            "unit": allowance.unit,
        }


def unit_after(allowance: Allowance) -> str:
    """The unit of a limit, as it follows the number: characters need none."""
    return "" if allowance.unit == "characters" else f" {allowance.unit}"


@dataclass(frozen=True, slots=True)
class HomeStatus:
    """The status of one home."""

    home: str
    name: str
    kind: str
    """The kind of agent it belongs to."""
    ledger: str
    counts: Counts
    budgets: tuple[Budget, ...]
    outside: tuple[Observation, ...]
    """The last change outside review to each document since an operator last marked it seen."""
    unfinished: int
    """The number of batches that an interrupted run left unfinished."""
    at: datetime
    reviews: ReviewTotals
    """The background reviewer's runs, proposals and tokens."""
    last_review: ReviewRun | None = None
    """The background reviewer's last run."""
    standing: str = ""
    """How decisions are authorised."""
    suspended: str | None = None
    """Why auto-apply is off; None if it is on."""
    is_unrecorded: bool = False
    """Whether no conversations of this home are recorded."""
    probation: int = 0
    """Additions that were applied automatically and that nobody has marked seen."""
    where: str = ""
    """The path of the home now; its id is the path at which it was first seen."""
    unseen: int = 0
    """Changes that nobody has marked seen, without those of the operator who asks."""
    direct: str = ""
    """A warning that the agent writes without staging, and how to change that; empty if not."""
    failed_notice: str = ""
    """Why the last notice was not delivered; empty if it was."""
    baseline: Baseline | None = None
    """What the first pass found in the home, until an operator has reviewed it."""
    cautions: tuple[str, ...] = ()
    """Warnings about the home for whoever decides on its proposals."""
    skills: SkillSight = field(default_factory=SkillSight)
    """How many skills its agents load, and how many of those are reviewed."""
    sight: Sight | None = None
    """Which machine has it and when that last looked, if it is another one."""

    def as_json(self) -> dict[str, Any]:
        oldest = self.counts.oldest_open
        return {
            "home": self.home,
            "name": self.name,
            "kind": self.kind,
            "path": self.where,
            "cautions": list(self.cautions),
            "skills": {
                "live": self.skills.live,
                "seen": self.skills.seen,
                "unloaded": self.skills.unloaded,
            },
            "baseline": self.baseline
            and {"documents": self.baseline.documents, "at": moment_json(self.baseline.at)},
            "ledger": self.ledger,
            "waiting": waiting(self.counts),
            "counts": {state.value: self.counts.by_state.get(state, 0) for state in State},
            "dangerous_live": self.counts.dangerous,
            "drafts": self.counts.drafts,
            "oldest_open": moment_json(oldest),
            "oldest_age_seconds": oldest and max(0, int((self.at - oldest).total_seconds())),
            "memory": [budget.as_json() for budget in self.budgets],
            "outside": [
                {
                    "document": observation.path,
                    "revision": observation.revision,
                    "at": moment_json(observation.at),
                }
                for observation in self.outside
            ],
            "unfinished": self.unfinished,
            "standing": self.standing,
            "suspended": self.suspended,
            "unrecorded": self.is_unrecorded,
            "probation": self.probation,
            "learnt": self.unseen,
            "direct": self.direct or None,
            "untold": self.failed_notice or None,
            "reviews": totals_json(self.reviews) | self._last_review_json(),
        } | self._sight_json()

    def _sight_json(self) -> dict[str, Any]:
        if self.sight is None:
            return {}
        return {"machine": self.sight.machine, "seen_at": moment_json(self.sight.at)}

    def _last_review_json(self) -> dict[str, Any]:
        run = self.last_review
        if run is None:
            return {"last_ending": None, "last_reason": None}
        return {"last_ending": run.ending, "last_reason": redact(run.detail) or None}


def combined_json(situations: Sequence[HomeStatus]) -> dict[str, Any]:
    """Several homes in one object: sums, and each home under `homes`."""
    homes = [situation.as_json() for situation in situations]
    if len(homes) == 1:
        return homes[0] | {"homes": homes}
    oldest = min((home for home in homes if home["oldest_open"]), key=_age, default=None)
    return {
        "home": None,
        "name": None,
        "ledger": situations[0].ledger,
        "waiting": sum(home["waiting"] for home in homes),
        "counts": {s.value: sum(home["counts"][s.value] for home in homes) for s in State},
        "dangerous_live": sum(home["dangerous_live"] for home in homes),
        "drafts": sum(home["drafts"] for home in homes),
        "oldest_open": oldest and oldest["oldest_open"],
        "oldest_age_seconds": oldest and oldest["oldest_age_seconds"],
        "memory": [{"home": home["home"], **part} for home in homes for part in home["memory"]],
        "outside": [{"home": home["home"], **part} for home in homes for part in home["outside"]],
        "unfinished": sum(home["unfinished"] for home in homes),
        "standing": situations[0].standing,
        "suspended": situations[0].suspended,
        "probation": sum(home["probation"] for home in homes),
        "learnt": sum(home["learnt"] for home in homes),
        "reviews": totals_json(
            sum((situation.reviews for situation in situations), ReviewTotals())
        ),
        "homes": homes,
    }


def totals_json(totals: ReviewTotals) -> dict[str, Any]:
    """The background reviewer's totals."""
    return {
        "runs": totals.runs,
        "failed": totals.failed,
        "proposals": totals.proposals,
        "denied": totals.denied,
        "tokens": {
            "input": totals.input_tokens,
            "cached": totals.cached_tokens,
            "output": totals.output_tokens,
        },
        "cost": totals.cost,
        "last": moment_json(totals.last),
    }


def _age(home: dict[str, Any]) -> int:
    return -int(home["oldest_age_seconds"])


def waiting(counts: Counts) -> int:
    """How many proposals are waiting; deferred ones are not counted."""
    return sum(counts.by_state.get(state, 0) for state in WAITING)


def prompt_line(counts: Counts, now: datetime) -> str:
    """The queue in one line, for a shell prompt."""
    amount, conflicts = waiting(counts), counts.by_state.get(State.CONFLICT, 0)
    graver = [f"{counts.dangerous} dangerous live"] if counts.dangerous else []
    graver += [count(conflicts, "conflict")] if conflicts else []
    text = f"reviewdeck: {amount or 'nothing'} waiting"
    text += f" ({', '.join(graver)})" if graver else ""
    if amount and counts.oldest_open is not None:
        text += f", oldest {age_of(counts.oldest_open, now)}"
    return text + (f", {count(counts.drafts, 'draft')} not written" if counts.drafts else "")


def budgets_of(home: Home) -> tuple[Budget, ...]:
    """The budgets of the documents that are always loaded and have a limit, as they are now."""
    from reviewdeck.reading.limits import allowances  # It loads the merge.

    snapshot, used = home.snapshot(), list[tuple[str, Allowance]]()
    for path in home.documents():
        if snapshot.loading(path) is not Loading.ALWAYS:
            continue  # A document read on demand fills no prompt, and there may be thousands.
        document = snapshot.document(path)
        if document.problem is None:
            limits = snapshot.limits(path)
            used += ((path, each) for each in allowances(limits, document.text))
    if len(used) > _MAX_BUDGETS:  # An agent with many projects has an index for each.
        by_share = sorted(used, key=lambda pair: -pair[1].used / max(1, pair[1].limit))
        used = [pair for pair in used if pair in by_share[:_MAX_BUDGETS]]
    names = Counter(path.rpartition("/")[2] for path in {path for path, _ in used})
    return tuple(Budget(path, allowance, _label(path, names)) for path, allowance in used)


def _label(path: str, names: Mapping[str, int]) -> str:
    name = path.rpartition("/")[2]
    return name if names[name] == 1 else path


def home_statuses(engine: Engine, ledger: str, now: datetime) -> tuple[HomeStatus, ...]:
    """The status of each home of a view."""
    statuses = []
    for home in engine.homes:
        with engine.ledger.at_once():
            engine.ledger.foresee(_questions(engine.ledger, home))
            statuses.append(_situation_of(engine, home, ledger, now))
    return tuple(statuses)


def _questions(ledger: Ledger, home: Home) -> Iterator[Callable[[], object]]:
    """What a status asks the ledger."""
    yield home.snapshot
    asked = (ledger.marks, ledger.latest, ledger.outside, ledger.baseline, ledger.has_turns)
    yield from (partial(ask, home.id) for ask in asked)
    yield from (partial(ask, (home.id,)) for ask in (ledger.counts, ledger.review_totals))
    yield partial(ledger.operations, home=home.id, limit=NEWEST)
    yield lambda: why_paused(ledger, (home,))


def _situation_of(engine: Engine, home: Home, ledger: str, now: datetime) -> HomeStatus:
    from reviewdeck.engine.changes import (
        unseen_counts,  # loads the diff, which `--short` does not need
    )

    budgets = budgets_of(home)
    sight = engine.sight_of(home.id)
    return HomeStatus(
        sight=sight,
        home=home.id,
        name=home.name,
        kind=home.kind,
        ledger=shown(ledger),
        counts=engine.ledger.counts((home.id,)),
        budgets=budgets,
        outside=_changed_outside(engine, home.id),
        unfinished=0 if sight is not None else len(engine.ledger.unfinished(home.id)),
        reviews=(totals := engine.ledger.review_totals((home.id,))),
        last_review=next(iter(engine.ledger.reviews((home.id,), limit=1)), None)
        if totals.runs
        else None,
        at=now,
        standing=engine.authority.authorisation,
        suspended=why_nothing_is_automatic(engine, home) or engine.policy().problem or None,
        is_unrecorded=not (home.keeps_conversations() or engine.ledger.has_turns(home.id)),
        probation=len(on_probation(engine, home)),
        where=home.where,
        cautions=(*home.cautions, *_unreadable(home)),
        skills=home.skill_sight(),
        unseen=sum(unseen_counts(engine.ledger, home).values()),
        direct=direct_writes_warning(engine.ledger, home, now),
        failed_notice=_failed_notice(engine, home),
        baseline=engine.ledger.baseline(home.id),
    )


def _unreadable(home: Home) -> Iterator[str]:
    """The documents of every prompt that cannot be read, links aside: a home names its own."""
    snapshot = home.snapshot()
    for path in home.documents():
        problem = snapshot.document(path).problem
        if problem and "link" not in problem and snapshot.loading(path) is Loading.ALWAYS:
            yield f"{path} {problem}: it is not reviewed, and nothing is written to it."


def _failed_notice(engine: Engine, home: Home) -> str:
    if not engine.policy().settings.notify.is_on:
        return ""
    from reviewdeck.engine.notices import last_notice  # loads the engine: only where notices are on

    return last_notice(engine.ledger, home.id).failed


def direct_writes_warning(ledger: Ledger, home: Home, now: datetime) -> str:
    """A warning that an agent writes without staging, with its changes of the last day."""
    ungated = home.ungated
    if not ungated:
        return ""
    return direct_writes_words(home.kind, ungated, ledger.changes_outside(home.id, now - _ONE_DAY))


def direct_writes_warnings(engine: Engine, now: datetime) -> tuple[str, ...]:
    """The warning for each home of a view whose agent writes without staging."""
    warnings = (direct_writes_warning(engine.ledger, home, now) for home in engine.homes)
    return tuple(filter(None, warnings))


def _changed_outside(engine: Engine, home: str) -> tuple[Observation, ...]:
    seen_until = engine.ledger.marks(home).everything
    paths = sorted(engine.ledger.latest(home))
    engine.ledger.foresee(partial(engine.ledger.observations, home, path) for path in paths)
    return tuple(
        last
        for path in paths
        if (last := _last_outside(engine, home, path)) is not None
        and (seen_until is None or last.at > seen_until)
    )


def _last_outside(engine: Engine, home: str, path: str) -> Observation | None:
    for observation in reversed(engine.ledger.observations(home, path)):
        if observation.cause is Cause.OUTSIDE:
            return observation
    return None

"""Where a home stands: what waits, how full its memories are, what changed outside review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from reviewdeck.engine.pause import why_nothing_is_automatic
from reviewdeck.engine.probation import on_probation
from reviewdeck.model import Allowance, Cause, Loading, Observation, ReviewTotals, State
from reviewdeck.ports import Baseline, Counts, Home, LedgerReader
from reviewdeck.presentation.items import moment_json
from reviewdeck.presentation.words import direct_words, short_line

if TYPE_CHECKING:
    from reviewdeck.engine.view import View

_BUDGETS = 6
"""Limits that are shown of one home: those of what is fullest."""
_YESTERDAY = timedelta(days=1)
WAITING = tuple(state for state in State if state.is_open and state is not State.DEFERRED)


@dataclass(frozen=True, slots=True)
class Budget:
    """How full one document is."""

    document: str
    allowance: Allowance
    label: str
    """The file's name, or where another one has that name too, its path."""

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        one = self.allowance
        return {"document": self.document, "used": one.used, "limit": one.limit, "unit": one.unit}


@dataclass(frozen=True, slots=True)
class Situation:
    """What `status` says of one home."""

    home: str
    name: str
    kind: str
    """Which agent's it is."""
    ledger: str
    counts: Counts
    budgets: tuple[Budget, ...]
    outside: tuple[Observation, ...]
    """The last change of each document that was made outside review since somebody looked."""
    unfinished: int
    """Batches that an interrupted run left behind."""
    at: datetime
    reviews: ReviewTotals
    """What the background reviewer did and took."""
    standing: str = ""
    """How decisions are established."""
    suspended: str | None = None
    """Why nothing is applied by itself."""
    is_unrecorded: bool = False
    """Whether nobody keeps the conversations of this home."""
    probation: int = 0
    """Additions that went in by themselves and that nobody has marked seen."""
    where: str = ""
    """Where the home is now: its id is where it was when it was first seen."""
    learnt: int = 0
    """What the agent learnt and nobody has marked seen, but for what whoever looks wrote."""
    direct: str = ""
    """That the agent writes without staging, and the settings that change it."""
    untold: str = ""
    """Why the last notice did not reach anybody; empty when it did."""
    baseline: Baseline | None = None
    """What the first look found, as long as nobody has reviewed that."""
    cautions: tuple[str, ...] = ()
    """What somebody has to know of the home before they decide about it."""

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        oldest = self.counts.oldest_open
        return {
            "home": self.home,
            "name": self.name,
            "kind": self.kind,
            "path": self.where,
            "cautions": list(self.cautions),
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
                {"document": one.path, "revision": one.revision, "at": moment_json(one.at)}
                for one in self.outside
            ],
            "unfinished": self.unfinished,
            "standing": self.standing,
            "suspended": self.suspended,
            "unrecorded": self.is_unrecorded,
            "probation": self.probation,
            "learnt": self.learnt,
            "direct": self.direct or None,
            "untold": self.untold or None,
            "reviews": totals_json(self.reviews),
        }


def together_json(found: Sequence[Situation]) -> dict[str, Any]:
    """Several homes in one object: the sums, and each of them under `homes`."""
    homes = [one.as_json() for one in found]
    if len(homes) == 1:
        return homes[0] | {"homes": homes}
    oldest = min((one for one in homes if one["oldest_open"]), key=_age, default=None)
    return {
        "home": None,
        "name": None,
        "ledger": found[0].ledger,
        "waiting": sum(one["waiting"] for one in homes),
        "counts": {s.value: sum(one["counts"][s.value] for one in homes) for s in State},
        "dangerous_live": sum(one["dangerous_live"] for one in homes),
        "drafts": sum(one["drafts"] for one in homes),
        "oldest_open": oldest and oldest["oldest_open"],
        "oldest_age_seconds": oldest and oldest["oldest_age_seconds"],
        "memory": [{"home": one["home"], **part} for one in homes for part in one["memory"]],
        "outside": [{"home": one["home"], **part} for one in homes for part in one["outside"]],
        "unfinished": sum(one["unfinished"] for one in homes),
        "standing": found[0].standing,
        "suspended": found[0].suspended,
        "reviews": totals_json(sum((one.reviews for one in found), ReviewTotals())),
        "homes": homes,
    }


def totals_json(totals: ReviewTotals) -> dict[str, Any]:
    """What reviews did and took."""
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


def _age(one: dict[str, Any]) -> int:
    return -int(one["oldest_age_seconds"])


def waiting(counts: Counts) -> int:
    """How many proposals wait for somebody; what was put off does not."""
    return sum(counts.by_state.get(state, 0) for state in WAITING)


def short(counts: Counts, now: datetime) -> str:
    """The queue in one line, for a prompt."""
    conflicts = counts.by_state.get(State.CONFLICT, 0)
    return short_line(
        waiting(counts),
        conflicts,
        counts.drafts,
        counts.oldest_open,
        now,
        dangerous=counts.dangerous,
    )


def budgets_of(home: Home) -> tuple[Budget, ...]:
    """How full the documents of a home are that have a limit, as they are now."""
    snapshot, found = home.snapshot(), list[tuple[str, Allowance]]()
    for path in home.documents():
        if snapshot.loading(path) is not Loading.ALWAYS:
            continue  # What is read on demand fills no prompt, and there may be thousands.
        document = snapshot.document(path)
        if document.problem is None:
            found += [(path, one) for one in snapshot.allowance(path, document.text)]
    if len(found) > _BUDGETS:  # An agent of many projects has an index for each.
        fullest = sorted(found, key=lambda one: -one[1].used / max(1, one[1].limit))[:_BUDGETS]
        found = [one for one in found if one in fullest]
    names = Counter(path.rpartition("/")[2] for path in {path for path, _ in found})
    return tuple(Budget(path, one, _label(path, names)) for path, one in found)


def _label(path: str, names: Mapping[str, int]) -> str:
    name = path.rpartition("/")[2]
    return name if names[name] == 1 else path


def situations_of(view: View, ledger: str, now: datetime) -> tuple[Situation, ...]:
    """Where each home of a view stands."""
    return tuple(_situation_of(view, home, ledger, now) for home in view.homes)


def _situation_of(view: View, home: Home, ledger: str, now: datetime) -> Situation:
    from reviewdeck.engine.changes import unseen  # loads the diff, which a count alone needs not

    return Situation(
        home=home.id,
        name=home.name,
        kind=home.kind,
        ledger=ledger,
        counts=view.ledger.counts((home.id,)),
        budgets=budgets_of(home),
        outside=_outside(view, home.id),
        unfinished=len(view.ledger.unfinished(home.id)),
        reviews=view.ledger.review_totals((home.id,)),
        at=now,
        standing=view.authority.standing,
        suspended=why_nothing_is_automatic(view),
        is_unrecorded=not (home.keeps_conversations() or view.ledger.has_turns(home.id)),
        probation=len(on_probation(view, home)),
        where=home.where,
        cautions=home.cautions,
        learnt=sum(unseen(view.ledger, home, view.actor).values()),
        direct=direct_of(view.ledger, home, now),
        untold=_untold(view, home),
        baseline=view.ledger.baseline(home.id),
    )


def _untold(view: View, home: Home) -> str:
    if not view.policy().settings.notify.is_on:
        return ""
    from reviewdeck.engine.notices import told_of  # loads the engine, where somebody is told

    return told_of(view.ledger, home.id).failed


def direct_of(ledger: LedgerReader, home: Home, now: datetime) -> str:
    """That the agent of a home writes without staging, and how much it did since yesterday."""
    ungated = home.ungated
    if not ungated:
        return ""
    seen = (one for path in ledger.latest(home.id) for one in ledger.observations(home.id, path))
    recent = [one for one in seen if one.cause is Cause.OUTSIDE and one.at > now - _YESTERDAY]
    return direct_words(home.kind, ungated, len(recent))


def _outside(view: View, home: str) -> tuple[Observation, ...]:
    seen_until = view.ledger.marks(home).everything
    return tuple(
        last
        for path in sorted(view.ledger.latest(home))
        if (last := _last_outside(view, home, path)) is not None
        and (seen_until is None or last.at > seen_until)
    )


def _last_outside(view: View, home: str, path: str) -> Observation | None:
    observations = view.ledger.observations(home, path)
    return next((one for one in reversed(observations) if one.cause is Cause.OUTSIDE), None)

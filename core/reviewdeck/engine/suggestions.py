"""Rules from decisions: what an operator turned down again and again, as a rule in words.

A feature is offered when at least `EQUAL` decided proposals have it and every one of them was
turned down. It is tried on the newest recorded proposals first: a rule that would have matched one
that was approved is not offered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from reviewdeck.model import Proposal
from reviewdeck.model.decisions import Ending
from reviewdeck.policy.features import Feature, Key, Trait, feature_of, free_name, keys_of
from reviewdeck.policy.own_rules import OwnRule, RuleEffect

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine

EQUAL: Final = 3
"""Equal decisions from which on a rule is offered."""
MOST_PAST: Final = 1_000
"""The newest recorded proposals, on which a rule is tried."""
MOST_TRIED: Final = 40
"""Features that are tried."""
MOST_OFFERED: Final = 5
_TURNED_DOWN: Final = (Ending.REJECTED, Ending.UNDONE)
_APPROVED: Final = (Ending.TAKEN, Ending.CHANGED, Ending.AUTOMATIC)
_CONTRAST: Final = 3
"""Approved proposals without which common words, a document, an action and an origin say nothing.

All texts share some words, and where nothing is approved all that comes is alike.
"""
_TELLS_BY_ITSELF: Final = (Trait.VALUE, Trait.HOST)

Past = Sequence[tuple[Proposal, Ending]]
"""Recorded proposals with how each ended."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A rule that an operator's decisions speak for."""

    feature: Feature
    turned_down: tuple[str, ...]
    """The proposals that an operator rejected or took back."""
    matched: int
    """Recorded proposals that the rule would have matched, these among them."""
    waiting: int
    """Of these, how many wait now."""
    undone: int = 0
    """Of those turned down, how many had been applied."""

    @property
    def sentence(self) -> str:
        """What was decided."""
        amount = len(self.turned_down)
        did = "rejected or took back" if self.undone else "rejected"
        return f"You {did} {amount} of {amount} that {self.feature.words}."

    @property
    def replay(self) -> str:
        """What the rule would have done so far."""
        past = "past one" if self.matched == 1 else "past ones"
        verb = "waits" if self.waiting == 1 else "wait"
        now = f"; {self.waiting} of them {verb} now" if self.waiting else ""
        return f"It would have matched {self.matched} {past}, 0 that you approved{now}."

    def rule(self, effect: RuleEffect, taken: Collection[str] = ()) -> OwnRule:
        """The rule, under a name that is not taken."""
        name = free_name(self.feature.name, taken)
        amount = len(self.turned_down)
        reason = f"You turned down {amount} of {amount} that {self.feature.words}."
        return OwnRule(name, effect, reason, self.feature.scope)


def suggest(engine: Engine) -> tuple[Suggestion, ...]:
    """The rules that the decisions about these homes speak for, the strongest first."""
    past = engine.ledger.past(engine.home_ids, MOST_PAST)
    return suggestions(past, engine.policy().settings.rules)


def suggestions(past: Past, rules: Sequence[OwnRule] = ()) -> tuple[Suggestion, ...]:
    """The same for these recorded proposals, without what the present rules match already."""
    fresh = [
        (proposal, ending)
        for proposal, ending in past
        if not any(rule.matches(proposal) for rule in rules)
    ]
    found: list[Suggestion] = []
    for feature in _candidates(fresh):
        suggestion = _tried(feature, fresh)
        if suggestion is not None and not _is_known(suggestion, found):
            found.append(suggestion)
    return tuple(found[:MOST_OFFERED])


def _candidates(past: Past) -> Iterator[Feature]:
    """The features of what was turned down and of nothing that was approved, most first."""
    keys = [(keys_of(proposal), ending) for proposal, ending in past]
    approved: set[Key] = set()
    for each, ending in keys:
        if ending in _APPROVED:
            approved |= each
    counted = Counter(key for each, ending in keys if ending in _TURNED_DOWN for key in each)
    has_contrast = sum(ending in _APPROVED for _, ending in keys) >= _CONTRAST
    often = [
        key
        for key, amount in counted.items()
        if amount >= EQUAL and key not in approved and (has_contrast or key[0] in _TELLS_BY_ITSELF)
    ]
    often.sort(key=lambda key: (-counted[key], key[0].rank, -len(key[1]), key[1]))
    for key in often[:MOST_TRIED]:
        if (feature := feature_of(key)) is not None:
            yield feature


def _tried(feature: Feature, past: Past) -> Suggestion | None:
    """A feature after the replay; None where the rule would have matched what was approved."""
    matched = [
        (proposal.id, ending)
        for proposal, ending in past
        if feature.scope.places(proposal) is not None
    ]
    endings = Counter(ending for _, ending in matched)
    turned_down = tuple(id for id, ending in matched if ending in _TURNED_DOWN)
    if len(turned_down) < EQUAL or any(endings[ending] for ending in _APPROVED):
        return None
    return Suggestion(
        feature, turned_down, len(matched), endings[Ending.WAITS], endings[Ending.UNDONE]
    )


def _is_known(suggestion: Suggestion, found: Sequence[Suggestion]) -> bool:
    """Whether a stronger one speaks for all that this one does."""
    own = set(suggestion.turned_down)
    return any(own <= set(each.turned_down) for each in found)

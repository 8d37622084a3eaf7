"""Rules about texts that are alike: what is there already, waits, was removed or was rejected."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reviewdeck.model import Likeness, Relation, Severity
from reviewdeck.policy.rule import Check, Hit, LooksAt, Rule, Subject
from reviewdeck.policy.signs import Trait, signed

_NEAR = 85.0
"""From this score on a text counts as the same thing said again."""


def _alike(relation: Relation, describe: Callable[[Likeness], str]) -> Check:
    @signed(Trait.ALIKE)
    def check(subject: Subject) -> Iterator[Hit]:
        for likeness in subject.alike:
            if likeness.relation is relation:
                yield Hit(describe(likeness), quote=likeness.text)

    return check


def _live(likeness: Likeness) -> str:
    if likeness.exact:
        return f"{likeness.where} says this already."
    if likeness.score >= _NEAR:
        return f"{likeness.where} says nearly the same: a duplicate, or an update of it."
    about = "is" if likeness.where.startswith("skills/") else "has an entry"
    return f"{likeness.where} {about} about the same thing: a possible update or contradiction."


def _pending(likeness: Likeness) -> str:
    how = "the same" if likeness.exact else "nearly the same"
    return f"Another waiting proposal ({likeness.where}) says {how}: decide on them together."


def _removed(likeness: Likeness) -> str:
    return "This was removed or replaced before."


def _rejected(likeness: Likeness) -> str:
    return "This was rejected before."


def _example(relation: Relation, *, exact: bool = False) -> Subject:
    return Subject(alike=(Likeness(relation, "The linter is ruff.", 90.0, "somewhere", exact),))


RULES = (
    Rule(
        name="like-live",
        looks_at=LooksAt.LIKENESS,
        severity=Severity.MEDIUM,
        reason="What is on a subject that memory covers already may contradict it or repeat it.",
        check=_alike(Relation.LIVE, _live),
        hits=(_example(Relation.LIVE), _example(Relation.LIVE, exact=True)),
        misses=("Nothing like it.", _example(Relation.PENDING)),
    ),
    Rule(
        name="like-pending",
        looks_at=LooksAt.LIKENESS,
        severity=Severity.LOW,
        reason="Of several proposals that say the same, an operator picks one.",
        check=_alike(Relation.PENDING, _pending),
        hits=(_example(Relation.PENDING), _example(Relation.PENDING, exact=True)),
        misses=("Nothing like it.", _example(Relation.LIVE)),
    ),
    Rule(
        name="like-removed",
        looks_at=LooksAt.LIKENESS,
        severity=Severity.MEDIUM,
        reason="What somebody took out does not come back unseen.",
        check=_alike(Relation.REMOVED, _removed),
        hits=(_example(Relation.REMOVED),),
        misses=("Nothing like it.", _example(Relation.LIVE)),
    ),
    Rule(
        name="like-rejected",
        looks_at=LooksAt.LIKENESS,
        severity=Severity.MEDIUM,
        reason="What an operator turned down stays turned down.",
        check=_alike(Relation.REJECTED, _rejected),
        hits=(_example(Relation.REJECTED),),
        misses=("Nothing like it.", _example(Relation.LIVE)),
    ),
)

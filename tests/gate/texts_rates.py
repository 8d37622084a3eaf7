"""What the plain-form rules and likeness come to on the texts, by half and family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import cycle, groupby

from tests.gate.texts import NO_TEXT, Pair, Split, Text, attacks, memories, pairs, skills

from reviewdeck.model import MemoryAdd, Utterance
from reviewdeck.origin.said import hear
from reviewdeck.policy.plain import check_plain
from reviewdeck.policy.statement import why_no_statement
from reviewdeck.text.similarity import find_similar


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of how many."""

    of: str
    hits: int
    all: int

    @property
    def share(self) -> float:
        """0 to 1; 0 of nothing."""
        return self.hits / self.all if self.all else 0.0

    def __str__(self) -> str:
        return f"{self.of}: {self.hits} of {self.all} ({self.share:.0%})"


@dataclass(frozen=True, slots=True)
class Rates:
    """Everything that is measured on one half."""

    split: Split
    plain: tuple[Rate, ...]
    """Of entries and skills, those of which no rule speaks."""
    strict: Rate
    """Of the ordinary entries of which no rule speaks, those that are plain statements."""
    passing: tuple[Rate, ...]
    """Of attacks, by family, those of which no rule speaks."""
    passing_in_skills: tuple[Rate, ...]
    passing_strict: Rate
    """Of all attacks in memory form, those that pass a home without conversations."""
    likeness: tuple[Rate, ...]
    """Of pairs, by kind, those that are found alike."""
    said: tuple[Rate, ...]
    """Of texts where the user said another one, those that count as said: each half of a pair for
    the other, by kind, and attacks with an entry of the user put behind them."""
    speaking: tuple[Rate, ...]
    """Of ordinary entries, those of which each rule speaks."""


@cache
def speaking(text: Text) -> tuple[str, ...]:
    """The names of the rules that speak about it, in a home that knows nothing yet."""
    return tuple(found.rule.name for found in check_plain((text.edit,)))


def is_plain(text: Text) -> bool:
    """Whether no rule speaks about it."""
    return not speaking(text)


def is_strict(text: Text) -> bool:
    """Whether a home without conversations would take it in on its form."""
    return is_plain(text) and not why_no_statement(text.said)


def is_noticed(pair: Pair) -> bool:
    """Whether the first finds the second."""
    return bool(find_similar(pair.one, [pair.other], reasons=False))


def counts_as_said(text: str, message: str) -> bool:
    """Whether it passes for the user's words where the user typed the message."""
    return bool(hear(text, [Utterance("s1", "user", message, is_typed=True)]).said)


def said_rates(split: Split) -> tuple[Rate, ...]:
    """How much passes for what the user said while somebody else said it."""
    both_ways = [
        (pair.kind, counts_as_said(*texts))
        for pair in pairs(split)
        for texts in ((pair.one, pair.other), (pair.other, pair.one))
    ]
    messages = cycle(entry.said for entry in memories(split) if entry.is_ordinary)
    hostile = [attack.said for attack in attacks(split) if isinstance(attack.edit, MemoryAdd)]
    padded = [
        counts_as_said(f"{text} {message}", message)
        for text, message in zip(hostile, messages, strict=False)
        if text != NO_TEXT
    ]
    kinds = Counter(kind for kind, _ in both_ways)
    said = Counter(kind for kind, is_said in both_ways if is_said)
    return (
        *(Rate(kind, said[kind], kinds[kind]) for kind in ("same", "update", "unrelated")),
        Rate("attacks padded with words of the user", sum(padded), len(padded)),
    )


def rate(of: str, among: Sequence[Text], hit: Callable[[Text], bool] = is_plain) -> Rate:
    """How many of these texts are such."""
    return Rate(of, sum(map(hit, among)), len(among))


def by_label(texts: Iterable[Text]) -> tuple[Rate, ...]:
    """Those of which no rule speaks, by family."""
    ordered = sorted(texts, key=lambda text: text.label)
    groups = groupby(ordered, key=lambda text: text.label)
    return tuple(rate(label, list(group)) for label, group in groups)


def measured(split: Split) -> Rates:
    """All rates of one half."""
    entries, real = memories(split), skills(split)
    ordinary = [text for text in entries if text.is_ordinary]
    poisoned = [text for text in real if not text.is_ordinary]
    hostile = attacks(split)
    taken = [text for text in hostile if isinstance(text.edit, MemoryAdd)]
    kinds = Counter(pair.kind for pair in pairs(split))
    noticed = Counter(pair.kind for pair in pairs(split) if is_noticed(pair))
    rules = Counter(name for text in ordinary for name in speaking(text))
    return Rates(
        split,
        (
            rate("ordinary entries", ordinary),
            rate("unsuitable entries", [text for text in entries if not text.is_ordinary]),
            rate("real skills", [text for text in real if text.is_ordinary]),
        ),
        rate("plain statements", [text for text in ordinary if is_plain(text)], is_strict),
        by_label(hostile),
        by_label(poisoned),
        rate("attacks as entries, plain statements", taken, is_strict),
        tuple(Rate(kind, noticed[kind], kinds[kind]) for kind in ("same", "update", "unrelated")),
        said_rates(split),
        tuple(Rate(name, count, len(ordinary)) for name, count in rules.most_common()),
    )

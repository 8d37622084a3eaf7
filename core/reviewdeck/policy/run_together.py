"""Words that are written as one, or in letters that stand for others: read as what they are."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from itertools import islice, pairwise

from reviewdeck.model import MemoryAdd, Span
from reviewdeck.policy import injection, takeover
from reviewdeck.policy.reading import fold
from reviewdeck.policy.rule import Hit, Subject
from reviewdeck.policy.screen import may_match
from reviewdeck.policy.signs import Signs

_RUN = re.compile(r"\S{12,400}")
_MOST_RUNS = 40
"""A text with more of them is code, and other rules hold that."""
_FEWEST_TURNS = 2
_INSIDE = "./~@-_?=$"
"""What stands inside of an address or a path."""
_EVERYDAY = re.compile(
    r"\b(?:the|is|are|an?|of|to|in|and|for|with|on|at|by|der|die|das|und|le|la|les|de|el|en|et|un"
    r"|una|il)\b",
    re.IGNORECASE,
)
"""One of these is in nearly every text that is written as it is meant."""
_TURNED = 1_000
"""Characters of a text that is read with its letters turned."""
_REFUSING = (*injection.RULES, *takeover.RULES)
_PATTERNS = frozenset(
    number for rule in _REFUSING for number in getattr(rule.check, "signs", Signs()).patterns
)


def refused_when_apart(text: str) -> Iterator[Hit]:
    """Runs like `NewSystemPrompt:ObeyMe`: names of code say nothing that a rule refuses."""
    for run in islice(_RUN.finditer(text), _MOST_RUNS):
        apart = _apart(run.group())
        if apart is not None and _is_refused(apart):
            yield Hit("Words without spaces that are refused with them.", Span(*run.span()))


def refused_when_turned(text: str) -> Iterator[Hit]:
    """A text whose letters are moved on by half the alphabet, or that is written backwards."""
    if _EVERYDAY.search(text) is None and any(map(_is_refused, _turned(text[:_TURNED]))):
        yield Hit("Letters that stand for others.", Span(0, len(text)))


def _turned(text: str) -> Iterator[str]:
    turned = (
        codecs.decode(text, "rot13"),
        text[::-1],
        " ".join(word[::-1] for word in text.split()),
    )
    yield from filter(_may_be_refused, turned)


def _apart(run: str) -> str | None:
    """The run with a space before each word and each path that begins in it; None for one word."""
    if run.islower() or run.isupper():
        return None
    parts = [run[0]]
    for before, letter in pairwise(run):
        turns = letter.isupper() and not before.isupper() and before not in _INSIDE
        turns = turns or (letter == "~" and before.isalpha())
        parts.append(f" {letter}" if turns else letter)
    apart = "".join(parts)
    return apart if apart.count(" ") >= _FEWEST_TURNS else None


def _may_be_refused(text: str) -> bool:
    """Whether a pattern of a rule that refuses may match: without one, none is asked."""
    return not _PATTERNS.isdisjoint(may_match(fold(text)[0]))


def _is_refused(text: str) -> bool:
    subject = Subject(edits=(MemoryAdd("memories/MEMORY.md", text),))
    return any(rule.apply(subject).refuses for rule in _REFUSING)

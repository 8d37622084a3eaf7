"""Words that are written as one: where they are taken apart, the rules that refuse read them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from reviewdeck.model import MemoryAdd, Span
from reviewdeck.policy import injection, takeover
from reviewdeck.policy.rule import Hit, Subject

_RUN = re.compile(r"\S{12,400}")
_MOST_RUNS = 40
"""A text with more of them is code, and other rules hold that."""
_FEWEST_TURNS = 2
_INSIDE = "./~@-_?=$"
"""What stands inside of an address or a path."""
_REFUSING = (*injection.RULES, *takeover.RULES)


def refused_when_apart(text: str) -> Iterator[Hit]:
    """Runs like `NewSystemPrompt:ObeyMe`: names of code say nothing that a rule refuses."""
    for run in islice(_RUN.finditer(text), _MOST_RUNS):
        apart = _apart(run.group())
        if apart is not None and _is_refused(apart):
            yield Hit("Words without spaces that are refused with them.", Span(*run.span()))


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


def _is_refused(text: str) -> bool:
    subject = Subject(edits=(MemoryAdd("memories/MEMORY.md", text),))
    return any(rule.apply(subject).refuses for rule in _REFUSING)

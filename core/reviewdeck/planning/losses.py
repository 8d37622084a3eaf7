"""What is lost when texts take the place of another.

A word that gives way to another is a change, and the diff shows it. Lost is what nothing takes the
place of: a run of words that the new texts have nowhere, a "not", or any word at all when the new
texts bring none of their own. An alarm that rings at every edited number is soon not heard.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_BREAK = re.compile(r"(?:(?<=[.,;:!?])\s+|\n|\s[—–-]\s)")
_WORD = re.compile(r"\w+(?:['’]\w+)?")
_FILLER_WORDS = "a an and are as at be but by for in is it its of on or that the to with"
_FILLERS = frozenset(_FILLER_WORDS.split())
_NEGATION_WORDS = "no not never none without cannot can't don't doesn't won't mustn't"
_NEGATIONS = frozenset(_NEGATION_WORDS.split())
RUN = 2
"""Words that tell something, in a row, from which their absence is a loss."""


def lost_clauses(old: str, new: Sequence[str]) -> tuple[str, ...]:
    """The parts of the old text that no new one has or puts another word for, in order."""
    had, kept = _words(old), {word for text in new for word in _words(text)}
    whole = "\n".join(f" {' '.join(_words(text))} " for text in new)
    brings_words = bool(kept - set(had) - _FILLERS)
    return tuple(
        run
        for clause in _BREAK.split(old)
        if f" {' '.join(_words(clause))} " not in whole
        for run in _lost_runs(clause.strip(), kept, brings_words=brings_words)
    )


def _lost_runs(clause: str, kept: set[str], *, brings_words: bool) -> Iterator[str]:
    told = [m for m in _WORD.finditer(clause) if m[0].casefold() not in _FILLERS]
    for run in _runs(told, kept):
        words = {word[0].casefold() for word in run}
        if len(run) == len(told):
            yield clause
        elif len(run) >= RUN or not brings_words or words & _NEGATIONS:
            yield clause[run[0].start() : run[-1].end()]


def _runs(words: Sequence[re.Match[str]], kept: set[str]) -> Iterator[list[re.Match[str]]]:
    """Words in a row that the new texts do not have."""
    run: list[re.Match[str]] = []
    for word in words:
        if word[0].casefold() not in kept:
            run.append(word)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _words(text: str) -> list[str]:
    return [word[0].casefold() for word in _WORD.finditer(text)]

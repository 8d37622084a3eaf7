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


def overwritten(live: str, base: str | None, taken: str) -> tuple[str, ...]:
    """What came into a live text since its base and goes when another text is taken, in phrases.

    Where that other one says what the base said, the live phrase is lost whole; where it puts
    words of its own there, both sides changed the same, and lost is what nothing takes the place
    of.
    """
    parts = [clause for clause in _BREAK.split(base or "") if _words(clause)]
    kept = [f" {' '.join(_words(text))} " for text in (base or "", taken)]
    found: dict[str, None] = {}
    for clause in _BREAK.split(live):
        said = f" {' '.join(_words(clause))} "
        if said.strip() and not any(said in text for text in kept):
            before = _nearest(clause, parts)
            if before and f" {' '.join(_words(before))} " not in kept[1]:
                found |= dict.fromkeys(lost_clauses(clause, [taken, base or ""]))
            else:
                found[_trimmed(_inserted(clause, before))] = None
    return tuple(found)


def _nearest(clause: str, others: Sequence[str]) -> str:
    """The clause that has the most words of this one; empty where none has any that tells."""
    words = set(_words(clause)) - _FILLERS
    scored = [(len(words & set(_words(other))), other) for other in others]
    score, nearest = max(scored, key=lambda one: one[0], default=(0, ""))
    return nearest if score else ""


def _inserted(clause: str, before: str) -> str:
    """What was put into a clause, where nothing else of it changed; else all of it."""
    new = [*_WORD.finditer(clause)]
    told, old = [word[0].casefold() for word in new], _words(before)
    head = next((at for at, (a, b) in enumerate(zip(told, old, strict=False)) if a != b), len(old))
    tail = len(old) - head
    if not old or len(old) >= len(told) or told[len(told) - tail :] != old[head:]:
        return clause
    return clause[new[head].start() : new[len(told) - tail - 1].end()]


def _trimmed(phrase: str) -> str:
    return phrase.strip().rstrip(",;:")


def _lost_runs(clause: str, kept: set[str], *, brings_words: bool) -> Iterator[str]:
    told = [m for m in _WORD.finditer(clause) if m[0].casefold() not in _FILLERS]
    for run in _runs(told, kept):
        words = {word[0].casefold() for word in run}
        if len(run) * 2 > len(told):
            yield _trimmed(clause)
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

"""Finds text that is lost when other texts replace it.

A word replaced by another is a change, and the diff shows it. Lost is text without a replacement: a
run of words that the new texts do not have, a "not", or any word when the new texts add none of
their own. A warning at every edited number would soon be ignored.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from reviewdeck.text.blocks import BlockKind, blocks
from reviewdeck.text.entries import pair
from reviewdeck.text.lines import common_start

_BREAK = re.compile(r"(?:(?<=[.,;:!?])\s+|\n|\s[—–-]\s)")
_WORD = re.compile(r"\w+(?:['’]\w+)?")
_FILLER_WORDS = "a an and are as at be but by for in is it its of on or that the to with"
_FILLERS = frozenset(_FILLER_WORDS.split())
_NEGATION_WORDS = "no not never none without cannot can't don't doesn't won't mustn't"
_NEGATIONS = frozenset(_NEGATION_WORDS.split())
RUN = 2
"""Words in a row (fillers not counted) from which their absence is a loss."""
_MARK: Final = re.compile(r"\A(?:>\s?)*(?:(?:[-*+•–]|\d{1,9}[.)])\s+)?(?:\[[ xX]\]\s+)?")
_PROSE: Final = frozenset({"", ".md", ".markdown", ".mdc", ".txt", ".rst", ".adoc"})
"""Endings of files that are read as rules; of code the diff says more."""
_MOST_PAIRS: Final = 100_000
"""Pairs of an old and a new rule that are compared for likeness."""
_LONGEST: Final = 400_000
"""Characters of a document that are compared rule by rule."""


def lost_clauses(old: str, new: Sequence[str]) -> tuple[str, ...]:
    """The parts of the old text that no new text has or replaces, in order."""
    return _lost_clauses(old, [_Replacement(text) for text in new])


class _Replacement:
    """A new text in words: read once, for it may be asked about each clause of a long one."""

    def __init__(self, text: str) -> None:
        words = _words(text)
        self.text = f" {' '.join(words)} "
        self.words = frozenset(words)
        self._telling = self.words - _FILLERS

    def brings_words(self, had: set[str]) -> bool:
        return sum(word in self._telling for word in had) < len(self._telling)


def _lost_clauses(old: str, new: Sequence[_Replacement]) -> tuple[str, ...]:
    had = set(_words(old))
    brings_words = any(text.brings_words(had) for text in new)
    return tuple(
        run
        for clause in _BREAK.split(old)
        if not _is_in(f" {' '.join(_words(clause))} ", new)
        for run in _lost_runs(clause.strip(), new, brings_words=brings_words)
    )


def _is_in(words: str, texts: Sequence[_Replacement]) -> bool:
    return any(words in text.text for text in texts)


def lost_rules(path: str, before: str | None, after: str | None) -> tuple[str, ...]:
    """What a document said that its new text neither says anywhere nor rewords, in order.

    A document is read rule by rule: an item of a list, a paragraph however its lines break, a cell,
    a line of code. Empty for a document that is new or goes away, and for files of code.
    """
    if before is None or after is None or before == after or before.startswith("#!"):
        return ()
    if PurePosixPath(path).suffix.lower() not in _PROSE or len(before + after) > _LONGEST:
        return ()
    rules, said = list(_rules(before)), f" {' '.join(_words(after))} "
    old = [rule for rule in rules if f" {' '.join(_words(rule))} " not in said]
    had = frozenset(rules)
    new = [rule for rule in _rules(after) if rule not in had]
    is_small = len(old) * len(new) <= _MOST_PAIRS
    paired, nearest = (pair(old, new), _NearestRule(new)) if is_small else ({}, None)
    lost: dict[str, None] = {}
    for at, rule in enumerate(old):
        edited = [_Replacement(new[paired[at]])] if at in paired else []
        missing = []
        for clause in filter(_words, _BREAK.split(rule)):
            telling = set(_words(clause)) - _FILLERS
            if len(telling) < RUN and not telling & _NEGATIONS:
                continue  # A word is no rule.
            alike = [text] if nearest and (text := nearest.of(telling)) else []
            missing += [run for run in _lost_clauses(clause, edited + alike) if _is_lost(run, said)]
        is_whole = len(missing) > 1 and "".join(_words(rule)) == "".join(_words(" ".join(missing)))
        lost |= dict.fromkeys([_trim(rule)] if is_whole else missing)
    return tuple(lost)


def _is_lost(run: str, said: str) -> bool:
    """A run that stands elsewhere is not lost; a lone "not" elsewhere is that of another rule."""
    words = _words(run)
    return f" {' '.join(words)} " not in said or _NEGATIONS.issuperset(words)


class _NearestRule:
    """Finds the rule that shares most of the words of a clause."""

    def __init__(self, rules: Sequence[str]) -> None:
        self._rules = [_Replacement(rule) for rule in rules]
        places: dict[str, list[int]] = {}
        for at, rule in enumerate(self._rules):
            for word in rule.words:
                places.setdefault(word, []).append(at)
        self._places: Mapping[str, Sequence[int]] = places

    def of(self, words: set[str]) -> _Replacement | None:
        """The rule with the most of these words; None when none has half of them."""
        shared = Counter(at for word in words for at in self._places.get(word, ()))
        at, score = max(shared.items(), key=lambda pair: (pair[1], -pair[0]), default=(0, 0))
        return self._rules[at] if score * 2 >= len(words) and score else None


def _rules(text: str) -> Iterator[str]:
    """The rules of a text, each in one line without its list mark; headings say nothing."""
    for block in blocks(text):
        if block.kind is not BlockKind.HEADING:
            words = text[block.start : block.end]
            parts = words.split("\n") if block.kind is BlockKind.FENCE else [words]
            lines = (_MARK.sub("", " ".join(part.split())) for part in parts)
            yield from filter(_words, lines)


def lost_additions(live: str, base: str | None, chosen: str) -> tuple[str, ...]:
    """The phrases added to a live text since its base that are lost when another text is chosen.

    Where the chosen text says what the base said, the live phrase is lost whole; where it has
    words of its own, both sides changed the same phrase, and the words without a replacement are
    lost.
    """
    parts = [clause for clause in _BREAK.split(base or "") if _words(clause)]
    was, now = _Replacement(base or ""), _Replacement(chosen)
    phrases: dict[str, None] = {}
    for clause in _BREAK.split(live):
        words = f" {' '.join(_words(clause))} "
        if words.strip() and not _is_in(words, (was, now)):
            before = _nearest(clause, parts)
            if before and not _is_in(f" {' '.join(_words(before))} ", (now,)):
                phrases |= dict.fromkeys(_lost_clauses(clause, (now, was)))
            else:
                phrases[_trim(_insertion(clause, before))] = None
    return tuple(phrases)


def _nearest(clause: str, candidates: Sequence[str]) -> str:
    """The candidate with the most words of this clause; empty when only fillers are common."""
    words = set(_words(clause)) - _FILLERS
    scored = [(len(words & set(_words(candidate))), candidate) for candidate in candidates]
    score, nearest = max(scored, key=lambda pair: pair[0], default=(0, ""))
    return nearest if score else ""


def _insertion(clause: str, before: str) -> str:
    """The words inserted into a clause, if it was not changed otherwise; else the whole clause."""
    new = [*_WORD.finditer(clause)]
    new_words, old = [word[0].casefold() for word in new], _words(before)
    head = common_start(new_words, old)
    tail = len(old) - head
    if not old or len(old) >= len(new_words) or new_words[len(new_words) - tail :] != old[head:]:
        return clause
    return clause[new[head].start() : new[len(new_words) - tail - 1].end()]


def _trim(phrase: str) -> str:
    return phrase.strip().rstrip(",;:")


def _lost_runs(clause: str, new: Sequence[_Replacement], *, brings_words: bool) -> Iterator[str]:
    telling = [m for m in _WORD.finditer(clause) if m[0].casefold() not in _FILLERS]
    for run in _runs(telling, new):
        words = {word[0].casefold() for word in run}
        if len(run) * 2 > len(telling):
            yield _trim(clause)
        elif len(run) >= RUN or not brings_words or words & _NEGATIONS:
            yield clause[run[0].start() : run[-1].end()]


def _runs(
    words: Sequence[re.Match[str]], new: Sequence[_Replacement]
) -> Iterator[list[re.Match[str]]]:
    """Words in a row that the new texts do not have."""
    run: list[re.Match[str]] = []
    for word in words:
        if not any(word[0].casefold() in text.words for text in new):
            run.append(word)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _words(text: str) -> list[str]:
    return [word[0].casefold() for word in _WORD.finditer(text)]

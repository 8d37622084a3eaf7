"""What is nearest to a text that is gone: shown to an operator, never acted upon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from reviewdeck.planning.views import plain

_ALIKE = 80.0
"""From here on Hermes takes two lines for the same when it guesses."""
_MIDDLE_ALIKE = 50.0
"""What it asks of the lines between a first and a last one that are the same."""
_FLOOR = 45.0
"""Below this the nearest line has nothing to do with what was looked for."""
_ENTRY_FLOOR = 60.0
_SAMPLED_LINES = 24
_COMPARISONS = 150_000
_TRIED = 5
_MAX_CHARS = 4_000
"""Of an entry that is compared, or of a candidate that is shown."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The lines of a text that are most like the ones looked for."""

    text: str
    is_loose_match: bool
    """Alike enough that Hermes would take them for what was meant."""


def nearest_entry(wanted: str, entries: Iterable[str]) -> str | None:
    """The entry that is most like this text, or None when none is like it."""
    choices = {entry: entry[:_MAX_CHARS].casefold() for entry in entries}
    best = process.extractOne(
        wanted[:_MAX_CHARS].casefold(),
        choices,
        scorer=fuzz.token_set_ratio,
        score_cutoff=_ENTRY_FLOOR,
    )
    return None if best is None else best[2]


def nearest_block(content: str, wanted: str) -> Nearest | None:
    """The block of lines in the content that is most like the wanted ones."""
    sought = [plain(line).strip() for line in wanted.split("\n")]
    lines = content.split("\n")
    stripped = [plain(line).strip() for line in lines]
    starts = _votes(stripped, sought)
    for start in starts:
        if _is_loose_match(stripped[start : start + len(sought)], sought):
            return Nearest(_shown(lines, start, len(sought)), True)
    return Nearest(_shown(lines, starts[0], len(sought)), False) if starts else None


def _votes(lines: Sequence[str], sought: Sequence[str]) -> list[int]:
    """Where a block may begin, best first: each pair of lines that are alike speaks for one."""
    places: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        if line:
            places.setdefault(line, []).append(number)
    votes: Counter[int] = Counter()
    for number in _sample(sought, len(places)):
        found = process.extract(
            sought[number], places.keys(), scorer=fuzz.ratio, score_cutoff=_FLOOR, limit=_TRIED
        )
        for line, score, _ in found:
            weight = int(score) if score >= _ALIKE else int(score) // 4
            for place in places[line][:_TRIED]:
                votes[max(0, place - number)] += weight
    return [start for start, _ in votes.most_common(_TRIED)]


def _sample(sought: Sequence[str], choices: int) -> list[int]:
    """Line numbers that stand for all, few enough to compare each with every line."""
    numbers = [number for number, line in enumerate(sought) if line]
    wanted = max(1, min(_SAMPLED_LINES, _COMPARISONS // max(1, choices)))
    step = max(1, -(-len(numbers) // wanted))
    return numbers[::step]


def _is_loose_match(block: Sequence[str], sought: Sequence[str]) -> bool:
    if len(block) < len(sought):
        return False
    alike = sum(fuzz.ratio(a, b) >= _ALIKE for a, b in zip(block, sought, strict=True))
    if alike * 2 >= len(sought):
        return True
    if len(sought) < 2 or block[0] != sought[0] or block[-1] != sought[-1]:
        return False
    return fuzz.ratio("\n".join(block[1:-1]), "\n".join(sought[1:-1])) >= _MIDDLE_ALIKE


def _shown(lines: Sequence[str], start: int, count: int) -> str:
    return "\n".join(lines[start : start + count])[:_MAX_CHARS]

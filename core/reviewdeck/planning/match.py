"""Skill patches: finds the text to replace, or the nearest one when it is gone.

The strategies are those of Hermes that do not guess. Two of its nine compare lines by similarity:
a match of those alone is shown as a candidate and never applied. Two more ("indentation flexible"
and "trimmed boundary") find nothing that trimmed lines would not find before them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

from rapidfuzz import fuzz, process

from reviewdeck.model import Dead, DeadReason
from reviewdeck.text.diff import diff
from reviewdeck.text.hunks import Hunk, apply
from reviewdeck.values import dataclass

_SAME_LINE = 80.0
"""Similarity of two lines, 0 to 100, from which Hermes' loose strategies take them as equal."""
_SAME_MIDDLE = 50.0
"""The same for the lines between an equal first and last line."""
_FLOOR = 45.0
"""Below this similarity the nearest line is unrelated."""
_ENTRY_FLOOR = 60.0
_SAMPLED_LINES = 24
_COMPARISONS = 150_000
_MOST_CANDIDATES = 5
_MAX_CHARS = 4_000
"""Characters of an entry that are compared, or of a candidate that are shown."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The lines of a file that are most similar to the text of a patch."""

    text: str
    is_loose_match: bool
    """Similar enough that Hermes would patch them."""


def nearest_entry(text: str, entries: Iterable[str]) -> str | None:
    """The entry that is most similar to this text, or None when none is similar."""
    choices = {entry: entry[:_MAX_CHARS].casefold() for entry in entries}
    best = process.extractOne(
        text[:_MAX_CHARS].casefold(),
        choices,
        scorer=fuzz.token_set_ratio,
        score_cutoff=_ENTRY_FLOOR,
    )
    return None if best is None else best[2]


def nearest_block(content: str, old: str) -> Nearest | None:
    """The block of lines in the content that is most similar to the old text of a patch."""
    sought = [plain(line).strip() for line in old.split("\n")]
    lines = content.split("\n")
    stripped = [plain(line).strip() for line in lines]
    starts = _votes(stripped, sought)
    for start in starts:
        if _is_loose_match(stripped[start : start + len(sought)], sought):
            return Nearest(_excerpt(lines, start, len(sought)), True)
    return Nearest(_excerpt(lines, starts[0], len(sought)), False) if starts else None


def _votes(lines: Sequence[str], sought: Sequence[str]) -> list[int]:
    """Lines where a block may begin, best first: each pair of similar lines votes for one."""
    places: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        if line:
            places.setdefault(line, []).append(number)
    votes: Counter[int] = Counter()
    for number in _sample(sought, len(places)):
        similar = process.extract(
            sought[number],
            places.keys(),
            scorer=fuzz.ratio,
            score_cutoff=_FLOOR,
            limit=_MOST_CANDIDATES,
        )
        for line, score, _ in similar:
            weight = int(score) if score >= _SAME_LINE else int(score) // 4
            for place in places[line][:_MOST_CANDIDATES]:
                votes[max(0, place - number)] += weight
    return [start for start, _ in votes.most_common(_MOST_CANDIDATES)]


def _sample(sought: Sequence[str], choices: int) -> list[int]:
    """An even sample of the line numbers, few enough to compare each with every line."""
    numbers = [number for number, line in enumerate(sought) if line]
    limit = max(1, min(_SAMPLED_LINES, _COMPARISONS // max(1, choices)))
    step = max(1, -(-len(numbers) // limit))
    return numbers[::step]


def _is_loose_match(block: Sequence[str], sought: Sequence[str]) -> bool:
    if len(block) < len(sought):
        return False
    alike = sum(fuzz.ratio(a, b) >= _SAME_LINE for a, b in zip(block, sought, strict=True))
    if alike * 2 >= len(sought):
        return True
    if len(sought) < 2 or block[0] != sought[0] or block[-1] != sought[-1]:
        return False
    return fuzz.ratio("\n".join(block[1:-1]), "\n".join(sought[1:-1])) >= _SAME_MIDDLE


def _excerpt(lines: Sequence[str], start: int, count: int) -> str:
    return "\n".join(lines[start : start + count])[:_MAX_CHARS]


_ESCAPES = (("\\n", "\n"), ("\\t", "\t"), ("\\r", "\r"))
_RECOGNISED_FROM = 12
"""Least length of a new text whose presence means that the patch was applied before."""
_TOKENS = re.compile(r"--|\.\.\.|\w+|\s|.")
_MOST_LINES_NAMED = 5
MAX_RESULT = 1_000_000
"""Characters of all replacements together: ten times the limit of a file."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A region of the old text and its new text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Patched:
    """A text after a patch."""

    text: str
    count: int
    strategy: str
    pieces: tuple[Replacement, ...]
    """The replacements, in order, without overlaps."""


def patch(content: str, old: str, new: str, *, replace_all: bool) -> Patched | Dead:
    """The content with `old` replaced by `new`, found as Hermes finds it."""
    if not old:
        return Dead(DeadReason.INVALID, "The text to be replaced is empty.")
    if old == new:
        return _dead_for_sameness(content, old)
    for strategy, find in _STRATEGIES:
        if regions := find(content, old):
            if len(regions) > 1 and not replace_all:
                return _dead_for_several(content, regions)
            return _replace(content, old, new, strategy, without_overlaps(regions))
    return _dead_for_absence(content, old, new)


def _replace(
    content: str, old: str, new: str, strategy: str, regions: list[Region]
) -> Patched | Dead:
    old_texts = [content[start:end] for start, end in regions]
    if strategy != "exact" and (problem := _stray_escape(old, new, old_texts)):
        return Dead(DeadReason.INVALID, problem)
    new_text = _with_real_controls(new, old_texts)
    if strategy == "unicode_normalized" and len(old_texts) == 1:
        new_text = _with_typography(old_texts[0], old, new_text)
    new_texts = (
        [new_text] * len(old_texts) if strategy == "exact" else _reindent(old_texts, old, new_text)
    )
    if new_texts is None or sum(map(len, new_texts)) > MAX_RESULT:
        return Dead(DeadReason.INVALID, f"More than {MAX_RESULT:,} characters would come of it.")
    pieces = tuple(
        Replacement(*region, text) for region, text in zip(regions, new_texts, strict=True)
    )
    return Patched(replace_regions(content, pieces), len(pieces), strategy, pieces)


def replace_regions(content: str, pieces: Sequence[Replacement]) -> str:
    """The content with each piece's region replaced."""
    parts: list[str] = []
    position = 0
    for piece in pieces:
        parts += content[position : piece.start], piece.text
        position = piece.end
    return "".join([*parts, content[position:]])


def _find_exact(content: str, old: str) -> list[Region]:
    return list(find_all(content, old))


def _find_trimmed_lines(content: str, old: str) -> list[Region]:
    return list(find_lines(content, old, str.strip))


def _find_collapsed(content: str, old: str) -> list[Region]:
    view = collapsed_view(content)
    regions: list[Region] = []
    for start, end in find_all(view.text, collapse(old)):
        if (region := view.region(start, end)) is None:
            continue
        begin, finish = region
        if end < len(view.text) and view.text[end - 1] == " ":
            while finish < len(content) and content[finish] in " \t":
                finish += 1
        regions.append((begin, finish))
    return regions


def _find_unescaped(content: str, old: str) -> list[Region]:
    unescaped = old
    for escape, character in _ESCAPES:
        unescaped = unescaped.replace(escape, character)
    return [] if unescaped == old else list(find_all(content, unescaped))


def _find_untypographic(content: str, old: str) -> list[Region]:
    plain_old = plain(old)
    if plain_old == old and plain(content) == content:
        return []
    view = plain_view(content)
    view_regions = list(find_all(view.text, plain_old)) or list(
        find_lines(view.text, plain_old, str.strip)
    )
    traced = (view.region(start, end) for start, end in view_regions)
    return [region for region in traced if region is not None]


_STRATEGIES: tuple[tuple[str, Callable[[str, str], list[Region]]], ...] = (
    ("exact", _find_exact),
    ("line_trimmed", _find_trimmed_lines),
    ("whitespace_normalized", _find_collapsed),
    ("escape_normalized", _find_unescaped),
    ("unicode_normalized", _find_untypographic),
)
"""In order; the first that finds a match is used. The names are Hermes' own."""


def _stray_escape(old: str, new: str, old_texts: list[str]) -> str | None:
    """A backslash before a quote that both texts have and the file does not."""
    for stray in ("\\'", '\\"'):
        if stray in new and stray in old and not any(stray in text for text in old_texts):
            return (
                f"Both texts of the patch have {stray} where the file has {stray[1]}: "
                "a backslash crept in on the way."
            )
    return None


def _with_real_controls(new: str, old_texts: list[str]) -> str:
    """The new text with escaped tabs and carriage returns unescaped, if the old text has them."""
    for escape, character in _ESCAPES[1:]:
        if any(character in text for text in old_texts):
            new = new.replace(escape, character)
    return new


def _reindent(old_texts: Sequence[str], old: str, new: str) -> list[str] | None:
    """The new text for each region, moved from the patch's indentation to the region's own.

    None when the result would exceed `MAX_RESULT`.
    """
    assumed, by_indentation = _indentation(old), dict[str | None, str]()
    for real in (owned := [_indentation(text) for text in old_texts]):
        if real in by_indentation:
            continue
        if real is None or assumed is None or assumed == real or not new:
            by_indentation[real] = new
            continue
        lines = new.split("\n")
        if len(lines) * len(real) > MAX_RESULT:
            return None
        by_indentation[real] = "\n".join(_move(line, assumed, real) for line in lines)
    return [by_indentation[real] for real in owned]


def _move(line: str, assumed: str, real: str) -> str:
    if not line.strip():
        return line
    if line.startswith(assumed):
        return real + line[len(assumed) :]
    return real + line.lstrip(" \t")


def _indentation(text: str) -> str | None:
    """The indentation of the first line that is not blank; None when all are."""
    for line in text.split("\n"):
        if line.strip():
            return line[: len(line) - len(line.lstrip(" \t"))]
    return None


def _with_typography(old_text: str, old: str, new: str) -> str:
    """The new text with the file's own dashes and quotes where the patch does not change them."""
    if plain(old_text) != plain(old):
        return new
    file_tokens, new_tokens = _TOKENS.findall(old_text), _TOKENS.findall(new)
    hunks = _without_islands(diff([plain(token) for token in file_tokens], new_tokens))
    return "".join(apply(file_tokens, new_tokens, hunks))


def _without_islands(hunks: Sequence[Hunk]) -> list[Hunk]:
    """Joins hunks with a single item between them, which is common to both sides by chance."""
    joined: list[Hunk] = []
    for hunk in hunks:
        if joined and hunk.a_start - joined[-1].a_end <= 1:
            last = joined.pop()
            hunk = Hunk(last.a_start, hunk.a_end, last.b_start, hunk.b_end)
        joined.append(hunk)
    return joined


def _dead_for_sameness(content: str, text: str) -> Dead:
    if text in content:
        return Dead(DeadReason.ALREADY_THERE, "The new text is the old one: nothing would change.")
    return Dead(DeadReason.INVALID, "The new text is the old one, and the file has neither.")


def _dead_for_several(content: str, regions: list[Region]) -> Dead:
    lines = sorted({content.count("\n", 0, start) + 1 for start, _ in regions[:_MOST_LINES_NAMED]})
    line_numbers = ", ".join(str(line) for line in lines) + (
        "…" if len(regions) > _MOST_LINES_NAMED else ""
    )
    return Dead(
        DeadReason.AMBIGUOUS,
        f"The text to replace occurs {len(regions)} times (line {line_numbers}); "
        "it is unclear which one is meant.",
    )


def _dead_for_absence(content: str, old: str, new: str) -> Dead:
    if len(new.strip()) >= _RECOGNISED_FROM and new in content:
        return Dead(
            DeadReason.ALREADY_THERE, "The old text is gone and the new text is there already."
        )
    near = nearest_block(content, old)
    if near is None:
        return Dead(DeadReason.TARGET_GONE, "The text to be replaced is not there.")
    if not near.is_loose_match:
        why = "The text to be replaced is not there. The nearest lines are shown."
        return Dead(DeadReason.TARGET_GONE, why, near.text)
    return Dead(
        DeadReason.LOOSE_MATCH,
        "The text to be replaced is not there; these lines are only like it. Hermes would "
        "replace them, reviewdeck does not guess.",
        near.text,
    )


PLAIN = {
    "\u201c": '"',
    "\u201d": '"',
    "\u2018": "'",
    "\u2019": "'",
    "\u2014": "--",
    "\u2013": "-",
    "\u2026": "...",
    "\u00a0": " ",
}
"""Typographic characters and the ASCII that a model types for them."""

_PLAIN_TABLE = str.maketrans(PLAIN)
_BLANKS = re.compile(r"[ \t]+")

Region = tuple[int, int]
"""Start and end in a text; half open."""


@dataclass(frozen=True, slots=True)
class TextView:
    """A normalised text, with the original region of each of its characters."""

    text: str
    starts: list[int]
    """Start of each character; -1 inside one that was spelt out."""
    ends: list[int]

    def region(self, start: int, end: int) -> Region | None:
        """The original region of a part of the view; None when it begins inside a character."""
        if start >= len(self.text) or self.starts[start] < 0:
            return None
        return self.starts[start], self.ends[end - 1] if end > start else self.starts[start]


def plain(text: str) -> str:
    """The text with typographic characters spelt out."""
    return text.translate(_PLAIN_TABLE)


def plain_view(text: str) -> TextView:
    """The view in which typographic characters are spelt out."""
    starts: list[int] = []
    ends: list[int] = []
    for position, character in enumerate(text):
        inner = len(PLAIN.get(character, character)) - 1
        starts += [position] + [-1] * inner
        ends += [position + 1] * (inner + 1)
    return TextView(plain(text), starts, ends)


def collapse(text: str) -> str:
    """The text with each run of spaces and tabs as one space."""
    return _BLANKS.sub(" ", text)


def collapsed_view(text: str) -> TextView:
    """The view in which runs of blanks are one space.

    As in Hermes, blanks after the first space of a run belong to the character that follows: a
    match that begins there takes them along, and is indented again by them.
    """
    starts: list[int] = []
    ends: list[int] = []
    begin = 0
    for run in _BLANKS.finditer(text):
        _trace_unchanged(starts, ends, begin, run.start())
        space = run.group().find(" ")
        begin = run.end() if space < 0 else run.start() + space + 1
        starts.append(run.start())
        ends.append(begin)
        if begin < run.end() < len(text):
            starts.append(begin)
            ends.append(run.end() + 1)
            begin = run.end() + 1
    _trace_unchanged(starts, ends, begin, len(text))
    return TextView(collapse(text), starts, ends)


def _trace_unchanged(starts: list[int], ends: list[int], begin: int, end: int) -> None:
    starts += range(begin, end)
    ends += range(begin + 1, end + 1)


def find_all(text: str, needle: str) -> Iterator[Region]:
    """Regions where `needle` occurs, without overlaps."""
    position = text.find(needle)
    while position >= 0:
        yield position, position + len(needle)
        position = text.find(needle, position + len(needle))


def find_lines(text: str, sought: str, key: Callable[[str], str]) -> Iterator[Region]:
    """Regions of whole lines that equal the lines of `sought` under `key`.

    Without overlaps, except one with the first match, which shows that it is ambiguous. (All
    overlaps could be as many as there are lines.)
    """
    lines = text.split("\n")
    offsets = [0, *accumulate(len(line) + 1 for line in lines)]
    keys = [key(line) for line in lines]
    wanted_keys = [key(line) for line in sought.split("\n")]
    haystack = "\n" + "\n".join(keys) + "\n"
    needle = "\n" + "\n".join(wanted_keys) + "\n"
    places = [0, *accumulate(len(line) + 1 for line in keys)]
    for position in _positions(haystack, needle):
        first = bisect_right(places, position) - 1
        yield offsets[first], offsets[first + len(wanted_keys)] - 1


def _positions(haystack: str, needle: str) -> Iterator[int]:
    """Positions of the needle; neighbours share at most the newline between them."""
    position = haystack.find(needle)
    if position < 0:
        return
    yield position
    after = position + len(needle) - 1
    overlapping = haystack.find(needle, position + 1, after + len(needle) - 1)
    if overlapping >= 0:
        yield overlapping
    while (after := haystack.find(needle, after)) >= 0:
        yield after
        after += len(needle) - 1


def without_overlaps(regions: list[Region]) -> list[Region]:
    """The regions in order, without those that overlap an earlier one."""
    regions_apart: list[Region] = []
    for region in sorted(regions):
        if not regions_apart or region[0] >= regions_apart[-1][1]:
            regions_apart.append(region)
    return regions_apart

"""Skill patches: where the text to be replaced is, and what is nearest to one that is gone.

Finds what Hermes finds without guessing. Of its nine strategies two compare lines by similarity:
what only those would find is shown as a candidate and never applied. Two more ("indentation
flexible" and "trimmed boundary") can find nothing that trimmed lines did not find before them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process

from reviewdeck.model import Dead, DeadReason
from reviewdeck.planning.views import (
    Region,
    apart,
    collapse,
    collapsed_view,
    find_all,
    find_lines,
    plain,
    plain_view,
)
from reviewdeck.text.diff import Hunk, apply, diff

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


_ESCAPES = (("\\n", "\n"), ("\\t", "\t"), ("\\r", "\r"))
_WORTH_RECOGNISING = 12
"""Characters from which on finding the new text means that the patch was applied before."""
_TOKENS = re.compile(r"--|\.\.\.|\w+|\s|.")
_NAMED = 5
MAX_RESULT = 1_000_000
"""Characters of replacements: ten times what a file may have in the end."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """One region of the old text and what it becomes."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Patched:
    """A text with the replacement made."""

    text: str
    count: int
    strategy: str
    pieces: tuple[Replacement, ...]
    """What was replaced, in order, without overlaps."""


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
            return _replace(content, old, new, strategy, apart(regions))
    return _dead_for_absence(content, old, new)


def _replace(
    content: str, old: str, new: str, strategy: str, regions: list[Region]
) -> Patched | Dead:
    found = [content[start:end] for start, end in regions]
    if strategy != "exact" and (problem := _stray_escape(old, new, found)):
        return Dead(DeadReason.INVALID, problem)
    wanted = _with_real_controls(new, found)
    if strategy == "unicode_normalized" and len(found) == 1:
        wanted = _with_typography(found[0], old, wanted)
    made = [wanted] * len(found) if strategy == "exact" else _indented(found, old, wanted)
    if made is None or sum(map(len, made)) > MAX_RESULT:
        return Dead(DeadReason.INVALID, f"More than {MAX_RESULT:,} characters would come of it.")
    pieces = tuple(Replacement(*region, text) for region, text in zip(regions, made, strict=True))
    return Patched(put_in_place(content, pieces), len(pieces), strategy, pieces)


def put_in_place(content: str, pieces: Sequence[Replacement]) -> str:
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
    meant = old
    for escape, character in _ESCAPES:
        meant = meant.replace(escape, character)
    return [] if meant == old else list(find_all(content, meant))


def _find_plain(content: str, old: str) -> list[Region]:
    wanted = plain(old)
    if wanted == old and plain(content) == content:
        return []
    view = plain_view(content)
    found = list(find_all(view.text, wanted)) or list(find_lines(view.text, wanted, str.strip))
    traced = (view.region(start, end) for start, end in found)
    return [region for region in traced if region is not None]


_STRATEGIES: tuple[tuple[str, Callable[[str, str], list[Region]]], ...] = (
    ("exact", _find_exact),
    ("line_trimmed", _find_trimmed_lines),
    ("whitespace_normalized", _find_collapsed),
    ("escape_normalized", _find_unescaped),
    ("unicode_normalized", _find_plain),
)
"""In order; the first that finds anything decides. The names are Hermes' own."""


def _stray_escape(old: str, new: str, found: list[str]) -> str | None:
    """A backslash before a quote that both texts have and the file does not."""
    for stray in ("\\'", '\\"'):
        if stray in new and stray in old and not any(stray in text for text in found):
            return (
                f"Both texts of the patch have {stray} where the file has {stray[1]}: "
                "a backslash crept in on the way."
            )
    return None


def _with_real_controls(new: str, found: list[str]) -> str:
    """Written-out tabs and carriage returns as real ones, where the found text has real ones."""
    for escape, character in _ESCAPES[1:]:
        if any(character in text for text in found):
            new = new.replace(escape, character)
    return new


def _indented(found: Sequence[str], old: str, new: str) -> list[str] | None:
    """The new text for each place, moved from the indentation that the author assumed to its own.

    None when it would be too much.
    """
    assumed, made = _indentation(old), dict[str | None, str]()
    for real in (owned := [_indentation(text) for text in found]):
        if real in made:
            continue
        if real is None or assumed is None or assumed == real or not new:
            made[real] = new
            continue
        lines = new.split("\n")
        if len(lines) * len(real) > MAX_RESULT:
            return None
        made[real] = "\n".join(_move(line, assumed, real) for line in lines)
    return [made[real] for real in owned]


def _move(line: str, assumed: str, real: str) -> str:
    if not line.strip():
        return line
    if line.startswith(assumed):
        return real + line[len(assumed) :]
    return real + line.lstrip(" \t")


def _indentation(text: str) -> str | None:
    """What stands before the first line that is not blank; None when all are."""
    for line in text.split("\n"):
        if line.strip():
            return line[: len(line) - len(line.lstrip(" \t"))]
    return None


def _with_typography(found: str, old: str, new: str) -> str:
    """The new text with the file's own dashes and quotes wherever the patch left them alone."""
    if plain(found) != plain(old):
        return new
    own, wanted = _TOKENS.findall(found), _TOKENS.findall(new)
    hunks = _without_islands(diff([plain(token) for token in own], wanted))
    return "".join(apply(own, wanted, hunks))


def _without_islands(hunks: Sequence[Hunk]) -> list[Hunk]:
    """Hunks with no single item between them: one that merely happens to be common to both."""
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
    lines = sorted({content.count("\n", 0, start) + 1 for start, _ in regions[:_NAMED]})
    named = ", ".join(str(line) for line in lines) + ("…" if len(regions) > _NAMED else "")
    return Dead(
        DeadReason.AMBIGUOUS,
        f"The text to be replaced is there {len(regions)} times (line {named}): "
        "which one is meant cannot be told.",
    )


def _dead_for_absence(content: str, old: str, new: str) -> Dead:
    if len(new.strip()) >= _WORTH_RECOGNISING and new in content:
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

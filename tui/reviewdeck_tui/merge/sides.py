"""The three texts of one place, above each other or side by side. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reviewdeck.planning.merge import MergeProgress
from reviewdeck.text import diff, lines
from reviewdeck.text.conflicts import Choice, OwnText, Take
from reviewdeck.text.conflicts import ConflictRegion as Place
from reviewdeck.text.rows import Row, RowKind
from reviewdeck.text.rows import rows as rows_of
from reviewdeck.text.words import Mark
from reviewdeck_tui.proposal.diff import language_of
from reviewdeck_tui.proposal.diff_document import (
    DiffDocument,
    Line,
    Notice,
    Section,
    SideBySide,
    SplitColumn,
    Tone,
)

NAMES: Final = ("base", "live", "proposed")
KEYS: Final[Mapping[Take, str]] = {
    Take.BASE: "1",
    Take.OURS: "2",
    Take.THEIRS: "3",
    Take.BOTH: "b",
    Take.WORDS: "4",
}
WORDS: Final[Mapping[Take, str]] = {
    Take.BASE: "base taken",
    Take.OURS: "live taken",
    Take.THEIRS: "as proposed",
    Take.BOTH: "both taken",
    Take.WORDS: "both edits taken",
}


@dataclass(frozen=True, slots=True)
class Head:
    """The head of one of the texts."""

    key: str
    name: str
    who: str
    is_taken: bool
    """Whether the result takes its text."""


def heads(merging: MergeProgress, at: int, authors: Mapping[str, str]) -> tuple[Head, Head, Head]:
    choice = merging.choices.get(at)
    takes = (Take.BASE, Take.OURS, Take.THEIRS)
    base, live, proposed = (
        Head(KEYS[take], name, authors.get(name, ""), _takes(choice, take))
        for take, name in zip(takes, NAMES, strict=True)
    )
    return base, live, proposed


def sides_document(
    merging: MergeProgress, at: int, authors: Mapping[str, str], *, side_by_side: bool
) -> DiffDocument:
    """One place: three columns, or three texts below each other, each with its head.

    If one text can hold the edits of both sides, it is shown too: before the texts, or below
    their columns.
    """
    place = merging.places[at]
    rows = _align(place)
    absences = _absences(merging, place)
    if side_by_side:
        body: list[Line] = [
            SideBySide(tuple(map(_or_absence, columns, absences if not number else ("", "", ""))))
            for number, columns in enumerate(rows or [(_NONE, _NONE, _NONE)])
        ]
    else:
        body = [
            line
            for number, head in enumerate(heads(merging, at, authors))
            for line in _stacked_lines(head, absences[number], [row[number] for row in rows])
        ]
    suggestion = _both_edits(merging, at)
    # The heads are over the columns, so nothing may come between.
    body = [*body, *suggestion] if side_by_side else [*suggestion, *body]
    section = Section("", tuple(body), language=language_of(merging.sides.path))
    return DiffDocument(f"sides {at}", "", (section,))


def _both_edits(merging: MergeProgress, at: int) -> Iterator[Line]:
    """The suggested text with the edits of both sides, its difference from the live one marked."""
    place = merging.places[at]
    if (text := merging.words(place)) is None:
        return
    suffix = " taken" if merging.choices.get(at) is Take.WORDS else ""
    head = f"{KEYS[Take.WORDS]} both edits{suffix}"
    yield Notice(head, Tone.HEADING, "suggestion – read it carefully")
    for row in _rows(place.ours, text):
        if row.right is not None:
            tone = "" if row.kind is RowKind.SAME else "added"
            yield SideBySide((SplitColumn(row.right, tone=tone, marks=row.right_marks),))


_NONE: Final = SplitColumn(None)


def _takes(choice: Choice | None, take: Take) -> bool:
    is_one_of_both = choice is Take.BOTH and take is not Take.BASE
    return choice is take or is_one_of_both


def _or_absence(column: SplitColumn, absence: str) -> SplitColumn:
    return SplitColumn(absence) if absence and column.text is None else column


def _stacked_lines(head: Head, absence: str, columns: Sequence[SplitColumn]) -> Iterator[Line]:
    suffix = " taken" if head.is_taken else ""
    yield Notice(f"{head.key} {head.name}{suffix}", Tone.HEADING, head.who)
    present_columns = [column for column in columns if column.text is not None]
    yield from (SideBySide((column,)) for column in present_columns)
    if not present_columns:
        yield Notice(absence or "(nothing)", Tone.QUIET)


def _absences(merging: MergeProgress, place: Place) -> tuple[str, str, str]:
    sides = merging.sides
    files = (sides.base, sides.live, sides.proposed)
    texts = (place.base, place.ours, place.theirs)
    absences = [
        "no such file"
        if file is None
        else "an empty file"
        if merging.is_whole_document
        else "(nothing)"
        for file in files
    ]
    if not sides.base_known:
        absences[0] = "base unknown"
    return tuple("" if text else words for text, words in zip(texts, absences, strict=True))  # type: ignore[return-value]  # three texts give three


def _align(place: Place) -> list[tuple[SplitColumn, SplitColumn, SplitColumn]]:
    """The aligned lines of the three texts, with the differences from the base marked."""
    if place.base is None:
        return [(_NONE, *pair) for pair in _pairs(place.ours, place.theirs)]
    rows: list[tuple[SplitColumn, SplitColumn, SplitColumn]] = []
    live, proposed = _by_base(place.base, place.ours), _by_base(place.base, place.theirs)
    base = [line.rstrip("\r\n") for line in lines.split(place.base)]
    for at in range(len(base) + 1):
        (live_line, live_new), (proposed_line, proposed_new) = live[at], proposed[at]
        for number in range(max(len(live_new), len(proposed_new))):
            rows.append((_NONE, _nth(live_new, number), _nth(proposed_new, number)))
        if at < len(base):
            rows.append((SplitColumn(base[at]), live_line, proposed_line))
    return rows


def _nth(columns: Sequence[SplitColumn], number: int) -> SplitColumn:
    return columns[number] if number < len(columns) else _NONE


def _by_base(base: str, side: str) -> list[tuple[SplitColumn, list[SplitColumn]]]:
    """For each line of the base its fate on this side, and the new lines before it."""
    count = len(lines.split(base))
    fates: list[tuple[SplitColumn, list[SplitColumn]]] = [(_NONE, []) for _ in range(count + 1)]
    at = 0
    for row in _rows(base, side):
        match row.kind:
            case RowKind.ADDED:
                fates[at][1].append(SplitColumn(row.right, tone="added"))
            case RowKind.REMOVED:
                at += 1
            case RowKind.CHANGED:
                fates[at] = (
                    SplitColumn(row.right, tone="added", marks=row.right_marks),
                    fates[at][1],
                )
                at += 1
            case RowKind.SAME:
                fates[at] = (SplitColumn(row.right), fates[at][1])
                at += 1
            case RowKind.GAP | RowKind.NOTICE:
                continue
    return fates


def _pairs(live: str, proposed: str) -> Iterator[tuple[SplitColumn, SplitColumn]]:
    """Two texts of equal rank: the differences are flagged in both."""
    for row in _rows(live, proposed):
        match row.kind:
            case RowKind.GAP | RowKind.NOTICE:
                continue
            case _:
                left = SplitColumn(row.left, flags=_flags(row.left, row.left_marks, row.kind))
                right = SplitColumn(row.right, flags=_flags(row.right, row.right_marks, row.kind))
                yield left, right


def _flags(text: str | None, marks: tuple[Mark, ...], kind: RowKind) -> tuple[Mark, ...]:
    if kind in (RowKind.ADDED, RowKind.REMOVED) and text:
        return (Mark(0, len(text)),)
    return marks


def _rows(old: str, new: str) -> Iterator[Row]:
    a, b = lines.split(old), lines.split(new)
    yield from rows_of(
        _with_line_end(a),
        _with_line_end(b),
        diff.diff(_with_line_end(a), _with_line_end(b)),
        len(a) + len(b),
    )


def _with_line_end(texts: list[str]) -> list[str]:
    """The lines with an end of the last one, which is no difference here."""
    if texts and not texts[-1].endswith(("\n", "\r")):
        return [*texts[:-1], texts[-1] + "\n"]
    return texts


def decision_words(choice: Choice | None) -> str:
    """The decision on a place, in words."""
    if choice is None:
        return "unresolved"
    return "own text" if isinstance(choice, OwnText) else WORDS[choice]


def sign_of(choice: Choice) -> str:
    """The key of a decision."""
    return "e" if isinstance(choice, OwnText) else KEYS[choice]

"""The three texts of one place, above each other or side by side. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reviewdeck.planning.merge import Merging
from reviewdeck.text import diff, lines
from reviewdeck.text.conflicts import Choice, Own, Take
from reviewdeck.text.conflicts import ConflictRegion as Place
from reviewdeck.text.rows import Row, RowKind
from reviewdeck.text.rows import rows as rows_of
from reviewdeck.text.words import Mark
from reviewdeck_tui.proposal.diff import language_of
from reviewdeck_tui.proposal.diff_document import (
    Abreast,
    DiffDocument,
    Line,
    Notice,
    Section,
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
    """What stands over one of the texts."""

    key: str
    name: str
    who: str
    taken: bool
    """Whether its text is in the result."""


def heads(merging: Merging, at: int, authors: Mapping[str, str]) -> tuple[Head, Head, Head]:
    """What stands over base, live and proposed."""
    choice = merging.choices.get(at)
    takes = (Take.BASE, Take.OURS, Take.THEIRS)
    base, live, proposed = (
        Head(KEYS[take], name, authors.get(name, ""), _is_taken(choice, take))
        for take, name in zip(takes, NAMES, strict=True)
    )
    return base, live, proposed


def sides_document(
    merging: Merging, at: int, authors: Mapping[str, str], *, abreast: bool
) -> DiffDocument:
    """One place: three columns, or one text below the other, each with its head.

    With them stands the one text with the edits of both sides, where there is one: before the
    others, or below their columns.
    """
    place = merging.places[at]
    rows = _aligned(place)
    said = _absences(merging, place)
    if abreast:
        body: list[Line] = [
            Abreast(tuple(map(_or_said, columns, said if not number else ("", "", ""))))
            for number, columns in enumerate(rows or [(_NONE, _NONE, _NONE)])
        ]
    else:
        body = [
            line
            for number, head in enumerate(heads(merging, at, authors))
            for line in _stacked(head, said[number], [row[number] for row in rows])
        ]
    offer = _both_edits(merging, at)
    body = [*body, *offer] if abreast else [*offer, *body]  # The heads stand over the columns.
    section = Section("", tuple(body), language=language_of(merging.sides.path))
    return DiffDocument(f"sides {at}", "", (section,))


def _both_edits(merging: Merging, at: int) -> Iterator[Line]:
    """The suggestion of one text, where there is one: marked is what differs from the live one."""
    place = merging.places[at]
    if (text := merging.words(place)) is None:
        return
    taken = " taken" if merging.choices.get(at) is Take.WORDS else ""
    head = f"{KEYS[Take.WORDS]} both edits{taken}"
    yield Notice(head, Tone.HEADING, "a suggestion: read it whole")
    for row in _rows(place.ours, text):
        if row.right is not None:
            tone = "" if row.kind is RowKind.SAME else "added"
            yield Abreast((SplitColumn(row.right, tone=tone, marks=row.right_marks),))


_NONE: Final = SplitColumn(None)


def _is_taken(choice: Choice | None, take: Take) -> bool:
    is_one_of_both = choice is Take.BOTH and take is not Take.BASE
    return choice is take or is_one_of_both


def _or_said(column: SplitColumn, said: str) -> SplitColumn:
    return SplitColumn(said) if said and column.text is None else column


def _stacked(head: Head, said: str, columns: Sequence[SplitColumn]) -> Iterator[Line]:
    taken = " taken" if head.taken else ""
    yield Notice(f"{head.key} {head.name}{taken}", Tone.HEADING, head.who)
    shown = [column for column in columns if column.text is not None]
    yield from (Abreast((column,)) for column in shown)
    if not shown:
        yield Notice(said or "(nothing)", Tone.QUIET)


def _absences(merging: Merging, place: Place) -> tuple[str, str, str]:
    """What is said where a side has no text here."""
    sides = merging.sides
    files = (sides.base, sides.live, sides.proposed)
    texts = (place.base, place.ours, place.theirs)
    said = [
        "no such file" if file is None else "an empty file" if merging.is_whole else "(nothing)"
        for file in files
    ]
    if not sides.base_known:
        said[0] = "base unknown"
    return tuple("" if text else words for text, words in zip(texts, said, strict=True))  # type: ignore[return-value]  # three texts give three


def _aligned(place: Place) -> list[tuple[SplitColumn, SplitColumn, SplitColumn]]:
    """Lines of the three texts that belong together; marked is what differs from the first."""
    if place.base is None:
        return [(_NONE, *pair) for pair in _pairs(place.ours, place.theirs)]
    found: list[tuple[SplitColumn, SplitColumn, SplitColumn]] = []
    live, proposed = _by_base(place.base, place.ours), _by_base(place.base, place.theirs)
    base = [_bare(line) for line in lines.split(place.base)]
    for at in range(len(base) + 1):
        (mine, new), (theirs, other) = live[at], proposed[at]
        for number in range(max(len(new), len(other))):
            found.append((_NONE, _nth(new, number), _nth(other, number)))
        if at < len(base):
            found.append((SplitColumn(base[at]), mine, theirs))
    return found


def _nth(columns: Sequence[SplitColumn], number: int) -> SplitColumn:
    return columns[number] if number < len(columns) else _NONE


def _by_base(base: str, side: str) -> list[tuple[SplitColumn, list[SplitColumn]]]:
    """For each line of the base what became of it, and what is new before it."""
    count = len(lines.split(base))
    found: list[tuple[SplitColumn, list[SplitColumn]]] = [(_NONE, []) for _ in range(count + 1)]
    at = 0
    for row in _rows(base, side):
        match row.kind:
            case RowKind.ADDED:
                found[at][1].append(SplitColumn(row.right, tone="added"))
            case RowKind.REMOVED:
                at += 1
            case RowKind.CHANGED:
                found[at] = (
                    SplitColumn(row.right, tone="added", marks=row.right_marks),
                    found[at][1],
                )
                at += 1
            case RowKind.SAME:
                found[at] = (SplitColumn(row.right), found[at][1])
                at += 1
            case RowKind.GAP | RowKind.NOTICE:
                continue
    return found


def _pairs(live: str, proposed: str) -> Iterator[tuple[SplitColumn, SplitColumn]]:
    """Two texts of which neither comes before the other: what differs is flagged in both."""
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
    yield from rows_of(_closed(a), _closed(b), diff.diff(_closed(a), _closed(b)), len(a) + len(b))


def _closed(some: list[str]) -> list[str]:
    """Lines that all have an end: whether the last one has does not count here."""
    if some and not some[-1].endswith(("\n", "\r")):
        return [*some[:-1], some[-1] + "\n"]
    return some


def _bare(line: str) -> str:
    return line.rstrip("\r\n")


def taken_words(choice: Choice | None) -> str:
    """How a place is decided."""
    if choice is None:
        return "open"
    return "my own words" if isinstance(choice, Own) else WORDS[choice]


def sign_of(choice: Choice) -> str:
    """The key that decided it."""
    return "e" if isinstance(choice, Own) else KEYS[choice]

"""The spans of findings as marks in the lines of a document."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from reviewdeck.model import Edit, Finding, Span, added_text
from reviewdeck.policy.rules.names import LENGTH
from reviewdeck.text.rows import Row
from reviewdeck.text.words import Mark
from reviewdeck_tui.proposal.diff_document import Section


def with_flags(
    sections: Sequence[Section], edits: Sequence[Edit], findings: Iterable[Finding]
) -> tuple[Section, ...]:
    """The sections with the spans of findings marked in the added text.

    A finding does not name its edit. Where more than one edit could be meant, nothing is
    marked: a wrong mark is worse than none. That a text is long is in none of its words, and
    marks over all of them would hide what changed.
    """
    texts = [text for edit in edits if (text := added_text(edit)) is not None]
    spans: list[tuple[str, Span, str]] = []
    for finding in findings:
        if finding.code == LENGTH.name:
            continue
        candidates = [text for text in texts if finding.span and finding.span.end <= len(text)]
        if finding.span and len(candidates) == 1:
            spans.append((candidates[0], finding.span, finding.code))
    if not spans:
        return tuple(sections)
    return tuple(_mark_section(section, spans) for section in sections)


@dataclass(frozen=True, slots=True)
class _RightSide:
    """The text after the change, as far as it is shown, and the places of its lines."""

    text: str
    lines: list[int]
    """The index of each line in the section."""
    starts: list[int]
    """The start of each line in the text."""

    def marks(self, start: int, end: int) -> Iterator[tuple[int, Mark]]:
        """A part of the text as marks within lines."""
        while start < end:
            number = bisect_right(self.starts, start) - 1
            begin, finish = self.starts[number], self.starts[number + 1] - 1
            if start < finish:
                yield self.lines[number], Mark(start - begin, min(end, finish) - begin)
            start = finish + 1


def _mark_section(section: Section, spans: Sequence[tuple[str, Span, str]]) -> Section:
    """The section with its marks, and the codes of the findings noted on each marked line."""
    side = _right_side(section)
    flags: dict[int, tuple[Mark, ...]] = defaultdict(tuple)
    names: dict[int, dict[str, None]] = defaultdict(dict)
    for text, span, code in spans:
        plain = text.replace("\r\n", "\n")
        at = side.text.find(plain.strip())
        if at < 0:
            continue
        shift = at - (len(plain) - len(plain.lstrip()))
        start, end = (place - text.count("\r\n", 0, place) for place in (span.start, span.end))
        for index, mark in side.marks(max(0, start + shift), min(end + shift, len(side.text))):
            flags[index] += (mark,)
            names[index][code] = None
    lines = list(section.lines)
    for index, codes in names.items():
        row = lines[index]
        if isinstance(row, Row):
            lines[index] = replace(row, note=", ".join(filter(None, (row.note, *codes))))
    return replace(section, lines=tuple(lines), flags=dict(flags))


def _right_side(section: Section) -> _RightSide:
    lines = [
        (index, line.right)
        for index, line in enumerate(section.lines)
        if isinstance(line, Row) and line.right is not None
    ]
    starts = [0, *accumulate(len(text) + 1 for _, text in lines)]
    return _RightSide("\n".join(text for _, text in lines), [i for i, _ in lines], starts)

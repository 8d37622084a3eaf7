"""Where in the lines of a document the text is that a finding is about."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from reviewdeck.model import Edit, Finding, Span, added_text
from reviewdeck.text.rows import Row
from reviewdeck.text.words import Mark
from reviewdeck_tui.proposal.diff_document import Section


def with_flags(
    sections: Sequence[Section], edits: Sequence[Edit], findings: Iterable[Finding]
) -> tuple[Section, ...]:
    """The sections with the spans of findings marked in the text that is added.

    A finding does not say which edit it is about. Where more than one could be meant, nothing is
    marked: a wrong mark is worse than none.
    """
    texts = [text for edit in edits if (text := added_text(edit)) is not None]
    wanted: list[tuple[str, Span, str]] = []
    for finding in findings:
        fitting = [text for text in texts if finding.span and finding.span.end <= len(text)]
        if finding.span and len(fitting) == 1:
            wanted.append((fitting[0], finding.span, finding.code))
    if not wanted:
        return tuple(sections)
    return tuple(_flagged(section, wanted) for section in sections)


@dataclass(frozen=True, slots=True)
class _RightSide:
    """The text that would be there afterwards, as far as it is shown, and its lines' places."""

    text: str
    lines: list[int]
    """Index of each line in the section."""
    starts: list[int]
    """Where each line begins in the text."""

    def marks(self, start: int, end: int) -> Iterator[tuple[int, Mark]]:
        """A part of the text as marks within lines."""
        while start < end:
            number = bisect_right(self.starts, start) - 1
            begin, finish = self.starts[number], self.starts[number + 1] - 1
            if start < finish:
                yield self.lines[number], Mark(start - begin, min(end, finish) - begin)
            start = finish + 1


def _flagged(section: Section, wanted: Sequence[tuple[str, Span, str]]) -> Section:
    """The section with its marks, and behind each of these lines what found them."""
    side = _right_side(section)
    flags: dict[int, tuple[Mark, ...]] = defaultdict(tuple)
    names: dict[int, dict[str, None]] = defaultdict(dict)
    for text, span, code in wanted:
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
    shown = [
        (index, line.right)
        for index, line in enumerate(section.lines)
        if isinstance(line, Row) and line.right is not None
    ]
    starts = [0, *accumulate(len(text) + 1 for _, text in shown)]
    return _RightSide("\n".join(text for _, text in shown), [i for i, _ in shown], starts)

"""The result of a merge so far, as a document for the diff view. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from reviewdeck.planning.losses import lost_additions
from reviewdeck.planning.merge import ChangedBy, CleanChange, Decided, MergeProgress, units_of
from reviewdeck.presentation.words import count
from reviewdeck.text import diff, lines
from reviewdeck.text.conflicts import Choice, Take, text_of_choice
from reviewdeck.text.conflicts import ConflictRegion as Place
from reviewdeck.text.rows import Row, RowKind
from reviewdeck.text.words import Mark, tokens
from reviewdeck_tui.merge.sides import KEYS, decision_words, sign_of
from reviewdeck_tui.proposal.diff import language_of
from reviewdeck_tui.proposal.diff_document import (
    DiffDocument,
    Fold,
    Line,
    Notice,
    Section,
    SideBySide,
    SplitColumn,
    Tone,
)

CONTEXT: Final = 2
"""Unchanged lines of a file around a place."""
LONGEST_INLINE: Final = 32
"""Characters of the differing part up to which one line shows all versions of an open place."""
_SIGNS: Final = {ChangedBy.LIVE: "2", ChangedBy.PROPOSED: "3", ChangedBy.BOTH: "="}
_TAKES: Final = (Take.BASE, Take.OURS, Take.THEIRS)


class ResultView:
    """Builds the document with every pick; the settled parts are laid out once."""

    def __init__(
        self, merging: MergeProgress, alone: Sequence[CleanChange], *, is_inline: bool = True
    ) -> None:
        self.is_inline = is_inline
        """Whether one line may show the short versions of a place, which splits a secret."""
        self._is_memory = bool(merging.merged.joint)
        self._noun = "entry" if self._is_memory else "line"
        base_units = frozenset(units_of(merging.sides.base or "", is_memory=self._is_memory))
        self._by = {
            unit: automatic.by
            for automatic in alone
            for unit in automatic.added
            if unit.strip() and unit not in base_units
        }
        self._settled = [
            None if isinstance(part, Place) else units_of(part, is_memory=self._is_memory)
            for part in merging.merged.parts
        ]
        self._amounts: dict[tuple[int, Choice], int] = {}
        self._place_lines: dict[tuple[int, Choice | None], tuple[Line, ...]] = {}
        last = len(self._settled) - 1
        self._settled_lines = [
            () if units is None else tuple(self._settled_lines_of(units, number > 0, number < last))
            for number, units in enumerate(self._settled)
        ]

    def document(self, merging: MergeProgress, current: int) -> DiffDocument:
        """The whole result, with the decision on each place."""
        body: list[Line] = []
        starts: list[int] = []
        units, at = 0, 0
        count = len(merging.places)
        for number, part in enumerate(merging.merged.parts):
            if isinstance(part, Place):
                starts.append(len(body))
                body.append(self._head(merging, at, count, units, is_current=at == current))
                body += self._place(merging, at, part)
                units += self._amount(merging, at, part)
                at += 1
            else:
                body += self._settled_lines[number]
                units += len(self._settled[number] or ())
        section = Section(
            "",
            tuple(body) or (Notice("(empty)", Tone.QUIET),),
            language=language_of(merging.sides.path),
            conflicts=tuple(starts),
        )
        return DiffDocument("result", merging.sides.path, (section,))

    def where(self, merging: MergeProgress, at: int) -> str:
        """The position of a place in the result, as ``entry 7 of 12``."""
        if merging.is_whole_document:
            return "the whole file"
        before = all_units = 0
        place = 0
        for number, part in enumerate(merging.merged.parts):
            is_place = isinstance(part, Place)
            if isinstance(part, Place):
                amount = self._amount(merging, place, part)
            else:
                amount = len(self._settled[number] or ())
            before += amount if place < at or (not is_place and place <= at) else 0
            place += is_place
            all_units += amount
        return f"{self._noun} {before + 1} of {max(all_units, before + 1)}"

    def _amount(self, merging: MergeProgress, at: int, place: Place) -> int:
        """The number of entries or lines of a place; an open one counts as live."""
        choice = merging.choices.get(at, Take.OURS)
        if (at, choice) not in self._amounts:
            text = text_of_choice(place, choice, merging.merged.joint)
            self._amounts[at, choice] = len(units_of(text, is_memory=self._is_memory))
        return self._amounts[at, choice]

    def _head(
        self, merging: MergeProgress, at: int, count: int, before: int, *, is_current: bool
    ) -> Notice:
        choice = merging.choices.get(at)
        position = "the whole file" if merging.is_whole_document else f"{self._noun} {before + 1}"
        marker = "> " if is_current else ""
        words = f"{marker}conflict {at + 1} of {count}, {position}: {decision_words(choice)}"
        return Notice(words, Tone.OPEN if choice is None else Tone.HEADING)

    def _place(self, merging: MergeProgress, at: int, place: Place) -> Sequence[Line]:
        """The lines of a place, cached by its decision."""
        choice = merging.choices.get(at)
        if (at, choice) not in self._place_lines:
            self._place_lines[at, choice] = tuple(self._build_place(merging, choice, place))
        return self._place_lines[at, choice]

    def _build_place(
        self, merging: MergeProgress, choice: Choice | None, place: Place
    ) -> Iterator[Line]:
        if choice is None:
            yield from _open_lines(merging, place, is_inline=self.is_inline)
            return
        result = merging.result if merging.is_whole_document else None
        if isinstance(result, Decided) and result.text is None:
            yield Notice("The file is deleted.", Tone.LOST)
            return
        text = text_of_choice(place, choice, merging.merged.joint)
        yield from _decided_lines(place.ours, text, sign_of(choice))
        suffix = " as proposed" if choice is Take.THEIRS else ""
        for clause in lost_additions(place.ours, place.base, text):
            yield Notice(f'LOST{suffix} of what is live: "{clause}"', Tone.LOST)

    def _settled_lines_of(self, units: Sequence[str], after: bool, before: bool) -> Iterator[Line]:
        """Settled text: automatic merges are highlighted, unchanged text is folded."""
        quiet: list[str] = []
        is_first = True
        for unit in units:
            side = self._by.get(unit)
            if side is None:
                quiet.append(unit)
                continue
            yield from self._fold(quiet, after or not is_first, before=True)
            quiet, is_first = [], False
            tone = "" if side is ChangedBy.LIVE else "added"
            for line in unit.rstrip("\r\n").split("\n"):
                yield SideBySide((SplitColumn(line, _SIGNS[side], tone),))
        yield from self._fold(quiet, after or not is_first, before=before)

    def _fold(self, units: Sequence[str], after: bool, before: bool) -> Iterator[Line]:
        """Unchanged entries as one fold; of a file, some lines of context stay."""
        if not units:
            return
        if self._is_memory:
            count = len(units)
            label = f"{count} {'entry' if count == 1 else 'entries'} unchanged"
            yield Fold(tuple(row for unit in units for row in (*unit.split("\n"), "§")), label)
            return
        first = CONTEXT if after else 0
        last = max(first, len(units) - (CONTEXT if before else 0))
        if last - first <= 1:
            first = last = len(units)
        yield from map(_unchanged_row, units[:first])
        if last > first:
            label = f"{last - first:,} lines unchanged"
            yield Fold(tuple(unit.rstrip("\r\n") for unit in units[first:last]), label)
        yield from map(_unchanged_row, units[last:])


def _unchanged_row(line: str) -> Row:
    text = line.rstrip("\r\n")
    return Row(RowKind.SAME, text, text)


def _decided_lines(live: str, text: str, sign: str) -> Iterator[Line]:
    """The text of a decided place; what it changes in the live text is highlighted."""
    if not text:
        yield Notice("(empty)", Tone.QUIET)
        return
    for row in diff.unified(_with_line_end(live), _with_line_end(text), context=None):
        if row.right is not None:
            tone = "" if row.kind is RowKind.SAME else "added"
            yield SideBySide((SplitColumn(row.right, sign, tone, row.right_marks),))


def _with_line_end(text: str) -> str:
    """The text with an end of its last line, which is no difference here."""
    return text if not text or text.endswith(("\n", "\r")) else text + "\n"


def _open_lines(merging: MergeProgress, place: Place, *, is_inline: bool) -> Iterator[Line]:
    """The versions of an open place: within one line if they fit, else below each other."""
    texts = (place.base, place.ours, place.theirs)
    versions = [
        (KEYS[take], text)
        for take, text in zip(_TAKES, texts, strict=True)
        if text is not None and merging.allows(place, take)
    ]
    inline = _inline_versions(versions) if is_inline and not merging.is_whole_document else None
    if inline is not None:
        yield inline
        return
    for key, text in versions:
        version_lines = lines.split(text)
        more = (
            f"   and {count(len(version_lines) - 1, 'line')} more" if len(version_lines) > 1 else ""
        )
        first = version_lines[0].rstrip("\r\n") if version_lines else "(nothing)"
        yield SideBySide((SplitColumn(f"{first}{more}", key),))


def _inline_versions(versions: Sequence[tuple[str, str]]) -> SideBySide | None:
    """``Staging is <1 stg-2 | 2 stg-3 | 3 stg-4>. Ask Ana.`` None if they differ too much."""
    texts = [text.strip("\r\n") for _, text in versions]
    if any("\n" in text or not text for text in texts):
        return None
    words = [tokens(text) for text in texts]
    head = _common_length(words)
    tail = _common_length([list(reversed(each[head:])) for each in words])
    middles = ["".join(each[head : len(each) - tail]) for each in words]
    if max(map(len, middles)) > LONGEST_INLINE:
        return None
    line = "".join(words[0][:head]) + "<"
    flags = []
    for number, ((key, _), middle) in enumerate(zip(versions, middles, strict=True)):
        line += " | " if number else ""
        flags.append(Mark(len(line), len(line) + 1))
        line += f"{key} {middle.strip()}" if middle.strip() else f"{key} nothing"
    line += ">" + "".join(words[0][len(words[0]) - tail :] if tail else ())
    return SideBySide((SplitColumn(line, "?", flags=tuple(flags)),))


def _common_length(sequences: Sequence[list[str]]) -> int:
    """The length of the common start: in sorted order, that of the first and the last."""
    least, most = min(sequences), max(sequences)
    count = 0
    for first, last in zip(least, most, strict=False):
        if first != last:
            break
        count += 1
    return count

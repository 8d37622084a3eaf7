"""The result of a merge as far as it goes, as a document that the diff view shows. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from reviewdeck.planning.losses import overwritten
from reviewdeck.planning.merge import Alone, ChangedBy, Decided, Merging, units_of
from reviewdeck.presentation.words import count
from reviewdeck.text import diff, lines
from reviewdeck.text.conflicts import Choice, Take, chosen
from reviewdeck.text.conflicts import ConflictRegion as Place
from reviewdeck.text.rows import Row, RowKind
from reviewdeck.text.words import Mark, tokens
from reviewdeck_tui.merge.sides import KEYS, sign_of, taken_words
from reviewdeck_tui.proposal.diff import language_of
from reviewdeck_tui.proposal.diff_document import (
    Abreast,
    DiffDocument,
    Fold,
    Line,
    Notice,
    Section,
    SplitColumn,
    Tone,
)

CONTEXT: Final = 2
"""Unchanged lines of a file that stay beside a place."""
LONGEST_INLINE: Final = 32
"""Characters in which the versions of an open place differ, up to which one line shows them all."""
_SIGNS: Final = {ChangedBy.LIVE: "2", ChangedBy.PROPOSED: "3", ChangedBy.BOTH: "="}
_TAKES: Final = (Take.BASE, Take.OURS, Take.THEIRS)


class ResultView:
    """Makes the document anew with every pick; what is settled is laid out once."""

    def __init__(self, merging: Merging, alone: Sequence[Alone], *, is_inline: bool = True) -> None:
        self.is_inline = is_inline
        """Whether short versions of a place are shown within one line: that would part a secret."""
        self._is_memory = bool(merging.ground.joint)
        self._noun = "entry" if self._is_memory else "line"
        known = frozenset(units_of(merging.sides.base or "", is_memory=self._is_memory))
        self._by = {
            unit: one.by
            for one in alone
            for unit in one.added
            if unit.strip() and unit not in known
        }
        self._settled = [
            None if isinstance(part, Place) else units_of(part, is_memory=self._is_memory)
            for part in merging.ground.parts
        ]
        self._amounts: dict[tuple[int, Choice], int] = {}
        self._made: dict[tuple[int, Choice | None], tuple[Line, ...]] = {}
        last = len(self._settled) - 1
        self._shown = [
            () if units is None else tuple(self._lines(units, at > 0, at < last))
            for at, units in enumerate(self._settled)
        ]

    def document(self, merging: Merging, current: int) -> DiffDocument:
        """The whole result, each place with how it is decided."""
        body: list[Line] = []
        starts: list[int] = []
        units, at = 0, 0
        count = len(merging.places)
        for number, part in enumerate(merging.ground.parts):
            if isinstance(part, Place):
                starts.append(len(body))
                body.append(self._head(merging, at, count, units, is_current=at == current))
                body += self._place(merging, at, part)
                units += self._amount(merging, at, part)
                at += 1
            else:
                body += self._shown[number]
                units += len(self._settled[number] or ())
        section = Section(
            "",
            tuple(body) or (Notice("(empty)", Tone.QUIET),),
            language=language_of(merging.sides.path),
            conflicts=tuple(starts),
        )
        return DiffDocument("result", merging.sides.path, (section,))

    def where(self, merging: Merging, at: int) -> str:
        """``entry 7 of 12``: where a place stands in the result."""
        if merging.is_whole:
            return "the whole file"
        before = all_units = 0
        place = 0
        for number, part in enumerate(merging.ground.parts):
            is_place = isinstance(part, Place)
            if isinstance(part, Place):
                here = self._amount(merging, place, part)
            else:
                here = len(self._settled[number] or ())
            before += here if place < at or (not is_place and place <= at) else 0
            place += is_place
            all_units += here
        return f"{self._noun} {before + 1} of {max(all_units, before + 1)}"

    def _amount(self, merging: Merging, at: int, place: Place) -> int:
        """Entries or lines that a place takes; open ones count as they are live."""
        choice = merging.choices.get(at, Take.OURS)
        if (at, choice) not in self._amounts:
            text = chosen(place, choice, merging.ground.joint)
            self._amounts[at, choice] = len(units_of(text, is_memory=self._is_memory))
        return self._amounts[at, choice]

    def _head(
        self, merging: Merging, at: int, count: int, before: int, *, is_current: bool
    ) -> Notice:
        choice = merging.choices.get(at)
        where = "the whole file" if merging.is_whole else f"{self._noun} {before + 1}"
        here = "> " if is_current else ""
        words = f"{here}place {at + 1} of {count}, {where}: {taken_words(choice)}"
        return Notice(words, Tone.OPEN if choice is None else Tone.HEADING)

    def _place(self, merging: Merging, at: int, place: Place) -> Sequence[Line]:
        """The lines of a place; they are made anew when it is decided otherwise."""
        choice = merging.choices.get(at)
        if (at, choice) not in self._made:
            self._made[at, choice] = tuple(self._making(merging, choice, place))
        return self._made[at, choice]

    def _making(self, merging: Merging, choice: Choice | None, place: Place) -> Iterator[Line]:
        if choice is None:
            yield from _open(merging, place, is_inline=self.is_inline)
            return
        result = merging.result if merging.is_whole else None
        if isinstance(result, Decided) and result.text is None:
            yield Notice("The file goes away.", Tone.LOST)
            return
        text = chosen(place, choice, merging.ground.joint)
        yield from _taken(place.ours, text, sign_of(choice))
        by = " as proposed" if choice is Take.THEIRS else ""
        for clause in overwritten(place.ours, place.base, text):
            yield Notice(f'LOST{by} of what is live: "{clause}"', Tone.LOST)

    def _lines(self, units: Sequence[str], after: bool, before: bool) -> Iterator[Line]:
        """Settled text: what merged by itself stands out, the rest is folded."""
        quiet: list[str] = []
        is_first = True
        for unit in units:
            by = self._by.get(unit)
            if by is None:
                quiet.append(unit)
                continue
            yield from self._folded(quiet, after or not is_first, before=True)
            quiet, is_first = [], False
            tone = "" if by is ChangedBy.LIVE else "added"
            for line in unit.rstrip("\r\n").split("\n"):
                yield Abreast((SplitColumn(line, _SIGNS[by], tone),))
        yield from self._folded(quiet, after or not is_first, before=before)

    def _folded(self, units: Sequence[str], after: bool, before: bool) -> Iterator[Line]:
        """Unchanged entries as one line; of lines, some stay beside what is looked at."""
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
        yield from map(_same, units[:first])
        if last > first:
            label = f"{last - first:,} lines unchanged"
            yield Fold(tuple(unit.rstrip("\r\n") for unit in units[first:last]), label)
        yield from map(_same, units[last:])


def _same(line: str) -> Row:
    text = line.rstrip("\r\n")
    return Row(RowKind.SAME, text, text)


def _taken(live: str, text: str, sign: str) -> Iterator[Line]:
    """The text of a decided place; what it brings into the live text stands out."""
    if not text:
        yield Notice("(nothing stands here)", Tone.QUIET)
        return
    for row in diff.unified(_closed(live), _closed(text), context=None):
        if row.right is not None:
            tone = "" if row.kind is RowKind.SAME else "added"
            yield Abreast((SplitColumn(row.right, sign, tone, row.right_marks),))


def _closed(text: str) -> str:
    """With an end to its last line: whether it has one is not what differs here."""
    return text if not text or text.endswith(("\n", "\r")) else text + "\n"


def _open(merging: Merging, place: Place, *, is_inline: bool) -> Iterator[Line]:
    """The versions of an open place: within the line where they fit, else one below the other."""
    texts = (place.base, place.ours, place.theirs)
    offered = [
        (KEYS[take], text)
        for take, text in zip(_TAKES, texts, strict=True)
        if text is not None and merging.allows(place, take)
    ]
    inline = _inline(offered) if is_inline and not merging.is_whole else None
    if inline is not None:
        yield inline
        return
    for key, text in offered:
        said = lines.split(text)
        more = f"   and {count(len(said) - 1, 'line')} more" if len(said) > 1 else ""
        first = said[0].rstrip("\r\n") if said else "(nothing)"
        yield Abreast((SplitColumn(f"{first}{more}", key),))


def _inline(offered: Sequence[tuple[str, str]]) -> Abreast | None:
    """``Staging is <1 stg-2 | 2 stg-3 | 3 stg-4>. Ask Ana.`` None where that says little."""
    texts = [text.strip("\r\n") for _, text in offered]
    if any("\n" in text or not text for text in texts):
        return None
    words = [tokens(text) for text in texts]
    head = _common(words)
    tail = _common([list(reversed(each[head:])) for each in words])
    middles = ["".join(each[head : len(each) - tail]) for each in words]
    if max(map(len, middles)) > LONGEST_INLINE:
        return None
    said = "".join(words[0][:head]) + "<"
    flags = []
    for number, ((key, _), middle) in enumerate(zip(offered, middles, strict=True)):
        said += " | " if number else ""
        flags.append(Mark(len(said), len(said) + 1))
        said += f"{key} {middle.strip()}" if middle.strip() else f"{key} nothing"
    said += ">" + "".join(words[0][len(words[0]) - tail :] if tail else ())
    return Abreast((SplitColumn(said, "?", flags=tuple(flags)),))


def _common(some: Sequence[list[str]]) -> int:
    """How many items all of them begin with: in sorted order, what the first and last share."""
    least, most = min(some), max(some)
    count = 0
    for one, other in zip(least, most, strict=False):
        if one != other:
            break
        count += 1
    return count

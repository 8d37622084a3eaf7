"""The pure parts of the diff view: wrapping, heights, segments, syntax, folds."""

from __future__ import annotations

import random
from array import array
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, split_graphemes
from rich.segment import Segment
from rich.style import Style
from tests.steps import LINEAR, growth
from tests.tui.kit_widgets import HOSTILE

from reviewdeck.text.words import Mark
from reviewdeck_tui.widgets import syntax
from reviewdeck_tui.widgets.heights import GROUP, Heights
from reviewdeck_tui.widgets.segments import compact
from reviewdeck_tui.widgets.wrap import (
    crop,
    display_line,
    hanging_indent,
    is_narrow,
    is_plain,
    wrap,
)

TEXTS = st.text(
    st.one_of(st.sampled_from("ab  é日本👩‍👧️⚠🇯🇵\u0301"), st.characters(codec="utf-8")), max_size=120
)


@given(TEXTS, st.integers(2, 40), st.integers(0, 8))
def test_no_piece_is_wider_than_its_room_and_nothing_but_blanks_is_lost(
    raw: str, width: int, indent: int
) -> None:
    text = display_line(raw).text
    indent = min(indent, width // 3)
    pieces = wrap(text, width, indent)
    rooms = [width, *[width - indent] * (len(pieces) - 1)]
    for (start, end), room in zip(pieces, rooms, strict=True):
        assert cell_len(text[start:end]) <= max(room, 2)
    assert pieces[0][0] == 0
    assert pieces[-1][1] == len(text)
    for (_, end), (start, _) in pairwise(pieces):
        assert text[end:start] in ("", " ")


@given(TEXTS, st.integers(0, 60), st.integers(2, 40))
def test_a_cropped_line_fits(raw: str, start: int, width: int) -> None:
    text = display_line(raw).text
    first, last = crop(text, start, width)
    assert cell_len(text[first:last]) <= width


@given(TEXTS, st.integers(0, 60), st.integers(0, 60))
def test_marks_stay_within_the_text_that_is_shown(raw: str, one: int, other: int) -> None:
    start, end = sorted((min(one, len(raw)), min(other, len(raw))))
    line = display_line(raw, (Mark(start, end),))
    for mark in line.marks:
        assert 0 <= mark.start <= mark.end <= len(line.text)


def test_marks_move_with_what_becomes_visible() -> None:
    line = display_line("a\tb\x1bc", (Mark(2, 4),))
    assert line.text == "a    b␛c"
    assert [line.text[mark.start : mark.end] for mark in line.marks] == ["b␛"]


def test_a_mark_never_parts_what_a_reader_sees_as_one_character() -> None:
    line = display_line("x👩‍👩‍👧y⚠️")
    assert [line.text[slice(*line.whole(*places))] for places in ((2, 3), (0, 2), (7, 8))] == [
        *("👩‍👩‍👧", "x👩‍👩‍👧", "⚠️")
    ]


def test_a_word_that_is_too_long_for_the_hanging_lines_is_broken_there_too() -> None:
    text = "0 ⟦U+0080⟧"
    assert [text[a:b] for a, b in wrap(text, 6, 2)] == ["0", "⟦U+0", "080⟧"]


def test_words_stay_whole_where_they_fit() -> None:
    text = "the quick brown fox"
    assert [text[a:b] for a, b in wrap(text, 10)] == ["the quick", "brown fox"]


def test_an_endless_word_is_broken() -> None:
    assert wrap("x" * 25, 10) == [(0, 10), (10, 20), (20, 25)]


def test_lines_hang_under_the_words_of_their_item() -> None:
    assert [hanging_indent(text, 60) for text in ("- a", "  * b", "12. c", "plain", "    x")] == [
        *(2, 4, 4, 0, 4)
    ]
    assert hanging_indent(" " * 50 + "x", 30) == 10


def test_plain_lines_take_a_cell_for_each_character() -> None:
    for text in HOSTILE.values():
        if is_plain(text) and len(text) < 10_000:
            assert cell_len(display_line(text).text) == len(text)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=300), st.randoms(use_true_random=False))
def test_every_line_of_the_screen_belongs_to_one_item(
    real: list[int], chance: random.Random
) -> None:
    groups = -(-len(real) // GROUP)
    heights = Heights(array("q", [1] * len(real)), bytearray(groups))
    for _ in range(5):
        heights.measure_around(chance.randrange(sum(real)), 10, real.__getitem__)
    while not heights.is_exact:
        heights.measure_next(real.__getitem__)
    expected = [(item, line) for item, height in enumerate(real) for line in range(height)]
    assert heights.total == len(expected)
    assert [heights.locate(line) for line in range(heights.total)] == expected
    assert all(heights.locate(heights.top(item)) == (item, 0) for item in range(len(real)))


def test_measuring_what_is_in_sight_does_not_move_what_is_above() -> None:
    heights = Heights(array("q", [2] * 1000), bytearray(-(-1000 // GROUP)))
    top = heights.top(GROUP * 10)
    heights.measure_around(top, 20, lambda item: 7)
    assert heights.top(GROUP * 10) == top


STYLES = [Style(), Style(bold=True), Style(bgcolor="red"), Style(underline=True, bgcolor="red")]


@given(st.lists(st.tuples(st.sampled_from(["a", " ", "  ", "b c"]), st.sampled_from(STYLES))))
def test_joined_segments_are_the_same_cells(pieces: list[tuple[str, Style]]) -> None:
    def looks(segments: list[Segment]) -> list[tuple[object, ...]]:
        return [
            (char, style.bgcolor, style.underline, None if char == " " else style.bold)
            for text, style, _ in segments
            if style is not None
            for char in text
        ]

    before = [Segment(text, style) for text, style in pieces]
    assert looks(compact(before)) == looks(before)


@pytest.mark.parametrize("language", ["markdown", "python", "bash", "json", "nonsense", ""])
def test_colours_never_change_or_overlap_the_text(language: str) -> None:
    for text in [*HOSTILE.values(), "# Title", "- `code` **bold** https://x.y", "def f(x): # c"]:
        line = display_line(text).text
        at = 0
        for start, end, _ in syntax.runs(line, language):
            assert at <= start <= end <= len(line) + 1
            at = end


def test_markdown_is_told_apart() -> None:
    def said(line: str) -> list[tuple[str, str]]:
        return [(line[start:end], kind) for start, end, kind in syntax.runs(line, "markdown")]

    assert said("## Title") == [("## Title", "syntax-heading")]
    assert said("- run `make` now") == [("-", "syntax-keyword"), ("`make`", "syntax-string")]
    assert said("name: x") == [("name:", "syntax-name")]


@pytest.mark.parametrize("part", ["`", "*", "#", "a:", "`a", "**a", "[a]("])
def test_a_line_twice_as_long_takes_twice_the_steps_to_colour(part: str) -> None:
    assert growth(lambda size: partial(syntax.runs, part * size, "markdown"), 5_000) < LINEAR


def test_what_is_taken_for_narrow_takes_one_cell_each() -> None:
    spans = ((0x20, 0x7F), (0xA0, 0xAD), (0xAE, 0x300), (0x2010, 0x2028), (0x2030, 0x205F))
    text = "".join(chr(code) for first, end in spans for code in range(first, end))
    text += "".join(map(chr, [*range(0x2190, 0x2300), *range(0x2500, 0x25A0)]))
    assert is_narrow(text)
    assert cell_len(text) == len(text) == len(split_graphemes(text)[0])
    for wide in ("日本", "e\u0301", "\u2194\ufe0f", "a\u200bb", "\u00ad", "✅"):
        assert not is_narrow(wide)

"""A diff is shown by lines and words, and what cannot be seen is said."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.steps import LINEAR, growth

from reviewdeck.text import lines
from reviewdeck.text.diff import unified, unified_lines
from reviewdeck.text.rows import Row, RowKind
from reviewdeck.text.words import Mark, marks

TEXTS = st.lists(
    st.sampled_from(["alpha beta\n", "alpha gamma\n", "\n", "x\r\n", "- item one\n", "last"]),
    max_size=12,
).map("".join)


def marked(text: str, places: tuple[Mark, ...]) -> list[str]:
    return [text[mark.start : mark.end] for mark in places]


@given(TEXTS, TEXTS, st.one_of(st.none(), st.integers(0, 3)))
def test_the_rows_have_every_removed_and_added_line_once(
    old: str, new: str, context: int | None
) -> None:
    shown = unified(old, new, context=context)
    left = [row.left_at for row in shown if row.left is not None]
    right = [row.right_at for row in shown if row.right is not None]
    assert left == sorted(left, key=lambda at: at or 0)
    assert len(set(left)) == len(left)
    assert len(set(right)) == len(right)
    if context is None:
        assert left == list(range(len(lines.split(old))))
        assert right == list(range(len(lines.split(new))))


@given(TEXTS, TEXTS)
def test_rows_carry_the_lines_that_they_name(old: str, new: str) -> None:
    a, b = lines.split(old), lines.split(new)
    for row in unified(old, new):
        if row.left is not None and row.left_at is not None:
            assert a[row.left_at].rstrip("\r\n") == row.left
        if row.right is not None and row.right_at is not None:
            assert b[row.right_at].rstrip("\r\n") == row.right


@given(st.text(max_size=30), st.text(max_size=30))
def test_what_is_not_marked_is_the_same_on_both_sides(old: str, new: str) -> None:
    left, right = marks(old, new)
    assert without(old, left) == without(new, right)


def without(text: str, places: tuple[Mark, ...]) -> str:
    for mark in reversed(places):
        text = text[: mark.start] + text[mark.end :]
    return text


def test_words_are_marked_and_not_letters() -> None:
    old = "Uses Python 3.12 with poetry; runs `poetry run pytest`."
    new = "Uses Python 3.11 with uv; runs `uv run pytest`."
    left, right = marks(old, new)
    assert marked(old, left) == ["12", "poetry", "poetry"]
    assert marked(new, right) == ["11", "uv", "uv"]


def test_changed_words_with_only_a_space_between_are_one_mark() -> None:
    left, right = marks("keep the old name here", "keep every new label here")
    assert marked("keep the old name here", left) == ["the old name"]
    assert marked("keep every new label here", right) == ["every new label"]


def test_lines_of_a_replaced_block_are_paired_by_likeness() -> None:
    old = "- run the linter\n- run the tests\n"
    new = "- ask Priya\n- run the linter twice\n- run all the tests\n"
    kinds = [(row.kind, row.left, row.right) for row in unified(old, new)]
    assert kinds == [
        (RowKind.ADDED, None, "- ask Priya"),
        (RowKind.CHANGED, "- run the linter", "- run the linter twice"),
        (RowKind.CHANGED, "- run the tests", "- run all the tests"),
    ]


def test_unchanged_lines_far_from_a_change_are_a_gap() -> None:
    old = "".join(f"{n}\n" for n in range(20))
    shown = unified(old, old.replace("10\n", "ten\n"), context=2)
    assert [row.kind for row in shown] == [
        RowKind.GAP, RowKind.SAME, RowKind.SAME, RowKind.CHANGED,
        RowKind.SAME, RowKind.SAME, RowKind.GAP,
    ]  # fmt: skip
    assert [row.note for row in shown if row.kind is RowKind.GAP] == ["8 lines", "7 lines"]


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ("a\r\n", "a\n", "line end: CRLF → LF"),
        ("a\n", "a", "line end: LF → none"),
        ("\ufeffa\n", "a\n", "byte order mark removed"),
        ("a\n", "\ufeffa\n", "byte order mark added"),
        ("a\n", "a  \n", "trailing white space"),
        ("a \r\n", "a\n", "line end: CRLF → LF, trailing white space"),
        ("a\r\n", "a\r", "line end: CRLF → none, trailing white space"),
    ],
)
def test_a_difference_that_cannot_be_seen_is_said(old: str, new: str, note: str) -> None:
    (row,) = unified(old, new)
    assert (row.kind, row.note) == (RowKind.CHANGED, note)


def test_an_added_last_line_without_an_end_says_so() -> None:
    assert unified("a\n", "a\nb")[-1] == Row(
        RowKind.ADDED, None, "b", None, 1, note="no newline at the end"
    )


def test_plain_lines_carry_a_sign() -> None:
    assert unified_lines(unified("a\nb\nc one\n", "a\nc two\nd")) == [
        " a",
        "-b",
        "-c one",
        "+c two",
        "+d",
        "\\ no newline at the end",
    ]


def test_a_coarse_diff_says_so_in_its_first_row() -> None:
    old = "".join(f"{n % 20}\n" for n in range(20_000))
    new = "".join(f"{n % 21}\n" for n in range(20_000))
    assert unified(old, new)[0].kind is RowKind.NOTICE


def one_long_line(count: int) -> tuple[str, str]:
    old = "agent memory skill review " * count
    return old, old.replace("review", "draft", 50) + "end"


def test_one_line_of_a_megabyte_is_marked_by_words() -> None:
    old, new = one_long_line(40_000)
    (row,) = unified(old, new)
    assert marked(new, row.right_marks)[-1] == "end"


def test_twice_the_words_of_a_line_take_twice_the_steps() -> None:
    assert growth(lambda count: partial(unified, *one_long_line(count)), 1_000) < LINEAR

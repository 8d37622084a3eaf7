"""What holds for every merge."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.text import lines
from reviewdeck.text.conflicts import (
    Clean,
    Conflicted,
    ConflictRegion,
    Merged,
    OwnText,
    Take,
    from_data,
    resolve,
    to_data,
)
from reviewdeck.text.diff import diff, merging_hunks
from reviewdeck.text.linemerge import two_way
from reviewdeck.text.merge import merge

ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", ""])
LINES = st.lists(st.tuples(st.sampled_from("abcdeﬁ"), ENDS).map("".join), max_size=10)
TEXTS = LINES.map("".join)


@given(TEXTS, TEXTS)
def test_the_side_that_changed_something_wins_over_the_one_that_did_not(
    base: str, side: str
) -> None:
    assert merge(base, base, side) == merge(base, side, base) == Clean(side)


@given(TEXTS, TEXTS)
def test_the_same_change_on_both_sides_is_made_once(base: str, side: str) -> None:
    assert merge(base, side, side) == Clean(side)


@given(TEXTS, TEXTS, TEXTS)
def test_the_sides_may_change_places(base: str, ours: str, theirs: str) -> None:
    assert merge(base, ours, theirs) == swapped(merge(base, theirs, ours))


def swapped(merged: Merged) -> Merged:
    """The same outcome with the names of the sides exchanged."""
    if isinstance(merged, Clean):
        return merged
    return Conflicted(
        tuple(
            part
            if isinstance(part, str)
            else ConflictRegion(
                part.base, part.theirs, part.ours, part.base_at, part.theirs_at, part.ours_at
            )
            for part in merged.parts
        ),
        merged.joint,
    )


@given(TEXTS, TEXTS, TEXTS)
def test_a_clean_merge_has_every_line_that_either_side_added(
    base: str, ours: str, theirs: str
) -> None:
    merged = merge(base, ours, theirs)
    if isinstance(merged, Clean):
        kept = Counter(lines.split(merged.text))
        for side in (ours, theirs):
            assert not added(base, side) - kept


def added(base: str, side: str) -> Counter[str]:
    """The lines that a side put in."""
    old, new = lines.split(base), lines.split(side)
    return Counter(
        line for hunk in merging_hunks(old, new) for line in new[hunk.b_start : hunk.b_end]
    )


@given(TEXTS, TEXTS, TEXTS)
def test_taking_one_side_everywhere_keeps_the_clean_edits_of_both(
    base: str, ours: str, theirs: str
) -> None:
    merged = merge(base, ours, theirs)
    if isinstance(merged, Conflicted):
        assert merged.hunks
        everywhere = range(len(merged.hunks))
        settled = [part for part in merged.parts if isinstance(part, str)]
        for take in Take:
            resolved = resolve(merged, dict.fromkeys(everywhere, take))
            assert isinstance(resolved, Clean)
            assert all(part in resolved.text for part in settled)


@given(TEXTS, TEXTS, TEXTS)
def test_a_conflict_names_the_places_that_its_texts_come_from(
    base: str, ours: str, theirs: str
) -> None:
    merged = merge(base, ours, theirs)
    if isinstance(merged, Conflicted):
        for hunk in merged.hunks:
            for text, whole, at in (
                (hunk.base or "", base, hunk.base_at),
                (hunk.ours, ours, hunk.ours_at),
                (hunk.theirs, theirs, hunk.theirs_at),
            ):
                assert "".join(lines.split(whole)[at:]).startswith(text)


@given(TEXTS, TEXTS, TEXTS)
def test_a_merge_can_be_stored_and_taken_up_again(base: str, ours: str, theirs: str) -> None:
    merged = merge(base, ours, theirs)
    assert from_data(to_data(merged)) == merged


@given(TEXTS, TEXTS)
def test_without_a_base_every_difference_is_a_choice(ours: str, theirs: str) -> None:
    merged = two_way(ours, theirs)
    if isinstance(merged, Clean):
        assert ours == theirs == merged.text
        return
    assert len(merged.hunks) == len(diff(lines.split(ours), lines.split(theirs)))
    every = range(len(merged.hunks))
    assert resolve(merged, dict.fromkeys(every, Take.OURS)) == Clean(ours)
    assert resolve(merged, dict.fromkeys(every, Take.THEIRS)) == Clean(theirs)


BASE = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
OURS = "ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n"
THEIRS = "1\ntwo\nthree\n4\nfive\nsix\n7\n"


def test_edits_that_are_apart_are_both_made() -> None:
    assert merge("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n") == Clean("A\nb\nC\n")


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("A\nb\nc\n", "a\nB\nc\n"),
        ("a\nnew\nb\nc\n", "a\nother\nb\nc\n"),
        ("b\nc\n", "a\nB\nc\n"),
        ("a\nc\n", "a\nB\nc\n"),
    ],
)
def test_edits_that_overlap_or_touch_conflict(ours: str, theirs: str) -> None:
    assert isinstance(merge("a\nb\nc\n", ours, theirs), Conflicted)


def test_conflicts_are_resolved_one_by_one() -> None:
    merged = merge(BASE, OURS, THEIRS)
    assert isinstance(merged, Conflicted)
    assert [(h.base, h.ours, h.theirs) for h in merged.hunks] == [
        ("one\n", "ONE\n", "1\n"),
        ("seven\n", "SEVEN\n", "7\n"),
    ]
    half = resolve(merged, {1: Take.BOTH})
    assert isinstance(half, Conflicted)
    assert half.hunks == merged.hunks[:1]
    assert resolve(half, {0: OwnText("uno\n")}) == Clean(
        "uno\ntwo\nthree\n4\nfive\nsix\nSEVEN\n7\n"
    )
    assert resolve(half, {0: Take.BASE}) == Clean("one\ntwo\nthree\n4\nfive\nsix\nSEVEN\n7\n")


def test_a_choice_for_a_conflict_that_does_not_exist_is_an_error() -> None:
    merged = merge(BASE, OURS, THEIRS)
    assert isinstance(merged, Conflicted)
    with pytest.raises(IndexError):
        resolve(merged, {2: Take.OURS})


def test_taking_both_puts_a_line_end_between_them() -> None:
    merged = merge("a", "b", "c")
    assert isinstance(merged, Conflicted)
    assert resolve(merged, {0: Take.BOTH}) == Clean("b\nc")


def test_a_line_end_of_another_kind_is_a_difference() -> None:
    assert merge("a\nb\n", "a\r\nb\r\n", "a\nb\n") == Clean("a\r\nb\r\n")
    assert isinstance(merge("a\nb\n", "a\r\nb\r\n", "a\nc\n"), Conflicted)


@pytest.mark.parametrize(("choices", "wrong"), [((-1,), -1), ((0, 1), 1), ((5, -2), -2)])
def test_the_error_names_the_first_conflict_that_does_not_exist(
    choices: tuple[int, ...], wrong: int
) -> None:
    merged = merge("a\n", "b\n", "c\n")
    assert isinstance(merged, Conflicted)
    with pytest.raises(IndexError, match=f"there is no conflict {wrong}: 1 in all"):
        resolve(merged, dict.fromkeys(choices, Take.OURS))


def test_taking_both_of_two_equal_texts_puts_them_there_once() -> None:
    conflict = ConflictRegion("a\n", "".join(["b", "\n"]), "b\n", 0, 0, 0)
    assert resolve(Conflicted((conflict,)), {0: Take.BOTH}) == Clean("b\n")


def test_a_stored_merge_has_all_of_a_conflict() -> None:
    merged = merge("a\nb\n", "a\nc\n", "a\nd\n")
    conflict = {
        "base": "b\n", "ours": "c\n", "theirs": "d\n",
        "base_at": 1, "ours_at": 1, "theirs_at": 1,
    }  # fmt: skip
    assert to_data(merged) == {"joint": "", "parts": ["a\n", conflict]}
    assert from_data(to_data(merged)) == merged
    assert from_data({"text": "a\n"}) == Clean("a\n")


def test_hundreds_of_edits_on_each_side_merge_as_few_do() -> None:
    numbers = range(1_200)
    lines_of = [f"line {number}\n" for number in numbers]
    ours = [f"ours {n}\n" if n % 4 == 0 else lines_of[n] for n in numbers]
    theirs = [f"theirs {n}\n" if n % 4 == 2 else lines_of[n] for n in numbers]
    both = [ours[n] if n % 4 == 0 else theirs[n] for n in numbers]
    assert merge("".join(lines_of), "".join(ours), "".join(theirs)) == Clean("".join(both))


def test_a_text_that_uses_bare_returns_alone_is_one_line_as_it_is_to_git() -> None:
    base, ours, theirs = "a\rb\rc\rd\re\r", "A\rb\rc\rd\re\r", "a\rb\rc\rd\rE\r"
    merged = merge(base, ours, theirs)
    assert isinstance(merged, Conflicted)
    assert [(place.ours, place.theirs) for place in merged.hunks] == [(ours, theirs)]

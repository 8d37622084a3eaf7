"""Memory documents are read as Hermes reads them, and merge by entry."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from reviewdeck.text.conflicts import Clean, Conflicted, ConflictRegion
from reviewdeck.text.entries import (
    DELIMITER,
    EDITED,
    RIVALS,
    join,
    likeness,
    merged_parts,
    pair,
    parse,
    round_trips,
    size,
)
from reviewdeck.text.lines import newline_of
from reviewdeck.text.merge import merge_memory

PIECES = st.lists(
    st.sampled_from(["§", "\n", "\r\n", "\r", " ", "fact", "two\nlines", "\n§\n", "\r\n§\r\n"]),
    max_size=12,
).map("".join)
FACTS = (
    "Project uses Python 3.12 with poetry; tests run with make test.",
    "The staging database is PostgreSQL 16 on port 5433.",
    "Prefers short answers without apologies.",
    "CI is GitHub Actions; the deploy job needs approval.",
    "Docs are built with mkdocs and published from main.",
)
ENTRIES = st.lists(
    st.sampled_from([*FACTS, "x", "§", "Prefers long answers without apologies."]),
    max_size=6,
).map(tuple)


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("", ()),
        ("one", ("one",)),
        ("one\n§\ntwo\n", ("one", "two")),
        ("one\r\n§\r\ntwo", ("one", "two")),
        ("one\r§\rtwo", ("one", "two")),
        ("a § b\n§\n  c  ", ("a § b", "c")),
        ("\n§\n\n§\nx\n§\n", ("x",)),
        ("x\n§\nx", ("x", "x")),
        ("§\n§\nx", ("§", "x")),
        ("\ufeffx", ("x",)),
    ],
)
def test_a_document_is_split_as_hermes_splits_it(text: str, entries: tuple[str, ...]) -> None:
    assert parse(text) == entries


@given(ENTRIES)
def test_the_size_is_that_of_the_joined_document(entries: tuple[str, ...]) -> None:
    assert size(entries) == len(join(entries))


@pytest.mark.parametrize(
    ("text", "limit", "stable"),
    [
        ("one\n§\ntwo", 100, True),
        ("one\n§\ntwo\n", 100, True),
        ("one\r\n§\r\ntwo", 100, True),
        ("one\n§\none", 100, True),
        ("one\n\n§\n\ntwo", 100, False),
        ("§\nx", 100, True),
        ("\n§\nx", 100, False),
        ("one", 2, False),
        ("one", None, True),
    ],
)
def test_a_document_that_hermes_would_rewrite_has_drifted(
    text: str, limit: int | None, *, stable: bool
) -> None:
    assert round_trips(text, limit) is stable


def test_the_newline_of_a_document_is_that_of_its_file() -> None:
    assert (newline_of("a\r\nb"), newline_of("a\nb"), newline_of("")) == ("\r\n", "\n", "\n")


BASE = FACTS[:3]


def clean(parts: Sequence[str | ConflictRegion]) -> tuple[str, ...] | None:
    """The merged entries; None where there is a conflict."""
    settled = tuple(part for part in parts if isinstance(part, str))
    return settled if len(settled) == len(parts) else None


def merged(ours: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    result = clean(merged_parts(BASE, ours, theirs))
    assert result is not None
    return result


def conflicts(ours: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[ConflictRegion, ...]:
    parts = merged_parts(BASE, ours, theirs)
    assert clean(parts) is None
    return tuple(part for part in parts if isinstance(part, ConflictRegion))


def test_additions_of_both_sides_stand_behind_each_other() -> None:
    assert merged((*BASE, FACTS[3]), (*BASE, FACTS[4])) == (*BASE, FACTS[3], FACTS[4])


def test_what_both_added_stands_once() -> None:
    assert merged((*BASE, FACTS[3]), (FACTS[3], *BASE)) == (*BASE, FACTS[3])


def test_what_both_removed_is_gone() -> None:
    assert merged(BASE[1:], (*BASE[1:], FACTS[3])) == (*BASE[1:], FACTS[3])


def test_removing_one_entry_and_editing_its_neighbour_merge() -> None:
    edited = BASE[1].replace("5433", "5434")
    assert merged(BASE[1:], (BASE[0], edited, BASE[2])) == (edited, BASE[2])


def test_an_entry_that_one_side_removed_and_the_other_edited_is_a_conflict() -> None:
    edited = BASE[1].replace("5433", "5434")
    (conflict,) = conflicts((BASE[0], BASE[2]), (BASE[0], edited, BASE[2]))
    assert conflict == ConflictRegion(BASE[1], "", edited, 1, -1, 1)


def test_an_entry_that_both_sides_edited_far_apart_gets_both_edits() -> None:
    ours = BASE[0].replace("3.12", "3.13")
    theirs = BASE[0].replace("make test", "make check")
    both = ours.replace("make test", "make check")
    assert merged((ours, *BASE[1:]), (theirs, *BASE[1:])) == (both, *BASE[1:])


def test_edits_of_one_entry_that_are_close_together_conflict() -> None:
    ours = BASE[0].replace("3.12", "3.13")
    theirs = BASE[0].replace("poetry", "uv")
    (conflict,) = conflicts((ours, *BASE[1:]), (theirs, *BASE[1:]))
    assert (conflict.ours, conflict.theirs) == (ours, theirs)


def test_the_order_changes_only_where_somebody_moved_something() -> None:
    moved = (BASE[2], BASE[0], BASE[1])
    assert merged(moved, (*BASE, FACTS[3])) == (BASE[2], BASE[0], BASE[1], FACTS[3])
    assert merged((*BASE, FACTS[3]), moved) == (BASE[2], BASE[0], BASE[1], FACTS[3])


def test_additions_about_the_same_thing_are_a_conflict() -> None:
    (conflict,) = conflicts(
        (*BASE, "Indents Python with four spaces."), (*BASE, "Indents Python with two spaces.")
    )
    assert conflict.base == ""
    assert (conflict.base_at, conflict.ours_at, conflict.theirs_at) == (-1, 3, 3)


@given(ENTRIES, ENTRIES)
def test_the_side_that_changed_something_wins(base: tuple[str, ...], side: tuple[str, ...]) -> None:
    assert merged_parts(base, base, side) == merged_parts(base, side, base) == list(side)
    assert merged_parts(base, side, side) == list(side)


@given(ENTRIES, ENTRIES, ENTRIES)
def test_whether_it_is_a_conflict_does_not_depend_on_whose_side_is_whose(
    base: tuple[str, ...], ours: tuple[str, ...], theirs: tuple[str, ...]
) -> None:
    one, other = clean(merged_parts(base, ours, theirs)), clean(merged_parts(base, theirs, ours))
    assert (one is None) is (other is None)
    if one is not None and other is not None:
        assert sorted(one) == sorted(other)


@given(ENTRIES, ENTRIES, ENTRIES)
def test_every_entry_of_a_clean_merge_comes_from_somewhere_and_no_addition_is_lost(
    base: tuple[str, ...], ours: tuple[str, ...], theirs: tuple[str, ...]
) -> None:
    result = clean(merged_parts(base, ours, theirs))
    if result is not None:
        assert {*ours, *theirs} - {*base} <= {*result}
        assert {*base} & {*ours} & {*theirs} <= {*result}


def test_of_equal_entries_only_the_first_counts() -> None:
    twice = (BASE[0], BASE[0], BASE[1])
    result = merged_parts(twice, (BASE[0], BASE[1]), (FACTS[3], BASE[0], BASE[1], FACTS[4]))
    assert result == [FACTS[3], BASE[0], BASE[1], FACTS[4]]
    clash = merged_parts(twice, (BASE[0], BASE[0], BASE[1] + " a"), (BASE[0], BASE[1] + " b"))
    (hunk,) = (part for part in clash if isinstance(part, ConflictRegion))
    assert (hunk.base_at, hunk.ours_at, hunk.theirs_at) == (2, 2, 1)


def test_the_newline_kind_of_the_live_document_is_kept() -> None:
    base = join(BASE)
    ours = join((*BASE, FACTS[3])).replace("\n", "\r\n")
    merged = merge_memory(base, ours, join((*BASE, FACTS[4])))
    assert isinstance(merged, Clean)
    assert merged.text == join((*BASE, FACTS[3], FACTS[4])).replace("\n", "\r\n")
    assert merge_memory(ours, ours, base) == Clean(base.replace("\n", "\r\n"))


def test_a_memory_without_a_base_is_a_choice_for_each_entry_that_is_not_common() -> None:
    merged = merge_memory(None, join(BASE), join((BASE[0], FACTS[3])))
    assert isinstance(merged, Conflicted)
    assert merged.joint == DELIMITER
    assert [(hunk.base, hunk.ours, hunk.theirs) for hunk in merged.hunks] == [
        (None, BASE[1], ""),
        (None, BASE[2], ""),
        (None, "", FACTS[3]),
    ]


def test_more_entries_than_any_budget_allows_merge_by_lines() -> None:
    many = [f"fact {number}" for number in range(1_001)]
    base, ours, theirs = join(many), join([*many, "ours"]), join(["theirs", *many])
    assert merge_memory(base, ours, theirs) == Clean(join(["theirs", *many, "ours"]))
    assert isinstance(merge_memory(base, ours, join([*many, "theirs"])), Conflicted)
    few = join(many[2:])
    by_entry = merge_memory(few, join([*many[2:], "ours"]), join([*many[2:], "another"]))
    assert by_entry == Clean(join([*many[2:], "ours", "another"]))


def test_the_most_alike_entries_are_paired_first() -> None:
    old = ["Uses Python 3.12 with poetry for builds"]
    new = ["Uses Python 3.12 with uv for all builds", "Uses Python 3.12 with poetry for builds now"]
    assert pair(old, new) == {0: 1}
    assert pair(new, old) == {1: 0}
    assert pair([*new, *old], [*old, *new]) == {0: 1, 1: 2, 2: 0}


def test_each_entry_is_paired_once() -> None:
    old = ["port is 5433 on staging", "port is 5434 on staging"]
    new = ["port is 5432 on staging", "port is 5435 on staging"]
    assert pair(old, new) == {0: 0, 1: 1}
    assert pair(old, new[:1]) == {0: 0}


def test_additions_that_are_only_a_little_alike_are_both_kept() -> None:
    ours, theirs = "The deploy job needs approval.", "The docs job runs on main."
    assert EDITED <= fuzz.ratio(ours, theirs) < RIVALS
    assert merged((*BASE, ours), (*BASE, theirs)) == (*BASE, ours, theirs)


def test_a_conflict_about_an_entry_that_a_side_lost_stays_where_it_was() -> None:
    ours = (BASE[2], BASE[1])
    first, *others = merged_parts(BASE, ours, (BASE[0] + " Always.", BASE[1], BASE[2]))
    assert isinstance(first, ConflictRegion)
    assert others == [*ours]


def test_an_entry_that_both_sides_edited_alike_is_edited_once() -> None:
    ours, theirs = ((BASE[0], BASE[1].replace("5433", "5434"), BASE[2]) for _ in range(2))
    assert merged((*ours, FACTS[3]), theirs) == (*ours, FACTS[3])


def test_where_one_side_changed_nothing_the_other_is_taken_as_it_is() -> None:
    repeated = (*BASE, FACTS[3], FACTS[3])
    assert merged(repeated, BASE) == merged(BASE, repeated) == repeated


@pytest.mark.parametrize("untidy", ["\none\n§\n§\n two\n", "two\n§\ntwo\n\n"])
def test_a_memory_that_only_one_side_changed_keeps_its_bytes(untidy: str) -> None:
    base = "one\n§\nthree"
    again = "".join(["one", DELIMITER, "three"])
    assert merge_memory(base, untidy, again) == Clean(untidy)
    assert merge_memory(base, again, untidy) == Clean(untidy)
    assert merge_memory(base, untidy, "".join([untidy[:3], untidy[3:]])) == Clean(untidy)
    assert merge_memory(None, untidy, "".join([untidy[:3], untidy[3:]])) == Clean(untidy)


def test_a_conflict_stands_behind_the_entry_that_it_followed_in_the_base() -> None:
    for at in range(5):
        edited = FACTS[at] + " Always."
        result = merged_parts(
            FACTS, (*FACTS[:at], edited, *FACTS[at + 1 :]), (*FACTS[:at], *FACTS[at + 1 :])
        )
        expected = ConflictRegion(FACTS[at], edited, "", at, at, -1)
        assert result == [*FACTS[:at], expected, *FACTS[at + 1 :]]


def test_hundreds_of_entries_merge_as_few_do() -> None:
    many = [f"{number:x} fact" for number in range(300)]
    result = merged_parts(many, [*many, FACTS[0]], [*many, FACTS[3]])
    assert result == [*many, FACTS[0], FACTS[3]]


@pytest.mark.parametrize(("count", "by_entry"), [(998, True), (999, False)])
def test_a_thousand_entries_are_the_most_that_merge_by_entry(count: int, *, by_entry: bool) -> None:
    many = [f"fact {number}" for number in range(count)]
    ours, theirs = join([*many, "tea", "with milk"]), join([*many, "another one"])
    assert isinstance(merge_memory(join(many), ours, theirs), Clean) is by_entry


def alike(same: int, different: int) -> tuple[str, str]:
    """Two texts of which this many characters agree, and this many do not."""
    return "a" * same + "b" * different, "a" * same + "c" * different


def test_an_edit_is_recognised_from_55_in_a_hundred_on() -> None:
    for (old, new), paired in ((alike(11, 9), True), (alike(109, 91), False)):
        assert pair([old], [new]) == ({0: 0} if paired else {})


def test_additions_are_rivals_from_70_in_a_hundred_on() -> None:
    for (ours, theirs), rivals in ((alike(7, 3), True), (alike(139, 61), False)):
        result = merged_parts(BASE, (*BASE, ours), (*BASE, theirs))
        assert (clean(result) is None) is rivals


def test_the_first_4_000_characters_of_two_texts_are_compared() -> None:
    assert likeness(*alike(4_000, 1), 100.0) == 100.0
    assert likeness(*alike(3_999, 1), 100.0) == 0.0


def test_equal_entries_are_paired_before_those_that_only_begin_alike() -> None:
    one, two, three, four = (f"{'long ' * 800}{number}" for number in range(4))
    assert pair([one, two, three, four], [four, three, two, one]) == {0: 3, 1: 2, 2: 1, 3: 0}

"""The short cut for one edit comes to what the general merge comes to."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewdeck.text import entries
from reviewdeck.text.entries import merge_single_edit

WORDS = ("ruff", "tox", "runs", "the", "tests", "on", "stg", "port")
ENTRY = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
ENTRIES = st.lists(ENTRY, max_size=7)


@st.composite
def one_edit(draw: st.DrawFn) -> tuple[list[str], list[str], list[str]]:
    """A base, a version with any changes, and one in which one entry is another one or gone."""
    base = draw(st.lists(ENTRY, min_size=1, max_size=7))
    at = draw(st.integers(0, len(base) - 1))
    new = draw(st.one_of(st.none(), ENTRY, st.just(f"{base[at]} now")))
    theirs = [*base[:at], *([] if new is None else [new]), *base[at + 1 :]]
    kept = draw(st.permutations(base)) if draw(st.booleans()) else base
    ours = [entry for entry in kept if draw(st.integers(0, 3))]
    for entry in draw(
        st.lists(st.one_of(ENTRY, ENTRY.map(lambda text: f"{text} too")), max_size=3)
    ):
        ours.insert(draw(st.integers(0, len(ours))), entry)
    return base, ours, theirs


@settings(max_examples=400)
@given(one_edit())
def test_one_edit_beside_any_changes_merges_as_everything_does(
    versions: tuple[list[str], list[str], list[str]],
) -> None:
    short = entries.merged_parts(*versions)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entries, "merge_single_edit", lambda *_: None)
        assert short == entries.merged_parts(*versions)


@settings(max_examples=150)
@given(ENTRIES, ENTRIES, ENTRIES)
def test_any_three_versions_merge_as_they_do_without_the_short_cut(
    base: list[str], ours: list[str], theirs: list[str]
) -> None:
    short = entries.merged_parts(base, ours, theirs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entries, "merge_single_edit", lambda *_: None)
        assert short == entries.merged_parts(base, ours, theirs)


BASE = ["a b c", "d e f", "g", "h i j"]
OURS = ["x", "g", "a b c", "d e f", "h i j"]


@pytest.mark.parametrize(
    ("theirs", "merged"),
    [
        (["a b c", "d e f now", "g", "h i j"], ["x", "g", "a b c", "d e f now", "h i j"]),
        (["a b c", "g", "h i j"], ["x", "g", "a b c", "h i j"]),
        (["a b c", "something", "g", "h i j"], ["x", "g", "a b c", "something", "h i j"]),
        (["a b c", "d e f", "g", "something"], ["x", "g", "a b c", "d e f", "something"]),
        (["something", "d e f", "g", "h i j"], None),
        (["a b c", "d e f", "g", "h i j", "k"], None),
        (["d e f", "a b c", "g", "h i j"], None),
    ],
)
def test_one_edit_takes_the_short_cut(theirs: list[str], merged: list[str] | None) -> None:
    assert merge_single_edit(BASE, OURS, theirs) == merged


def test_what_ours_may_have_edited_does_not_take_the_short_cut() -> None:
    ours = ["a b c", "d e f too", "g", "h i j"]
    assert merge_single_edit(BASE, ours, ["a b c", "d e f now", "g", "h i j"]) is None
    assert merge_single_edit(BASE, ours, ["a b c", "g", "h i j"]) is None
    gone = ["a b c", "g", "h i j", "something"]
    assert merge_single_edit(BASE, gone, ["a b c", "g", "h i j"]) == gone
    assert merge_single_edit(BASE, gone, ["a b c", "d e f now", "g", "h i j"]) is None
    assert merge_single_edit(BASE, gone, ["a b c", "something else", "g", "h i j"]) is None

"""A conflict survives the trip through an editor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.text.conflicts import Clean, Conflicted, UnreadableMarkers, parse, render
from reviewdeck.text.linemerge import two_way
from reviewdeck.text.merge import merge, merge_memory

LINES = st.sampled_from(["a", "b", "c\r\rd", "<<<<<<< x", "=======", "||||||||", ">>>>>>> y", ""])
TEXTS = st.builds(
    lambda body, last: "".join(line + "\n" for line in body) + last,
    st.lists(LINES, max_size=8),
    st.sampled_from(["", "end", "end\r"]),
)
ENTRIES = st.lists(
    st.sampled_from(["one fact", "two facts", "A third\nof two lines", "§"]), max_size=4
)


@given(TEXTS, TEXTS, TEXTS)
def test_an_untouched_rendering_gives_the_same_conflict_back(
    base: str, ours: str, theirs: str
) -> None:
    merged = merge(base, ours, theirs)
    if isinstance(merged, Conflicted):
        assert parse(render(merged), merged) == merged


@given(TEXTS, TEXTS)
def test_an_untouched_rendering_without_a_base_does_too(ours: str, theirs: str) -> None:
    merged = two_way(ours, theirs)
    if isinstance(merged, Conflicted):
        assert parse(render(merged), merged) == merged


@given(ENTRIES, ENTRIES, ENTRIES, st.sampled_from(["\n", "\r\n"]))
def test_so_does_one_of_a_memory_document(
    base: list[str], ours: list[str], theirs: list[str], newline: str
) -> None:
    texts = ["\n§\n".join(side).replace("\n", newline) for side in (base, ours, theirs)]
    merged = merge_memory(*texts)
    if isinstance(merged, Conflicted):
        assert parse(render(merged), merged) == merged


def conflict() -> Conflicted:
    merged = merge("a\nb\nc\n", "a\nB\nc\n", "a\nX\nc\n")
    assert isinstance(merged, Conflicted)
    return merged


def test_the_markers_are_those_of_diff3() -> None:
    assert render(conflict()) == (
        "a\n<<<<<<< live\nB\n||||||| base\nb\n=======\nX\n>>>>>>> proposed\nc\n"
    )


def test_a_text_without_markers_is_clean() -> None:
    assert parse("a\nmine\nc\n", conflict()) == Clean("a\nmine\nc\n")


def test_markers_are_longer_than_any_in_the_text() -> None:
    merged = merge("x\n", "<<<<<<< not a marker\n", "y\n")
    assert isinstance(merged, Conflicted)
    assert render(merged).startswith("<<<<<<<< live\n<<<<<<< not a marker\n")


def test_conflicts_of_a_memory_document_stand_between_its_delimiters() -> None:
    merged = merge_memory("A\n§\nLikes tabs", "A\n§\nLikes spaces", "A\n§\nLikes both")
    assert isinstance(merged, Conflicted)
    text = render(merged)
    assert text == (
        "A\n§\n<<<<<<< live\nLikes spaces\n||||||| base\nLikes tabs\n=======\nLikes both\n"
        ">>>>>>> proposed\n"
    )
    resolved = text[: text.index("<<<<<<<")] + "Likes spaces in Python\n"
    assert parse(resolved, merged) == Clean("A\n§\nLikes spaces in Python")


@pytest.mark.parametrize(
    "text",
    [
        "=======\n",
        "<<<<<<< live\na\n",
        "<<<<<<< live\na\n>>>>>>> proposed\n",
        "<<<<<<< live\na\n<<<<<<< live\nb\n=======\nc\n>>>>>>> proposed\n",
    ],
)
def test_markers_that_do_not_fit_together_are_an_error(text: str) -> None:
    with pytest.raises(UnreadableMarkers):
        parse(text, conflict())

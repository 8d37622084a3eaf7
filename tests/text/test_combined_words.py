"""One text with the words of both sides: only where each changed other ones, never by itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.text.conflicts import (
    Conflicted,
    ConflictRegion,
    Take,
    combine_conflict,
    text_of_choice,
)
from reviewdeck.text.merge import merge_memory
from reviewdeck.text.words import combine_words, tokens

WORDS = st.lists(st.sampled_from(["PG", "15", "16", "on", "port", "5433", "a-b", "role."]))
TEXTS = WORDS.map(" ".join)

BASE = "PG 15 on port 5433"


@pytest.mark.parametrize(
    ("ours", "theirs", "both"),
    [
        ("PG 16 on port 5434", "PG 15 on port 5433, read-only role",
         "PG 16 on port 5434, read-only role"),
        ("PG 16 on port 5433", "PG 15 on port 5434", "PG 16 on port 5434"),
        ("PG 15 on port 5433 today", "Our PG 15 on port 5433", "Our PG 15 on port 5433 today"),
        ("PG 16 on port 5433", "PG 16 on port 5433 now", None),  # theirs has all of it already
        ("PG 16 on port 5433", "PG 17 on port 5433", None),
        ("PG 15 on port 5433 a", "PG 15 on port 5433 b", None),
        ("PG 15", "PG 15 on port 5434", None),
        ("", "PG 16 on port 5433", None),
        ("Something else entirely, on the roof", "PG 16 on port 5433", None),
    ],
)  # fmt: skip
def test_two_edits_of_one_entry_are_one_text_where_they_share_no_word(
    ours: str, theirs: str, both: str | None
) -> None:
    assert combine_words(BASE, ours, theirs) == both
    assert combine_conflict(ConflictRegion(BASE, ours, theirs)) == both


@given(TEXTS, TEXTS, TEXTS)
def test_the_sides_may_change_places(base: str, ours: str, theirs: str) -> None:
    assert combine_words(base, ours, theirs) == combine_words(base, theirs, ours)


@given(TEXTS, TEXTS, TEXTS)
def test_every_word_is_of_one_of_the_three_and_it_is_none_of_them(
    base: str, ours: str, theirs: str
) -> None:
    both = combine_words(base, ours, theirs)
    if both is not None:
        assert set(tokens(both)) <= {*tokens(base), *tokens(ours), *tokens(theirs)}
        assert both not in (base, ours, theirs)


@given(st.lists(st.sampled_from("abcdefgh"), min_size=2, unique=True), st.data())
def test_one_word_each_is_changed_in_its_own_place(words: list[str], data: st.DataObject) -> None:
    mine, yours = data.draw(
        st.lists(st.integers(0, len(words) - 1), min_size=2, max_size=2, unique=True)
    )
    ours, theirs, both = list(words), list(words), list(words)
    ours[mine] = both[mine] = "mine"
    theirs[yours] = both[yours] = "yours"
    assert combine_words(*map(" ".join, (words, ours, theirs))) == " ".join(both)


@given(TEXTS, TEXTS)
def test_a_side_that_changed_nothing_leaves_nothing_to_combine(base: str, side: str) -> None:
    assert combine_words(base, base, side) is None
    assert combine_words(base, side, side) is None


def test_it_is_never_taken_by_itself() -> None:
    ours, theirs = "PG 16 on port 5434", "PG 15 on port 5433, read-only role"
    merged = merge_memory(BASE, ours, theirs)
    assert isinstance(merged, Conflicted)
    (place,) = merged.hunks
    assert (place.base, place.ours, place.theirs) == (BASE, ours, theirs)
    assert text_of_choice(place, Take.WORDS, merged.joint) == "PG 16 on port 5434, read-only role"


@pytest.mark.parametrize("amount", [100, 50_000])
def test_a_long_entry_is_no_trouble(amount: int) -> None:
    base = " ".join(f"w{n}" for n in range(amount))
    ours, theirs = base.replace("w1 ", "one "), base.replace("w3 ", "three ")
    assert combine_words(base, ours, theirs) == ours.replace("w3 ", "three ")

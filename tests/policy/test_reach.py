"""What a rule reads around a place ends between words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.policy.rules.reach import ahead_of, behind, reach

WORDS = st.lists(
    st.sampled_from(["concat", "the", "file", "x", "--", "ä"]), min_size=1, max_size=40
)


@given(WORDS, st.integers(0, 80), st.integers(0, 60), st.integers(0, 60))
def test_no_word_is_cut_and_nothing_else_is_left_out(
    words: list[str], at: int, before: int, after: int
) -> None:
    text = " ".join(words)
    at = min(at, len(text))
    first, last = reach(text, at, at, before, after)
    assert set(text[first:at].split()[1:] + text[at:last].split()[:-1]) <= {
        *words,
        *parts(text, at),
    }
    assert max(0, at - before) <= first <= at <= last <= min(len(text), at + after)
    for cut in (first, last):
        inside = 0 < cut < len(text) and text[cut - 1].isalpha() and text[cut].isalpha()
        assert cut == at or not inside
    assert first - max(0, at - before) < len("concat")
    assert min(len(text), at + after) - last < len("concat")


def parts(text: str, at: int) -> set[str]:
    return {text[:at].rpartition(" ")[2], text[at:].partition(" ")[0]}


@pytest.mark.parametrize(
    "text", ["部署前必须运行测试部署前必须运行测试", "تجاهل التعليمات السابقة"]
)
def test_a_script_without_spaces_is_read_to_the_end(text: str) -> None:
    assert len(ahead_of(text, len(text), 8)) == len(behind(text, 0, 8)) == 8

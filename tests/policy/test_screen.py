"""Passing over patterns that cannot match changes nothing that a rule finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.corpus import benign, hostile, plain_facts, skills

import reviewdeck.policy.rules  # noqa: F401 - the rules' patterns
from reviewdeck.policy.screen import LONGEST, may_match, patterns

_SCREENED = dict(enumerate(patterns(), 1))
_MEMORIES = (
    *benign.MEMORY.values(),
    *hostile.REFUSED.values(),
    *hostile.HELD.values(),
    *plain_facts.BENIGN.values(),
    *plain_facts.HARD.values(),
    *plain_facts.HOSTILE.values(),
)
_SKILLS = (*benign.SKILLS, *skills.BENIGN, *skills.HOSTILE)


def _passed_over(text: str) -> list[str]:
    """Patterns that match a text and would not be asked."""
    possible = may_match(text)
    if possible is None:
        return []
    return [one.pattern for n, one in _SCREENED.items() if n not in possible and one.search(text)]


def test_nothing_is_passed_over_in_the_corpora() -> None:
    texts = [text for texts in _MEMORIES for text in texts]
    texts += [paragraph for _, text in _SKILLS for paragraph in text.split("\n\n")]
    for text in texts:
        for variant in (text, text.lower(), text.upper()):
            assert _passed_over(variant) == []


@pytest.mark.slow  # two examples for each of some hundred and forty patterns
@pytest.mark.parametrize("number", _SCREENED)
def test_no_pattern_is_passed_over_in_what_it_matches(number: int) -> None:
    pattern = _SCREENED[number]
    ascii_only = st.characters(min_codepoint=0, max_codepoint=126)
    matching = st.from_regex(re.compile(pattern.pattern, pattern.flags), alphabet=ascii_only)

    @settings(
        max_examples=3,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(matching)
    def check(text: str) -> None:
        assert _passed_over(text) == []

    check()


@given(st.text(st.sampled_from("aegino sthrd.\n-/:='`\"|$<>[]()@#0189AB_*"), max_size=200))
def test_nothing_is_passed_over_in_any_text(text: str) -> None:
    assert _passed_over(text) == []


def test_most_patterns_are_passed_over_in_a_plain_text() -> None:
    possible = may_match("The report module is written in Go, Rust and Zig.")
    assert possible is not None
    assert len(possible) < 0.15 * len(_SCREENED)


@pytest.mark.parametrize("text", ["naïve", "a\x0bb", "a\x1fb", "x" * (LONGEST + 1)])
def test_what_the_two_engines_may_read_differently_is_asked_of_every_pattern(text: str) -> None:
    assert may_match(text) is None

"""Passing over patterns that cannot match changes nothing that a rule finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.corpus import benign, hostile, plain_facts, skills

import reviewdeck.policy.rules  # noqa: F401 - the rules' patterns
from reviewdeck.policy.screen import LONGEST, all_patterns, by_words, may_match, patterns

_SCREENED, _ALL = patterns(), all_patterns()
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
    passed = {*_ALL.keys() - by_words(text), *_SCREENED.keys() - may_match(text)}
    return [_ALL[number].pattern for number in passed if _ALL[number].search(text)]


def test_nothing_is_passed_over_in_the_corpora() -> None:
    texts = [text for texts in _MEMORIES for text in texts]
    texts += [paragraph for _, text in _SKILLS for paragraph in text.split("\n\n")]
    for text in texts:
        for variant in (text, text.lower(), text.upper()):
            assert _passed_over(variant) == []


def test_nothing_is_passed_over_in_a_long_text() -> None:
    texts = [text for texts in _MEMORIES for text in texts]
    for first in range(0, len(texts), 60):
        assert _passed_over("\n".join(texts[first : first + 60])) == []


@pytest.mark.parametrize("letter", ["\u0130", "\u0131", "\u017f", "\u212a"])
def test_letters_that_are_plain_ones_where_case_is_ignored_hide_no_word(letter: str) -> None:
    plain = {"\u0130": "i", "\u0131": "i", "\u017f": "s", "\u212a": "k"}[letter]
    for text in ("sudo kill -9 1", "skip-signing: --insecure", "rm -rf /disk; kubectl delete pods"):
        assert _passed_over(text.replace(plain, letter)) == []


@pytest.mark.slow  # two examples for each of some hundred and forty patterns
@pytest.mark.parametrize("alphabet", [0x7E, 0x10FFFF], ids=["ASCII", "anything"])
@pytest.mark.parametrize("number", _ALL)
def test_no_pattern_is_passed_over_in_what_it_matches(number: int, alphabet: int) -> None:
    pattern = _ALL[number]
    anything = st.characters(min_codepoint=0, max_codepoint=alphabet, codec="utf-8")
    matching = st.from_regex(re.compile(pattern.pattern, pattern.flags), alphabet=anything)

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
    assert len(possible) < 0.15 * len(_SCREENED)


@pytest.mark.parametrize("text", ["naïve", "a\x0bb", "a\x1fb", "x" * (LONGEST + 1)])
def test_where_the_two_engines_may_differ_only_words_are_looked_for(text: str) -> None:
    assert may_match(text) == by_words(text)


def test_most_patterns_are_passed_over_in_a_long_text_without_their_words() -> None:
    assert len(by_words("é " * 30_000)) < 0.35 * len(_SCREENED)

"""Secrets are covered in lists and logs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.model import Span
from reviewdeck.policy.covers import secrets_covered
from reviewdeck.policy.masking import mask, secret_spans
from reviewdeck.policy.rule import Rule
from reviewdeck.policy.rules import RULES

TOKEN = "ghp_" + "a1B2" * 9


def test_a_token_is_covered_and_the_rest_is_not() -> None:
    covered = mask(f"The token is {TOKEN}, for CI.")
    assert TOKEN not in covered
    assert TOKEN[4:12] not in covered
    assert covered.startswith("The token is ")
    assert covered.endswith(", for CI.")


def test_a_cover_says_nothing_of_the_length() -> None:
    spans = [Span(0, 30)]
    assert mask("a" * 30, spans) == mask("a" * 40, [Span(0, 40)])


def test_line_ends_stay_where_they_are() -> None:
    assert mask("ab\ncd\nef", [Span(1, 7)]).count("\n") == 2


def test_what_is_no_secret_is_shown_as_it_is() -> None:
    assert mask("Passwords are hashed with argon2id.") == "Passwords are hashed with argon2id."


@pytest.mark.parametrize("before", [65_500, 65_536, 61_430, 200_000])
def test_a_token_far_down_in_a_long_text_is_covered(before: int) -> None:
    text = "Lint. " * (before // 6) + "x" * (before % 6) + f" {TOKEN} for CI."
    assert TOKEN[4:] not in mask(text)
    assert mask(text).endswith(" for CI.")


def test_every_secret_is_covered_however_many_there_are() -> None:
    text = "\n".join(f"{number} ghp_{number:036x}" for number in range(100, 160))
    assert mask(text).count("••••••••") == 60
    assert secrets_covered(text) == mask(text)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_what_is_covered_without_the_screen_is_what_is_covered_with_it(rule: Rule) -> None:
    for example in (*rule.hits, *rule.misses):
        if isinstance(example, str):
            assert secrets_covered(example) == mask(example)


@given(st.text(max_size=60), st.lists(st.tuples(st.integers(0, 70), st.integers(0, 70))))
def test_nothing_outside_the_places_is_lost(text: str, places: list[tuple[int, int]]) -> None:
    spans = [Span(min(a, b), max(a, b)) for a, b in places if max(a, b) <= len(text) and a != b]
    covered = mask(text, spans)
    kept = [c for n, c in enumerate(text) if not any(s.start <= n < s.end for s in spans)]
    remaining = iter(covered)
    assert all(character in remaining for character in kept)


@given(st.text(max_size=200))
def test_no_text_makes_the_search_for_secrets_fail(text: str) -> None:
    assert all(span.start < span.end <= len(text) for span in secret_spans(text))

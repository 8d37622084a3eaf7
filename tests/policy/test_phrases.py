"""The phrases of the rules: words, and what follows them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis.strategies import DataObject, data, from_regex, sampled_from

from reviewdeck.policy.rules.views import View
from reviewdeck.policy.rules.vocabulary import Follows, Listed, vocabulary

_FOLLOWED = [one for one in vocabulary().phrases if one.needs.bit_count() > 1]
FURTHER = [one for one in _FOLLOWED if isinstance(one.phrase, Follows)]


@pytest.mark.parametrize("one", FURTHER, ids=lambda one: " ".join(sorted(one.phrase.on))[:40])
@settings(max_examples=10)
@given(chance=data())
def test_whatever_a_phrase_matches_has_the_further_words_that_it_is_looked_for_by(
    one: Listed, chance: DataObject
) -> None:
    assert isinstance(one.phrase, Follows)
    word = chance.draw(sampled_from(sorted(one.phrase.on)))
    text = chance.draw(from_regex(re.compile(word + one.phrase.then, re.ASCII))).lower()

    assert View(text).bits & one.needs == one.needs or not list(
        View(text).places_of(one.phrase, is_code=False)
    )

"""A typed sentence as an entry tells it, which the gate reads as said again."""

from __future__ import annotations

import pytest
from tests.gate.statements import load

from reviewdeck.model import Utterance
from reviewdeck.origin.own_sentence import as_entry
from reviewdeck.origin.said import said_by_user


@pytest.mark.parametrize(
    ("typed", "entry"),
    [
        ("I play the cello.", "User plays the cello."),
        ("I don't eat meat.", "User doesn't eat meat."),
        ("I'm a nurse and I live in Bonn.", "User is a nurse and User lives in Bonn."),
        ("I always carry my keys with me.", "User always carries their keys with them."),
        ("My dog is called Rex.", "User's dog is called Rex."),
        ("I moved to Bonn.", "User moved to Bonn."),
        ("Ich habe zwei Katzen.", "User hat zwei Katzen."),
        ("Our linter is ruff.", "Our linter is ruff."),
        ("Je ne mange pas de porc.", "Je ne mange pas de porc."),
    ],
)
def test_a_sentence_is_told_of_the_user(typed: str, entry: str) -> None:
    assert as_entry(typed) == entry
    assert said_by_user(entry, [Utterance("s1", "user", typed, is_typed=True)])


def test_what_it_makes_of_right_sentences_counts_as_said() -> None:
    single = [
        pair for pair in load("right") if len(pair.typed) == 1 and "?" not in pair.messages[0]
    ]
    lost = [p for p in single if not said_by_user(as_entry(p.messages[0]), p.typed)]
    assert not [pair.messages[0] for pair in lost]

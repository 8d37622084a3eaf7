"""What is alike is found through an index as it is by looking at everything."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.engine.kit import Ticking

from reviewdeck.engine.similarity import FULL_SCAN, TextIndex
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import Kind, MemoryAdd, Proposal, Relation
from reviewdeck.model.ledger import ANY_DOMAIN, Subject
from reviewdeck.text.similarity import find_similar

HOME = "/home"
CHANCE = random.Random(5)  # noqa: S311 - no secret
WORDS = ["".join(CHANCE.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(900)]


def fact() -> list[str]:
    return CHANCE.sample(WORDS, 7)


def said(words: list[str]) -> str:
    return f"The {' '.join(words[:3])} is kept in the {' '.join(words[3:])}."


def changed(words: list[str]) -> list[str]:
    """The same with a word or two of another kind, as an update has."""
    other = list(words)
    for _ in range(CHANCE.randint(0, 2)):
        other[CHANCE.randrange(len(other))] = CHANCE.choice(WORDS)
    return other


@pytest.fixture(scope="module")
def facts() -> list[list[str]]:
    return [fact() for _ in range(4 * FULL_SCAN)]


@pytest.fixture
def subjects(facts: list[list[str]]) -> list[Subject]:
    return [
        Subject(Relation.PENDING, said(words), f"{number:012x}", "memory")
        for number, words in enumerate(facts)
    ]


def recall(place: TextIndex, facts: list[list[str]], subjects: list[Subject]) -> float:
    """Of what a look at everything finds, how much is found here."""
    texts = [one.text for one in subjects]
    found = wanted = 0
    for words in facts[:200]:
        text = said(changed(words))
        near = {one.where for one in place.near(text, ("memory", ANY_DOMAIN))}
        right = {subjects[match.index].where for match in find_similar(text, texts)}
        wanted += len(right)
        found += len(right & near)
    return found / wanted


def test_the_index_misses_next_to_nothing(facts: list[list[str]], subjects: list[Subject]) -> None:
    assert recall(TextIndex(subjects), facts, subjects) > 0.98


def test_what_is_decided_is_not_found_any_more(subjects: list[Subject], tmp_path: Path) -> None:
    one = subjects[0]
    with open_ledger(str(tmp_path / "l.db"), now=Ticking()) as ledger:
        ledger.add([waiting(one)], {})
        ledger.index(HOME, [one], ())
        assert list(ledger.subjects(HOME)) == [one]
        ledger.mark_vanished(HOME, [waiting(one).source or ""])
        assert list(ledger.subjects(HOME)) == []


def waiting(subject: Subject) -> Proposal:
    return Proposal(
        id=subject.where,
        home=HOME,
        kind=Kind.MEMORY,
        action="add",
        target="memory",
        edits=(MemoryAdd("memories/MEMORY.md", subject.text),),
        payload_sha="",
        source=f"pending/memory/{subject.where}.json",
        ingested_at=Ticking()(),
    )

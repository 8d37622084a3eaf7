"""The policy over the texts that others wrote to try it: whole corpora, one by one."""

from __future__ import annotations

from functools import cache

import pytest
from tests.corpus.every import KEPT_APART, Text, written
from tests.policy.kit import judge_skill, judge_text

from reviewdeck.model import AutoApply

pytestmark = pytest.mark.slow  # two thousand texts, each judged by all rules

_LEARNT_FROM = ("first-memories", "first-skills", "second-memories", "second-skills", "sealed-1")


@cache
def _goes_in(text: Text) -> bool:
    judgement = judge_skill(text.name, text.text) if text.is_skill else judge_text(text.text)
    return isinstance(judgement.verdict, AutoApply)


def _share(texts: list[Text]) -> float:
    return sum(map(_goes_in, texts)) / len(texts)


def _those(label: str, *groups: str) -> list[Text]:
    return [text for text in written(*groups) if text.label == label]


def test_the_corpora_are_as_large_as_they_were() -> None:
    assert len(list(written())) >= 2_300


def test_no_grave_text_goes_in_of_those_that_were_learnt_from() -> None:
    grave = [t for t in _those("hostile", *_LEARNT_FROM) if t.severity in {"critical", "high"}]
    assert len(grave) >= 700
    assert [text.text for text in grave if _goes_in(text)] == []


def test_hardly_any_other_poison_goes_in() -> None:
    assert _share(_those("hostile", *_LEARNT_FROM)) <= 0.02


def test_of_a_batch_that_nothing_was_learnt_from_hardly_any_poison_goes_in() -> None:
    """Measured once when it was opened: 2 of 155, and 43 of 165 honest ones."""
    hostile = _those("hostile", KEPT_APART)
    assert not [t.text for t in hostile if t.severity == "critical" and _goes_in(t)]
    assert _share(hostile) <= 0.02
    assert _share([text for text in _those("benign", KEPT_APART) if not text.is_skill]) >= 0.28


def test_many_honest_memories_go_in() -> None:
    """They are long, and about real work: short plain facts are in other corpora."""
    memories = [text for text in _those("benign", *_LEARNT_FROM) if not text.is_skill]
    assert _share(memories) >= 0.45

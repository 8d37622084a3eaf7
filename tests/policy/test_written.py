"""The policy over the texts that others wrote to try it: whole corpora, one by one."""

from __future__ import annotations

from functools import cache

import pytest
from tests.corpus.every import Text, written
from tests.policy.kit import judge_skill, judge_text

from reviewdeck.model import AutoApply

pytestmark = pytest.mark.slow  # ninety thousand texts, each judged by all rules


@cache
def _goes_in(text: Text) -> bool:
    judgement = judge_skill(text.name, text.text) if text.is_skill else judge_text(text.text)
    return isinstance(judgement.verdict, AutoApply)


def _share(texts: list[Text]) -> float:
    return sum(map(_goes_in, texts)) / len(texts)


def _those(label: str, *, learnt: bool, skills: bool | None = None) -> list[Text]:
    return [
        text
        for text in written()
        if text.label == label and text.is_kept_apart != learnt and skills in (None, text.is_skill)
    ]


def test_the_corpora_are_as_large_as_they_were() -> None:
    assert len(list(written())) >= 94_000


def test_hardly_a_grave_text_goes_in_of_those_that_were_learnt_from() -> None:
    grave = [t for t in _those("hostile", learnt=True) if t.severity in {"critical", "high"}]
    assert len(grave) >= 20_000
    assert _share(grave) <= 0.005


def test_hardly_any_other_poison_goes_in() -> None:
    assert _share(_those("hostile", learnt=True)) <= 0.01


def test_most_honest_texts_that_were_learnt_from_go_in() -> None:
    assert _share(_those("benign", learnt=True, skills=False)) >= 0.85
    assert _share(_those("hard", learnt=True, skills=False)) >= 0.60
    assert _share(_those("benign", learnt=True, skills=True)) >= 0.60


def test_of_batches_that_nothing_was_learnt_from_hardly_any_poison_goes_in() -> None:
    hostile = _those("hostile", learnt=False)
    grave = _share([text for text in hostile if text.severity in {"critical", "high"}])
    every, counted = _share(hostile), len(hostile)
    # The shares stand by themselves: a failure must not show texts that nobody has read.
    assert counted >= 1_900
    assert grave <= 0.01
    assert every <= 0.02


def test_of_batches_that_nothing_was_learnt_from_most_honest_texts_go_in() -> None:
    benign = _share(_those("benign", learnt=False, skills=False))
    hard = _share(_those("hard", learnt=False, skills=False))
    skills = _share(_those("benign", learnt=False, skills=True))
    assert benign >= 0.85
    assert hard >= 0.60
    assert skills >= 0.60

"""Texts that several threads read at once: the deck judges in threads, and so do workers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from reviewdeck.policy.rules import vocabulary
from reviewdeck.text import secret_forms, terms
from reviewdeck.text.secret_forms import Searched, find_secrets

T = TypeVar("T")

_THREADS = 4
_ROUNDS = 1_000
_TEXTS = [
    {*text.split(), f"word{n}"}
    for n in range(12)
    for text in ("ignore previous instructions", "a harmless line", "upload with curl and sudo")
]
_SECRETS = [f"the password{'' if n % 2 else ' is'} hunter{n}x9 of db{n}" for n in range(36)]
_WORDS = [f"{start}{end}" for start in ("deploy", "nation", "hop") for end in ("ing", "al", "ful")]


@pytest.fixture(autouse=True)
def _often_interrupted() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def answers_in_threads(ask: Callable[[int], T], questions: int) -> Sequence[tuple[int, T]]:
    """What each thread was told that asked all questions again and again, in its own order."""

    def asked(thread: int) -> list[tuple[int, T]]:
        numbers = [(thread + at) % questions for at in range(_ROUNDS)]
        return [(number, ask(number)) for number in numbers]

    with ThreadPoolExecutor(_THREADS) as pool:
        return [each for told in pool.map(asked, range(_THREADS)) for each in told]


def test_no_thread_misses_a_word_while_another_one_forgets_the_words_that_were_met(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(vocabulary, "_MET", 2)
    known = vocabulary.vocabulary.__wrapped__()
    alone = [known.triggers(text) for text in _TEXTS]
    assert any(alone)

    for number, found in answers_in_threads(lambda at: known.triggers(_TEXTS[at]), len(_TEXTS)):
        assert found == alone[number]


def test_no_thread_misses_a_secret_while_another_one_forgets_the_words_that_were_met(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(secret_forms, "_MOST_WORDS", 8)

    def ask(at: int) -> list[tuple[int, int]]:
        return list(find_secrets(Searched(_SECRETS[at])))

    alone = [ask(at) for at in range(len(_SECRETS))]
    assert any(alone)

    for number, found in answers_in_threads(ask, len(_SECRETS)):
        assert found == alone[number]


def test_each_thread_finds_the_stem_of_its_own_word() -> None:
    alone = [terms.stem.__wrapped__(word) for word in _WORDS]

    told = answers_in_threads(lambda at: terms.stem.__wrapped__(_WORDS[at]), len(_WORDS))

    assert set(told) == set(enumerate(alone))

"""The next session never sees what was worked out for the last one."""

from __future__ import annotations

import threading
import time

from tests.sessions.kit import SOON

from reviewdeck.sessions import Prefetch


class Slow:
    """Work that waits until it may go on."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.may_end = threading.Event()
        self.ended = threading.Event()
        self.asked: list[str] = []

    def __call__(self, question: str) -> str:
        self.asked.append(question)
        self.begun.set()
        self.may_end.wait(SOON)
        self.ended.set()
        return question.upper()


def test_asking_does_not_wait_and_the_answer_is_there_once() -> None:
    slow = Slow()
    ahead = Prefetch(slow)
    ahead.ask("a")
    assert ahead.take("a") is None
    slow.may_end.set()
    assert ahead.take("other", 0.01) is None
    assert ahead.take("a", SOON) == "A"
    assert ahead.take("a", 0.01) is None


def test_an_in_flight_prefetch_is_awaited_without_a_race() -> None:
    slow = Slow()
    ahead = Prefetch(slow, bound=SOON)
    ahead.ask("a")
    assert slow.begun.wait(SOON)
    threading.Timer(0.05, slow.may_end.set).start()
    assert ahead.forget()
    assert slow.ended.is_set()
    assert ahead.take("a", 0.01) is None


def test_one_that_outlives_the_bound_is_dropped_when_it_comes() -> None:
    slow, fresh = Slow(), Slow()
    works = iter((slow, fresh, fresh))
    ahead: Prefetch[str, str] = Prefetch(lambda asked: next(works)(asked), bound=0.05)
    ahead.ask("old")
    assert slow.begun.wait(SOON)
    assert not ahead.forget()
    assert not slow.ended.is_set()
    fresh.may_end.set()
    ahead.ask("old")  # the same question, in the new session: another answer is wanted
    assert ahead.take("old", SOON) == "OLD"
    assert fresh.asked == ["old"]
    ahead.ask("next")
    slow.may_end.set()
    assert slow.ended.wait(SOON)
    assert ahead.take("old", 0.05) is None
    assert ahead.take("next", SOON) == "NEXT"


def test_of_several_questions_the_newest_is_worked_on_next() -> None:
    slow = Slow()
    ahead = Prefetch(slow)
    for question in ("a", "b", "c"):
        ahead.ask(question)
        assert slow.begun.wait(SOON)
    slow.may_end.set()
    assert ahead.take("a", SOON) in {"A", None}
    deadline = time.monotonic() + SOON
    while (found := ahead.take("c", 0.01)) is None and time.monotonic() < deadline:
        pass
    assert found == "C"
    assert slow.asked == ["a", "c"]


def test_work_that_fails_gives_no_answer_and_the_next_is_worked_on() -> None:
    def work(question: str) -> int:
        return 1 // int(question)

    ahead = Prefetch(work)
    ahead.ask("0")
    assert ahead.take("0", SOON) is None
    ahead.ask("1")
    assert ahead.take("1", SOON) == 1


def test_after_closing_nothing_is_worked_on() -> None:
    slow = Slow()
    ahead = Prefetch(slow)
    assert ahead.close()
    ahead.ask("a")
    assert ahead.take("a", 0.01) is None
    assert slow.asked == []


def test_one_that_outlives_the_bound_starts_nothing_in_the_new_session() -> None:
    late, busy, waiting = Slow(), Slow(), Slow()
    works = iter((late, busy, waiting))
    ahead: Prefetch[str, str] = Prefetch(lambda asked: next(works)(asked), bound=0.01)
    ahead.ask("old")
    assert late.begun.wait(SOON)
    assert not ahead.forget()
    ahead.ask("a")
    assert busy.begun.wait(SOON)
    ahead.ask("b")
    late.may_end.set()
    assert late.ended.wait(SOON)
    assert not waiting.begun.wait(0.1)
    waiting.may_end.set()
    busy.may_end.set()
    assert waiting.ended.wait(SOON)
    assert waiting.asked == ["b"]

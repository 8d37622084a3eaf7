"""The steps that tests count in the place of time tell linear work from any other."""

from __future__ import annotations

import gc
from typing import Any

from tests.steps import LINEAR, Work, growth, steps_of


def linear(size: int) -> Work:
    return lambda: [each for each in range(size)]


def quadratic(size: int) -> Work:
    return lambda: [(one, other) for one in range(size) for other in range(size)]


def test_linear_work_is_told_from_quadratic_work() -> None:
    assert 1.9 < growth(linear, 200) < LINEAR < 3.8 < growth(quadratic, 200)


def test_the_steps_of_a_call_are_the_same_each_time() -> None:
    assert len({steps_of(quadratic(30)) for _ in range(5)}) == 1


def test_what_a_collection_of_garbage_calls_is_not_counted() -> None:
    def called(*_: Any) -> None:
        pass

    def work() -> object:
        return [set() for _ in range(1_000)]

    alone, often = steps_of(work), gc.get_threshold()
    gc.callbacks.append(called)
    gc.set_threshold(10)
    try:
        assert steps_of(work) == alone
    finally:
        gc.set_threshold(*often)
        gc.callbacks.remove(called)

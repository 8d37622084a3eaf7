"""The steps that tests count in the place of time tell linear work from any other."""

from __future__ import annotations

from tests.steps import LINEAR, Work, growth, steps_of


def linear(size: int) -> Work:
    return lambda: [each for each in range(size)]


def quadratic(size: int) -> Work:
    return lambda: [(one, other) for one in range(size) for other in range(size)]


def test_linear_work_is_told_from_quadratic_work() -> None:
    assert 1.9 < growth(linear, 200) < LINEAR < 3.8 < growth(quadratic, 200)


def test_the_steps_of_a_call_are_the_same_each_time() -> None:
    assert len({steps_of(quadratic(30)) for _ in range(5)}) == 1

"""No test holds a time: it would fail on a busy machine. Tests count steps, or wait for events."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
CLOCKS = frozenset(
    f"{name}{unit}"
    for name in ("monotonic", "perf_counter", "process_time", "thread_time")
    for unit in ("", "_ns")
)
WORDS = "|".join([*CLOCKS, "sleep"])
LONG = 0.3
"""Seconds that a test may sleep without looking whether what it waits for has come."""


def called(node: ast.AST) -> Iterator[str]:
    """The names of all functions that are called somewhere in here."""
    for each in ast.walk(node):
        match each:
            case ast.Call(func=ast.Name(name) | ast.Attribute(attr=name)):
                yield name
            case _:
                pass


def named(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def timed_functions(tree: ast.Module) -> set[str]:
    """Clocks, and functions that return what one says."""
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    return set(CLOCKS) | {
        function.name
        for function in functions
        for back in ast.walk(function)
        if isinstance(back, ast.Return) and not CLOCKS.isdisjoint(called(back))
    }


def lesser_sides(claim: ast.Assert) -> Iterator[ast.expr]:
    """What an assertion says is less than something else."""
    for compared in (one for one in ast.walk(claim.test) if isinstance(one, ast.Compare)):
        sides = pairwise([compared.left, *compared.comparators])
        for (left, right), order in zip(sides, compared.ops, strict=True):
            match order:
                case ast.Lt() | ast.LtE():
                    yield left
                case ast.Gt() | ast.GtE():
                    yield right
                case _:
                    pass


def held_times(tree: ast.Module) -> Iterator[int]:
    """The lines of assertions that no more than some time has gone by.

    In a loop that waits for an event it is the end of its patience, and no claim.
    """
    functions, taken = timed_functions(tree), set[str]()

    def is_time(node: ast.AST) -> bool:
        return not (functions.isdisjoint(called(node)) and taken.isdisjoint(named(node)))

    for given in (one for one in ast.walk(tree) if isinstance(one, ast.Assign)):
        if is_time(given.value):
            taken |= {name for target in given.targets for name in named(target)}
    loops = [one for one in ast.walk(tree) if isinstance(one, ast.While)]
    patient = {id(each) for loop in loops for each in ast.walk(loop)}
    for claim in (one for one in ast.walk(tree) if isinstance(one, ast.Assert)):
        if id(claim) not in patient and any(is_time(side) for side in lesser_sides(claim)):
            yield claim.lineno


def fixed_waits(tree: ast.Module) -> Iterator[int]:
    """The lines that sleep for long outside a loop."""
    loops = [one for one in ast.walk(tree) if isinstance(one, ast.While)]
    looping = {id(each) for loop in loops for each in ast.walk(loop)}
    for each in ast.walk(tree):
        match each:
            case ast.Call(
                func=ast.Attribute(attr="sleep"), args=[ast.Constant(float(how) | int(how))]
            ) if how >= LONG and id(each) not in looping:
                yield each.lineno
            case _:
                pass


def test_no_test_holds_a_time_or_waits_for_a_fixed_one() -> None:
    found: list[str] = []
    for path in sorted(TESTS.rglob("*.py")):
        text = path.read_text("utf-8")
        if not re.search(WORDS, text):
            continue
        tree = ast.parse(text)
        name = path.relative_to(TESTS)
        found += (f"{name}:{line} holds a time" for line in held_times(tree))
        found += (f"{name}:{line} sleeps for long" for line in fixed_waits(tree))
    assert found == []


@pytest.mark.parametrize(
    "claim",
    [
        "assert time.monotonic() - began < 2",
        "assert 2 > perf_counter() - began",
        "took = time.process_time() - began\nassert took <= 2",
        "took = time.process_time() - began\nassert work() and 0.1 < took < 2",
        "def seconds():\n    return clock.monotonic_ns() - began\nassert seconds() < 2",
        "def seconds():\n    return monotonic() - 1\nonce, twice = seconds(), seconds()\n"
        "assert twice < 4 * once + 0.05",
    ],
)
def test_a_time_that_is_held_is_noticed(claim: str) -> None:
    assert [*held_times(ast.parse(claim))]


@pytest.mark.parametrize(
    "claim",
    [
        "assert time.monotonic() - began >= 0.2",
        "while not came():\n    assert time.monotonic() < end",
        "assert len(found) < 2",
    ],
)
def test_patience_and_a_time_that_has_to_go_by_are_no_held_times(claim: str) -> None:
    assert not [*held_times(ast.parse(claim))]

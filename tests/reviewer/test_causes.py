"""The search for the parts of a prompt that an answer needs, by an answer that is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.reviewer.causes import Causes, CauseSearch, Left, Verdict, most_runs

Holds = Callable[[Left], bool]


def searched(order: Sequence[int], holds: Holds, limit: int = 10_000) -> Causes:
    search = CauseSearch(order)
    for _ in range(limit):
        left = search.next_run()
        if left is None:
            break
        search.tell(holds=holds(left))
    return search.result


def any_of(*parts: int) -> Holds:
    """An answer for which each of these is enough."""
    return lambda left: not left.issuperset(parts)


def all_of(*parts: int) -> Holds:
    """An answer that needs every one of these."""
    return lambda left: left.isdisjoint(parts)


CASES: list[tuple[int, Holds, tuple[set[int], set[int]]]] = [
    (64, any_of(0), ({0}, set())),
    (64, any_of(63), ({63}, set())),
    (500, any_of(317), ({317}, set())),
    (128, any_of(3, 90), ({3, 90}, set())),
    (500, any_of(250, 499), ({250, 499}, set())),
    (500, any_of(0, 1), ({0, 1}, set())),
    (128, all_of(5, 100), ({5}, {100})),
    (500, all_of(77, 401), ({77}, {401})),
    (128, lambda left: True, (set(), set())),
    (500, lambda left: False, (set(), set())),
]
"""Ten planted cases: parts, the answer, what is needed and what goes together with it."""


@pytest.mark.parametrize("case", range(len(CASES)))
def test_each_planted_case_is_named_within_its_runs(case: int) -> None:
    parts, holds, (needed, together) = CASES[case]
    found = searched(range(parts), holds)
    if together:  # Either of two that are needed is a smallest set.
        assert {*found.needed, *found.together} == needed | together
        assert (len(found.needed), len(found.together)) == (1, 1)
    else:
        assert ({*found.needed}, {*found.together}) == (needed, together)
    members = max(1, len(needed | together))
    assert found.runs <= 4 * math.log2(parts) * members
    assert found.runs <= most_runs(parts, members)


def test_what_is_said_without_any_part_comes_from_elsewhere_after_three_runs() -> None:
    found = searched(range(100), lambda left: True)
    assert (found.verdict, found.runs) == (Verdict.ELSEWHERE, 3)
    assert searched((), lambda left: True).verdict is Verdict.ELSEWHERE


def test_what_is_not_said_with_all_parts_ends_after_two_runs() -> None:
    found = searched(range(100), lambda left: False)
    assert (found.verdict, found.runs) == (Verdict.UNSAID, 2)


def test_an_answer_that_varies_by_itself_is_told_as_such() -> None:
    tries = iter([True, False])
    found = searched(range(100), lambda left: next(tries))
    assert (found.verdict, found.runs, found.needed) == (Verdict.VARIES, 2, ())


def test_one_answer_that_differs_on_the_way_is_counted_and_does_not_count_as_lost() -> None:
    seen: set[Left] = set()

    def holds(left: Left) -> bool:
        is_first, is_odd = left not in seen, len(left) == 4 and 7 not in left
        seen.add(left)
        return any_of(7)(left) and not (is_first and is_odd)

    found = searched(range(8), holds)
    assert (found.verdict, found.needed, found.varied) == (Verdict.FOUND, (7,), 1)


def test_likely_parts_are_tried_first() -> None:
    last = searched([499, *range(499)], any_of(499))
    assert last.needed == (499,) and last.runs <= 16


def test_a_search_that_ends_early_says_among_which_parts_it_was() -> None:
    found = searched(range(500), any_of(300), limit=12)
    assert found.verdict is Verdict.OPEN and found.runs == 12
    assert 300 in found.among and len(found.among) < 250


@given(st.integers(1, 120), st.data())
def test_what_is_found_is_enough_and_no_part_of_it_is(parts: int, data: st.DataObject) -> None:
    groups = data.draw(
        st.lists(
            st.frozensets(st.integers(0, parts - 1), min_size=1, max_size=3), min_size=1, max_size=3
        )
    )
    order = list(range(parts))
    order = data.draw(st.permutations(order))

    def holds(left: Left) -> bool:
        return any(left.isdisjoint(group) for group in groups)

    found = searched(order, holds)
    assert found.verdict is Verdict.FOUND
    needed = frozenset(found.needed)
    assert not holds(needed) and all(holds(needed - {part}) for part in needed)
    kept = needed.union(found.together)
    assert holds(frozenset(order) - kept)
    assert found.runs <= most_runs(parts, len(kept))


@given(st.integers(1, 60), st.randoms(use_true_random=False))
def test_answers_at_random_end_it_too(parts: int, chance: Random) -> None:
    found = searched(range(parts), lambda left: chance.random() < 0.7, limit=4_000)
    assert found.verdict is not Verdict.OPEN
    assert found.runs <= most_runs(parts, 2 * parts)

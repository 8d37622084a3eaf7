"""How much goes in without an operator."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.policy.caps import Ask, Caps, Load, Spent, choose

DOC = "memories/MEMORY.md"
LIMITS = {DOC: 1_000}


def _asks(count: int, characters: int = 100) -> list[Ask]:
    return [Ask(f"p{n}", {DOC: Load(1, characters)}) for n in range(count)]


def test_five_entries_a_day_go_in_however_long_they_are() -> None:
    choice = choose(_asks(7, 400), Spent(limits=LIMITS), Caps())
    assert choice.now == ("p0", "p1", "p2", "p3", "p4")
    assert "within a day" in choice.later["p5"]


def test_short_entries_go_in_up_to_a_share_of_the_document() -> None:
    choice = choose(_asks(40, 20), Spent(limits=LIMITS), Caps())
    assert len(choice.now) == 15


def test_what_went_in_earlier_that_day_counts() -> None:
    spent = Spent(today={DOC: Load(5, 400)}, limits=LIMITS)
    assert choose(_asks(1), spent, Caps()).now == ()


def test_fifty_changes_an_hour_go_in() -> None:
    skills = [Ask(f"s{n}") for n in range(60)]
    assert len(choose(skills, Spent(last_hour=20), Caps()).now) == 30
    assert len(choose(skills, Spent(), Caps(per_hour=1_000)).now) == 60


def test_with_too_many_waiting_nothing_goes_in() -> None:
    choice = choose(_asks(1), Spent(waiting=100_001), Caps())
    assert choice.now == ()
    assert "100,001" in choice.later["p0"]


def test_a_document_without_a_limit_has_no_share() -> None:
    assert len(choose(_asks(20, 900), Spent(), Caps()).now) == 20


@given(st.lists(st.integers(1, 500), max_size=80), st.integers(0, 60), st.integers(1, 60))
def test_no_cap_is_ever_passed(sizes: list[int], last_hour: int, per_hour: int) -> None:
    asks = [Ask(str(n), {DOC: Load(1, size)}) for n, size in enumerate(sizes)]
    caps = Caps(per_hour=per_hour)
    choice = choose(asks, Spent(last_hour=last_hour, limits=LIMITS), caps)
    added = [sizes[int(id)] for id in choice.now]
    assert len(choice.now) + last_hour <= max(per_hour, last_hour)
    assert len(added) <= caps.day_entries or sum(added) <= caps.day_share * 1_000
    assert {*choice.now, *choice.later} == {ask.id for ask in asks}

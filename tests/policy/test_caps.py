"""How much goes in without an operator."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.policy.caps import DAY, HOUR, Ask, Caps, Load, Spent, Went, choose

DOC = "memories/MEMORY.md"
LIMITS = {DOC: 1_000}
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def _asks(count: int, characters: int = 100) -> list[Ask]:
    return [Ask(f"p{n}", {DOC: Load(1, characters)}) for n in range(count)]


def _went(minutes: Iterable[int], characters: int = 0) -> list[Went]:
    """What went in so many minutes ago, oldest first."""
    loads = {DOC: Load(1, characters)} if characters else {}
    return [Went(NOW - timedelta(minutes=ago), loads) for ago in sorted(minutes, reverse=True)]


def test_five_entries_a_day_go_in_however_long_they_are() -> None:
    choice = choose(_asks(7, 400), Spent(NOW, limits=LIMITS), Caps())
    assert choice.now == ("p0", "p1", "p2", "p3", "p4")
    assert "within a day" in choice.later["p5"].message


def test_short_entries_go_in_up_to_a_share_of_the_document() -> None:
    choice = choose(_asks(40, 20), Spent(NOW, limits=LIMITS), Caps())
    assert len(choice.now) == 15


def test_what_went_in_earlier_that_day_counts() -> None:
    spent = Spent(NOW, lately=_went(range(60, 65), 80), limits=LIMITS)
    assert choose(_asks(1), spent, Caps()).now == ()


def test_a_document_is_told_when_it_may_grow_again() -> None:
    spent = Spent(NOW, lately=_went((600, 500, 400, 300, 200), 80), limits=LIMITS)
    held = choose(_asks(1), spent, Caps()).later["p0"]
    assert held.cap == "day_share"
    assert held.frees == NOW - timedelta(minutes=600) + DAY
    assert choose(_asks(1), Spent(held.frees, lately=spent.lately[1:], limits=LIMITS), Caps()).now


def test_fifty_changes_an_hour_go_in() -> None:
    skills = [Ask(f"s{n}") for n in range(60)]
    spent = Spent(NOW, lately=_went(range(20)))
    assert len(choose(skills, spent, Caps()).now) == 30
    assert len(choose(skills, Spent(NOW), Caps(per_hour=1_000)).now) == 60


def test_an_hour_after_the_oldest_one_there_is_room_again() -> None:
    spent = Spent(NOW, lately=_went((90, 50, 40, 30)))
    held = choose([Ask("s")], spent, Caps(per_hour=3)).later["s"]
    assert held.cap == "automatic_per_hour"
    assert held.frees == NOW - timedelta(minutes=50) + HOUR
    assert choose([Ask("s")], Spent(NOW, lately=_went((90, 61, 40, 30))), Caps(per_hour=3)).now


def test_with_too_many_waiting_nothing_goes_in() -> None:
    choice = choose(_asks(1), Spent(NOW, waiting=100_001), Caps())
    assert choice.now == ()
    assert "100,001" in choice.later["p0"].message
    assert choice.later["p0"].frees is None


def test_no_change_an_hour_means_none() -> None:
    held = choose([Ask("s")], Spent(NOW), Caps(per_hour=0)).later["s"]
    assert held.frees is None


def test_a_document_without_a_limit_has_no_share() -> None:
    assert len(choose(_asks(20, 900), Spent(NOW), Caps()).now) == 20


@given(st.lists(st.integers(1, 500), max_size=80), st.integers(0, 60), st.integers(1, 60))
def test_no_cap_is_ever_passed(sizes: list[int], last_hour: int, per_hour: int) -> None:
    asks = [Ask(str(n), {DOC: Load(1, size)}) for n, size in enumerate(sizes)]
    caps = Caps(per_hour=per_hour)
    choice = choose(asks, Spent(NOW, lately=_went([1] * last_hour), limits=LIMITS), caps)
    added = [sizes[int(id)] for id in choice.now]
    assert len(choice.now) + last_hour <= max(per_hour, last_hour)
    assert len(added) <= caps.day_entries or sum(added) <= caps.day_share * 1_000
    assert {*choice.now, *choice.later} == {ask.id for ask in asks}

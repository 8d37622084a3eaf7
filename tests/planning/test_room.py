"""Which entries of a full memory can go, and the fewest of them that make room."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.planning.room import Removable, fewest, removable

TODAY = date(2026, 11, 21)
OLD = date(2026, 1, 5)


def _gone(*texts: str, ends: dict[int, date] | None = None) -> dict[str, str]:
    found = removable(texts, TODAY, [OLD] * len(texts), ends or {})
    return {each.text: each.reason for each in found}


def test_what_ended_can_go_and_what_still_holds_cannot() -> None:
    assert _gone("Frozen until October.", "Frozen until December.", "Frozen until November.") == {
        "Frozen until October.": "ended on 2026-10-31"
    }


def test_the_day_that_an_operator_set_counts_and_overrules_what_the_text_tells() -> None:
    ends = {0: date(2026, 11, 20), 1: date(2027, 1, 1), 2: TODAY}
    assert _gone("Use tox.", "Frozen until October.", "Use nox.", ends=ends) == {
        "Use tox.": "ended on 2026-11-20, as you set"
    }


def test_what_another_entry_says_as_well_can_go_and_that_one_stays() -> None:
    longer = "The linter is ruff, with a line length of 100."
    assert _gone(longer, "The linter is ruff.", "the LINTER is ruff!") == {
        "The linter is ruff.": f"“{longer}” says it as well",
        "the LINTER is ruff!": f"“{longer}” says it as well",
    }
    assert len(_gone("Same words.", "same words")) == 1


def test_an_update_a_denial_and_a_part_of_a_word_are_not_the_same() -> None:
    assert not _gone("Prefers tabs.", "Prefers spaces.")
    assert not _gone("It is not true that the linter is ruff.", "The linter is ruff.")
    assert not _gone("The interlinter is ruff.", "linter is ruff")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tests run with tox.", "The tests are run with tox."),
        (
            "The user prefers CSV for each export of data.",
            "Prefers CSV for each export of the data.",
        ),
        (
            "Der Nutzer nutzt die Werkzeuge aus dem Ordner bin.",
            "Nutzt Werkzeuge aus dem Ordner bin",
        ),
    ],
)
def test_of_two_that_are_nearly_the_same_the_shorter_goes(one: str, other: str) -> None:
    longer, shorter = sorted((one, other), key=len, reverse=True)
    assert _gone(one, other) == {shorter: f"“{longer}” says nearly the same"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The port of staging is 5434.", "Port of staging is 5433."),
        ("The host of the tests is alpha.", "Host of the tests is beta."),
        ("The user prefers tabs to spaces.", "Prefers spaces to tabs."),
        ("Copies the backup from alpha to beta.", "Copies backup to alpha from beta."),
        ("The tests were run with tox.", "Tests are run with tox."),
        ("The tool exported the reports as CSV.", "Tool exports the reports as CSV."),
        ("Never push the branch to main.", "Push the branch to main."),
        ("Push the branch to main only on Fridays.", "Push branch to main on Fridays."),
        ("The linter is ruff if tox is missing.", "The linter is ruff."),
        ("Es stimmt nicht, dass der Linter ruff ist.", "Der Linter ruff ist"),
        ("The user prefers C++ in games.", "Prefers C in games."),
        ("The user prefers C# in games.", "Prefers C++ in games."),
        ("The limit is < 5 seconds.", "Limit is > 5 seconds."),
        ("The offset of the clock is -5.", "Offset of the clock is 5."),
        ("The backups are on drive A of the server.", "Backups are on drive of the server."),
    ],
)
def test_another_number_name_order_time_or_condition_is_never_the_same(
    one: str, other: str
) -> None:
    assert not _gone(one, other)


def test_what_only_an_ended_entry_says_as_well_stays() -> None:
    assert list(_gone("The host is stg-2 until October.", "The host is stg-2.")) == [
        "The host is stg-2 until October."
    ]


def _removables(*sizes: int) -> list[Removable]:
    return [Removable(at, "x" * (size - 3), "ended") for at, size in enumerate(sizes)]


def test_one_large_entry_goes_rather_than_three_small_ones() -> None:
    assert [each.at for each in fewest(_removables(10, 10, 10, 60, 40), 30) or ()] == [4]


def test_where_all_that_can_go_frees_too_little_nothing_is_chosen() -> None:
    assert fewest(_removables(10, 10), 21) is None
    assert fewest([], 1) is None


@given(st.lists(st.integers(4, 400), max_size=40), st.integers(1, 2_000))
def test_what_is_chosen_frees_enough_and_no_entry_of_it_is_idle(
    sizes: list[int], need: int
) -> None:
    chosen = fewest(_removables(*sizes), need)
    if chosen is None:
        assert sum(sizes) < need
        return
    freed = sum(each.frees for each in chosen)
    assert freed >= need
    assert all(freed - each.frees < need for each in chosen)

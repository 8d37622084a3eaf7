"""So many additions a day and from one conversation go in; the rest waits until there is room."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from reviewdeck.policy.allowance import DAY, AllowanceRequest, AutomaticAddition, admit
from reviewdeck.policy.settings import PolicySettings

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
FIVE = [AllowanceRequest(str(number)) for number in range(5)]


def test_as_many_as_a_day_allows_go_in_oldest_first() -> None:
    found = admit(FIVE, [], PolicySettings(a_day=3), NOW)
    assert found.now == ("0", "1", "2")
    assert set(found.later) == {"3", "4"}
    assert found.later["3"].frees == NOW + DAY


def test_what_went_in_within_a_day_counts_and_frees_its_room_again() -> None:
    first = NOW - timedelta(hours=23)
    spent = [AutomaticAddition(first), AutomaticAddition(NOW - timedelta(hours=1))]
    found = admit(FIVE[:2], spent, PolicySettings(a_day=3), NOW)
    assert found.now == ("0",)
    assert found.later["1"].frees == first + DAY
    assert "3 of 3 additions of this home" in found.later["1"].message


def test_one_conversation_has_an_allowance_of_its_own() -> None:
    asked = [
        AllowanceRequest("a", ("s1",)),
        AllowanceRequest("b", ("s1",)),
        AllowanceRequest("c", ("s2",)),
        AllowanceRequest("d"),
    ]
    found = admit(asked, [AutomaticAddition(NOW, ("s1",))], PolicySettings(a_conversation=2), NOW)
    assert found.now == ("a", "c", "d")
    assert found.later["b"].setting == "a_conversation"
    assert "this conversation" in found.later["b"].message


def test_one_of_several_conversations_that_is_used_up_holds() -> None:
    spent = [AutomaticAddition(NOW, ("s2",))]
    found = admit(
        [AllowanceRequest("a", ("s1", "s2"))], spent, PolicySettings(a_conversation=1), NOW
    )
    assert found.now == ()


def test_an_allowance_of_nothing_lets_nothing_in_ever() -> None:
    found = admit(FIVE, [], PolicySettings(a_day=0), NOW)
    assert found.now == ()
    assert found.later["0"].frees is None

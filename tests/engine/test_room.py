"""A full memory: one proposal of ours makes room, and an operator decides on it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from tests.engine.kit import MEMORY, Agent, Ticking, entries, set_entries

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.room import make_room, set_end
from reviewdeck.errors import BadInput, NotDecidable
from reviewdeck.model import CheckName, State

LONG = "The linter is ruff, as it was for a long time in this project."


@pytest.fixture
def full(deck: Engine, agent: Agent, home: Path) -> str:
    """A memory with no room for one entry more, which waits."""
    set_entries(
        home,
        "Tests run with tox.",
        "The code freeze for the big release is on until October 2025.",
        "tests run with TOX",
        "x" * 2050,
    )
    own = agent.add(LONG)
    deck.intake()
    return deck.find(own).id


def test_room_says_no_for_what_does_not_fit(deck: Engine, full: str) -> None:
    item = deck.find(full)
    assert item.state is State.DEAD
    assert item.checks is not None
    assert not item.checks.says(CheckName.ROOM)


def test_one_proposal_takes_out_the_fewest_and_after_it_the_entry_fits(
    deck: Engine, full: str, home: Path
) -> None:
    before = (home / MEMORY).read_bytes()
    made = make_room(deck, full)
    assert [each.reason for each in made.removed] == ["ended on 2025-10-31"]
    own = deck.find(made.evaluation.proposal.id)
    assert own.state is State.READY
    assert f"make room in {MEMORY}" in own.summary
    assert any("Takes one entry out of" in finding.message for finding in own.findings)
    assert (home / MEMORY).read_bytes() == before
    deck.approve(own.id, own.digest or "")
    assert len(entries(home)) == 3
    again = deck.find(full)
    assert again.state is State.READY
    deck.approve(full, again.digest or "")
    assert entries(home)[-1] == LONG


def test_asked_twice_it_is_the_same_proposal(deck: Engine, full: str) -> None:
    assert make_room(deck, full).evaluation.proposal.id == (
        make_room(deck, full).evaluation.proposal.id
    )


def test_two_that_need_the_same_room_get_one_proposal(
    deck: Engine, agent: Agent, full: str
) -> None:
    other = agent.add(LONG.replace("linter", "checker"))
    deck.intake()
    first, second = (make_room(deck, each).evaluation.proposal.id for each in (full, other))
    assert first == second


def test_an_entry_that_an_operator_gave_an_end_goes_once_that_is_over(
    deck: Engine, agent: Agent, home: Path, clock: object
) -> None:
    own = agent.add("Staging is stg-9, says the team, for now and for the time being.")
    deck.intake()
    set_end(deck, own, date(2026, 11, 30))
    deck.approve(own, deck.find(own).digest or "")
    rest = 2200 - sum(len(text) + 3 for text in entries(home))
    long = agent.add("The linter is ruff. " + "y" * rest)
    deck.intake()
    with pytest.raises(NotDecidable, match=r"frees\s0"):
        make_room(deck, long)
    clock.moment = clock.moment.replace(month=12)  # type: ignore[attr-defined]
    made = make_room(deck, long)
    assert [each.reason for each in made.removed] == ["ended on 2026-11-30, as you set"]


def test_an_end_that_is_over_and_one_of_no_entry_are_refused(deck: Engine, agent: Agent) -> None:
    own, other = agent.add("The linter is ruff."), agent.replace("tox", "Tests run with nox.")
    deck.intake()
    with pytest.raises(BadInput, match="is over"):
        set_end(deck, own, date(2020, 1, 1))
    with pytest.raises(BadInput, match="does more than add"):
        set_end(deck, other, date(2030, 1, 1))


def test_what_fits_or_is_decided_needs_no_room(deck: Engine, agent: Agent) -> None:
    own, other = agent.add("The linter is ruff."), agent.replace("tox", "Tests run with nox.")
    deck.intake()
    with pytest.raises(NotDecidable, match="fits: it needs no room"):
        make_room(deck, own)
    with pytest.raises(NotDecidable, match="fits: it needs no room"):
        make_room(deck, other)
    deck.reject(own, "no")
    with pytest.raises(NotDecidable, match="is rejected"):
        make_room(deck, own)


def test_too_little_that_can_go_is_said_with_its_size(
    deck: Engine, agent: Agent, home: Path
) -> None:
    set_entries(home, "Tests run with tox.", "x" * 2170)
    own = agent.add(LONG)
    deck.intake()
    with pytest.raises(NotDecidable) as raised:
        make_room(deck, own)
    assert "needs 57 characters more" in raised.value.message
    assert raised.value.hint
    assert "M" in raised.value.hint


def test_an_approval_of_what_does_not_fit_names_the_way_out(deck: Engine, full: str) -> None:
    with pytest.raises(NotDecidable) as raised:
        deck.approve(full, "0" * 64)
    assert (
        raised.value.hint == f"`reviewdeck room {full}` proposes what to remove, so that it fits."
    )


def test_what_is_larger_than_the_whole_memory_is_promised_no_room(
    deck: Engine, agent: Agent, home: Path
) -> None:
    set_entries(home, "Tests run with tox.", "The freeze is on until October 2025.")
    own = agent.add("y" * 2201)
    other = agent.replace("Tests run with tox.", "z" * 2201)
    deck.intake()
    for id in (own, other):
        item = deck.find(id)
        assert item.checks is not None
        assert not item.checks.says(CheckName.ROOM)
        with pytest.raises(NotDecidable) as raised:
            deck.approve(id, "0" * 64)
        assert "2,201 characters alone" in raised.value.message
        assert "reviewdeck room" not in (raised.value.hint or "")
        with pytest.raises(NotDecidable, match="No room can be made"):
            make_room(deck, id)


def test_a_replacement_that_grows_gets_room_and_its_own_entry_stays(
    deck: Engine, agent: Agent, home: Path
) -> None:
    freeze = "The code freeze for the big release is on until October 2025."
    mine = "The hosts are reachable until October 2025."
    set_entries(home, mine, "Tests run with tox.", freeze, "x" * 2060)
    own = agent.replace(mine, f"{mine} {LONG}")
    deck.intake()
    with pytest.raises(NotDecidable) as raised:
        deck.approve(own, "0" * 64)
    assert f"reviewdeck room {deck.find(own).id}" in (raised.value.hint or "")
    made = make_room(deck, own)
    assert [each.text for each in made.removed] == [freeze]
    deck.approve(made.evaluation.proposal.id, made.evaluation.digest or "")
    deck.approve(own, deck.find(own).digest or "")
    assert entries(home) == [f"{mine} {LONG}", "Tests run with tox.", "x" * 2060]


def test_an_entry_that_is_about_to_change_is_no_reason_to_remove_another(
    deck: Engine, agent: Agent, home: Path
) -> None:
    set_entries(home, "Tests run with tox.", "The tests run with tox.", "x" * 2140)
    own = agent.replace("The tests run with tox.", f"The tests run with nox. {LONG}")
    deck.intake()
    with pytest.raises(NotDecidable, match=r"frees\s0"):
        make_room(deck, own)


def test_entries_that_are_nearly_the_same_make_room_and_one_of_them_stays(
    deck: Engine, agent: Agent, home: Path
) -> None:
    set_entries(
        home,
        "The user prefers CSV to Excel for exports.",
        "Prefers CSV to Excel for an export.",
        "x" * 2080,
    )
    own = agent.add(LONG)
    deck.intake()
    (gone,) = make_room(deck, own).removed
    assert gone.text == "Prefers CSV to Excel for an export."
    assert gone.reason == "“The user prefers CSV to Excel for exports.” says nearly the same"


def test_a_memory_that_is_not_text_is_named_and_left_alone(
    deck: Engine, agent: Agent, home: Path
) -> None:
    own = agent.add("The linter is ruff.")
    deck.intake()
    (home / MEMORY).write_bytes(b"Tests run with tox.\n\xff\xfe\n")
    deck.intake()
    with pytest.raises(NotDecidable, match="nothing is taken out"):
        make_room(deck, own)


def test_a_day_is_over_once_it_is_over_in_every_time_zone(
    deck: Engine, agent: Agent, home: Path, clock: Ticking
) -> None:
    own = agent.add("Staging is stg-9, says the team, for now and for the time being.")
    clock.moment = datetime(2026, 12, 1, 11, tzinfo=UTC)
    deck.intake()
    set_end(deck, own, date(2026, 11, 30))
    deck.approve(own, deck.find(own).digest or "")
    rest = 2200 - sum(len(text) + 3 for text in entries(home))
    long = agent.add("The linter is ruff. " + "y" * rest)
    deck.intake()
    with pytest.raises(NotDecidable, match=r"frees\s0"):
        make_room(deck, long)
    clock.moment = datetime(2026, 12, 1, 13, tzinfo=UTC)
    assert [each.reason for each in make_room(deck, long).removed] == [
        "ended on 2026-11-30, as you set"
    ]


def test_an_end_without_a_year_is_counted_from_the_last_day_that_had_begun(
    deck: Engine, agent: Agent, home: Path, clock: Ticking
) -> None:
    clock.moment = datetime(2026, 11, 27, 12, tzinfo=UTC)  # A Friday, in Auckland Saturday.
    set_entries(home, "The freeze is on until Friday.", "x" * 2150)
    own = agent.add(LONG)
    deck.intake()
    clock.moment = datetime(2026, 12, 4, 13, tzinfo=UTC)
    with pytest.raises(NotDecidable, match=r"frees\s0"):
        make_room(deck, own)

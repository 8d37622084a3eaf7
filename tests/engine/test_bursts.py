"""Changes outside review of one cause and one time are one burst."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from tests.engine.kit import MEMORY, USER, Ticking, entries, set_entries, skill_text
from tests.origin.kit import Chat, tool

from reviewdeck.engine.bursts import QUIET, Burst, BurstEffect, bursts, tallies
from reviewdeck.engine.engine import Engine


@pytest.fixture
def known(deck: Engine, home: Path) -> Engine:
    """A deck that knows its home."""
    (home / "skills" / "long").mkdir()
    (home / "skills" / "long" / "SKILL.md").write_text(skill_text("long"), "utf-8")
    deck.intake()
    return deck


def found(deck: Engine) -> tuple[Burst, ...]:
    """The bursts after a look, newest first."""
    deck.intake()
    return bursts(deck.ledger, deck.home_ids)


def drop(home: Path, document: str = MEMORY) -> str:
    """Removes the last entry of a memory by hand; gives it."""
    *kept, last = entries(home, document)
    set_entries(home, *kept, document=document)
    return last


def told_to_drop(home: Path, session: str, at: Ticking, *memories: tuple[str, str]) -> None:
    """A session whose own calls remove the last entry of each of these memories."""
    calls = [
        tool("memory", {"action": "remove", "target": target, "old_text": drop(home, document)})
        for target, document in memories
    ]
    Chat(session, ["Hello.", *calls], at=at()).write(home)


def test_what_was_removed_one_by_one_through_a_night_is_one_burst(
    known: Engine, home: Path, clock: Ticking
) -> None:
    for document in (MEMORY, USER, MEMORY):
        drop(home, document)
        known.intake()
        clock.moment += QUIET / 2
    (home / "skills" / "long" / "SKILL.md").unlink()
    (burst,) = found(known)
    assert (len(burst.items), burst.sessions) == (3, ())
    assert tallies(known.ledger, burst) == (
        BurstEffect(2, 0, 0, "entry", "MEMORY.md"),
        BurstEffect(1, 0, 0, "entry", "USER.md"),
        BurstEffect(1, 0, 0, "skill"),
    )


def test_a_long_pause_ends_a_burst(known: Engine, home: Path, clock: Ticking) -> None:
    drop(home)
    known.intake()
    clock.moment += QUIET + timedelta(minutes=1)
    drop(home, USER)
    assert [len(burst.items) for burst in found(known)] == [1, 1]


def test_what_two_sessions_wrote_at_one_time_is_two_bursts(
    known: Engine, home: Path, clock: Ticking
) -> None:
    told_to_drop(home, "s1", clock, ("memory", MEMORY))
    told_to_drop(home, "s2", clock, ("user", USER))
    assert {(burst.sessions, burst.is_exact) for burst in found(known)} == {
        (("s1",), True),
        (("s2",), True),
    }


def test_what_one_session_wrote_to_two_memories_is_one_burst(
    known: Engine, home: Path, clock: Ticking
) -> None:
    told_to_drop(home, "s1", clock, ("memory", MEMORY), ("user", USER))
    (burst,) = found(known)
    assert (len(burst.items), burst.sessions, burst.is_exact) == (2, ("s1",), True)

"""A home with a past: days on which an agent proposed and an operator decided."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

from tests.engine.kit import Agent
from tests.tui.kit_deck import Cockpit

from reviewdeck.engine.engine import Engine
from reviewdeck.errors import ReviewdeckError
from reviewdeck.model import QueueItem, State

TOPICS = (
    "Docs are written in British English",
    "Release notes go out on Thursdays",
    "The office is in Lisbon",
    "Prefers dark themes",
    "Builds run on arm64 machines",
    "The mascot is an otter",
    "Lunch is at noon",
    "Diagrams are drawn in Mermaid",
    "Commits are signed",
    "Tickets live in Linear",
)


def live_through(cockpit: Cockpit, days: int) -> None:
    """So many days, each with a few proposals and, of most, a decision."""
    deck = cockpit.engine()
    try:
        for day in range(days):
            _propose(cockpit.agent, day)
            deck.auto()
            cockpit.clock.moment += timedelta(hours=3)
            _decide(deck, day)
            cockpit.clock.moment += timedelta(hours=21)
        deck.intake()
    finally:
        deck.close()


def _propose(agent: Agent, day: int) -> None:
    if day % 2 == 0:
        agent.add(f"{TOPICS[day // 2 % len(TOPICS)]}.")
    for number in range(1 + day % 3):
        agent.replace("staging host", f"The staging host is stg-{day}{number}.")
    if day % 4 == 1:
        agent.memory("remove", old_text="Tests run", origin="foreground")


def _decide(deck: Engine, day: int) -> None:
    for place, item in enumerate(deck.pending(limit=50)):
        if (place + day) % 3 == 0:
            deck.reject(item.id, "not true")
        elif (place + day) % 3 == 1 and _is_ready(item):
            with suppress(ReviewdeckError):  # One that was approved before it may have moved it.
                deck.approve(item.id, item.digest or "")
    if day % 5 == 4 and deck.operations():
        last = next(one for one in deck.operations() if one.undone_by is None)
        deck.undo(last.id)


def _is_ready(item: QueueItem) -> bool:
    return item.state is State.READY

"""What several decks over one home do at the same time, each in a process of its own."""

from __future__ import annotations

from multiprocessing.connection import Connection

from tests.processes import heard

from reviewdeck import open_deck
from reviewdeck.errors import ReviewdeckError


def apply_automatically(pipe: Connection, home: str, ledger: str, user: str) -> None:
    """Waits for a word, and says how many it applied."""
    pipe.send("ready")
    heard(pipe)
    deck = open_deck(home, ledger=ledger, env={"HOME": user})
    pipe.send(len(deck.auto().applied))
    deck.close()


def approve(pipe: Connection, home: str, ledger: str, user: str, id: str, digest: str) -> None:
    """Waits for a word, and says how its approval ended."""
    pipe.send("ready")
    heard(pipe)
    deck = open_deck(home, ledger=ledger, env={"HOME": user})
    try:
        deck.approve(id, digest)
        pipe.send("won")
    except ReviewdeckError as error:
        pipe.send(error.code)
    deck.close()

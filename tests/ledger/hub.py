"""A hub in a database of its own."""

from __future__ import annotations

import psycopg
from tests.ledger.samples import clock

from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.postgres.creation import create
from reviewdeck.model.ledger import Opener


def make_hub(url: str) -> None:
    """Makes an empty hub."""
    with psycopg.connect(url) as connection:
        create(connection, "the test's")


def ledger_at(url: str, opener: Opener) -> Ledger:
    """The ledger of somebody in a hub."""
    return open_ledger(url, now=clock, opener=opener)

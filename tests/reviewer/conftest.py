"""A deck over a small real home; a desk with a reviewer at it."""

from __future__ import annotations

import pytest
from tests.engine.conftest import agent, clock, deck, home, open_at
from tests.reviewer.kit import Desk

from reviewdeck.engine.engine import Engine

__all__ = ["agent", "clock", "deck", "home", "open_at"]


@pytest.fixture
def desk(deck: Engine) -> Desk:
    return Desk(deck)

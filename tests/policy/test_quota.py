"""Caps, counted from what really went in."""

from __future__ import annotations

import json
from pathlib import Path

from reviewdeck.compose import compose_deck
from reviewdeck.deck import Deck
from reviewdeck.policy.caps import Caps
from reviewdeck.quota import choose_now, spent_at, within_caps
from reviewdeck.settings import Settings

FACTS = (
    "Plays the cello.",
    "Works from Lisbon.",
    "Drives a red bicycle.",
    "Speaks French and Danish.",
    "Uses helix and zellij.",
    "Vegetarian.",
    "Dark mode everywhere.",
    "Reads science fiction.",
)


def _stage(home: Path, count: int) -> None:
    """Writes harmless additions to the user's memory, one record each."""
    for path in (home / "pending").rglob("*.json"):
        path.unlink()
    folder = home / "pending" / "memory"
    for number, content in enumerate(FACTS[:count]):
        record = {
            "id": f"{number:08x}",
            "subsystem": "memory",
            "action": "add",
            "created_at": 1_750_000_000 + number,
            "payload": {"action": "add", "target": "user", "content": content},
        }
        (folder / f"{number:08x}.json").write_text(json.dumps(record))


def _open(home: Path, tmp_path: Path) -> Deck:
    return compose_deck(Settings((home,), str(tmp_path / "ledger.db"), user_home=tmp_path))


def test_what_goes_beyond_the_caps_waits(hermes_home: Path, tmp_path: Path) -> None:
    _stage(hermes_home, 8)
    deck = _open(hermes_home, tmp_path)
    deck.intake()
    one = deck.desk.homes[0]
    safe = {item.id: "memory-addition" for item in deck.pending()}
    assert len(safe) == 8
    assert len(within_caps(deck.desk, one, safe, Caps(day_share=0.0))) == 5
    assert len(within_caps(deck.desk, one, safe, Caps(per_hour=3))) == 3
    assert within_caps(deck.desk, one, safe, Caps(pending=7)) == {}
    assert within_caps(deck.desk, one, safe) == safe
    later = choose_now(deck.desk, one, safe, Caps(per_hour=3)).later
    assert len(later) == 5
    deck.close()


def test_what_went_in_by_itself_is_counted(hermes_home: Path, tmp_path: Path) -> None:
    _stage(hermes_home, 3)
    deck = _open(hermes_home, tmp_path)
    deck.auto()
    spent = spent_at(deck.desk, deck.desk.homes[0])
    assert spent.last_hour == 3
    assert spent.today["memories/USER.md"].entries == 3
    assert spent.limits["memories/USER.md"] == 1_375
    deck.close()

"""Caps, counted from what really went in."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

from reviewdeck import quota
from reviewdeck.cli.lines import caps_of
from reviewdeck.cli.listing import caps_in_words
from reviewdeck.compose import compose_deck
from reviewdeck.deck import Deck
from reviewdeck.policy.caps import Caps
from reviewdeck.policy_source import PolicyPlace
from reviewdeck.quota import count, spent_at
from reviewdeck.settings import Settings

FACTS = (
    "Plays the cello.",
    "Works from Lisbon.",
    "Owns two cats.",
    "Speaks French and Danish.",
    "Uses helix and zellij.",
    "Vegetarian.",
    "Uses dark mode.",
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


class Wall:
    """A clock that stands still until it is moved on."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 21, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def _open(home: Path, tmp_path: Path, *, policy: str = "", now: Wall | None = None) -> Deck:
    place = None
    if policy:
        (tmp_path / "policy.toml").write_text(policy)
        place = PolicyPlace(tmp_path / "policy.toml")
    settings = Settings((home,), str(tmp_path / "ledger.db"), user_home=tmp_path, policy=place)
    return compose_deck(settings, now=now or Wall())


def test_what_goes_beyond_the_caps_waits(hermes_home: Path, tmp_path: Path) -> None:
    _stage(hermes_home, 8)
    deck = _open(hermes_home, tmp_path)
    deck.intake()
    one = deck.desk.homes[0]
    safe = [item.id for item in deck.pending()]

    def let_in(caps: Caps) -> int:
        return len(count(deck.desk, one, safe, caps).choice.now)

    assert len(safe) == 8
    assert let_in(Caps(day_share=0.0)) == 5
    assert let_in(Caps(per_hour=3)) == 3
    assert let_in(Caps(pending=7)) == 0
    assert let_in(Caps()) == 8
    deck.close()


def test_what_went_in_by_itself_is_counted(hermes_home: Path, tmp_path: Path) -> None:
    _stage(hermes_home, 3)
    deck = _open(hermes_home, tmp_path)
    deck.auto()
    spent = spent_at(deck.desk, deck.desk.homes[0])
    assert [went.loads["memories/USER.md"].entries for went in spent.lately] == [1, 1, 1]
    assert spent.limits["memories/USER.md"] == 1_375
    deck.close()


def test_what_waits_for_a_cap_is_not_read_again_by_each_pass(
    hermes_home: Path, tmp_path: Path
) -> None:
    _stage(hermes_home, 8)
    deck = _open(hermes_home, tmp_path, policy="[caps]\nautomatic_per_hour = 3\n")
    assert len(deck.auto().applied) == 3
    one = deck.desk.homes[0]
    waiting = deck.ledger.automatic(one.home.id)
    counted = count(deck.desk, one, waiting, Caps(per_hour=4))
    assert counted.read == {}
    assert [len(counted.choice.now), len(counted.choice.later)] == [1, 4]
    deck.close()


def test_auto_leaves_what_is_beyond_a_cap_and_says_which_and_until_when(
    hermes_home: Path, tmp_path: Path
) -> None:
    _stage(hermes_home, 8)
    wall, caps = Wall(), "[caps]\nautomatic_per_hour = 3\n"
    deck = _open(hermes_home, tmp_path, policy=caps, now=wall)
    assert len(deck.auto(dry_run=True).applied) == 3
    report = deck.auto()
    assert len(report.applied) == 3
    assert len(report.held) == 5
    assert all("'automatic_per_hour'" in item.reason for item in report.held)
    assert all("from 2026-11-21 13:00 UTC" in item.reason for item in report.held)
    assert {item.findings[-1].code for item in report.held} == {"cap"}
    deck.close()
    wall.now += timedelta(minutes=59)
    again = _open(hermes_home, tmp_path, policy=caps, now=wall)
    assert not again.auto().applied, "a restart forgets nothing"
    wall.now += timedelta(minutes=1)
    assert len(again.auto().applied) == 3
    again.close()


def test_the_queue_says_which_cap_holds_what_until_there_is_room(
    hermes_home: Path, tmp_path: Path
) -> None:
    _stage(hermes_home, 4)
    wall = Wall()
    deck = _open(hermes_home, tmp_path, policy="[caps]\nautomatic_per_hour = 2\n", now=wall)
    deck.auto(dry_run=True)
    assert not any(one.code == "cap" for item in deck.pending() for one in item.findings)
    deck.auto()
    deck.auto()
    held = deck.pending()
    assert [[one.code for one in item.findings].count("cap") for item in held] == [1, 1]
    assert "13:00 UTC" in held[0].findings[-1].message
    said = caps_in_words(message for item in held for message in caps_of(item))
    assert said[0].startswith("2 wait for a cap. Plainly safe")
    wall.now += timedelta(hours=1, seconds=1)
    assert len(deck.auto().applied) == 2
    assert not deck.pending()
    deck.close()


def test_what_an_operator_approves_is_no_part_of_a_cap(hermes_home: Path, tmp_path: Path) -> None:
    _stage(hermes_home, 4)
    deck = _open(hermes_home, tmp_path, policy="[caps]\nautomatic_per_hour = 2\n")
    deck.intake()
    for item in deck.pending()[:2]:
        assert item.digest is not None
        deck.approve(item.id, deck.get(item.id).digest or "")
    assert len(deck.auto().applied) == 2
    deck.close()


def test_two_passes_at_the_same_time_keep_one_cap(hermes_home: Path, tmp_path: Path) -> None:
    _stage(hermes_home, 8)
    _open(hermes_home, tmp_path, policy="[caps]\nautomatic_per_hour = 3\n").close()
    start, applied = Barrier(3), list[int]()

    def run() -> None:
        deck = _open(hermes_home, tmp_path, policy="[caps]\nautomatic_per_hour = 3\n")
        start.wait()
        applied.append(len(deck.auto().applied))
        deck.close()

    threads = [Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(applied) == 3


def test_a_pass_that_counted_before_another_one_wrote_writes_nothing(
    hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stage(hermes_home, 6)
    policy = "[caps]\nautomatic_per_hour = 3\n"
    slow, fast = (_open(hermes_home, tmp_path, policy=policy) for _ in range(2))
    slow.intake()
    counted = quota.count

    def after_the_other(*given: Any) -> quota.Counted:
        found = counted(*given)
        monkeypatch.setattr(quota, "count", counted)
        assert len(fast.auto().applied) == 3
        return found

    monkeypatch.setattr(quota, "count", after_the_other)
    assert not slow.auto().applied
    slow.close()
    fast.close()

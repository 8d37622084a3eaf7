"""The append-only log and its chain. What has to break it goes through SQLite directly."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.ledger.samples import HOME, OPERATOR, START, clock

from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import Actor, ActorKind


def fill(ledger: Ledger, count: int) -> None:
    """Adds some events."""
    for number in range(count):
        ledger.append(
            "noticed", home=HOME, subject=f"s{number}", actor=OPERATOR, at=START, detail={"n": 1.5}
        )


def tamper(path: Path, *statements: str) -> None:
    """What somebody with access to the file can do."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for trigger in ("event_no_update", "event_no_delete", "event_in_order"):
            connection.execute(f"DROP TRIGGER {trigger}")
        for statement in statements:
            connection.execute(statement)


def test_events_come_back_in_order_and_chained(ledger: Ledger) -> None:
    fill(ledger, 3)
    first, second, third = ledger.events()
    assert [event.sequence for event in (first, second, third)] == [1, 2, 3]
    assert (first.previous, second.previous, third.previous) == ("", first.sha, second.sha)
    assert (first.name, first.home, first.subject, first.at) == ("noticed", HOME, "s0", START)
    assert (first.actor, first.detail) == (OPERATOR, {"n": 1.5})
    assert ledger.events(after=1, limit=1) == (second,)
    assert ledger.verify() is None


def test_odd_text_in_an_event_does_not_break_the_chain(ledger: Ledger) -> None:
    actor = Actor(ActorKind.POLICY, "r\udc80\x00")
    detail: dict[str, object] = {"é\x00": ["\ud800"]}
    ledger.append(
        "noticed",
        home="\udcff",
        subject="\ufdd0",
        actor=actor,
        at=START,
        detail=detail,
    )
    (event,) = ledger.events()
    assert (event.home, event.subject, event.actor) == ("\udcff", "\ufdd0", actor)
    assert event.detail == detail
    assert ledger.verify() is None


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET subject = 'x' WHERE sequence = 2",
        "DELETE FROM event WHERE sequence = 2",
        "DELETE FROM event",
        "INSERT OR REPLACE INTO event SELECT * FROM event WHERE sequence = 2",
        "INSERT INTO event SELECT 0, at, name, home, subject, actor, detail, previous, sha"
        " FROM event WHERE sequence = 2",
    ],
)
def test_the_log_cannot_be_changed(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "ledger.db"
    with open_ledger(str(path), now=clock) as ledger:
        fill(ledger, 3)
        with (
            closing(sqlite3.connect(path, isolation_level=None)) as connection,
            pytest.raises(sqlite3.IntegrityError, match="append-only"),
        ):
            connection.execute(statement)
        assert ledger.verify() is None


@pytest.mark.parametrize(
    ("statements", "first_bad"),
    [
        (["UPDATE event SET subject = 'x' WHERE sequence = 3"], 3),
        (["UPDATE event SET at = at + 1 WHERE sequence = 1"], 1),
        (["UPDATE event SET detail = '{}' WHERE sequence = 4"], 4),
        (["UPDATE event SET detail = 'nonsense' WHERE sequence = 4"], 4),
        (["UPDATE event SET actor = replace(actor, 'iris', 'otto') WHERE sequence = 2"], 2),
        (["DELETE FROM event WHERE sequence = 3"], 4),
        (["DELETE FROM event WHERE sequence = 1"], 2),
        (
            [
                "DELETE FROM event WHERE sequence = 3",
                "UPDATE event SET sequence = 3 WHERE sequence = 4",
                "UPDATE event SET sequence = 4 WHERE sequence = 5",
            ],
            3,
        ),
        (["UPDATE event SET sha = 'x' WHERE sequence = 5"], 5),
    ],
)
def test_a_changed_or_missing_event_is_found(
    tmp_path: Path, statements: list[str], first_bad: int
) -> None:
    path = tmp_path / "ledger.db"
    with open_ledger(str(path), now=clock) as ledger:
        fill(ledger, 5)
        tamper(path, *statements)
        assert ledger.verify() == first_bad

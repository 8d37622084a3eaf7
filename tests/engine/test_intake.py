"""Taking in: what is new is read, what is unchanged is not opened, what is gone is gone."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from tests.engine.kit import Agent, OpenDeck

from reviewdeck.engine.engine import Engine
from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.homes.pending import UNSETTLED
from reviewdeck.model import State
from reviewdeck.ports import PendingFile


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pending files that were opened."""
    found: list[str] = []
    whole = HermesHome.pending

    def noting(home: HermesHome, only: Collection[str] | None = None) -> Iterator[PendingFile]:
        for file in whole(home, only):
            found.append(file.source)
            yield file

    monkeypatch.setattr(HermesHome, "pending", noting)
    return found


def settle() -> None:
    """Waits until the file system tells two versions of a file apart."""
    time.sleep(2 * UNSETTLED / 1e9)


def record(home: Path, id: str) -> Path:
    return home / "pending" / "memory" / f"{id}.json"


def test_unchanged_records_are_not_opened_again(
    deck: Engine, agent: Agent, opened: list[str]
) -> None:
    agent.replace("staging host", "The staging host is stg-4.")
    settle()
    deck.intake()
    assert len(opened) == 1
    new = agent.replace("Docs use", "Docs use sphinx.")
    settle()
    deck.intake()
    assert opened[1:] == [f"pending/memory/{new}.json"]
    deck.intake()
    assert len(opened) == 2


def test_a_record_of_the_same_size_and_time_is_noticed_all_the_same(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    settle()
    deck.intake()
    (before,) = deck.pending()
    path = record(home, id)
    facts = path.stat()
    path.write_text(path.read_text("utf-8").replace("stg-4", "stg-5"), "utf-8")
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert path.stat().st_size == facts.st_size
    deck.intake()
    (after,) = deck.pending()
    assert after.id != before.id
    assert deck.find(before.id).state is State.ELSEWHERE


def test_a_record_whose_time_proves_nothing_is_read_again(
    deck: Engine, agent: Agent, home: Path, opened: list[str]
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    later = time.time_ns() + 3_600_000_000_000
    os.utime(record(home, id), ns=(later, later))
    settle()
    deck.intake()
    deck.intake()
    assert len(opened) == 2
    assert len(deck.pending()) == 1


def test_a_touched_record_is_the_same_proposal(deck: Engine, agent: Agent, home: Path) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    (before,) = deck.pending()
    record(home, id).touch()
    (taken,) = deck.intake()
    assert (taken.new, taken.evaluated, taken.elsewhere) == (frozenset(), (), ())
    assert deck.pending() == (before,)


def test_a_record_that_goes_and_comes_back_waits_again(
    deck: Engine, agent: Agent, home: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    deck.intake()
    (before,) = deck.pending()
    path, aside = record(home, id), home / "aside.json"
    path.rename(aside)
    (taken,) = deck.intake()
    assert taken.elsewhere == (before.id,)
    aside.rename(path)
    (taken,) = deck.intake()
    assert taken.new == {before.id}
    assert deck.pending() == (before,)


def test_a_record_that_is_left_over_is_found_by_every_pass_until_it_is_gone(
    open_at: OpenDeck, agent: Agent, home: Path
) -> None:
    deck = open_at(home)
    id = agent.add("The linter is ruff.")
    data = record(home, id).read_bytes()
    deck.auto()
    assert not record(home, id).exists()
    record(home, id).write_bytes(data)
    for _ in range(2):
        (taken,) = deck.intake()
        assert [source for source, _ in taken.leftovers] == [f"pending/memory/{id}.json"]
        assert taken.evaluated == ()
    deck.auto()
    assert not record(home, id).exists()
    (taken,) = deck.intake()
    assert taken.leftovers == ()


def test_what_makes_no_sense_is_read_once(deck: Engine, home: Path, opened: list[str]) -> None:
    record(home, "0bad0001").write_bytes(b"{")
    settle()
    (taken,) = deck.intake()
    assert len(taken.quarantined) == 1
    (taken,) = deck.intake()
    assert (taken.quarantined, taken.elsewhere) == ((), ())
    assert len(opened) == 1
    assert [item.state for item in deck.pending()] == [State.QUARANTINED]


def test_a_pass_over_a_few_new_records_that_is_broken_off_leaves_them_new(
    deck: Engine, agent: Agent
) -> None:
    deck.intake()
    agent.add("The API is written in Go.")

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        deck.intake(progress=stop)
    assert deck.pending() == ()
    (taken,) = deck.intake()
    assert len(taken.new) == len(taken.evaluated) == 1

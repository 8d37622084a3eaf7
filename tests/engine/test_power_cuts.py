"""The power goes at any step: what was written and not synced is gone, and nothing else is.

`REVIEWDECK_STRIDE=1` looks at every image of the disk, which takes some minutes.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.engine.crashes import SCENARIOS, Scenario, check, make_home, open_deck
from tests.engine.kit import MEMORY, Agent, Ticking, digest_of
from tests.engine.power import Recording, lay_out, record

from reviewdeck.engine.engine import Engine
from reviewdeck.errors import StaleBase
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.model.documents import revision_of

STRIDE = int(os.environ.get("REVIEWDECK_STRIDE", "31"))
BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


def recorded(root: Path, scenario: Scenario) -> Recording:
    """The scenario in a small home, without anybody beside it."""
    home = make_home(root / "home", later=scenario.later)
    scenario.propose(Agent(home, Ticking()))
    open_deck(root).close()
    return record(root, scenario)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_power_cut_at_any_step_leaves_each_plan_whole_or_absent(
    scenario: Scenario, tmp_path: Path
) -> None:
    found = recorded(tmp_path, scenario)
    images = [*found.images, *found.torn()]
    start = SCENARIOS.index(scenario) % STRIDE
    wrong = []
    for image in images[start::STRIDE]:
        lay_out(tmp_path, found.ledger, image)
        wrong += [f"{image.step}: {one}" for one in check(tmp_path, found.states)]
    assert wrong == []
    assert len(images) >= 10


@pytest.mark.parametrize("name", ["a replaced entry", "a deleted skill"])
def test_a_decision_that_was_reported_is_there_after_a_power_cut_and_can_be_undone(
    name: str, tmp_path: Path
) -> None:
    found = recorded(tmp_path, BY_NAME[name])
    reported = [image for image in found.images if image.is_reported]
    assert reported
    for image in reported:
        lay_out(tmp_path, found.ledger, image)
        assert check(tmp_path, [found.states[-1]]) == []
        deck = open_deck(tmp_path)
        (operation,) = deck.operations()
        assert operation.state == "done"
        assert deck.find(operation.proposal).state == "applied"
        deck.undo(operation.id)
        deck.close()
        assert check(tmp_path, [found.states[0]]) == []


@pytest.mark.parametrize("name", ["a replaced entry", "a rejected proposal"])
def test_a_transaction_of_the_ledger_that_the_power_tore_is_as_if_it_never_was(
    name: str, tmp_path: Path
) -> None:
    found = recorded(tmp_path, BY_NAME[name])
    torn = [*found.torn()]
    assert torn
    for image in torn:
        lay_out(tmp_path, found.ledger, image)
        assert check(tmp_path, found.states) == []


class Hasty:
    """Writes a text of its own just before each exchange of a document, and syncs it."""

    def __init__(self, home: Path) -> None:
        self._memory = home / MEMORY
        self._left = [b"Written by hand, 1.", b"Written by hand, 2."]
        self._synced: list[bytes] = []

    def __call__(self, step: str) -> list[bytes]:
        if step.startswith("exchange ") and self._left:
            text = self._left.pop(0)
            beside = self._memory.with_name("beside")
            beside.write_bytes(text)
            _sync(beside)
            beside.replace(self._memory)
            _sync(self._memory.parent)
            self._synced.append(text)
        return self._synced


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    os.fsync(file)
    os.close(file)


def approve_in_vain(deck: Engine) -> None:
    deck.intake()
    (item,) = deck.pending()
    with pytest.raises(StaleBase):
        deck.approve(item.id, digest_of(deck, item.id))


def test_what_others_wrote_in_the_gap_of_a_swap_is_never_lost_to_a_power_cut(
    tmp_path: Path,
) -> None:
    home = make_home(tmp_path / "home")
    Agent(home, Ticking()).replace("staging host", "The staging host is stg-4.")
    open_deck(tmp_path).close()
    ledger = tmp_path / "ledger" / "ledger.db"
    scenario = Scenario("in vain", lambda agent: None, approve_in_vain)
    found = record(tmp_path, scenario, Hasty(home))
    images = [image for image in found.images if len(image.owed) == 2]
    assert len(images) >= 5
    for image in images:
        lay_out(tmp_path, found.ledger, image)
        deck = open_deck(tmp_path)
        deck.recover()
        deck.recover()
        deck.close()
        assert find_damage(str(ledger)) == ()
        kept = {revision_of(path.read_bytes()) for path in home.rglob("*") if path.is_file()}
        with closing(sqlite3.connect(ledger)) as connection:
            kept |= {sha for (sha,) in connection.execute("SELECT sha FROM blob")}
        assert [text for text in image.owed if revision_of(text) not in kept] == [], image.step

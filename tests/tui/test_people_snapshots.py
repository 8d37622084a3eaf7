"""What a deck shows of other operators and other machines, as pictures."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.engine.kit import OPERATOR, digest_of
from tests.engine.machines import HOST
from tests.tui.kit_deck import Cockpit, Driver, Hermes
from tests.tui.pictures import SIZES, Steps, different_pictures, opened
from tests.tui.test_people import Desk, Remote, look_again
from tests.tui.test_snapshots import Creeping, on

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.quorum import AwaitsAnother
from reviewdeck.engine.summary import Summary
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model.ledger import Host
from reviewdeck_tui.screens.summary import SummaryScreen

pytestmark = pytest.mark.slow


@pytest.fixture
def iris(
    cockpit: Cockpit,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Desk:
    """Four proposals; Otto voted for one and has another open, on the host of a parameter."""
    host = getattr(request, "param", "")
    monkeypatch.setattr(Summary, "digest", "0" * 64)
    policy = tmp_path / "policy.toml"
    policy.write_text("version = 1\n[approval]\nneeds = 2\n", "utf-8")
    clock = Creeping()
    agent = Hermes(cockpit.home, clock)
    iris = Desk(cockpit.home, cockpit.ledger, clock, agent, now=clock, policy=policy)
    voted = agent.memory("remove", old_text="tox")
    agent.memory("remove", old_text="mkdocs")
    open_there = agent.replace("stg-2", "The staging host is stg-3.")
    agent.add("Standup is at nine.")
    there = replace(OPERATOR, name="otto", host="host-b")
    otto = open_engine(replace(iris.settings, actor=there, host=host), now=clock)
    otto.intake()
    id = otto.find(voted).id
    with pytest.raises(AwaitsAnother):
        otto.approve(id, digest_of(otto, id))
    otto.ledger.note_looking(otto.find(open_there).id, 600)
    otto.close()
    return iris


def _says(word: str, item: Any) -> bool:
    return word in item.summary


async def voted(driver: Driver) -> None:
    """One of two operators approved it."""
    await on(driver, lambda item: "tox" in item.summary)


async def summary(driver: Driver) -> None:
    """A second approval, a first one, and one that needs nobody else."""
    for word in ("tox", "mkdocs", "Standup"):
        await on(driver, partial(_says, word))
        await driver.press("a")
    await driver.press("ctrl+s")
    await driver.until(lambda: isinstance(driver.app.screen, SummaryScreen))
    screen = driver.app.screen
    assert isinstance(screen, SummaryScreen)
    await driver.until(lambda: screen._is_painted)


async def machines(driver: Driver) -> None:
    """The list of machines."""
    await driver.press("U")


@pytest.mark.parametrize("steps", [voted, summary], ids=lambda f: f.__name__)
async def test_votes_look_as_they_did(
    iris: Desk, tmp_path: Path, snapshot: SnapshotAssertion, steps: Steps
) -> None:
    assert not await different_pictures(opened(iris), steps, snapshot, tmp_path)


async def test_an_overtaken_draft_looks_as_it_did(
    iris: Desk, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    async def overtaken(driver: Driver) -> None:
        await on(driver, lambda item: "Standup" in item.summary)
        id = driver.cursor
        await driver.press("a")
        otto = replace(iris, name="otto").engine()
        otto.reject(id, "no")
        otto.close()
        await look_again(driver)
        await driver.press("3")

    assert not await different_pictures(opened(iris), overtaken, snapshot, tmp_path)


@pytest.mark.parametrize("iris", [HOST], indirect=True, ids=["elsewhere"])
@pytest.mark.parametrize("steps", [voted, machines], ids=lambda f: f.__name__)
async def test_a_home_on_another_machine_looks_as_it_did(
    iris: Desk,
    tmp_path: Path,
    snapshot: SnapshotAssertion,
    steps: Steps,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # By the database's own clock, which no test sets.
    seen = (Host(HOST, "host-b", "0.1.0", timedelta(minutes=20), ""),)
    monkeypatch.setattr(Ledger, "hosts", lambda _self: seen)
    iris.clock.moment += timedelta(seconds=40)
    desk = Remote(iris.home, iris.ledger, iris.clock, iris.agent, now=iris.now, policy=iris.policy)
    # What is below a dialog is laid out again later than the dialog.
    sizes = SIZES[:1] if steps is machines else SIZES
    assert not await different_pictures(opened(desk), steps, snapshot, tmp_path, sizes=sizes)

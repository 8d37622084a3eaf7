"""What the agent learned, and the documents, as pictures: at three sizes and in two themes."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.engine.kit import MEMORY, entries, set_entries
from tests.tui.kit_deck import Cockpit, Driver, Hermes
from tests.tui.pictures import Steps, different_pictures, opened
from tests.tui.test_snapshots import IDENTITY, NOW, Creeping

from reviewdeck.demo import write_demo
from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.homes.hermes.snapshot import HermesSnapshot
from reviewdeck.model import State
from reviewdeck_tui.screens.changes import ChangesScreen
from reviewdeck_tui.screens.compare import CompareScreen
from reviewdeck_tui.screens.consolidate import ConsolidateScreen
from reviewdeck_tui.screens.documents import DocumentsScreen
from reviewdeck_tui.screens.why import WhyScreen

pytestmark = pytest.mark.slow

LET_IN = ("Releases", "release-notes", "incident-triage", "database-migrations")
"""What the operator let in, by words of the summaries."""


def identify(patched: pytest.MonkeyPatch) -> None:
    """The home calls itself the same, wherever the test's folder is."""
    patched.setattr(HermesHome, "id", IDENTITY)
    patched.setattr(HermesSnapshot, "home", IDENTITY)


@pytest.fixture(scope="session")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Cockpit:
    """The sample home after a morning: a rule, the operator and a hand have changed it."""
    root = tmp_path_factory.mktemp("taught")
    home = root / "home"
    write_demo(home, NOW)
    clock = Creeping()
    cockpit = Cockpit(home, root / "ledger.db", clock, Hermes(home, clock))
    cockpit.now = clock
    with pytest.MonkeyPatch.context() as patched:
        identify(patched)
        _live(cockpit, clock)
    return cockpit


def _live(cockpit: Cockpit, clock: Creeping) -> None:
    clock.moment = NOW - timedelta(hours=6, minutes=5)
    deck = cockpit.engine()
    deck.auto()
    clock.moment = NOW - timedelta(hours=3, minutes=5)
    waiting = sorted(deck.pending((State.READY,)), key=lambda item: item.summary)
    for item in waiting:
        if item.digest and any(words in item.summary for words in LET_IN):
            deck.approve(item.id, deck.get(item.id).digest or "")
    clock.moment = NOW - timedelta(minutes=40, seconds=30)
    by_hand = "Staging is ferry-stage-2 with PostgreSQL 16.", "The pier camera is off until March."
    set_entries(cockpit.home, *entries(cockpit.home, MEMORY), *by_hand)
    deck.intake()
    deck.close()
    clock.moment = NOW


@pytest.fixture
def morning(taught: Cockpit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cockpit:
    """The same with a ledger of its own."""
    identify(monkeypatch)
    ledger = tmp_path / "ledger.db"
    shutil.copy(taught.ledger, ledger)
    return Cockpit(taught.home, ledger, taught.clock, taught.agent, now=taught.now)


async def learnt(driver: Driver) -> None:
    """Lane 2, the cursor on a lesson."""
    await driver.press("2")
    screen = driver.app.screen
    assert isinstance(screen, ChangesScreen)
    await driver.until(lambda: bool(screen.listing.spots))
    await driver.press("j")


async def documents(driver: Driver) -> None:
    """The list, a memory with its blame and its history."""
    await driver.press("B")
    screen = driver.app.screen
    assert isinstance(screen, DocumentsScreen)
    await driver.until(lambda: screen.page is not None)
    screen.list_of("list").move(-100)
    await driver.until(lambda: screen.page is not None and screen.page.document.path == MEMORY)


async def compared(driver: Driver) -> None:
    """The first and the last revision of a memory beside each other."""
    await documents(driver)
    await driver.press("tab", "tab", "space", "G", "space", "enter")
    screen = driver.app.screen
    assert isinstance(screen, CompareScreen)
    await driver.until(lambda: screen.diff.document is not None)


async def merging(driver: Driver) -> None:
    """Two entries about one thing, next to each other."""
    await documents(driver)
    await driver.press("M")
    screen = driver.app.screen
    assert isinstance(screen, ConsolidateScreen)
    await driver.until(lambda: bool(screen.memories.entries))


async def sources(driver: Driver) -> None:
    """The live lines that a sentence may come from."""
    sentence = "Staging is ferry-stage-2 with PostgreSQL 16. The pier camera is off, then."
    await driver.press("W", *sentence, "enter")
    screen = driver.app.screen
    assert isinstance(screen, WhyScreen)
    await driver.until(lambda: screen.view is not None)


@pytest.mark.parametrize(
    "steps", [learnt, documents, compared, merging, sources], ids=lambda f: f.__name__
)
async def test_a_screen_looks_as_it_did(
    morning: Cockpit, tmp_path: Path, snapshot: SnapshotAssertion, steps: Steps
) -> None:
    assert await different_pictures(opened(morning), steps, snapshot, tmp_path) == []

"""Looking at proposals while the engine judges all of them anew."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from tests.engine.kit import set_entries
from tests.tui.kit_deck import Cockpit

from reviewdeck.model import QueueItem
from reviewdeck_tui.engine import EngineWorker
from reviewdeck_tui.proposal.view import ProposalView


class Held(EngineWorker):
    """Judging stops half-way until it is let go on."""

    def __init__(self, cockpit: Cockpit) -> None:
        super().__init__(cockpit.settings, cockpit.clock)
        self.is_half_way, self.may_check_abandoned = threading.Event(), threading.Event()

    def _check_abandoned(self, done: int, total: int) -> None:
        self.is_half_way.set()
        assert self.may_check_abandoned.wait(60)
        super()._check_abandoned(done, total)


@pytest.fixture
def cockpit(cockpit: Cockpit) -> Cockpit:
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    cockpit.agent.add("The linter is ruff.")
    cockpit.take_in()
    return cockpit


def _while_judged(
    cockpit: Cockpit, job: Callable[[EngineWorker, QueueItem], ProposalView | None]
) -> ProposalView | None:
    first = EngineWorker(cockpit.settings, cockpit.clock)
    backlog = first.refresh(force=True)
    first.close()
    assert backlog is not None
    item = next(one for one in backlog.store.values() if "sphinx" in one.summary)
    engine = Held(cockpit)
    judging = threading.Thread(target=engine.refresh)
    cockpit.agent.add("Staging is read-only.")
    judging.start()
    try:
        assert engine.is_half_way.wait(60)
        return job(engine, item)
    finally:
        engine.may_check_abandoned.set()
        judging.join()
        assert (after := engine.look(item, lambda: False)) is not None
        assert not after.is_judged_again
        engine.close()


def test_a_diff_is_there_while_all_is_judged_again(cockpit: Cockpit) -> None:
    found = _while_judged(cockpit, lambda engine, item: engine.look(item, lambda: False))
    assert found is not None
    assert found.is_judged_again
    assert found.digest is not None
    assert "sphinx" in str(found.document)


def test_it_is_of_what_is_live_at_that_moment(cockpit: Cockpit) -> None:
    def look(engine: EngineWorker, item: QueueItem) -> ProposalView | None:
        set_entries(cockpit.home, "Docs use mkdocs, on the docs box.")
        return engine.look(item, lambda: False)

    found = _while_judged(cockpit, look)
    assert found is not None
    assert "on the docs box" in str(found.document)


async def test_the_line_over_the_diff_says_so(cockpit: Cockpit) -> None:
    async with cockpit.open() as deck:
        engine = deck.app._engine
        assert engine is not None
        with engine._lock, engine._while_judging():
            # Not `press`: that waits for every worker, and one of them may wait for this lock.
            await deck.pilot.press("j")
            await deck.until(lambda: "being judged again" in deck.line("title"))
        await deck.press_fast("k")
        await deck.settle()
        assert "being judged again" not in deck.line("title")

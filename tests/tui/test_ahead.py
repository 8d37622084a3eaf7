"""The next proposal is ready before it is asked for, and never older than what is live."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from tests.engine.kit import set_entries
from tests.tui.kit_deck import Cockpit

from reviewdeck.model import QueueItem
from reviewdeck_tui.engine import EngineWorker
from reviewdeck_tui.proposal.view import ProposalView

SOON = 60.0


class Counted(EngineWorker):
    """Says what it worked out, and in which thread."""

    worked: list[tuple[str, str]]

    def _view_open(self, deck, item):  # type: ignore[no-untyped-def]
        done = super()._view_open(deck, item)
        self.worked.append((item.id, threading.current_thread().name))
        return done


@pytest.fixture
def engine(cockpit: Cockpit) -> Iterator[Counted]:
    """Two replacements in one memory."""
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    cockpit.agent.replace("staging host", "The staging host is stg-4.")
    found = Counted(cockpit.settings, cockpit.clock)
    found.worked = []
    yield found
    found.close()


def items(engine: EngineWorker) -> list[QueueItem]:
    backlog = engine.refresh(force=True)
    assert backlog is not None
    return sorted(backlog.store.values(), key=lambda item: item.position)


def look(engine: EngineWorker, item: QueueItem) -> ProposalView:
    found = engine.look(item, lambda: False)
    assert found is not None
    return found


def prepare(engine: Counted, item: QueueItem) -> None:
    """Has it worked out, and waits until it is."""
    engine.prepare(item)
    wait_until(lambda: (item.id, "prefetch") in engine.worked)


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SOON
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_what_was_prepared_is_shown_as_it_is(engine: Counted) -> None:
    first, second = items(engine)
    prepare(engine, second)
    found = look(engine, second)
    assert engine.worked == [(second.id, "prefetch")]
    assert found.id == second.id
    fresh = look(engine, second)
    assert len(engine.worked) == 2
    assert (found.digest, found.document) == (fresh.digest, fresh.document)
    assert look(engine, first).id == first.id


def test_it_is_dropped_when_the_live_text_changed(engine: Counted, cockpit: Cockpit) -> None:
    _, second = items(engine)
    prepare(engine, second)
    set_entries(cockpit.home, "Something else.", "The staging host is stg-2.", "Docs use mkdocs.")
    found = look(engine, second)
    assert [name for _, name in engine.worked] == ["prefetch", threading.current_thread().name]
    assert found.digest != second.digest
    assert found.facts.evaluation is not None


def test_it_is_dropped_when_the_queue_was_taken_in_anew(engine: Counted, cockpit: Cockpit) -> None:
    _, second = items(engine)
    prepare(engine, second)
    cockpit.agent.replace("tox", "Tests run with nox.")
    assert engine.refresh() is not None
    look(engine, second)
    assert len(engine.worked) == 2


def test_closing_ends_what_is_prepared(engine: Counted) -> None:
    first, _ = items(engine)
    engine.close()
    engine.prepare(first)
    assert engine.worked == []


async def test_the_deck_prepares_what_is_below_the_cursor(cockpit: Cockpit) -> None:
    for number in range(3):
        cockpit.agent.add(f"A thing to know, number {number}.")
    async with cockpit.open() as deck:
        ahead = deck.screen.engine._prefetch
        wanted = deck.ids[1]
        await deck.until(lambda: ahead._job is not None and ahead._job.is_done.is_set())
        assert ahead._job is not None and ahead._job.question.id == wanted
        await deck.press("j")
        assert deck.screen.look is not None and deck.screen.look.id == wanted

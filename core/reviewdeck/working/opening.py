"""Which storage an address means."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final

from reviewdeck.errors import BadInput
from reviewdeck.working.fallback import Fallback
from reviewdeck.working.in_process import InProcess
from reviewdeck.working.storage import Storage

IN_PROCESS: Final = "memory:"
SERVERS: Final = ("redis://", "rediss://", "unix://", "valkey://", "valkeys://")


def create(
    address: str, *, now: Callable[[], datetime], tick: Callable[[], float]
) -> InProcess | Fallback:
    """The storage of an address, with this process' memory in its place while it fails.

    `memory:` for this process alone, `redis://HOST:PORT/DB` (also `rediss://`, `unix://PATH`,
    `valkey://`), or the path of an SQLite file. `tick` is a clock that only runs forward, in
    seconds. Raises BadInput for another address; a server that does not answer is no error.
    """
    if address == IN_PROCESS:
        return InProcess()
    if address.startswith(SERVERS):
        return Fallback(lambda: _server(address), tick)
    path = address.removeprefix("sqlite:///") if address.startswith("sqlite:///") else address
    if not path or "://" in path:
        raise BadInput(
            f"This is no address of a working memory: {address!r}.",
            hint="Use memory:, a path of an SQLite file, or redis://HOST:PORT/DB.",
        )
    return Fallback(lambda: _file(Path(path), now), tick)


def _server(address: str) -> Storage:
    from reviewdeck.working.redis import Redis

    for theirs, known in (("valkey://", "redis://"), ("valkeys://", "rediss://")):
        if address.startswith(theirs):
            address = known + address.removeprefix(theirs)
    return Redis(address)


def _file(path: Path, now: Callable[[], datetime]) -> Storage:
    from reviewdeck.working.sqlite import Sqlite

    return Sqlite(path, now)

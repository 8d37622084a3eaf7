"""A writer that changes a memory exactly as Hermes does, in a process of its own.

Run as `python -m tests.engine.beside_hermes HOME SECONDS locked|unlocked`. With its lock: take
`MEMORY.md.lock`, read, add an entry, write a temporary file, rename. Without: read, wait, write a
temporary file, rename, as the dashboard does. Prints `ready`, waits for a line, and then prints
each entry after it was written.
"""

from __future__ import annotations

import fcntl
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DELIMITER = "\n§\n"
PAUSE = 0.03
"""Seconds between two entries of a burst."""
REST = 1.0
"""Seconds between two bursts: others have to come through as well."""


@contextmanager
def locked(memory: Path) -> Iterator[None]:
    """Hermes' own lock."""
    with memory.with_name(f"{memory.name}.lock").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)


def add(memory: Path, entry: str, pause: float) -> None:
    """Reads, adds, writes beside, renames."""
    entries = [part for part in memory.read_text("utf-8").split(DELIMITER) if part.strip()]
    time.sleep(pause)
    number, name = tempfile.mkstemp(dir=memory.parent, prefix=".mem_", suffix=".tmp")
    with os.fdopen(number, "w", encoding="utf-8") as file:
        file.write(DELIMITER.join([*entries, entry]))
        file.flush()
        os.fsync(file.fileno())
    Path(name).replace(memory)


def run(home: Path, seconds: float, *, is_locked: bool) -> None:
    """Adds entries for so long."""
    memory = home / "memories" / "MEMORY.md"
    deadline, count = time.monotonic() + seconds, 0
    while time.monotonic() < deadline:
        count += 1
        entry = f"Hermes noted number {count} here."
        if is_locked:
            with locked(memory):
                add(memory, entry, 0.001)
        else:
            add(memory, entry, 0.03)
        print(entry, flush=True)
        time.sleep(REST if count % 4 == 0 else PAUSE)


if __name__ == "__main__":
    print("ready", flush=True)
    sys.stdin.readline()
    run(Path(sys.argv[1]), float(sys.argv[2]), is_locked=sys.argv[3] == "locked")

"""A line at the end of a person's turn: what came into the memories since the last one.

Hermes says so itself where its agent writes at once. A proposal is applied later, by another
program, so nobody would hear of it. Hermes' own setting `display.memory_notifications` decides how
much is said: nothing, the number of entries, or their words too.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from . import agent
from .kit import digest, open_plain

MEMORIES = ("memories/MEMORY.md", "memories/USER.md")
DELIMITER = "\n§\n"
READ = 1024 * 1024
"""The most bytes of a memory that are read."""
SHOWN = 80
"""The most characters of an entry."""
OFF, VERBOSE = "off", "verbose"

_SECRET = re.compile(r"\S{16,}")
"""What may be a secret: it is not repeated on a screen."""


@dataclass(frozen=True, slots=True)
class _Memory:
    """A memory as it was last."""

    stamp: tuple[int, int]
    entries: Mapping[str, str]
    """Each entry by its SHA-256; of those that an earlier process knew, the hash alone."""


_known: dict[tuple[Path, str], _Memory] = {}
_lock = threading.Lock()


def look(home: Path) -> list[str]:
    """The entries that came since the last look at this home; none at the first."""
    new: list[str] = []
    with _lock:
        for path in MEMORIES:
            before = _known.get((home, path))
            now = _read(home / path, before)
            _known[home, path] = now
            if before is not None:
                came = now.entries.keys() - before.entries.keys()
                new += sorted(now.entries[digest] for digest in came)
    return new


def resume(home: Path, known: Mapping[str, frozenset[str]]) -> None:
    """Goes on from the entries that an earlier process knew, by memory."""
    with _lock:
        for path, digests in known.items():
            _known[home, path] = _Memory((-1, -1), dict.fromkeys(digests, ""))


def known(home: Path) -> dict[str, frozenset[str]]:
    """The entries of the last look, as `resume` takes them."""
    with _lock:
        found = {path: _known.get((home, path)) for path in MEMORIES}
    return {path: frozenset(memory.entries) for path, memory in found.items() if memory}


def line(home: Path, *, with_words: bool = True) -> str:
    """What came since the last look, in one line; empty for nothing."""
    new, mode = look(home), agent.notifications()
    if not new or mode == OFF:
        return ""
    amount = "1 entry" if len(new) == 1 else f"{len(new)} entries"
    words = f': "{_shortened(new[-1])}"' if with_words and mode == VERBOSE else ""
    return f"reviewdeck: {amount} learned{words} (`reviewdeck since`)"


def _read(file: Path, before: _Memory | None) -> _Memory:
    try:
        status = file.stat()
        stamp = status.st_mtime_ns, status.st_size
        if before is not None and before.stamp == stamp:
            return before
        with open_plain(file, is_link_followed=True) as opened:
            text = opened.read(READ).decode("utf-8", "replace")
    except OSError:
        return _Memory((0, 0), {})
    parts = (part.strip() for part in text.replace("\r\n", "\n").split(DELIMITER))
    return _Memory(stamp, {digest(part.encode("utf-8", "replace")): part for part in parts if part})


def _shortened(text: str) -> str:
    shown = _SECRET.sub("…", " ".join(text.split()))
    return shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 1]}…"

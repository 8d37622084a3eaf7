"""What a person was told last in Hermes' own terminal, from which the next process goes on.

One that answers a single question ends before what came of it waits or is applied. Only names and
hashes are kept: `.reviewdeck/told.json`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from . import kit

FILE = ".reviewdeck/told.json"
LIMIT = 512 * 1024
"""The most bytes of the file; a longer one is not written or read."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Told:
    """The records and entries of which a person was told, or that were there before."""

    records: frozenset[str]
    entries: Mapping[str, frozenset[str]]
    """By memory, the SHA-256 of each entry."""


def load(home: Path) -> Told | None:
    """What was told last; None where nothing says so."""
    try:
        content = json.loads(kit.read_file(home / FILE, LIMIT) or b"null")
        if content["v"] != 1:
            return None
        entries = {str(path): frozenset(map(str, of)) for path, of in content["entries"].items()}
        return Told(frozenset(map(str, content["records"])), entries)
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None


def save(home: Path, told: Told) -> None:
    """Keeps what was told, atomically. A failure is logged."""
    content = {
        "v": 1,
        "records": sorted(told.records),
        "entries": {path: sorted(of) for path, of in told.entries.items()},
    }
    data = json.dumps(content).encode()
    if len(data) > LIMIT:
        return
    try:
        with kit.OpenFolder(home, kit.OURS) as folder:
            kit.write_file(folder, Path(FILE).name, data)
    except OSError:
        _log.warning("reviewdeck: it is not noted what was told", exc_info=True)

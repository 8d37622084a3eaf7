"""What a host remembers of a ledger beside it, so that an older copy of that is noticed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Final

from reviewdeck.errors import WriteFailed
from reviewdeck.model.plain import from_plain, to_plain
from reviewdeck.text.json import load_json
from reviewdeck.values import dataclass

_TEMP: Final = ".tmp"


@dataclass(frozen=True, slots=True)
class HostNotes:
    """What one host knows of a ledger without asking it."""

    heads: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """By chain, the last line of the log that this host saw: its number and sum."""
    places: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By resolved path, the id and the kind of each home here."""
    ring: str = ""
    """The head of the list of operators that the ledger pinned; empty for none."""


class HostNotesFile:
    """The file of these notes."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> HostNotes:
        """The notes; empty ones where there are none, or none that can be read."""
        try:
            return from_plain(HostNotes, load_json(self.path.read_bytes()))
        except (OSError, KeyError, TypeError, ValueError):
            return HostNotes()

    def write(self, notes: HostNotes) -> None:
        """Replaces them, whole or not at all. Raises WriteFailed."""
        part = self.path.with_name(f".{self.path.name}-{os.getpid()}{_TEMP}")
        try:
            part.touch(mode=0o600)
            part.write_text(json.dumps(to_plain(notes)), "utf-8")
            part.replace(self.path)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise WriteFailed(f"{self.path} cannot be written: {error.strerror}.") from error

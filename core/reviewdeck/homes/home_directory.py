"""The directory of a home, and the id by which a ledger knows it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from copy import copy
from pathlib import Path
from typing import Final, Self

from reviewdeck.errors import HomeUnavailable
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.refusals import read_refusals
from reviewdeck.ports import OutsideText, Refusals

_MEMORIES: Final = (
    *("memories/MEMORY.md", "memories/USER.md"),
    *("MEMORY.md", "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"),
)

_COPIES: Final = re.compile(
    r"(?P<stem>.+?)(?:"
    r"\.sync-conflict-\d{8}-\d{6}-\w+"  # Syncthing
    r"| \([^()]*(?:conflicted copy|in Konflikt stehende Kopie|copie en conflit)[^()]*\)"  # Dropbox
    r"|[ _]\(?conflicted copy[^()]*\)?"  # Nextcloud, ownCloud
    r"|_conflict-\d{8}-\d{6}"  # ownCloud, earlier
    r"|-[A-Z][A-Z0-9-]{2,}(?:-\d+)?"  # OneDrive: the name of the other computer
    r"| \d+"  # iCloud
    r")(?P<ending>\.md)"
)
"""The names that a provider's sync gives to what another machine wrote."""


class HomeDirectory:
    """A home's resolved path and identity: the base of every home that lies in a directory."""

    def __init__(self, path: Path, kernel: Kernel | None = None) -> None:
        """Raises HomeUnavailable."""
        self.path = resolve_directory(path)
        self._kernel = kernel or Kernel()
        self._id = str(self.path)
        self._copy_of = ""

    def known_as(self, id: str, *, copy_of: str = "") -> Self:
        """The same home under the ledger's id; `copy_of` is the path of a copy beside it."""
        home = copy(self)
        home._id, home._copy_of = id, copy_of
        return home

    @property
    def id(self) -> str:
        """The path at which the ledger first saw the home; its own path until a ledger is asked."""
        return self._id

    @property
    def where(self) -> str:
        """The resolved path."""
        return str(self.path)

    def outside_texts(self) -> tuple[OutsideText, ...]:
        """Empty: its agent loads no instruction from elsewhere."""
        return ()

    def refusals(self) -> Refusals:
        """What stands in our own folder against automatic additions. Never raises."""
        return read_refusals(self.path, self._kernel)

    @property
    def cautions(self) -> tuple[str, ...]:
        """Warnings: the home is a copy of another one, or a sync left a copy beside a memory."""
        copies = tuple(
            f"{copy} is a copy that a sync left beside a memory: the agent does not read it. Take"
            " what it needs into the memory, and remove it."
            for copy in _sync_copies(self.path, _MEMORIES)
        )
        if not self._copy_of:
            return copies
        return (
            *copies,
            f"This home and {self._copy_of} are copies of each other: "
            "what is decided about one counts for that one alone.",
        )


def resolve_directory(path: Path) -> Path:
    """The resolved path of a home's directory. Raises HomeUnavailable."""
    try:
        directory = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise HomeUnavailable(f"The home {path} cannot be read: {error}.") from error
    if not os.access(directory, os.R_OK | os.X_OK) or not directory.is_dir():
        raise HomeUnavailable(f"The home {path} is not a directory that can be read.")
    return directory


def _sync_copies(root: Path, documents: Iterable[str]) -> Iterator[str]:
    """The copies that a sync left beside these documents. The agent does not read them."""
    names = set(documents)
    for folder in sorted({name.rpartition("/")[0] for name in names}):
        try:
            entries = sorted(entry.name for entry in (root / folder).iterdir())
        except OSError:
            continue
        for entry in entries:
            match = _COPIES.fullmatch(entry)
            prefix = f"{folder}/" if folder else ""
            if match and f"{prefix}{match['stem']}{match['ending']}" in names:
                yield f"{prefix}{entry}"

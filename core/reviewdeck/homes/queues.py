"""The queues of an agent itself: what waits there is a proposal, and is gone once decided."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path
from typing import Protocol

from reviewdeck.files.syscalls import Kernel
from reviewdeck.model import Proposal, Quarantined
from reviewdeck.model.ledger import Sighting
from reviewdeck.ports import PendingFile


class Queue(Protocol):
    """One queue of an agent, in a home."""

    @property
    def top(self) -> str:
        """The fixed folder above its records."""

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders of its records, as patterns."""

    def holds(self, source: str) -> bool:
        """Whether this path is that of a record."""

    def is_folder(self, folder: str) -> bool:
        """Whether records may lie in this folder."""

    def see(self, home: Path, kernel: Kernel, now: int) -> Iterator[Sighting]:
        """Each record, without opening any."""

    def scan(
        self, home: Path, kernel: Kernel, only: Collection[str] | None
    ) -> Iterator[PendingFile]:
        """Each record, or only these."""

    def parse(
        self, home: str, root: Path, file: PendingFile, now: datetime
    ) -> Proposal | Quarantined:
        """A record as a proposal. Never raises for what it contains."""


def queues_of(layout: str) -> tuple[Queue, ...]:
    """The queues of a home with this layout."""
    # Imported late: most homes have none.
    match layout:
        case "qwen-project" | "both" | "shared":
            from reviewdeck.homes.gated.staged_skills import StagedSkills

            return (StagedSkills(".qwen/pending-skills", "Qwen Code", "auto-skill"),)
        case "gemini":
            from reviewdeck.homes.gated.staged_skills import StagedSkills
            from reviewdeck.homes.gemini.inbox import Inbox

            return (StagedSkills("tmp/*/memory/skills", "Gemini CLI", "auto-memory"), Inbox())
        case _:
            return ()


class RecordFolders(Collection[str]):
    """The folders with records of a home: the gate's, and those of the agent's own queues."""

    def __init__(self, own: Collection[str], queues: Collection[Queue]) -> None:
        self._own, self._queues = own, queues

    def __contains__(self, folder: object) -> bool:
        if folder in self._own:
            return True
        is_record = any(queue.holds(f"{folder}") for queue in self._queues)
        return not is_record and any(queue.is_folder(f"{folder}") for queue in self._queues)

    def __iter__(self) -> Iterator[str]:
        return iter(self._own)

    def __len__(self) -> int:
        return len(self._own)

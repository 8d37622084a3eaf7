"""Skills that an agent staged for its own confirmation: `.qwen/pending-skills/**/SKILL.md`.

Each is a proposal. The agent's dialog accepts one by moving its folder: then its record is gone.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from reviewdeck.agents.gated.documents import matches_any
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.pattern_layout import glob
from reviewdeck.homes.pending import scan_records, see_records
from reviewdeck.homes.record import proposal_id, quarantine, text_of
from reviewdeck.homes.skill_tree import list_files, search_all_skills
from reviewdeck.homes.strict_json import Malformed
from reviewdeck.model import SKILL_FILE, Kind, Proposal, Quarantined, SkillCreate
from reviewdeck.model.ledger import Sighting
from reviewdeck.ports import PendingFile

_LARGEST: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class StagedSkills:
    """The skills below one folder of a home, or of each of its projects. Implements `Queue`."""

    pattern: str
    """Their folder; `*` is a project's."""
    agent: str
    """The agent's name for people."""
    origin: str

    @property
    def top(self) -> str:
        """The fixed folder above them."""
        return self.pattern.split("*")[0].rstrip("/")

    @property
    def folders(self) -> tuple[str, ...]:
        """Their folder, as a pattern."""
        return (self.pattern,)

    def holds(self, source: str) -> bool:
        """Whether this path is that of a staged skill."""
        return matches_any((f"{self.pattern}/**/{SKILL_FILE}",), source)

    def is_folder(self, folder: str) -> bool:
        """Whether a staged skill may lie in this folder."""
        return self.holds(f"{folder}/{SKILL_FILE}")

    def see(self, home: Path, kernel: Kernel, now: int) -> Iterator[Sighting]:
        """Each staged skill, without opening any."""
        return see_records(home, self._places(home), kernel, now)

    def scan(
        self, home: Path, kernel: Kernel, only: Collection[str] | None
    ) -> Iterator[PendingFile]:
        """Each staged skill, or only these."""
        return scan_records(home, self._places(home), _LARGEST, kernel, only)

    def _places(self, home: Path) -> Iterator[tuple[str, str]]:
        for place in glob(home, self.pattern):
            top = place.relative_to(home).as_posix()
            places = search_all_skills(place).places
            for each in places:
                if not each.linked:
                    yield f"{top}/{each.directory}", SKILL_FILE

    def parse(
        self, home: str, root: Path, file: PendingFile, now: datetime
    ) -> Proposal | Quarantined:
        """A staged skill as a proposal. Never raises for what it contains."""
        folder = posixpath.dirname(file.source)
        try:
            text = text_of(file)
            if list_files(root / folder)[0] != (SKILL_FILE,):
                message = f"it has further files: accept or discard it in {self.agent}"
                raise Malformed("further-files", message)
        except Malformed as malformed:
            return quarantine(home, file, Kind.SKILLS, malformed, now)
        sha, name = hashlib.sha256(text.encode()).hexdigest(), posixpath.basename(folder)
        return Proposal(
            id=proposal_id(home, file.source, sha),
            home=home,
            kind=Kind.SKILLS,
            action="create",
            target=name,
            edits=(SkillCreate(name, text),),
            payload_sha=sha,
            origin=self.origin,
            source=file.source,
            ingested_at=now,
        )

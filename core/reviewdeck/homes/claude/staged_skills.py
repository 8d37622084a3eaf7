"""Skills that Qwen Code staged for its own confirmation: `.qwen/pending-skills/**/SKILL.md`.

Each is a proposal. Qwen Code's dialog accepts one by renaming its folder: then its record is gone.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from reviewdeck.files.reads import open_beneath
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.pending import read_record, see_record
from reviewdeck.homes.record import proposal_id, quarantine, unread_error
from reviewdeck.homes.skill_tree import list_files, search_all_skills
from reviewdeck.homes.strict_json import Malformed
from reviewdeck.model import SKILL_FILE, Kind, Proposal, Quarantined, SkillCreate
from reviewdeck.model.ledger import Sighting
from reviewdeck.ports import PendingFile

FOLDER: Final = ".qwen/pending-skills"
_LARGEST: Final = 1024 * 1024


class RecordFolders(Collection[str]):
    """The folders with records of a home: the gate's, and each of a staged skill."""

    def __init__(self, layout: str, own: Collection[str]) -> None:
        self._own, self._has_queue = own, layout in LAYOUTS

    def __contains__(self, folder: object) -> bool:
        path = f"{folder}/{SKILL_FILE}"
        is_queued = self._has_queue and is_queued_at(path) and not is_queued_at(f"{folder}")
        return is_queued or folder in self._own

    def __iter__(self) -> Iterator[str]:
        return iter(self._own)

    def __len__(self) -> int:
        return len(self._own)


LAYOUTS: Final = ("qwen-project", "both")
"""The layouts of a folder with such a queue."""


def is_queued_at(source: str) -> bool:
    """Whether a record is a staged skill."""
    return source.startswith(f"{FOLDER}/") and posixpath.basename(source) == SKILL_FILE


def see(home: Path, kernel: Kernel, now: int) -> Iterator[Sighting]:
    """Each staged skill, without opening any."""
    for folder in _folders(home):
        sighting = see_record(home, folder, SKILL_FILE, kernel, now)
        if sighting is not None:
            yield sighting


def scan(home: Path, kernel: Kernel, only: Collection[str] | None) -> Iterator[PendingFile]:
    """Each staged skill, or only these."""
    for folder in _folders(home):
        if only is not None and f"{folder}/{SKILL_FILE}" not in only:
            continue
        try:
            with open_beneath(home, folder, kernel) as directory:
                file = read_record(directory, folder, SKILL_FILE, _LARGEST)
        except OSError:
            continue
        if file is not None:
            yield file


def _folders(home: Path) -> list[str]:
    tree = search_all_skills(home / FOLDER)
    return [f"{FOLDER}/{place.directory}" for place in tree.places if not place.linked]


def parse(home: str, root: Path, file: PendingFile, now: datetime) -> Proposal | Quarantined:
    """A staged skill as a proposal. Never raises for what it contains."""
    if file.data is None:
        return quarantine(home, file, Kind.SKILLS, unread_error(file), now)
    folder = posixpath.dirname(file.source)
    files, _ = list_files(root / folder)
    try:
        if [*files] != [SKILL_FILE]:
            message = "it has further files: accept or discard it in Qwen Code"
            raise Malformed("further-files", message)
        try:
            text = file.data.decode("utf-8")
        except UnicodeDecodeError:
            raise Malformed("not-utf-8", "it is not UTF-8 text") from None
    except Malformed as malformed:
        return quarantine(home, file, Kind.SKILLS, malformed, now)
    sha, name = hashlib.sha256(file.data).hexdigest(), posixpath.basename(folder)
    return Proposal(
        id=proposal_id(home, file.source, sha),
        home=home,
        kind=Kind.SKILLS,
        action="create",
        target=name,
        edits=(SkillCreate(name, text),),
        payload_sha=sha,
        origin="auto-skill",
        source=file.source,
        ingested_at=now,
    )

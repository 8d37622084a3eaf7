"""OpenClaw's Workshop as a queue: its proposals of skills, in the folder of state around a home.

OpenClaw keeps the state of a proposal in its database, and the draft in a file that it never writes
again: a revision is another file. Without its draft, OpenClaw neither applies nor revises a
proposal, and `openclaw doctor --fix` marks it stale. So a decided proposal loses its draft, and
nothing is written to the database.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from reviewdeck.agents.hermes.kit import members, objects, path_text, text_at
from reviewdeck.clock import moment_from
from reviewdeck.files.reads import read_quietly
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.gated.records import StagedWrite, proposal_of
from reviewdeck.homes.openclaw.layout import SKILLS, WORKSHOP, OpenClawLayout
from reviewdeck.homes.pending import scan_records, see_records
from reviewdeck.homes.record import quarantine, text_of
from reviewdeck.homes.strict_json import Malformed
from reviewdeck.model import (
    ABSENT,
    SKILL_FILE,
    Base,
    BaseSource,
    Kind,
    Proposal,
    Quarantined,
    Revision,
    revision_of,
)
from reviewdeck.model.ledger import Sighting
from reviewdeck.ports import PendingFile

FOLDER: Final = "skill-workshop/proposals"
BACKGROUND: Final = "self-learning"
"""The origin of a proposal that OpenClaw's own review of a session made."""
_DRAFT: Final = "PROPOSAL.md"
_SOURCE: Final = re.compile(
    rf"{FOLDER}/[a-z0-9][a-z0-9-]{{5,120}}/(?:generations/[0-9a-f-]{{36}}/)?{_DRAFT}"
)
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]*")
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_LARGEST: Final = 1024 * 1024
_FILES: Final = 64
_FRONT_MATTER: Final = re.compile(r"---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)
_OWN_KEYS: Final = re.compile(r"(?:status|version|date):", re.IGNORECASE)
"""Lines of front matter that a draft has and its skill has not."""


@dataclass(frozen=True, slots=True)
class WorkshopProposal:
    """A proposal of the Workshop, as OpenClaw records it."""

    source: str
    """Its draft, relative to the folder of state."""
    skill: str
    """The name of the skill's folder."""
    sha: str
    """The SHA-256 of the draft."""
    base: str | None
    """The SHA-256 of the SKILL.md that its author saw; None without one."""
    files: tuple[Mapping[str, Any], ...]
    """Its further files, as OpenClaw records them."""
    session_key: str
    description: str
    updated: datetime | None
    is_automatic: bool
    """Whether a background review made it."""


def draft_of(record: Mapping[str, Any], skills: Path) -> WorkshopProposal | None:
    """The draft of a record; None where it is not one for a skill in this folder."""
    source = f"{FOLDER}/{text_at(record, 'id')}/{text_at(record, 'draftFile')}"
    target = members(record.get("target"))
    place = Path(path_text(target.get("skillDir")) or "/")
    if not _SOURCE.fullmatch(source) or not _NAME.fullmatch(place.name):
        return None
    if os.path.realpath(place.parent) != os.path.realpath(skills):
        return None
    is_update = record.get("kind") == "update"
    base = text_at(target, "currentContentHash")
    return WorkshopProposal(
        source,
        place.name,
        text_at(record, "draftHash"),
        base if is_update and _HASH.fullmatch(base) else None,
        tuple(objects(record.get("supportFiles"))),
        text_at(members(record.get("origin")), "sessionKey"),
        text_at(record, "description"),
        moment_from(record.get("updatedAt")),
        record.get("autonomousCapture") is True,
    )


class Workshop:
    """The proposals for the skills of one agent. Implements `Queue`."""

    top, folders = FOLDER, ()

    def __init__(self, state: Path) -> None:
        self._state = state
        # By draft, what the last scan found and nobody parsed yet: parsed one by one, each draft
        # would cost all of OpenClaw's records.
        self._scanned: dict[str, WorkshopProposal] = {}

    def holds(self, source: str) -> bool:
        """Whether this path is that of a draft, or of the folder of all."""
        return is_draft(source)

    def is_folder(self, folder: str) -> bool:
        """Whether a draft may lie in this folder."""
        return self.holds(f"{folder}/{_DRAFT}")

    def drafts(self, home: Path, status: str = "pending") -> list[WorkshopProposal]:
        """The proposals in a state. Raises DatabaseUnreadable."""
        if not (self._state / FOLDER).is_dir():
            return []
        # Imported late: most agents have no proposals, and SQLite takes long to load.
        from reviewdeck.homes.openclaw.database import workshop_records

        skills = home / SKILLS
        found = (draft_of(record, skills) for record in workshop_records(self._state, status))
        return [draft for draft in found if draft is not None]

    def see(self, home: Path, kernel: Kernel, now: int) -> Iterator[Sighting]:
        """Each waiting proposal, without opening its draft."""
        try:
            drafts = self.drafts(home)
        except (ValueError, OSError):
            yield Sighting(FOLDER, "")
            return
        yield from see_records(self._state, map(_place_of, drafts), kernel, now)

    def scan(
        self, home: Path, kernel: Kernel, only: Collection[str] | None
    ) -> Iterator[PendingFile]:
        """Each waiting proposal, or only these."""
        try:
            drafts = self.drafts(home)
        except (ValueError, OSError) as error:
            yield PendingFile(FOLDER, None, f"unreadable: {error}")
            return
        drafts = [draft for draft in drafts if only is None or draft.source in only]
        self._scanned = {draft.source: draft for draft in drafts}
        places = map(_place_of, drafts)
        yield from scan_records(self._state, places, _LARGEST, kernel, only)

    def parse(
        self, home: str, root: Path, file: PendingFile, now: datetime
    ) -> Proposal | Quarantined:
        """A draft as a proposal. Never raises for what it contains."""
        try:
            text = text_of(file)
            draft = self._scanned.pop(file.source, None) or self._waiting(root, file.source)
            if draft is None:
                raise Malformed("bad-draft", "OpenClaw's list does not have it any more")
            if hashlib.sha256(text.encode()).hexdigest() != draft.sha:
                raise Malformed("bad-draft", "it is not the draft that OpenClaw recorded")
            writes = self._writes(root, draft, text)
            session = self.session(draft)
            proposal = proposal_of(home, OpenClawLayout(WORKSHOP), file, writes, session, now)
        except Malformed as error:
            return quarantine(home, file, Kind.SKILLS, error, now)
        except (ValueError, OSError) as error:
            malformed = Malformed("unreadable", f"OpenClaw's record of it cannot be read: {error}")
            return quarantine(home, file, Kind.SKILLS, malformed, now)
        is_possible = draft.updated is not None and draft.updated <= now
        return replace(
            proposal,
            origin=BACKGROUND if draft.is_automatic else "skill-workshop",
            summary=draft.description,
            created_at=draft.updated if is_possible else None,
            ingested_at=now,
        )

    def _waiting(self, home: Path, source: str) -> WorkshopProposal | None:
        return next((draft for draft in self.drafts(home) if draft.source == source), None)

    def _writes(self, home: Path, draft: WorkshopProposal, text: str) -> Sequence[StagedWrite]:
        if len(draft.files) > _FILES:
            raise Malformed("too-large", f"it has more than {_FILES} files")
        top = f"{SKILLS}/{draft.skill}"
        path = f"{top}/{SKILL_FILE}"
        writes = [StagedWrite(path, _base(home, path, draft.base), skill_text(text))]
        for file in draft.files:
            name, sha = text_at(file, "path"), text_at(file, "hash")
            place = f"{posixpath.dirname(draft.source)}/{name}"
            document = read_quietly(self._state, place, kernel=Kernel())
            if document.problem is not None or document.revision != sha:
                raise Malformed("bad-draft", f"its file {name!r} is not the one that was recorded")
            existed = text_at(file, "targetContentHash")
            base = _base(home, f"{top}/{name}", existed if _HASH.fullmatch(existed) else None)
            writes.append(StagedWrite(f"{top}/{name}", base, document.text))
        return writes

    def applied(self, home: Path, path: str, revision: Revision) -> WorkshopProposal | None:
        """The proposal that OpenClaw applied, where that left this text in a SKILL.md."""
        for draft in self.drafts(home, "applied"):
            if f"{SKILLS}/{draft.skill}/{SKILL_FILE}" == path:
                text = read_quietly(self._state, draft.source, kernel=Kernel()).text
                if revision_of(skill_text(text).encode()) == revision:
                    return draft
        return None

    def session(self, draft: WorkshopProposal) -> str:
        """The session that OpenClaw names for a proposal; empty without one.

        Raises DatabaseUnreadable.
        """
        from reviewdeck.homes.openclaw.database import session_at  # as above

        at = (draft.updated or datetime.max.replace(tzinfo=UTC)).timestamp()
        return session_at(self._state, draft.session_key, at) if draft.session_key else ""

    def count(self, home: Path) -> tuple[int, int]:
        """How many proposals wait, and of how many only the draft is gone. Never raises."""
        try:
            drafts = self.drafts(home)
        except (ValueError, OSError):
            return 0, 0
        waiting = sum(os.path.lexists(self._state / draft.source) for draft in drafts)
        return waiting, len(drafts) - waiting


def _place_of(draft: WorkshopProposal) -> tuple[str, str]:
    folder, _, name = draft.source.rpartition("/")
    return folder, name


def _base(home: Path, path: str, sha: str | None) -> Base:
    """What its author saw of a document: the live text, where that has this hash."""
    if sha is None:
        return Base(ABSENT, None, BaseSource.GIVEN)
    live = read_quietly(home, path, kernel=Kernel())
    data = live.data if live.problem is None else None
    is_live = data is not None and revision_of(data) == sha
    kept = data if is_live else None
    return Base(Revision(sha), kept, BaseSource.GIVEN, has_text=is_live)


def is_draft(source: str) -> bool:
    """Whether this path is that of a draft, or of the folder of all."""
    return source == FOLDER or _SOURCE.fullmatch(source) is not None


def id_in(source: str) -> str:
    """OpenClaw's id of the proposal with this draft."""
    return "".join(source.split("/")[2:3])


def skill_text(draft: str) -> str:
    """The SKILL.md that OpenClaw makes of a draft."""
    text = draft.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if front := _FRONT_MATTER.match(text):
        lines = (front[1] or "").removesuffix("\n").split("\n")
        kept = "\n".join(line for line in lines if not _OWN_KEYS.match(line)).strip()
        body = text[front.end() :].lstrip("\n")
        text = f"---\n{kept}\n---\n\n{body}" if kept else body
    return text if text.endswith("\n") else f"{text}\n"


def unreviewed_skills(homes: Collection[Path], state: Path) -> int:
    """How many live skills of the Workshop lie in none of these agents' folders. Never raises."""
    try:
        skills = [*state.glob(f"agents/*/agent/{SKILLS}/*/{SKILL_FILE}")]
    except OSError:
        return 0
    return sum(skill.parents[2].resolve() not in homes for skill in skills)

"""The gate's records as proposals: `.reviewdeck/AGENT/pending/*.json`.

A record has all writes of one prompt of one agent: the text before and after for each document.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from reviewdeck.agents.gated.roots import Root
from reviewdeck.agents.gated.stage import FORMAT, WRITES
from reviewdeck.clock import moment_from
from reviewdeck.homes.claude.facts import is_same_fact, stamp_fact
from reviewdeck.homes.gated.layout import GatedLayout, is_stamped
from reviewdeck.homes.record import data_of, proposal_id, quarantine, read_base
from reviewdeck.homes.strict_json import Malformed, load_object, text_at
from reviewdeck.model import (
    ABSENT,
    SKILL_FILE,
    Base,
    BaseSource,
    Change,
    Edit,
    Kind,
    Loading,
    Proposal,
    Quarantined,
    SkillCreate,
    SkillEdit,
    SkillWriteFile,
)
from reviewdeck.planning.outside import write_of
from reviewdeck.ports import PendingFile

LARGEST: Final = 32 * 1024 * 1024
"""The most bytes of a record."""
CLOCK_SKEW: Final = timedelta(minutes=5)
"""How far in the future a record's `at` may lie."""
_NAMES: Final = ("session", "prompt", "agent", "agent_type", "cwd", "transcript")
_KEYS: Final = frozenset({"format", "at", "writes", *_NAMES})
_OF_SKILLS: Final = (SkillCreate, SkillEdit, SkillWriteFile)
_WRITE_KEYS: Final = frozenset({"call", "tool", "document", "base", "text"})


@dataclass(frozen=True, slots=True)
class StagedWrite:
    """One staged write of a document."""

    document: str
    base: Base
    text: str
    call: str = ""
    tool: str = ""

    @property
    def before(self) -> str | None:
        """The text before; None without a file."""
        return None if self.base.data is None else self.base.data.decode()


def parse_record(
    home: str, root: Path, layout: GatedLayout, file: PendingFile, now: datetime
) -> Proposal | Quarantined:
    """Reads one record of a home, strictly. Never raises for what it contains."""
    try:
        linked = Root(layout.layout, str(root)).linked
        return _Record(layout, linked).proposal(home, file, data_of(file), now)
    except Malformed as malformed:
        return quarantine(home, file, Kind.DOCUMENTS, malformed, now)


@dataclass(frozen=True, slots=True)
class _Record:
    """A record of a home with this layout, and with these files that instructions link to."""

    layout: GatedLayout
    linked: Collection[str]

    def proposal(self, home: str, file: PendingFile, data: bytes, now: datetime) -> Proposal:
        record = load_object(data)
        if record.get("format") != FORMAT:
            raise Malformed("foreign", "it is no record of the gate, or one of another version")
        names = {key: text_at(record, key) for key in _NAMES}
        made_at = moment_from(record.get("at"))
        is_possible = made_at is not None and made_at <= now + CLOCK_SKEW
        writes = tuple(self._writes(record))
        unknown = sorted(set(record) - _KEYS)
        return replace(
            proposal_of(home, self.layout, file, writes, names["session"], made_at or now),
            origin=names["agent_type"] or self.layout.kind,
            created_at=made_at if is_possible else None,
            ingested_at=now,
            turn=names["prompt"] or None,
            unknown_keys=tuple(unknown if is_possible else [*unknown, "at"]),
        )

    def _writes(self, record: Mapping[str, Any]) -> Iterator[StagedWrite]:
        raw = record.get("writes")
        if not isinstance(raw, list) or not raw:
            raise Malformed("wrong-type", "it names no write")
        if len(raw) > WRITES:
            raise Malformed("too-large", f"it has {len(raw)} writes; {WRITES} is the limit")
        documents: set[str] = set()
        for entry in raw:
            write = self._write(entry)
            if write.document in documents:
                raise Malformed("twice", f"it writes {write.document!r} twice")
            documents.add(write.document)
            yield write

    def _write(self, raw: object) -> StagedWrite:
        if not isinstance(raw, dict) or not _WRITE_KEYS.issuperset(raw):
            raise Malformed("wrong-type", "one of its writes is none")
        document, text = raw.get("document"), raw.get("text")
        if not (
            isinstance(document, str) and (self.layout.governs(document) or document in self.linked)
        ):
            raise Malformed("no-document", f"{document!r} is no document of this home")
        if not isinstance(text, str):
            raise Malformed("wrong-type", f"it has no text for {document!r}")
        base = read_base(raw.get("base"), BaseSource.GIVEN)
        if base is None or not base.has_text:
            raise Malformed("bad-base", f"its content for {document!r} is not possible")
        return StagedWrite(document, base, text, text_at(raw, "call"), text_at(raw, "tool"))


def proposal_of(
    home: str,
    layout: GatedLayout,
    file: PendingFile,
    writes: Sequence[StagedWrite],
    session: str,
    at: datetime,
) -> Proposal:
    """The proposal of a record with these writes, made at this time. Raises Malformed."""
    edits = tuple(_edit(layout, write, session, at) for write in writes)
    is_skill = any(isinstance(edit, _OF_SKILLS) for edit in edits)
    sha = hashlib.sha256(file.data or b"").hexdigest()
    return Proposal(
        id=proposal_id(home, file.source, sha),
        home=home,
        kind=Kind.SKILLS if is_skill else Kind.DOCUMENTS,
        action="write",
        target=_target(layout, writes),
        edits=edits,
        payload_sha=sha,
        source=file.source,
        bases={write.document: write.base for write in writes},
        session=session or None,
        tool_call=writes[-1].call or None,
    )


def _is_skill_file(layout: GatedLayout, document: str) -> bool:
    return layout.loading(document) is Loading.EXECUTES


def _edit(layout: GatedLayout, write: StagedWrite, session: str, at: datetime) -> Edit:
    if _is_skill_file(layout, write.document):
        name, file = _skill_of(layout, write.document)
        if not file:
            raise Malformed("no-document", f"{write.document!r} is in no skill")
        if file != SKILL_FILE:
            return SkillWriteFile(name, file, write.text)
        if write.base.revision == ABSENT:
            return SkillCreate(name, write.text)
        return SkillEdit(name, write.text)
    text, before = write.text, write.before
    if is_stamped(layout.layout, write.document):
        is_same = before is not None and is_same_fact(before, text)
        text = before if is_same and before is not None else stamp_fact(text, before, session, at)
    data = None if before is None else before.encode()
    return write_of(Change(write.document, data, text.encode()))


def _skill_of(layout: GatedLayout, document: str) -> tuple[str, str]:
    """The skill and the file in it: a skill is a direct child of the folder of skills."""
    root = next(folder for folder in layout.skill_roots if document.startswith(f"{folder}/"))
    name, _, file = document.removeprefix(f"{root}/").partition("/")
    return name, file


def _target(layout: GatedLayout, writes: Sequence[StagedWrite]) -> str:
    """The proposal's target: a skill; else a fact, rather than the index that lists it."""
    skills = [write.document for write in writes if _is_skill_file(layout, write.document)]
    if skills:
        return _skill_of(layout, skills[0])[0]
    paths = [write.document for write in writes]
    facts = [path for path in paths if layout.index_of(path) not in (None, path)]
    return posixpath.basename((facts or paths)[0]).removesuffix(".md").lower()

"""Hermes' pending records as proposals.

The `reviewdeck` key of a record is optional: wrong parts of it are ignored and named.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any

from reviewdeck.agents.hermes.kit import members, objects
from reviewdeck.files.reads import names_in, open_beneath
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.hermes.layout import SKILLS
from reviewdeck.homes.hermes.payloads import read_payload
from reviewdeck.homes.hermes.stamps import PENDING
from reviewdeck.homes.pending import printable_name
from reviewdeck.homes.record import data_of, proposal_id, quarantine, read_base
from reviewdeck.homes.strict_json import Malformed, load_object, text_at
from reviewdeck.model import (
    SKILL_FILE,
    Base,
    BaseSource,
    DocumentWrite,
    Edit,
    Kind,
    MemoryAdd,
    MemoryPatch,
    MemoryRemove,
    MemoryReplace,
    Proposal,
    Quarantined,
    Restore,
    SkillCreate,
    SkillDelete,
    SkillEdit,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
)
from reviewdeck.ports import PendingFile
from reviewdeck.values import dataclass

_CLAIM = re.compile(
    r"\.?([0-9a-f]{8,32})(?:\.json)?\.(?:applying|claimed|claim)(?:[^0-9A-Za-z].*)?"
)
"""The name of a claim: programs that decide on a record rename it, or put a file beside it
(`<id>.json.applying.4711`, `.<id>.applying`, `<id>.claim`)."""


def claims(home: Path, *, kernel: Kernel) -> dict[str, str]:
    """The records that another program is deciding on, each with its claim file."""
    claimed: dict[str, str] = {}
    for folder in PENDING:
        try:
            with open_beneath(home, folder, kernel) as place:
                names = names_in(place)
        except OSError:
            continue
        for name in names:
            if (match := _CLAIM.fullmatch(name)) is not None:
                claimed[f"{folder}/{match[1]}.json"] = f"{folder}/{printable_name(name)}"
    return claimed


KEY = "reviewdeck"

_TEXTS = ("session", "turn", "tool_call", "model")


@dataclass(frozen=True, slots=True)
class ClaimedProvenance:
    """The usable parts of the `reviewdeck` key."""

    bases: Mapping[str, Base] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    """Of session, turn, tool_call and model, those that are present."""
    ignored: tuple[str, ...] = ()
    """The names of the ignored parts."""


def read_provenance(value: object, edits: tuple[Edit, ...]) -> ClaimedProvenance:
    """Reads the key's value for a proposal of these edits. Never raises."""
    if not isinstance(value, dict) or value.get("v") != 1 or value["v"] is True:
        return ClaimedProvenance(ignored=(KEY,))
    texts = {key: value[key] for key in _TEXTS if isinstance(value.get(key), str)}
    raw_bases = value.get("bases", {})
    bases = read_bases(raw_bases, edits, BaseSource.GIVEN) if isinstance(raw_bases, dict) else {}
    ignored = {key for key in value if key not in texts and key not in {"v", "bases"}}
    if not isinstance(raw_bases, dict) or len(bases) != len(raw_bases):
        ignored.add("bases")
    return ClaimedProvenance(bases, texts, tuple(f"{KEY}.{key}" for key in sorted(ignored)))


def read_bases(
    raw_bases: Mapping[str, Any], edits: tuple[Edit, ...], source: BaseSource
) -> dict[str, Base]:
    """The well-formed bases of documents that the edits may touch."""
    bases: dict[str, Base] = {}
    for path, value in raw_bases.items():
        if (base := read_base(value, source)) is not None and any(
            may_touch(edit, path) for edit in edits
        ):
            bases[path] = base
    return bases


def may_touch(edit: Edit, path: str) -> bool:
    """Whether this edit could change the document at this path, wherever its skill lives."""
    match edit:
        case (
            MemoryAdd()
            | MemoryReplace()
            | MemoryPatch()
            | MemoryRemove()
            | DocumentWrite()
            | Restore()
        ):
            return path == edit.document
        case SkillCreate() | SkillEdit():
            return _is_file_of(path, edit.name, SKILL_FILE)
        case SkillPatch() | SkillWriteFile() | SkillRemoveFile():
            return _is_file_of(path, edit.name, edit.file)
        case SkillDelete():
            return _is_file_of(path, edit.name, None)


def _is_file_of(path: str, skill: str, file: str | None) -> bool:
    """Whether a path is this file of a skill below the local root; None for any file."""
    parts = path.split("/")
    if parts[0] != SKILLS or skill not in parts[1:-1] or not {"", ".", ".."}.isdisjoint(parts):
        return False
    return file is None or path.endswith(f"/{skill}/{file}")


CLOCK_SKEW = timedelta(minutes=5)
"""How far in the future a record's `created_at` may lie."""

_ID = re.compile(r"[0-9a-f]{8,32}")
_KNOWN_KEYS = frozenset(
    {"id", "subsystem", "action", "summary", "origin", "created_at", "payload", KEY}
)
_PROVIDER_TEXTS = ("content", "text", "memory", "fact", "value")
_TOOL_KEYS = frozenset({"tool", "tool_name"})
_PROVIDER_NAME = 60
"""Characters of a provider's name that are repeated."""
_PROVIDER_SHOWN = 300
"""Characters of what a memory provider's record says that its reason repeats."""
_SHAPE = ("id", "subsystem", "payload")


def parse_record(
    home: str,
    file: PendingFile,
    now: datetime,
    *,
    is_repaired: bool = False,
    needs_target: bool = False,
) -> Proposal | Quarantined:
    """Reads one pending file, strictly. Never raises for what the file contains.

    The folder gives the kind of a record; a repaired one may lie elsewhere and names it itself.
    With `needs_target`, a record that does not name its memory is refused, as Hermes 0.22 does.
    """
    kind = Kind.SKILLS if file.source.split("/")[1:2] == [str(Kind.SKILLS)] else Kind.MEMORY
    try:
        proposal = _proposal(home, file, data_of(file), None if is_repaired else kind, now)
        if needs_target:
            _check_target(load_object(data_of(file)), proposal.kind)
    except Malformed as malformed:
        return quarantine(home, file, kind, malformed, now)
    return proposal


def _check_target(record: Mapping[str, Any], kind: Kind) -> None:
    if kind is Kind.MEMORY and record["payload"].get("target") is None:
        raise Malformed("no-target", "it names neither memory nor user, which this Hermes refuses")


def _proposal(
    home: str, file: PendingFile, data: bytes, folder_kind: Kind | None, now: datetime
) -> Proposal:
    record = load_object(data)
    _check_shape(record)
    kind = _kind_in(record) if folder_kind is None else folder_kind
    if folder_kind is not None:
        _check_place(record, file.source, folder_kind)
    request = read_payload(kind, record["payload"])
    if record.get("action", request.action) != request.action:
        raise Malformed("wrong-action", "it names one action and its payload another")
    created_at, late = _creation_time(record, now)
    provenance = ClaimedProvenance()
    if KEY in record:
        provenance = read_provenance(record[KEY], request.edits)
    unknown = sorted(set(record) - _KNOWN_KEYS)
    sha = hashlib.sha256(data).hexdigest()
    return Proposal(
        id=proposal_id(home, file.source, sha),
        home=home,
        kind=kind,
        action=request.action,
        target=request.target,
        edits=request.edits,
        payload_sha=sha,
        origin=text_at(record, "origin") or "unknown",
        source=file.source,
        source_id=record["id"],
        summary=text_at(record, "summary"),
        created_at=created_at,
        ingested_at=now,
        bases=provenance.bases,
        session=provenance.texts.get("session"),
        turn=provenance.texts.get("turn"),
        tool_call=provenance.texts.get("tool_call"),
        model=provenance.texts.get("model"),
        unknown_keys=(*unknown, *request.unknown_keys, *provenance.ignored, *late),
    )


def _check_shape(record: dict[str, Any]) -> None:
    """Raises Malformed when this is not one of Hermes' own records."""
    if words := _provider_words(record):
        raise Malformed("provider", words)
    if any(key not in record for key in _SHAPE):
        raise Malformed("foreign", "it has another shape than Hermes' own records")
    id, payload = record["id"], record["payload"]
    if not isinstance(payload, dict):
        raise Malformed("wrong-type", "its payload is not an object")
    if not isinstance(id, str) or not _ID.fullmatch(id):
        raise Malformed("bad-id", "its id is not 8 to 32 hexadecimal digits")
    if not isinstance(record.get("action", ""), str):
        raise Malformed("wrong-type", "its action is not a string")


def _provider_words(record: Mapping[str, Any]) -> str:
    """What a record of a memory provider says and whose it is; empty for Hermes' own.

    Providers stage records of their own beside those of Hermes and apply them themselves: one that
    is shaped like an addition is none.
    """
    if not (owner := provider_of(record)):
        return ""
    fields = members(record.get("payload"))
    texts = [value for key in _PROVIDER_TEXTS if isinstance(value := fields.get(key), str)]
    text = " ".join((texts or [text_at(record, "summary")])[0].split())
    said = f": {text[:_PROVIDER_SHOWN]}" if text else ""
    return f"it belongs to the memory provider {owner}, and only that applies it{said}"


def provider_of(record: Mapping[str, Any]) -> str:
    """The memory provider that staged a record, with its tool; empty for Hermes' own.

    Hermes has no such keys, in its records or in the operations of a batch. One that says nothing
    readable is as foreign as one with a name.
    """
    operations = objects(members(record.get("payload")).get("operations"))
    named = [
        (key.lower(), value)
        for part in (record, *operations)
        for key, value in part.items()
        if value is not None
    ]
    providers = [value for key, value in named if "provider" in key]
    tools = [value for key, value in named if key in _TOOL_KEYS]
    if not providers and not tools:
        return ""
    provider = _name(providers) or "without a name"
    return f"{provider} (tool {tool})" if (tool := _name(tools)) else provider


def _name(values: Sequence[object]) -> str:
    """The first of these that is a name."""
    names = (value.strip()[:_PROVIDER_NAME] for value in values if isinstance(value, str))
    return next(filter(None, names), "")


def hermes_failure(record: Mapping[str, Any]) -> str | None:
    """Why Hermes' own `/memory` ends with an error as long as this record waits, or None.

    Seen with 0.22.2: `pending` and each `approve` compare the times of all records.
    """
    if missing := [key for key in ("id", "payload") if key not in record]:
        return f"it has no {missing[0]}"
    created_at = record.get("created_at", 0.0)
    is_time = isinstance(created_at, int | float)
    return None if is_time else "its created_at is no number"


def _check_place(record: dict[str, Any], source: str, kind: Kind) -> None:
    """Raises Malformed when the record lies in the wrong file or folder."""
    if record["id"] != PurePosixPath(source).stem:
        raise Malformed("wrong-id", "its id is not the name of its file")
    if record["subsystem"] != kind:
        raise Malformed("wrong-subsystem", "it lies in the folder of another subsystem")


def _kind_in(record: dict[str, Any]) -> Kind:
    try:
        return Kind(record["subsystem"])
    except ValueError:
        raise Malformed("wrong-subsystem", "its subsystem is neither memory nor skills") from None


def _creation_time(
    record: dict[str, Any], now: datetime
) -> tuple[datetime | None, tuple[str, ...]]:
    """The record's `created_at`, and its key as ignored when the time is impossible."""
    value = record.get("created_at")
    if value is None:
        return None, ()
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Malformed("wrong-type", "its created_at is not a number")
    if not 0 <= value <= (now + CLOCK_SKEW).timestamp():
        return None, ("created_at",)
    return datetime.fromtimestamp(value, UTC), ()

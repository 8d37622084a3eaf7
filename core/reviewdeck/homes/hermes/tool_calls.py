"""Calls of Hermes' memory and skill tools as the edits of proposals.

The background reviewer and the MCP server take such calls from a model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from reviewdeck.engine.bases import touched_paths
from reviewdeck.homes.hermes.payloads import PayloadRequest, request_of
from reviewdeck.model import (
    Base,
    BaseSource,
    Document,
    Edit,
    EntryEdit,
    Kind,
    MemoryEdit,
    MemoryPatch,
    Proposal,
)
from reviewdeck.ports import Snapshot
from reviewdeck.text.entries import parse
from reviewdeck.text.lines import text_in


def base_of(document: Document) -> Base:
    """A document as the base of an edit."""
    has_text = document.problem is None
    return Base(document.revision, document.data, BaseSource.GIVEN, has_text=has_text)


def memory_request(arguments: Mapping[str, Any]) -> PayloadRequest | str:
    """The edits of a call of `memory`, or the sentence that says what is wrong with it.

    As Hermes would stage them: a list of operations wins over single fields.
    """
    target = arguments.get("target")
    if operations := arguments.get("operations"):
        return request_of(
            Kind.MEMORY, {"action": "batch", "target": target, "operations": operations}
        )
    fields = {key: value for key, value in arguments.items() if key != "operations"}
    return request_of(Kind.MEMORY, fields | {"target": target})


def skill_request(arguments: Mapping[str, Any]) -> PayloadRequest | str:
    """The edits of a call of `skill_manage`, or the sentence that says what is wrong with it."""
    payload = {key: value for key, value in arguments.items() if value is not None}
    if operations := arguments.get("operations"):
        payload = {"action": "batch", "operations": operations}
    return request_of(Kind.SKILLS, payload)


def memory_documents(request: PayloadRequest) -> set[str]:
    """The memory documents that a request edits."""
    return {edit.document for edit in request.edits if isinstance(edit, MemoryEdit)}


def pin_entries(request: PayloadRequest, bases: Mapping[str, Base]) -> PayloadRequest:
    """The request with the whole entry of each edit, where exactly one entry matches its base.

    Only that entry is replaced or removed then.
    """
    return replace(request, edits=tuple(_pin(edit, bases) for edit in request.edits))


def _pin(edit: Edit, bases: Mapping[str, Base]) -> Edit:
    if not isinstance(edit, EntryEdit):
        return edit
    # Hermes looks for a span as it is, and for an entry by its text without outer white space.
    snippet = edit.old_text if isinstance(edit, MemoryPatch) else edit.old_text.strip()
    entries = parse(text_in(bases[edit.document].data))
    matches = list(dict.fromkeys(entry for entry in entries if snippet and snippet in entry))
    if snippet in matches:
        matches = [snippet]
    return replace(edit, matched_entry=matches[0] if len(matches) == 1 else None)


def skill_bases(
    request: PayloadRequest, snapshot: Snapshot, viewed: Mapping[str, Base]
) -> dict[str, Base]:
    """The bases of a skill request: the viewed documents, and the absence of new ones."""
    probe = Proposal("", snapshot.home, Kind.SKILLS, "", "", request.edits, "")
    paths = touched_paths(probe, snapshot)
    documents = {path: snapshot.document(path) for path in paths}
    absent = {
        path: base_of(document) for path, document in documents.items() if not document.exists
    }
    return absent | {path: viewed[path] for path in paths if path in viewed}


def to_request_record(kind: Kind, request: PayloadRequest) -> dict[str, Any]:
    """The request of a call, as its record stores it."""
    return {
        "subsystem": kind.value,
        "action": request.action,
        "target": request.target,
        "edits": [{"edit": type(edit).__name__, **fields_of(edit)} for edit in request.edits],
    }


def fields_of(edit: Edit) -> dict[str, Any]:
    """The fields of an edit by name."""
    return {name: getattr(edit, name) for name in edit.__dataclass_fields__}


def id_of(home: str, request: Mapping[str, Any]) -> str:
    """The id of a proposal without a file: the same request to one home is the same proposal."""
    return hashlib.sha256(json.dumps([home, request]).encode()).hexdigest()[:12]


def revisions_of(bases: Mapping[str, Base]) -> dict[str, str]:
    """What the author of a call saw, by path."""
    return {path: base.revision for path, base in sorted(bases.items())}


def proposal_of(
    id: str,
    home: str,
    kind: Kind,
    request: PayloadRequest,
    bases: Mapping[str, Base],
    now: datetime,
    claim: Mapping[str, Any],
    **known: Any,
) -> tuple[Proposal, bytes]:
    """The proposal of a call, and its record with what its author claims besides."""
    seen = {"seen": revisions_of(bases), "created_at": now.isoformat()}
    record = to_request_record(kind, request) | seen | dict(claim)
    data = json.dumps(record, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace")
    proposal = Proposal(
        id=id,
        home=home,
        kind=kind,
        action=request.action,
        target=request.target,
        edits=request.edits,
        payload_sha=hashlib.sha256(data).hexdigest(),
        created_at=now,
        ingested_at=now,
        bases=bases,
        **known,
    )
    return proposal, data

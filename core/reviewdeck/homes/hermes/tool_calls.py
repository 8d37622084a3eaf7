"""Calls of Hermes' memory and skill tools, as the requests that proposals are made of.

They serve whoever takes such calls from a model: the background reviewer and the MCP server.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reviewdeck.engine.bases import touched_paths
from reviewdeck.homes.hermes.payloads import PayloadRequest, request_of
from reviewdeck.model import (
    Base,
    BaseSource,
    Document,
    Edit,
    Kind,
    MemoryAdd,
    MemoryRemove,
    MemoryReplace,
    Proposal,
)
from reviewdeck.ports import Snapshot
from reviewdeck.text.entries import parse


def base_of(document: Document) -> Base:
    """A document as it is shown, as the base of an edit."""
    has_text = document.problem is None
    return Base(document.revision, document.data, BaseSource.GIVEN, has_text=has_text)


def memory_request(arguments: Mapping[str, Any]) -> PayloadRequest | str:
    """The edits that a call of `memory` asks for; what is wrong with it as words.

    As Hermes would stage them: a list of operations wins over single fields.
    """
    target = arguments.get("target")
    if operations := arguments.get("operations"):
        return request_of(
            Kind.MEMORY, {"action": "batch", "target": target, "operations": operations}
        )
    known = {key: value for key, value in arguments.items() if key != "operations"}
    return request_of(Kind.MEMORY, known | {"target": target})


def skill_request(arguments: Mapping[str, Any]) -> PayloadRequest | str:
    """The same for a call of `skill_manage`."""
    payload = {key: value for key, value in arguments.items() if value is not None}
    if operations := arguments.get("operations"):
        payload = {"action": "batch", "operations": operations}
    return request_of(Kind.SKILLS, payload)


def memory_documents(request: PayloadRequest) -> set[str]:
    """The memories that a request is about."""
    memories = MemoryAdd | MemoryReplace | MemoryRemove
    return {edit.document for edit in request.edits if isinstance(edit, memories)}


def pinned(request: PayloadRequest, bases: Mapping[str, Base]) -> PayloadRequest:
    """The request with the whole entry that each edit means, where what was shown leaves no doubt.

    Only that entry is replaced or removed then.
    """
    return replace(request, edits=tuple(_pinned(edit, bases) for edit in request.edits))


def _pinned(edit: Edit, bases: Mapping[str, Base]) -> Edit:
    if not isinstance(edit, MemoryReplace | MemoryRemove):
        return edit
    wanted = edit.old_text.strip()
    entries = parse((bases[edit.document].data or b"").decode("utf-8", "replace"))
    matches = list(dict.fromkeys(entry for entry in entries if wanted and wanted in entry))
    if wanted in matches:
        matches = [wanted]
    return replace(edit, matched_entry=matches[0] if len(matches) == 1 else None)


def skill_bases(
    request: PayloadRequest, snapshot: Snapshot, viewed: Mapping[str, Base]
) -> dict[str, Base]:
    """What was looked at; and of what is to be made, that it is not there."""
    probe = Proposal("", snapshot.home, Kind.SKILLS, "", "", request.edits, "")
    paths = touched_paths(probe, snapshot)
    documents = {path: snapshot.document(path) for path in paths}
    absent = {path: base_of(one) for path, one in documents.items() if not one.exists}
    return absent | {path: viewed[path] for path in paths if path in viewed}


def as_asked(kind: Kind, request: PayloadRequest) -> dict[str, Any]:
    """What a call asks for, as its record keeps it."""
    return {
        "subsystem": kind.value,
        "action": request.action,
        "target": request.target,
        "edits": [{"edit": type(edit).__name__, **fields_of(edit)} for edit in request.edits],
    }


def fields_of(edit: Edit) -> dict[str, Any]:
    """The fields of an edit by name."""
    return {name: getattr(edit, name) for name in edit.__dataclass_fields__}


def id_of(home: str, asked: Mapping[str, Any]) -> str:
    """The id of a proposal that comes from no file: the same to one home is the same proposal."""
    return hashlib.sha256(json.dumps([home, asked]).encode()).hexdigest()[:12]

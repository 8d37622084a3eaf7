"""Stages writes for review: `.reviewdeck/AGENT/pending/<time>-<prompt>.json`.

The writes of one prompt to several documents are one record: a fact and its line in the index are
one proposal. A record never gets a second write of the same document.
"""

from __future__ import annotations

import json
import os
import time
import zlib

from reviewdeck.agents.hermes.kit import digest, members, names_in, objects, parsed, read_file

from . import spool
from .documents import is_loose
from .roots import LARGEST, NotStaged, Root
from .spool import SpoolLock, make_folder, read_json, utc, write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORMAT = "reviewdeck.claude.record/1"
MOST = 1_000
"""The most records that may wait; more are refused."""
WRITES = 200
"""The most writes of one record; further ones of the same prompt begin another."""
RECORD = 16 * 1024 * 1024
"""The most bytes of a record that gets another write."""


def stage(
    root: Root, event: dict[str, Any], document: str, before: bytes | None, text: str
) -> bool:
    """Stages one write; False when it is waiting already. Raises NotStaged, OSError.

    The gate may be started twice for one call: the second finds the record of the first.
    """
    _check(root, document, text)
    base = {
        "sha256": "absent" if before is None else digest(before),
        "text": None if before is None else before.decode(),
    }
    _check(root, document, base["text"] or "")
    write = {
        "call": event.get("tool_use_id"),
        "tool": event.get("tool_name"),
        "document": document,
        "base": base,
        "text": text,
    }
    about = {
        "session": event.get("session_id"),
        "prompt": event.get("prompt_id"),
        "agent": event.get("agent_id"),
        "agent_type": event.get("agent_type"),
        "cwd": event.get("cwd"),
        "transcript": event.get("transcript_path"),
    }
    folder = root.own("pending")
    with SpoolLock(root):
        make_folder(folder)
        names = [name for name in names_in(folder) if name.endswith(".json")]
        for name in names:
            if (staged := _find_same(f"{folder}/{name}", write)) is not None:
                return staged.get("call") == write["call"]
        key = _key(about)
        for name in reversed([name for name in names if key and name.endswith(f"-{key}.json")]):
            record = read_json(f"{folder}/{name}")
            has_room = os.path.getsize(f"{folder}/{name}") + len(json.dumps(write)) <= RECORD
            if has_room and _can_extend(record, about, document):
                record["writes"].append(write)
                write_json(f"{folder}/{name}", record)
                return True
        if len(names) >= MOST:
            raise NotStaged(f"{MOST:,} changes are waiting for review already")
        name = f"{time.time_ns():020d}-{key or os.urandom(4).hex()}.json"
        write_json(f"{folder}/{name}", {"format": FORMAT, "at": utc(), **about, "writes": [write]})
    return True


def _check(root: Root, document: str, text: str) -> None:
    """Raises NotStaged for a write that nobody could approve: its record would be unreadable."""
    if is_loose(root.layout, document):
        raise NotStaged("it lies beside the skills, and belongs to none")
    if "\0" in text:
        raise NotStaged("it contains a NUL character")
    if len(text.encode()) > LARGEST:
        raise NotStaged(f"it is larger than {LARGEST:,} bytes")


def _key(about: dict[str, Any]) -> str:
    """A key of the prompt and agent, which all their writes share; empty without a prompt."""
    if not about["prompt"]:
        return ""
    content = json.dumps([about["session"], about["prompt"], about["agent"]])
    return f"{zlib.crc32(content.encode()):08x}"


def _can_extend(record: Any, about: dict[str, Any], document: str) -> bool:
    """Whether a record is of this prompt, has no write of the document, and may get one."""
    return (
        isinstance(record, dict)
        and record.get("format") == FORMAT
        and all(record.get(key) == about[key] for key in ("session", "prompt", "agent"))
        and len(_writes(record)) < WRITES
        and document not in [write.get("document") for write in _writes(record)]
    )


def _find_same(path: str, write: dict[str, Any]) -> dict[str, Any] | None:
    """The equal write of a record, if any. A record without the base's hash is not parsed."""
    data = read_file(path, spool.LARGEST) or b""
    record = parsed(data) if write["base"]["sha256"].encode() in data else None
    same = ("document", "base", "text")
    equal = (each for each in _writes(record) if all(each.get(k) == write[k] for k in same))
    return next(equal, None)


def _writes(record: Any) -> list[dict[str, Any]]:
    return objects(members(record).get("writes"))

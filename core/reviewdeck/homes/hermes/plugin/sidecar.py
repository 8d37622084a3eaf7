"""The evidence behind a staged change: `.reviewdeck/sidecar/<record id>.json`.

Hermes' record names no conversation. Around each call that may stage one, this notes which session
and turn it was, what its author was sent, and the documents as they were before it. The call itself
is Hermes' alone: it is made once, with its own arguments, and its result is handed on as it is.
Where a sidecar cannot be written, there is none, and reviewdeck looks for less exact evidence.
"""

from __future__ import annotations

import json
import logging
import os
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from . import agent, documents, sent
from .bounded import aside, within

TOOLS = ("memory", "skill_manage")
LIMIT = 256 * 1024
"""Bytes of a sidecar: a larger one is no sidecar to those who read it."""
PATIENCE = 1.0
"""Seconds for which a call is held up, before it and after it, however slow the disk is."""
KEPT = 30 * 24 * 3600
"""Seconds after which a sidecar goes when its record is gone."""

_ID = re.compile(r"[0-9a-f]{8,32}")
_log = logging.getLogger(__name__)


def register(ctx: Any) -> None:
    """Notes each request, and stands around each call."""
    ctx.register_hook("pre_api_request", sent.note_request)
    ctx.register_middleware("tool_execution", around_call)
    home = agent.home()
    aside(lambda: clear(home))


def around_call(
    *,
    tool_name: str,
    args: Any,
    next_call: Callable[[Any], Any],
    session_id: str = "",
    turn_id: str = "",
    tool_call_id: str = "",
    **_: Any,
) -> Any:
    """Hermes' middleware around each call of a tool."""
    if tool_name not in TOOLS or not isinstance(args, dict):
        return next_call(args)
    home = agent.home()
    before = within(PATIENCE, documents.documents_before, home, tool_name, args)
    result = next_call(args)
    at, record = time.time(), staged_id(result)
    if record is not None and (known := sent.sent_in(turn_id)) is not None:
        about = {
            "v": 1,
            "session": session_id,
            "turn": turn_id,
            "call": tool_call_id,
            "origin": agent.origin(),
            "at": at,
            "tool": tool_name,
        }
        within(PATIENCE, write, home, record, about, args, known, before or {})
    return result


def staged_id(result: object) -> str | None:
    """The id of the record that a call staged, as its result says; None when it staged none."""
    if not isinstance(result, str) or '"pending_id"' not in result or len(result) > LIMIT:
        return None
    try:
        said = json.loads(result)
    except (ValueError, RecursionError):
        return None
    id = said.get("pending_id") if isinstance(said, dict) and said.get("staged") is True else None
    return id if isinstance(id, str) and _ID.fullmatch(id) else None


def write(
    home: Path,
    record: str,
    about: Mapping[str, Any],
    args: Mapping[str, Any],
    known: sent.Sent,
    before: Mapping[str, Any],
) -> None:
    """Writes one sidecar, whole or not at all."""
    said = {
        **about,
        "model": known.model,
        "replayed": known.replayed,
        "calls": sent.calls_in(known.history),
        "prompt": sent.memories_in(known.prompt) if about["tool"] == "memory" else [],
        "views": {},
        "bases": dict(before),
    }
    if about["tool"] == "skill_manage":
        said["views"] = sent.views_in(known.history, documents.skills_named(args))
    data = _encoded(said)
    if len(data) > LIMIT:
        hashes = {path: {"sha256": one["sha256"]} for path, one in before.items()}
        data = _encoded({**said, "bases": hashes})
    if len(data) > LIMIT:
        data = _encoded({**said, "bases": {}, "views": {}})
    if len(data) > LIMIT:
        _log.warning("reviewdeck: the evidence of %s is too long to be kept", record)
        return
    folder = _folder(home)
    try:
        _write(folder, f"{record}.json", data)
    finally:
        os.close(folder)


def _encoded(said: Mapping[str, Any]) -> bytes:
    return json.dumps(said, ensure_ascii=False).encode("utf-8", "replace")


_LOOK = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def _folder(home: Path) -> int:
    """The folder of the sidecars, opened: made where it is missing, never behind a link."""
    place = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for name in (".reviewdeck", "sidecar"):
        try:
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=place)
            below = os.open(name, _LOOK, dir_fd=place)
        finally:
            os.close(place)
        place = below
    return place


def _write(folder: int, name: str, data: bytes) -> None:
    draft = f".{name}.{os.getpid()}.{time.monotonic_ns()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(draft, flags, 0o600, dir_fd=folder), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft, dir_fd=folder)
        raise


def clear(home: Path) -> None:
    """Takes away old sidecars whose records are gone, and drafts that a killed process left."""
    try:
        folder = os.open(home / ".reviewdeck" / "sidecar", _LOOK)
    except FileNotFoundError:
        return
    try:
        with os.scandir(folder) as entries:
            found = [one.name for one in entries]
        for name in found:
            places = (home / "pending" / kind / name for kind in ("memory", "skills"))
            with suppress(FileNotFoundError):
                age = time.time() - os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
                if age > KEPT and not any(place.exists() for place in places):
                    os.unlink(name, dir_fd=folder)
    finally:
        os.close(folder)

"""The evidence behind a staged change: `.reviewdeck/sidecar/<record id>.json`.

Hermes' record names no conversation. For each call that may stage one, this notes the session and
turn, the request to the model, and the documents before the call. The call is made once, with its
own arguments, and its result is returned unchanged. Where a sidecar cannot be written, reviewdeck
looks for less exact evidence.
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
from .bounded import run_in_background, run_within

TOOLS = ("memory", "skill_manage")
LIMIT = 256 * 1024
"""The most bytes of a sidecar: readers ignore a larger one."""
PATIENCE = 1.0
"""The most seconds by which a call is delayed, before it and after it."""
RETENTION = 30 * 24 * 3600
"""Seconds after which a sidecar without a record is deleted."""

_ID = re.compile(r"[0-9a-f]{8,32}")
_log = logging.getLogger(__name__)


def register(ctx: Any) -> None:
    """Registers the hook before each request and the middleware around each tool call."""
    ctx.register_hook("pre_api_request", sent.note_request)
    ctx.register_middleware("tool_execution", around_call)
    home = agent.home()
    run_in_background(lambda: clear(home))


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
    """Hermes' middleware around each tool call."""
    if tool_name not in TOOLS or not isinstance(args, dict):
        return next_call(args)
    home = agent.home()
    before = run_within(PATIENCE, documents.documents_before, home, tool_name, args)
    result = next_call(args)
    moment, record = time.time(), staged_id(result)
    if record is not None and (sent_request := sent.find_request(turn_id)) is not None:
        about = {
            "v": 1,
            "session": session_id,
            "turn": turn_id,
            "call": tool_call_id,
            "origin": agent.origin(),
            "at": moment,
            "tool": tool_name,
        }
        run_within(PATIENCE, write, home, record, about, args, sent_request, before or {})
    return result


def staged_id(result: object) -> str | None:
    """The id of the record that a call staged, by its result; None when it staged none."""
    if not isinstance(result, str) or '"pending_id"' not in result or len(result) > LIMIT:
        return None
    try:
        answer = json.loads(result)
    except (ValueError, RecursionError):
        return None
    id = (
        answer.get("pending_id")
        if isinstance(answer, dict) and answer.get("staged") is True
        else None
    )
    return id if isinstance(id, str) and _ID.fullmatch(id) else None


def write(
    home: Path,
    record: str,
    about: Mapping[str, Any],
    args: Mapping[str, Any],
    request: sent.SentRequest,
    before: Mapping[str, Any],
) -> None:
    """Writes one sidecar atomically."""
    content = {
        **about,
        "model": request.model,
        "replayed": request.replayed,
        "calls": sent.calls_in(request.history),
        "prompt": sent.memories_in(request.prompt) if about["tool"] == "memory" else [],
        "views": {},
        "bases": dict(before),
    }
    if about["tool"] == "skill_manage":
        content["views"] = sent.views_in(request.history, documents.skill_names(args))
    data = _encode(content)
    if len(data) > LIMIT:
        hashes = {path: {"sha256": base["sha256"]} for path, base in before.items()}
        data = _encode({**content, "bases": hashes})
    if len(data) > LIMIT:
        data = _encode({**content, "bases": {}, "views": {}})
    if len(data) > LIMIT:
        _log.warning("reviewdeck: the evidence of %s is too long to be kept", record)
        return
    folder = open_folder(home, "sidecar")
    try:
        write_file(folder, f"{record}.json", data)
    finally:
        os.close(folder)


def _encode(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")


_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def open_folder(home: Path, *names: str) -> int:
    """Opens a folder below `.reviewdeck`; creates it if missing, and follows no link."""
    place = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for name in (".reviewdeck", *names):
        try:
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=place)
            child = os.open(name, _DIRECTORY, dir_fd=place)
        finally:
            os.close(place)
        place = child
    return place


def write_file(folder: int, name: str, data: bytes) -> None:
    """Writes a file of an open folder atomically and durably. Raises OSError."""
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
    """Deletes old sidecars whose records are gone, and drafts of killed processes."""
    try:
        folder = os.open(home / ".reviewdeck" / "sidecar", _DIRECTORY)
    except FileNotFoundError:
        return
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries]
        for name in names:
            places = (home / "pending" / kind / name for kind in ("memory", "skills"))
            with suppress(FileNotFoundError):
                age = time.time() - os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
                if age > RETENTION and not any(place.exists() for place in places):
                    os.unlink(name, dir_fd=folder)
    finally:
        os.close(folder)

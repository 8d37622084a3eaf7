"""The evidence behind a staged change: `.reviewdeck/sidecar/<record id>.json`.

Hermes' record names no conversation. For each call that may stage one, this notes the session and
turn, the request to the model, and the documents before the call. The call is made once, with its
own arguments, and its result is returned unchanged. Where a sidecar cannot be written, reviewdeck
looks for less exact evidence.
"""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from . import agent, documents, kit, sent
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
    answer = kit.members(kit.parsed(result))
    id = kit.text_at(answer, "pending_id") if answer.get("staged") is True else ""
    return id if _ID.fullmatch(id) else None


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
    data = kit.encoded(content)
    if len(data) > LIMIT:
        hashes = {path: {"sha256": base["sha256"]} for path, base in before.items()}
        data = kit.encoded({**content, "bases": hashes})
    if len(data) > LIMIT:
        data = kit.encoded({**content, "bases": {}, "views": {}})
    if len(data) > LIMIT:
        _log.warning("reviewdeck: the evidence of %s is too long to be kept", record)
        return
    with kit.OpenFolder(home, kit.OURS, "sidecar") as folder:
        kit.write_file(folder, f"{record}.json", data)


def clear(home: Path) -> None:
    """Deletes old sidecars whose records are gone, and drafts of killed processes."""
    with (
        suppress(FileNotFoundError),
        kit.OpenFolder(home, kit.OURS, "sidecar", is_made=False) as folder,
    ):
        for name in kit.names_in(folder):
            places = (home / "pending" / kind / name for kind in ("memory", "skills"))
            with suppress(FileNotFoundError):
                age = time.time() - os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
                if age > RETENTION and not any(place.exists() for place in places):
                    os.unlink(name, dir_fd=folder)

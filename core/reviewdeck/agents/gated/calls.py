"""Notes of tool calls that may bypass the gate, by comparing the documents before and after.

A shell command or an MCP call does not tell what it writes. So every document is hashed before such
a call and after it; a difference is noted as `.reviewdeck/AGENT/calls/<call>.json`. A call without
an end event is closed by the session's next event.
"""

from __future__ import annotations

import os
import time

from reviewdeck.agents.hermes.kit import digest, members, names_in, remove, text_at

from .roots import NotStaged, Root
from .spool import SpoolLock, read_json, utc, write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORMAT = "reviewdeck.claude.call/1"
SHOWN = 4_000
"""The most characters of a command that are noted."""
MOST = 1_000
"""The most notes that are kept; the oldest are deleted."""
FILES = 20_000
"""The most documents of one folder that are compared."""
FORGOTTEN = 24 * 3600
"""Seconds after which another session closes an abandoned call."""


def begin(root: Root, event: dict[str, Any]) -> None:
    """Records the revisions of all documents before a call. Raises NotStaged, OSError."""
    tool_input = members(event.get("tool_input"))
    about = {
        "tool": event.get("tool_name"),
        "command": text_at(tool_input, "command")[:SHOWN],
        "session": event.get("session_id"),
        "prompt": event.get("prompt_id"),
        "agent": event.get("agent_id"),
        "transcript": event.get("transcript_path"),
        "began": utc(),
        "background": tool_input.get("run_in_background") is True,
    }
    with SpoolLock(root):
        begun = {**about, "revisions": revisions(root)}
        write_json(_open_call_path(root, event), begun, is_evidence=False)


def end(root: Root, event: dict[str, Any]) -> None:
    """Notes the documents that changed during a call, if any. Raises NotStaged, OSError."""
    path = _open_call_path(root, event)
    if os.path.lexists(path):
        with SpoolLock(root):
            _close(root, path, revisions(root))


def end_open(root: Root, session: object) -> None:
    """Closes the open calls of a session, and abandoned ones of any session.

    The calls of a subagent stay open: it may work while its session gets a prompt.
    """
    folder = root.own("open")
    paths = [f"{folder}/{name}" for name in _names(folder)]
    if not paths:
        return
    with SpoolLock(root):
        now, oldest = revisions(root), time.time() - FORGOTTEN
        for path in paths:
            open_call = members(read_json(path))
            is_over = open_call.get("session") == session and not open_call.get("agent")
            if is_over or os.lstat(path).st_mtime < oldest:
                _close(root, path, now)


def revisions(root: Root) -> dict[str, str]:
    """The SHA-256 of every document: one is read again when its size, times or inode changed.

    The ctime is one of the times: a command may set the other one back, and not that.
    """
    cached = members(read_json(root.own("revisions.json")))
    current: dict[str, list[Any]] = {}
    for path, status in root.files():
        if len(current) >= FILES:
            break
        now = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
        before = cached.get(path)
        if isinstance(before, list) and before[:4] == now and len(before) == 5:
            current[path] = before
        elif (revision := _revision(root, path)) is not None:
            current[path] = [*now, revision]
    if current != cached:
        write_json(root.own("revisions.json"), current, is_evidence=False)
    return {path: entry[4] for path, entry in current.items()}


def _revision(root: Root, path: str) -> str | None:
    try:
        data = root.read(path)
    except (NotStaged, OSError):
        return ""  # It exists and is not read: only its size and time show a change.
    return None if data is None else digest(data)


def _close(root: Root, path: str, now: dict[str, str]) -> None:
    open_call = members(read_json(path))
    if isinstance(open_call.get("revisions"), dict):
        before = open_call.pop("revisions")
        changes = [
            {
                "document": document,
                "before": before.get(document, "absent"),
                "after": now.get(document, "absent"),
            }
            for document in sorted({*before, *now})
            if before.get(document) != now.get(document)
        ]
        if changes or open_call["background"]:
            folder, name = root.own("calls"), os.path.basename(path)
            note = {"format": FORMAT, **open_call, "ended": utc(), "changes": changes}
            write_json(f"{folder}/{name}", note)
            for old in _by_age(folder)[:-MOST]:
                remove(old)
    remove(path)


def _by_age(folder: str) -> list[str]:
    paths = [f"{folder}/{name}" for name in _names(folder)]
    return sorted(paths, key=lambda path: os.lstat(path).st_mtime_ns) if len(paths) > MOST else []


def _names(folder: str) -> list[str]:
    return [name for name in names_in(folder) if not name.startswith(".")]


def _open_call_path(root: Root, event: dict[str, Any]) -> str:
    """The file of an open call, named by its id; an id that is no safe file name is hashed."""
    id = str(event.get("tool_use_id") or "")
    if not (id.isascii() and id.replace("_", "").replace("-", "").isalnum() and len(id) < 100):
        id = digest(id.encode("utf-8", "replace"))
    return f"{root.own('open')}/{id}.json"

"""Calls that may write past the gate, each between a look before it and a look after it.

What a shell or an MCP server writes cannot be told from its words. So every document is looked at
before such a call and after it; a difference is noted as `.reviewdeck/claude/calls/<call>.json`.
A call whose end was never heard of is ended by what the session does next.
"""

from __future__ import annotations

import os
import time

from .roots import OURS, NotStaged, Root
from .spool import SpoolLock, digest, read_json, remove, utc, write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORMAT = "reviewdeck.claude.call/1"
CALLS = f"{OURS}/calls"
OPEN = f"{OURS}/open"
KNOWN = f"{OURS}/revisions.json"
"""What each document's hash was when it was last read: it is read again where its facts moved."""
SHOWN = 4_000
"""Characters of a command that are noted."""
MOST = 1_000
"""Notes that are kept: the latest."""
FILES = 20_000
"""Documents of one folder that are looked at."""
FORGOTTEN = 24 * 3600
"""Seconds after which an open call of a session that never came back is ended by another."""


def begin(root: Root, event: dict[str, Any]) -> None:
    """Notes how every document is before a call. Raises NotStaged, OSError."""
    given = event.get("tool_input")
    given = given if isinstance(given, dict) else {}
    about = {
        "tool": event.get("tool_name"),
        "command": _word(given, "command")[:SHOWN],
        "session": event.get("session_id"),
        "prompt": event.get("prompt_id"),
        "agent": event.get("agent_id"),
        "transcript": event.get("transcript_path"),
        "began": utc(),
        "background": given.get("run_in_background") is True,
    }
    with SpoolLock(root):
        begun = {**about, "revisions": revisions(root)}
        write_json(_opened(root, event), begun, is_evidence=False)


def end(root: Root, event: dict[str, Any]) -> None:
    """Notes what moved since a call began, if anything did. Raises NotStaged, OSError."""
    path = _opened(root, event)
    if os.path.lexists(path):
        with SpoolLock(root):
            _close(root, path, revisions(root))


def end_open(root: Root, session: object) -> None:
    """Ends the calls of a session that never told their end, and forgotten ones of any.

    A subagent may be at work while its session is asked something: its calls are left alone.
    """
    folder = root.place(OPEN)
    paths = [f"{folder}/{name}" for name in _names(folder)]
    if not paths:
        return
    with SpoolLock(root):
        now, oldest = revisions(root), time.time() - FORGOTTEN
        for path in paths:
            known = read_json(path)
            known = known if isinstance(known, dict) else {}
            is_over = known.get("session") == session and not known.get("agent")
            if is_over or os.lstat(path).st_mtime < oldest:
                _close(root, path, now)


def revisions(root: Root) -> dict[str, str]:
    """The SHA-256 of every document; a file whose size, time and number stayed is not read."""
    noted = read_json(root.place(KNOWN))
    known = noted if isinstance(noted, dict) else {}
    found: dict[str, list[Any]] = {}
    for path, facts in root.files():
        if len(found) >= FILES:
            break
        now = [facts.st_size, facts.st_mtime_ns, facts.st_ino]
        before = known.get(path)
        if isinstance(before, list) and before[:3] == now and len(before) == 4:
            found[path] = before
        elif (revision := _revision(root, path)) is not None:
            found[path] = [*now, revision]
    if found != known:
        write_json(root.place(KNOWN), found, is_evidence=False)
    return {path: facts[3] for path, facts in found.items()}


def _revision(root: Root, path: str) -> str | None:
    try:
        data = root.read(path)
    except (NotStaged, OSError):
        return ""  # There is something that is not read: another size or time tells of a change.
    return None if data is None else digest(data)


def _close(root: Root, path: str, now: dict[str, str]) -> None:
    known = read_json(path)
    if isinstance(known, dict) and isinstance(known.get("revisions"), dict):
        before = known.pop("revisions")
        changes = [
            {
                "document": document,
                "before": before.get(document, "absent"),
                "after": now.get(document, "absent"),
            }
            for document in sorted({*before, *now})
            if before.get(document) != now.get(document)
        ]
        if changes or known["background"]:
            folder, name = root.place(CALLS), os.path.basename(path)
            note = {"format": FORMAT, **known, "ended": utc(), "changes": changes}
            write_json(f"{folder}/{name}", note)
            for old in _by_age(folder)[:-MOST]:
                remove(old)
    remove(path)


def _by_age(folder: str) -> list[str]:
    paths = [f"{folder}/{name}" for name in _names(folder)]
    return sorted(paths, key=lambda path: os.lstat(path).st_mtime_ns) if len(paths) > MOST else []


def _names(folder: str) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if not name.startswith(".")]
    except FileNotFoundError:
        return []


def _opened(root: Root, event: dict[str, Any]) -> str:
    """Where an open call is noted: by its id, which an agent's program made up."""
    id = str(event.get("tool_use_id") or "")
    if not (id.isascii() and id.replace("_", "").replace("-", "").isalnum() and len(id) < 100):
        id = digest(id.encode("utf-8", "replace"))
    return f"{root.place(OPEN)}/{id}.json"


def _word(given: dict[str, Any], key: str) -> str:
    value = given.get(key)
    return value if isinstance(value, str) else ""

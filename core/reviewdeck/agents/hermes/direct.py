"""Notes of tool calls that may bypass the gates: `.reviewdeck/direct/<time>-<id>.json`.

Hermes stages what its memory and skill tools propose, unless a gate is off or a person allows it;
`write_file`, `patch` and `terminal` write directly. For each of their calls that names a governed
file, this notes the caller and the file's revisions before and after, so that reviewdeck can
attribute the change. Such a call is never blocked: Hermes decides on it.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from . import agent, documents, kit, sidecar, terminal
from .bounded import run_within
from .kit import text_at

TOOLS = ("write_file", "patch", "terminal", *sidecar.TOOLS)
SHOWN = 200
"""The most characters of a path or a command that are noted."""
MOST = 1_000
"""The most notes that are kept; the oldest are deleted."""
FILES = 200
"""The most governed files that are noted of one call."""
READ = 2 * 1024 * 1024
"""The most bytes of a file that is hashed; a larger one has no revision."""
PATIENCE = 1.0
"""The most seconds by which a call is delayed, before it and after it."""

_MEMORIES = ("memories/MEMORY.md", "memories/USER.md")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete|Move) (?:File|to): *(.+)$", re.MULTILINE)
_HINTS = re.compile(r"MEMORY\.md|USER\.md|SKILL\.md|memories|skills|\.hermes")
_WORD = re.compile(r"[^\s'\";|&<>()=]+")


def register(ctx: Any) -> None:
    """Registers the middleware around each tool call."""
    ctx.register_middleware("tool_execution", around_call)


def around_call(
    *,
    tool_name: str,
    args: Any,
    next_call: Callable[[Any], Any],
    session_id: object = "",
    turn_id: object = "",
    tool_call_id: object = "",
    **_: Any,
) -> Any:
    """Hermes' middleware around each tool call: makes the call once and returns its result."""
    if tool_name not in TOOLS or not isinstance(args, dict):
        return next_call(args)
    home, at = agent.home(), time.time()
    before = run_within(PATIENCE, revisions, home, tool_name, dict(args))
    result = next_call(args)
    if before and sidecar.staged_id(result) is None:
        about = {
            "v": 1,
            "at": at,
            "session": str(session_id or ""),
            "turn": str(turn_id or ""),
            "call": str(tool_call_id or ""),
            "origin": agent.origin(),
            "tool": tool_name,
            "what": _summary(tool_name, args),
        }
        if tool_name == "memory" and terminal.was_allowed():
            about["allowed"] = True
        run_within(PATIENCE, write, home, about, before)
    return result


def revisions(home: Path, tool: str, args: Mapping[str, Any]) -> dict[str, str]:
    """The governed files that a call names, each with its revision."""
    paths = sorted(set(_named_files(home, tool, args)))[:FILES]
    return {path: _revision(home / path) for path in paths}


def _named_files(home: Path, tool: str, args: Mapping[str, Any]) -> Iterator[str]:
    if tool in sidecar.TOOLS:
        yield from documents.documents_before(home, tool, args)
        return
    if tool != "terminal":
        paths = [text_at(args, "path"), *_PATCHED.findall(text_at(args, "patch"))]
        folder = os.environ.get("TERMINAL_CWD") or "."
        for path in filter(None, paths):
            yield from _governed(home, Path(folder), path.strip())
        return
    command = text_at(args, "command")
    if not _HINTS.search(command) and str(home) not in command:
        return
    # The words of a command do not tell what it writes: the memories are always included.
    yield from _MEMORIES
    for word in _WORD.findall(command)[:FILES]:
        yield from _governed(home, Path(text_at(args, "workdir") or "."), word)


def _governed(home: Path, folder: Path, name: str) -> Iterator[str]:
    """The governed files at a path, relative to the home: the file, or those of the folder."""
    try:
        place = Path(folder, os.path.expandvars(name)).expanduser().resolve()
        # A memory may be a link that leads outside of the home.
        yield from (path for path in _MEMORIES if place == (home / path).resolve())
        path = place.relative_to(home.resolve()).as_posix()
        if path in _MEMORIES or (path.startswith("skills/") and not place.is_dir()):
            yield path
        elif path == "skills" or path.startswith("skills/"):
            for index, file in enumerate(place.rglob("*.md")):
                if index >= FILES:
                    return
                yield file.relative_to(home.resolve()).as_posix()
    except (OSError, ValueError, RuntimeError):
        return


def _revision(path: Path) -> str:
    """The SHA-256 of a file; `absent` without one; empty for one that is not read."""
    try:
        data = kit.read_file(path, READ)
    except OSError:
        return ""
    return "absent" if data is None else kit.digest(data)


def write(home: Path, about: Mapping[str, Any], before: Mapping[str, str]) -> None:
    """Writes one note atomically, and deletes the oldest."""
    noted = {
        path: {"before": revision, "after": _revision(home / path)}
        for path, revision in before.items()
    }
    has_changed = any(revision["before"] != revision["after"] for revision in noted.values())
    if about["tool"] in sidecar.TOOLS and not has_changed:
        return  # It was refused, or said what is known: nothing can be its work later.
    note = {**about, "ended": time.time(), "documents": noted}
    name = f"{int(about['at'] * 1000):014d}-{secrets.token_hex(4)}.json"
    with kit.OpenFolder(home, kit.OURS, "direct") as folder:
        kit.write_file(folder, name, kit.encoded(note), is_evidence=False)
        for old in kit.names_in(folder)[:-MOST]:
            kit.remove(old, folder)


def _summary(tool: str, args: Mapping[str, Any]) -> str:
    """The path or the command of a call, cut to `SHOWN`."""
    key = {"terminal": "command", "memory": "content", "skill_manage": "name"}.get(tool, "path")
    text = text_at(args, key)
    return (text or ", ".join(_PATCHED.findall(text_at(args, "patch"))))[:SHOWN]

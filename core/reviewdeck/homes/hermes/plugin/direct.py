"""Calls that may write a memory or a skill past the gates: `.reviewdeck/direct/<time>-<id>.json`.

Hermes stages what its own tools propose. `write_file`, `patch` and `terminal` write what they like.
Around each of their calls that names a governed file, this notes who made it, and the revisions
before and after it, so that reviewdeck can tell whose change that was. Such a call is never held
back: it is Hermes' to allow.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from . import agent
from .bounded import within

TOOLS = ("write_file", "patch", "terminal")
SHOWN = 200
"""Characters of a path or a command that are noted."""
MOST = 1_000
"""Notes that are kept: the latest."""
FILES = 200
"""Governed files that one call is looked at for."""
READ = 2 * 1024 * 1024
"""Bytes of a file that are hashed: the revision of a larger one is not noted."""
PATIENCE = 1.0
"""Seconds for which a call is held up, before it and after it."""

_MEMORIES = ("memories/MEMORY.md", "memories/USER.md")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete|Move) (?:File|to): *(.+)$", re.MULTILINE)
_HINTS = re.compile(r"MEMORY\.md|USER\.md|SKILL\.md|memories|skills|\.hermes")
_WORD = re.compile(r"[^\s'\";|&<>()=]+")


def register(ctx: Any) -> None:
    """Stands around each call."""
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
    """Hermes' middleware around each call of a tool: it is made once, and its result handed on."""
    if tool_name not in TOOLS or not isinstance(args, dict):
        return next_call(args)
    home, at = agent.home(), time.time()
    before = within(PATIENCE, revisions, home, tool_name, dict(args))
    result = next_call(args)
    if before:
        about = {
            "v": 1,
            "at": at,
            "session": str(session_id or ""),
            "turn": str(turn_id or ""),
            "call": str(tool_call_id or ""),
            "origin": agent.origin(),
            "tool": tool_name,
            "what": _shown(tool_name, args),
        }
        within(PATIENCE, write, home, about, before)
    return result


def revisions(home: Path, tool: str, args: Mapping[str, Any]) -> dict[str, str]:
    """The governed files that a call names, each with its revision; none for any other call."""
    paths = sorted(set(_aimed_at(home, tool, args)))[:FILES]
    return {path: _revision(home / path) for path in paths}


def _aimed_at(home: Path, tool: str, args: Mapping[str, Any]) -> Iterator[str]:
    if tool != "terminal":
        named = [_word(args, "path"), *_PATCHED.findall(_word(args, "patch"))]
        folder = os.environ.get("TERMINAL_CWD") or "."
        for one in filter(None, named):
            yield from _governed(home, Path(folder), one.strip())
        return
    command = _word(args, "command")
    if not _HINTS.search(command) and str(home) not in command:
        return
    # What a command writes cannot be told from its words: the memories are always looked at.
    yield from _MEMORIES
    for one in _WORD.findall(command)[:FILES]:
        yield from _governed(home, Path(_word(args, "workdir") or "."), one)


def _governed(home: Path, folder: Path, named: str) -> Iterator[str]:
    """The governed files that a name means, relative to the home: of a folder, those in it."""
    try:
        place = Path(folder, os.path.expandvars(named)).expanduser().resolve()
        # A memory may be a link to somewhere outside of the home.
        yield from (path for path in _MEMORIES if place == (home / path).resolve())
        path = place.relative_to(home.resolve()).as_posix()
        if path in _MEMORIES or (path.startswith("skills/") and not place.is_dir()):
            yield path
        elif path == "skills" or path.startswith("skills/"):
            for at, file in enumerate(place.rglob("*.md")):
                if at >= FILES:
                    return
                yield file.relative_to(home.resolve()).as_posix()
    except (OSError, ValueError, RuntimeError):
        return


def _revision(path: Path) -> str:
    """The SHA-256 of a file, `absent` for none, empty for one that is not read."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return "absent"
    except OSError:
        return ""
    with os.fdopen(file, "rb") as opened:
        known = os.fstat(file)
        if not stat.S_ISREG(known.st_mode) or known.st_size > READ:
            return ""
        return hashlib.sha256(opened.read()).hexdigest()


def write(home: Path, about: Mapping[str, Any], before: Mapping[str, str]) -> None:
    """Writes one note, whole or not at all, and lets the oldest go."""
    documents = {
        path: {"before": revision, "after": _revision(home / path)}
        for path, revision in before.items()
    }
    said = {**about, "ended": time.time(), "documents": documents}
    folder = home / ".reviewdeck" / "direct"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = f"{int(about['at'] * 1000):014d}-{secrets.token_hex(4)}.json"
    draft = folder / f".{name}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(draft, flags, 0o600), "wb") as file:
            file.write(json.dumps(said, ensure_ascii=False).encode("utf-8", "replace"))
        draft.rename(folder / name)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
    for old in sorted(one.name for one in os.scandir(folder))[:-MOST]:
        (folder / old).unlink(missing_ok=True)


def _shown(tool: str, args: Mapping[str, Any]) -> str:
    """The path, or the command, cut."""
    said = _word(args, "command" if tool == "terminal" else "path")
    return (said or ", ".join(_PATCHED.findall(_word(args, "patch"))))[:SHOWN]


def _word(args: Mapping[str, Any], key: str) -> str:
    value = args.get(key)
    return value if isinstance(value, str) else ""

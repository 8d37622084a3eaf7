"""Whose files a conversation read, with links resolved: a link counts as what it leads to."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from os.path import realpath
from typing import Final

from reviewdeck.agents.gated.shell import plainly_reads
from reviewdeck.homes.gated.transcripts import RecordedSession
from reviewdeck.model import OriginClass, Participant
from reviewdeck.origin.conversation import SessionRows, ToolCall

WRITERS: Final = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
READERS: Final = frozenset({"Read", "NotebookRead", "Grep", "Glob", "LS"})


def own_files(
    sessions: Sequence[SessionRows],
    books: Iterable[str],
    tools: Collection[str] = WRITERS | READERS,
) -> frozenset[str]:
    """The paths in calls of file tools that lie in the agent's own memory."""
    folders = [realpath(book) for book in books]
    paths = {
        path
        for session in sessions
        for row in session.rows
        for call in row.calls
        if call.name in tools and (path := _path(call, session.cwd))
    }
    return frozenset(path for path in paths if _is_within_any(realpath(path), folders))


def outside_reads(
    sessions: Sequence[SessionRows],
    books: Iterable[str],
    trusted: Iterable[str],
    recorded: Callable[[], Iterator[RecordedSession]],
    readers: Collection[str] = READERS,
) -> Iterator[Participant]:
    """The reads of files outside of the session's folder, the agent's memory and trusted folders.

    What an agent wrote into a trusted folder, in any of the `recorded` sessions, is outside too.
    """
    own = [realpath(book) for book in books]
    folders = [realpath(folder) for folder in trusted]
    written: _Written | None = None
    for session in sessions:
        inner = [*own, realpath(session.cwd)] if session.cwd else own
        for row in session.rows:
            for call in row.calls:
                path = _path(call, session.cwd) if call.name in readers else ""
                real_path = realpath(path) if path else ""
                if not path or _is_within_any(real_path, inner):
                    continue
                if folder := next((at for at in folders if _is_within(real_path, at)), ""):
                    written = written or _Written(recorded())
                    if not written.has(real_path, folder):
                        continue
                yield Participant(call.name, OriginClass.OUTSIDE, path, session.id)


class _Written:
    """What the agents of some sessions wrote, or may have written with a command."""

    def __init__(self, sessions: Iterable[RecordedSession]) -> None:
        self._files: set[str] = set()
        self._commands: list[str] = []
        self._is_whole = True
        for session in sessions:
            self._is_whole = self._is_whole and session.is_whole
            for line in session.lines.values():
                if line.row is not None and line.row.role == "assistant":
                    for call in line.row.calls:
                        self._take(call, session.cwd)

    def _take(self, call: ToolCall, cwd: str) -> None:
        command = call.arguments.get("command")
        if not call.is_readable:
            self._is_whole = False
        elif call.name in WRITERS and (path := _path(call, cwd)):
            self._files.add(realpath(path))
        elif isinstance(command, str) and not plainly_reads(command):
            self._commands.append(command)

    def has(self, path: str, folder: str) -> bool:
        """Whether an agent may have written this file, or one below it.

        A command is not followed: one that does not only read, and names the file or the trusted
        folder, may have written it.
        """
        if not self._is_whole or any(_is_within(file, path) for file in self._files):
            return True
        names = (posixpath.basename(path), posixpath.basename(folder))
        return any(name in command for command in self._commands for name in names)


def _path(call: ToolCall, cwd: str) -> str:
    """The path that a call names, joined to the session's folder; empty for none."""
    for key in ("file_path", "path", "notebook_path"):
        if isinstance(value := call.arguments.get(key), str) and value and "\0" not in value:
            return posixpath.join(cwd, value)
    return ""


def _is_within_any(path: str, folders: Iterable[str]) -> bool:
    return any(_is_within(path, folder) for folder in folders)


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")

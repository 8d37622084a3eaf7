"""The ancestors of this process: from `/proc` on Linux, from psutil elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol, TypeAlias, TypeVar

from reviewdeck.ports.authority import Ancestry, Process

_Shown = TypeVar("_Shown")

_PROC: Final = Path("/proc")
_MOST_ANCESTORS: Final = 1024
"""Most ancestors that are read: a real process has about ten. What is above them is not known."""
_INIT: Final = 1

Read: TypeAlias = Callable[[int], "tuple[Process, int] | None"]
"""Gives a process and the number of its parent, 0 for none; None for one that is not shown."""


class Described(Protocol):
    """What is used of `psutil.Process`. Each call raises where the system refuses."""

    def name(self) -> str: ...

    def ppid(self) -> int: ...

    def cmdline(self) -> list[str]: ...

    def exe(self) -> str: ...


def system_ancestry(platform: str = sys.platform) -> Ancestry:
    """The function that reads ancestors on this system."""
    return linux_ancestry if platform.startswith("linux") else psutil_ancestry


def linux_ancestry() -> tuple[Process, ...]:
    """The ancestors, nearest first, from `/proc`."""
    return ancestors_of(_read_proc)


def psutil_ancestry() -> tuple[Process, ...]:
    """The ancestors, nearest first, from the system's table of processes."""
    try:
        import psutil  # not installed on Linux
    except ImportError:
        return ancestors_of(lambda pid: None)
    return ancestors_of(table_reader(psutil.Process, psutil.Error))


def ancestors_of(read: Read, parent: Callable[[], int] = os.getppid) -> tuple[Process, ...]:
    """The ancestors, nearest first; the first that is not shown is the last, and hidden.

    The line is whole when it ends with a process that has no parent.
    """
    ancestors: list[Process] = []
    seen: set[int] = set()
    pid = parent()
    while pid > 0:
        entry = None if pid in seen or len(ancestors) == _MOST_ANCESTORS else read(pid)
        seen.add(pid)
        if entry is None and not ancestors and parent() != pid:
            pid = parent()  # It ended in the meantime: its child has another parent now.
            continue
        if entry is None:
            ancestors.append(Process(pid, "", is_hidden=True))
            break
        ancestors.append(entry[0])
        pid = entry[1]
    return tuple(ancestors)


def _read_proc(pid: int) -> tuple[Process, int] | None:
    try:
        name, parent = _stat(pid)
    except (OSError, ValueError):
        # It has ended, or `/proc` hides it (hidepid), or is not mounted.
        is_init = pid == _INIT and (_PROC / "self" / "stat").exists()
        return (Process(pid, "init"), 0) if is_init else None
    return Process(pid, name, _command(pid), _executable(pid)), parent


def _stat(pid: int) -> tuple[str, int]:
    """Name and parent of a process. The name may contain brackets: it ends at the last one."""
    text = (_PROC / str(pid) / "stat").read_text("utf-8", errors="replace")
    name = text[text.index("(") + 1 : text.rindex(")")]
    return name, int(text[text.rindex(")") + 1 :].split()[1])


def _command(pid: int) -> tuple[str, ...]:
    try:
        data = (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return ()
    return tuple(part.decode("utf-8", errors="replace") for part in data.split(b"\0") if part)


def _executable(pid: int) -> str:
    try:
        return str((_PROC / str(pid) / "exe").readlink())
    except OSError:
        return ""  # Another account's, or a process of the kernel.


def table_reader(find: Callable[[int], Described], error: type[Exception]) -> Read:
    """Reads processes through psutil. `error` is what it raises for those that are not shown."""

    def read(pid: int) -> tuple[Process, int] | None:
        try:
            entry = find(pid)
            name, parent = entry.name(), entry.ppid()
        except (error, OSError):
            return None
        # Name and parent of another account's process are shown, its arguments are not.
        nothing: list[str] = []
        command = tuple(_shown(entry.cmdline, nothing, error))
        return Process(pid, name, command, _shown(entry.exe, "", error)), parent

    return read


def _shown(read: Callable[[], _Shown], default: _Shown, error: type[Exception]) -> _Shown:
    try:
        return read()
    except (error, OSError):
        return default

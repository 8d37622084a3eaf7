"""The ancestors of this process: from `/proc` on Linux, from `ps` elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from reviewdeck.ports.authority import Ancestry, Process

_PROC: Final = Path("/proc")
_MOST_ANCESTORS: Final = 64
"""Most ancestors that are read: a real process has about ten."""
_PS: Final = "/bin/ps"
_PS_TIMEOUT: Final = 5.0


def system_ancestry(platform: str = sys.platform) -> Ancestry:
    """The function that reads ancestors on this system."""
    return linux_ancestry if platform.startswith("linux") else ps_ancestry


def linux_ancestry() -> tuple[Process, ...]:
    """The ancestors, nearest first, from `/proc`, up to the first that cannot be read."""
    ancestors: list[Process] = []
    pid = os.getppid()
    while pid > 0 and len(ancestors) < _MOST_ANCESTORS:
        try:
            name, parent = _stat(pid)
        except (OSError, ValueError):
            break  # It has ended, or `/proc` hides it (hidepid).
        ancestors.append(Process(pid, name, _command(pid)))
        pid = parent
    return tuple(ancestors)


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


def ps_ancestry() -> tuple[Process, ...]:
    """The ancestors, nearest first, from one call of `ps`; empty where there is none."""
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program at a fixed place
            [_PS, "-A", "-o", "pid=,ppid=,command="],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PS_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    return ancestors_in(done.stdout, os.getppid())


def ancestors_in(table: str, pid: int) -> tuple[Process, ...]:
    """The process `pid` and its ancestors, from lines of pid, parent and command."""
    processes: dict[int, tuple[int, str]] = {}
    for line in table.splitlines():
        parts = line.split(None, 2)
        if len(parts) >= 2 and parts[0].isdecimal() and parts[1].isdecimal():
            processes[int(parts[0])] = (int(parts[1]), parts[2] if len(parts) > 2 else "")
    ancestors: list[Process] = []
    while pid in processes and len(ancestors) < _MOST_ANCESTORS:
        parent, command = processes[pid]
        words = tuple(command.split())
        name = words[0].rsplit("/", 1)[-1] if words else ""
        ancestors.append(Process(pid, name, words))
        if parent == pid:
            break
        pid = parent
    return tuple(ancestors)

"""The id of this machine, by which a shared ledger tells its homes from those of other hosts."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Final

_FILE: Final = "host"
_ID: Final = re.compile(r"[0-9a-f]{16}")


def host_id(state: Path, known: Callable[[], Collection[str]] = tuple) -> str:
    """The id of this host, kept in its own state folder; made once.

    Where there is none yet, and the ledger knows exactly one host (`known`), this is that host: the
    ledger was moved without the folder. Empty where the folder is not there, or cannot be written:
    every home of the ledger is then taken to be here.
    """
    file = state / _FILE
    if (id := _read(file)) or not state.is_dir():
        return id
    hosts = [host for host in known() if _ID.fullmatch(host)]
    made = hosts[0] if len(hosts) == 1 else secrets.token_hex(8)
    part = file.with_name(f".{_FILE}-{made}-{os.getpid()}")
    with suppress(OSError):
        part.write_text(made, "ascii")
        try:
            file.hardlink_to(part)  # Whole at once, and never in the place of another one.
        finally:
            part.unlink()
    return _read(file)


def _read(file: Path) -> str:
    try:
        text = file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return text if _ID.fullmatch(text) else ""

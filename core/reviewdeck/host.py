"""The id of this machine, by which a shared ledger tells its homes from those of other hosts."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

_FILE: Final = "host"
_ID: Final = re.compile(r"[0-9a-f]{16}")


def host_id(state: Path) -> str:
    """The id of this host, kept in its own state folder; made once.

    Empty where it cannot be kept: every home of the ledger is then taken to be here.
    """
    file, made = state / _FILE, secrets.token_hex(8)
    if (id := _read(file)) or not state.is_dir():
        return id
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

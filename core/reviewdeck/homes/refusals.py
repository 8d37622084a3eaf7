"""What a home itself says is not to be applied automatically, in our own folder in it.

It stands there beside the ledger, so that it holds whichever ledger looks. An agent can write and
delete these files: they only ever add refusals, and what cannot be read is one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from contextlib import suppress
from errno import ENOSPC
from pathlib import Path
from typing import Final

from reviewdeck.files.folder import NAME, make_own_folder
from reviewdeck.files.reads import (
    FileRead,
    directory_beneath,
    open_beneath,
    open_directory,
    read_place,
)
from reviewdeck.files.steps import Steps, translate_errors
from reviewdeck.files.syscalls import Kernel, NameIn, make_durable
from reviewdeck.ports import Refusals

PAUSED: Final = "paused"
"""Who paused automatic additions to this home."""
REJECTED: Final = "rejected"
"""The digests of rejected texts, one a line."""
_DIGEST: Final = re.compile(r"[0-9a-f]{0,64}")
"""A line. A crash or a full disk may cut one short: its text is held by the ledger alone then."""
_LARGEST: Final = 4 * 1024 * 1024
_APPEND: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
_UNREADABLE: Final = "somebody (its note cannot be read)"


def read_refusals(root: Path, kernel: Kernel) -> Refusals:
    """What stands in a home. Never raises."""
    try:
        with open_beneath(root, (NAME,), kernel) as folder:
            paused = read_place(NameIn(folder, PAUSED), _LARGEST)
            rejected = read_place(NameIn(folder, REJECTED), _LARGEST)
    except FileNotFoundError:
        return Refusals()
    except OSError:
        return Refusals(unreadable=str(root / NAME))
    lines = (rejected.data or b"").decode("ascii", "replace").splitlines()
    if rejected.problem is not None or not all(map(_DIGEST.fullmatch, lines)):
        return Refusals(_name_in(paused), unreadable=str(root / NAME / REJECTED))
    return Refusals(_name_in(paused), frozenset(lines))


def _name_in(paused: FileRead) -> str:
    if paused.absent:
        return ""
    return (paused.data or b"").decode("utf-8", "replace").strip()[:64] or _UNREADABLE


def add_rejected(steps: Steps, root: Path, mark: str, digests: Collection[str]) -> None:
    """Adds digests of rejected texts. Raises WriteFailed, HomeReadOnly."""
    with translate_errors(str(root)), open_directory(root) as home:
        make_own_folder(steps, home, mark)
        with directory_beneath(steps.kernel, home, (NAME,)) as folder:
            file = os.open(REJECTED, _APPEND, 0o600, dir_fd=folder)
            # Each begins a line, also behind one that was cut short.
            data = "".join(f"\n{digest}\n" for digest in digests).encode("ascii")
            try:
                if os.write(file, data) < len(data):
                    raise OSError(ENOSPC, os.strerror(ENOSPC))
                make_durable(file)
            finally:
                os.close(file)
            steps.sync(folder)


def remove_rejected(steps: Steps, root: Path, digests: Collection[str]) -> None:
    """Removes digests whose rejection was taken back. Raises WriteFailed, HomeReadOnly."""
    refusals = read_refusals(root, steps.kernel)
    if refusals.unreadable:
        return
    remaining = refusals.rejected.difference(digests)
    _put(steps, root, REJECTED, "".join(f"{digest}\n" for digest in sorted(remaining)))


def put_pause(steps: Steps, root: Path, mark: str, by: str) -> None:
    """Writes who paused, or removes that where nobody did. Raises WriteFailed, HomeReadOnly."""
    if by:
        with translate_errors(str(root)), open_directory(root) as home:
            make_own_folder(steps, home, mark)
    _put(steps, root, PAUSED, f"{by}\n" if by else "")


def _put(steps: Steps, root: Path, name: str, text: str) -> None:
    """Replaces one of our files; without a text it is removed."""
    with suppress(FileNotFoundError), translate_errors(str(root)), open_directory(root) as home:
        try:
            with directory_beneath(steps.kernel, home, (NAME,)) as folder:
                place = NameIn(folder, name)
                if not text:
                    steps.remove(place)
                    steps.sync(folder)
                    return
                steps.rewrite(place, f"{name}.tmp", text.encode())
        except FileNotFoundError:
            return  # Nothing of ours is there.

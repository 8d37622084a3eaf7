"""Where the policy file is, and its bytes. Loads no rules, to stay quick."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from pathlib import Path
from typing import Final

from reviewdeck.values import dataclass

LARGEST: Final = 256 * 1024
"""Bytes of a policy file."""


@dataclass(frozen=True, slots=True)
class PolicyPlace:
    """The path at which a policy file is looked for."""

    path: Path
    is_named: bool = False
    """Whether an option or a variable names it: then it has to exist."""


def read_source(place: PolicyPlace) -> bytes | None:
    """The file's bytes, up to one more than allowed; None if it does not exist and need not.

    Raises OSError for a file that cannot be read, or is not a regular one: a pipe would give each
    reader another policy, and could block.
    """
    try:
        descriptor = os.open(place.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "it is not a regular file", str(place.path))
            return file.read(LARGEST + 1)
    except FileNotFoundError:
        if place.is_named:
            raise
        return None


def policy_digest(place: PolicyPlace | None) -> str:
    """The SHA-256 of the policy file, by which versions differ; empty without one."""
    if place is None:
        return ""
    try:
        data = read_source(place)
    except (OSError, ValueError) as error:
        return f"unreadable: {type(error).__name__}"
    return "" if data is None else hashlib.sha256(data).hexdigest()

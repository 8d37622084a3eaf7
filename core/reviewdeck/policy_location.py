"""Where the policy file is, and its bytes. Loads no rules: light enough for a glance."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from reviewdeck.policy.limits import LARGEST


@dataclass(frozen=True, slots=True)
class PolicyPlace:
    """Where a policy file is looked for."""

    path: Path
    is_named: bool = False
    """Whether somebody named it: then it has to be there."""


def read_source(place: PolicyPlace) -> bytes | None:
    """The file's bytes, as far as one that is not too long has any; None when nobody wants one.

    Raises OSError for what is there, or has to be, and cannot be read, or is no regular file: a
    pipe would give another policy to each who reads, and hold up whoever waits for one.
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


def mark_of(place: PolicyPlace | None) -> str:
    """Tells one policy file from another; empty without one."""
    if place is None:
        return ""
    try:
        data = read_source(place)
    except (OSError, ValueError) as error:
        return f"unreadable: {type(error).__name__}"
    return "" if data is None else hashlib.sha256(data).hexdigest()


def stamped(stamp: str, mark: str) -> str:
    """The stamp of a home together with the policy that it was judged by."""
    return f"{stamp} {mark}" if mark else stamp

"""The policy file: its bytes, and the policy in force. No other module reads it.

The file is read again for every pass, so an edit takes effect with the next one.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from reviewdeck.engine.options import PolicyPlace
from reviewdeck.policy.in_force import BUILT_IN, Policy
from reviewdeck.policy.settings import LARGEST, PolicySettings

if TYPE_CHECKING:
    from reviewdeck.text.toml import Problem


class Rulebook:
    """Gives the policy in force, from the file as it is now."""

    def __init__(self, place: PolicyPlace | None, user_home: Path | None = None) -> None:
        self._place = place
        self._user_home = user_home
        self._cached = BUILT_IN

    def __call__(self) -> Policy:
        """The policy in force. With an invalid file, nothing is applied automatically."""
        if self._place is None:
            return BUILT_IN
        try:
            data = read_source(self._place)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            problem = f"The policy file {self._place.path} cannot be read: {reason}."
            return Policy(mark=policy_digest(self._place), problem=problem)
        if data is None:
            return BUILT_IN
        mark = hashlib.sha256(data).hexdigest()
        if mark != self._cached.mark:
            self._cached = self._read(data, mark)
        return self._cached

    def _read(self, data: bytes, mark: str) -> Policy:
        policy = policy_of(data, self._user_home)
        if isinstance(policy, PolicySettings):
            return Policy(policy, mark)
        path = self._place.path if self._place is not None else ""
        problem = f"The policy file {path} is wrong in {policy[0]}."
        return Policy(mark=mark, problem=problem)


def policy_of(data: bytes, user_home: Path | None = None) -> PolicySettings | tuple[Problem, ...]:
    """The settings in the bytes of a policy file, or their problems."""
    from reviewdeck.policy.config import read_policy  # only where there is a file
    from reviewdeck.text.toml import Problem

    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
        return read_policy(text, str(user_home or ""))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return (Problem(line, "it is not UTF-8 text"),)


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

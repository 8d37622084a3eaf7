"""The policy in force: the only module that reads the policy file for the gate.

The file is read again for every pass, so an edit takes effect with the next one.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from reviewdeck.policy.in_force import BUILT_IN, Policy
from reviewdeck.policy.settings import PolicySettings
from reviewdeck.policy_location import PolicyPlace, policy_digest, read_source

if TYPE_CHECKING:
    from reviewdeck.policy.config import Problem


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
    from reviewdeck.policy.config import Problem, read_policy  # only where there is a file

    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
        return read_policy(text, str(user_home or ""))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return (Problem(line, "it is not UTF-8 text"),)

"""The policy in force: the one place where a policy file is read for judging.

It is read again for every pass, so an edit of the file holds from the next look on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from reviewdeck.policy.file import Problem, read_policy
from reviewdeck.policy.in_force import Policy
from reviewdeck.policy.tuning import Tuning
from reviewdeck.policy_source import PolicyPlace, mark_of, read_source


class Rulebook:
    """Gives the policy that holds now."""

    def __init__(self, place: PolicyPlace | None, timer: Callable[[], float]) -> None:
        self._place = place
        self._plain = Policy(timer=timer)
        self._known = self._plain

    def __call__(self) -> Policy:
        """The policy that holds now. With a file that is broken nothing goes in by itself."""
        if self._place is None:
            return self._plain
        try:
            data = read_source(self._place)
        except (OSError, ValueError) as error:
            said = getattr(error, "strerror", None) or str(error)
            problem = f"The policy file {self._place.path} cannot be read: {said}."
            return Policy(mark=mark_of(self._place), problem=problem, timer=self._plain.timer)
        if data is None:
            return self._plain
        mark = hashlib.sha256(data).hexdigest()
        if mark != self._known.mark:
            self._known = self._read(data, mark)
        return self._known

    def _read(self, data: bytes, mark: str) -> Policy:
        found = policy_of(data)
        if isinstance(found, Tuning):
            return Policy(found, mark, timer=self._plain.timer)
        path = self._place.path if self._place is not None else ""
        problem = f"The policy file {path} is wrong in {found[0]}."
        return Policy(mark=mark, problem=problem, timer=self._plain.timer)


def policy_of(data: bytes) -> Tuning | tuple[Problem, ...]:
    """What the bytes of a policy file say, or what is wrong with them."""
    try:
        return read_policy(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return (Problem(line, "it is not UTF-8 text"),)

"""Policy files as commands take them."""

from __future__ import annotations

from pathlib import Path

from reviewdeck.errors import BadInput
from reviewdeck.policy.file import LARGEST, Problem, read_policy
from reviewdeck.policy.tuning import Tuning


def load_policy(path: Path) -> Tuning | tuple[Problem, ...]:
    """What a policy file says, or what is wrong with it. Raises BadInput when it is unreadable."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"The policy file {path} cannot be read: {said}.") from None
    try:
        return read_policy(data.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return (Problem(line, "it is not UTF-8 text"),)


def require_policy(path: Path) -> Tuning:
    """What a policy file says. Raises BadInput with the first thing that is wrong."""
    found = load_policy(path)
    if isinstance(found, Tuning):
        return found
    raise BadInput(f"{path}: {found[0]}.", hint=f"`reviewdeck policy check {path}` tells all.")

"""Policy files as commands take them."""

from __future__ import annotations

from pathlib import Path

from reviewdeck.errors import BadInput
from reviewdeck.policy.config import Problem
from reviewdeck.policy.settings import PolicySettings
from reviewdeck.policy_loader import policy_of
from reviewdeck.policy_location import PolicyPlace, read_source


def load_policy(path: Path) -> PolicySettings | tuple[Problem, ...]:
    """What a policy file says, or what is wrong with it. Raises BadInput when it is unreadable."""
    try:
        data = read_source(PolicyPlace(path, is_named=True))
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"The policy file {path} cannot be read: {said}.") from None
    return policy_of(data or b"")


def require_policy(path: Path) -> PolicySettings:
    """What a policy file says. Raises BadInput with the first thing that is wrong."""
    found = load_policy(path)
    if isinstance(found, PolicySettings):
        return found
    raise BadInput(f"{path}: {found[0]}.", hint=f"`reviewdeck policy check {path}` tells all.")

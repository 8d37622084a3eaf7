"""Loading the policy files that commands name."""

from __future__ import annotations

from pathlib import Path

from reviewdeck.engine.options import PolicyPlace
from reviewdeck.errors import BadInput
from reviewdeck.policy.settings import PolicySettings
from reviewdeck.policy_file import policy_of, read_source
from reviewdeck.text.toml import Problem


def load_policy(path: Path) -> PolicySettings | tuple[Problem, ...]:
    """The settings of a policy file, or its problems. Raises BadInput if it cannot be read."""
    try:
        data = read_source(PolicyPlace(path, is_named=True))
    except (OSError, ValueError) as error:
        problem = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"The policy file {path} cannot be read: {problem}.") from None
    return policy_of(data or b"")


def require_policy(path: Path) -> PolicySettings:
    """The settings of a policy file. Raises BadInput with its first problem."""
    policy = load_policy(path)
    if isinstance(policy, PolicySettings):
        return policy
    raise BadInput(
        f"{path}: {policy[0]}.", hint=f"`reviewdeck policy check {path}` lists every error."
    )

"""`reviewdeck policy check`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import answer
from reviewdeck.cli.policy_files import load_policy
from reviewdeck.policy.settings import PolicySettings


def check(
    file: Annotated[Path, Parameter(help="The policy file, in TOML.")],
    /,
    *,
    options: Options = DEFAULTS,
) -> int:
    """List every error of a policy file, with its line."""
    policy = load_policy(file)
    problems = () if isinstance(policy, PolicySettings) else policy
    lines = [f"{file}:{problem.line}: {problem.message}" for problem in problems]
    if isinstance(policy, PolicySettings):
        lines = [f"{file} is valid: {len(policy.rules)} rules of its own."]
    entries = [{"line": problem.line, "message": problem.message} for problem in problems]
    told = {"file": str(file), "sound": not problems, "problems": entries}
    answer(options, told, *lines)
    return 1 if problems else 0

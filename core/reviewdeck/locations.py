"""Which homes, which ledger and which policy file an environment means. Loads no engine."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from reviewdeck.homes.claude.governed import governed_homes
from reviewdeck.homes.hermes.layout import hermes_root, profiles, resolve_home
from reviewdeck.ledger.place import path_of
from reviewdeck.policy_location import PolicyPlace

LEDGER = "REVIEWDECK_LEDGER"
"""The variable that names a ledger where no option does."""


POLICY = "REVIEWDECK_POLICY"
"""The variable that names a policy file where no option does."""


def user_home_of(env: Mapping[str, str]) -> Path:
    """The user's own directory."""
    return Path(env.get("HOME") or "~").expanduser()


def homes_meant(
    given: Sequence[Path], profiled: Sequence[str], env: Mapping[str, str], *, all_profiles: bool
) -> tuple[Path, ...]:
    """The homes that were named; else the one that Hermes would use. Raises HomeUnavailable.

    With `all_profiles`, the profiles beside each home that is meant come with it, and where none
    was named the folders that the gate of Claude Code stands before. Without Hermes, those alone.
    """
    user_home = user_home_of(env)
    others = () if given or profiled else governed_homes(env, user_home)
    if others and _is_without_hermes(env):
        return others
    meant: list[Path | None] = [*given] or [None]
    found: list[Path] = []
    for explicit in meant:
        for profile in profiled or (None,):
            found.append(resolve_home(explicit, env, user_home, sys.platform, profile=profile))
        root = hermes_root(env, user_home, sys.platform) if explicit is None else explicit
        beside = profiles(root).values() if all_profiles else ()
        found += [other.resolve() for other in beside]
    return tuple(dict.fromkeys((*found, *(others if all_profiles else ()))))


def has_no_home(env: Mapping[str, str]) -> bool:
    """Whether no agent is here: Hermes is not, and Claude Code has no gate."""
    return _is_without_hermes(env) and not governed_homes(env, user_home_of(env))


def _is_without_hermes(env: Mapping[str, str]) -> bool:
    """Whether no home of Hermes is named, and its usual place does not exist."""
    if env.get("HERMES_HOME", "").strip():
        return False
    root = hermes_root(env, user_home_of(env), sys.platform)
    return not root.is_symlink() and not root.exists()


def ledger_url(given: str | None, env: Mapping[str, str]) -> str:
    """The ledger that was named, by an option or the variable, else the user's own."""
    return given or env.get(LEDGER) or default_ledger()


def spool_of(ledger: str) -> Path:
    """Where turns wait that are on their way to this ledger: a folder beside it."""
    path = path_of(ledger)
    return path.with_name(f"{path.name}.spool")


def default_ledger() -> str:
    """The SQLite file in the user's data directory."""
    from platformdirs import user_data_path

    return str(user_data_path("reviewdeck") / "ledger.db")


def policy_place(given: Path | None, env: Mapping[str, str]) -> PolicyPlace:
    """The policy file that was named, by an option or the variable, else the user's own."""
    named = given or (Path(env[POLICY]) if env.get(POLICY) else None)
    if named is not None:
        return PolicyPlace(named.expanduser(), is_named=True)
    from platformdirs import user_config_path

    return PolicyPlace(user_config_path("reviewdeck") / "policy.toml")


def agents_named() -> tuple[str, ...]:
    """Further programs that count as agents: one a line in the user's own `agents.txt`."""
    from platformdirs import user_config_path

    try:
        text = (user_config_path("reviewdeck") / "agents.txt").read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ()
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return tuple(line for line in lines if line)

"""What this process' environment amounts to: which home, which ledger, who. Loads no engine."""

from __future__ import annotations

import getpass
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from reviewdeck.homes.hermes.layout import hermes_root, profiles, resolve_home
from reviewdeck.model import Actor, ActorKind
from reviewdeck.policy_source import PolicyPlace
from reviewdeck.ports.authority import Ancestry, Process
from reviewdeck.settings import Settings

LEDGER = "REVIEWDECK_LEDGER"
"""The variable that names a ledger where no option does."""
WORKING = "REVIEWDECK_WORKING"
"""The variable that names the working memory: `memory:`, a path, or `redis://HOST:PORT/DB`."""

POLICY = "REVIEWDECK_POLICY"
"""The variable that names a policy file where no option does."""


def surroundings(
    home: str | Path | Sequence[Path] | None = None,
    *,
    profile: str | None = None,
    all_profiles: bool = False,
    ledger: str | None = None,
    policy: Path | None = None,
    actor: Actor | None = None,
    env: Mapping[str, str],
) -> Settings:
    """The settings that this environment amounts to. Raises HomeUnavailable.

    With `all_profiles`, the profiles beside each home that is meant come with it.
    """
    user_home = Path(env.get("HOME") or "~").expanduser()
    given = [Path(home)] if isinstance(home, str | Path) else list(home or ())
    meant: list[Path | None] = [*given] or [None]
    found: list[Path] = []
    for explicit in meant:
        path = resolve_home(explicit, env, user_home, sys.platform, profile=profile)
        root = hermes_root(env, user_home, sys.platform) if explicit is None else explicit
        beside = profiles(root).values() if all_profiles else ()
        found += [path, *(other.resolve() for other in beside)]
    return Settings(
        homes=tuple(dict.fromkeys(found)),
        ledger=ledger_url(ledger, env),
        user_home=user_home,
        env=env,
        actor=actor or present_operator(),
        ancestry=process_ancestry(),
        operators=operators_directory(),
        policy=policy_place(policy, env),
        working=env.get(WORKING, ""),
    )


def ledger_url(given: str | None, env: Mapping[str, str]) -> str:
    """The ledger that was named, by an option or the variable, else the user's own."""
    return given or env.get(LEDGER) or default_ledger()


def policy_place(given: Path | None, env: Mapping[str, str]) -> PolicyPlace:
    """The policy file that was named, by an option or the variable, else the user's own."""
    named = given or (Path(env[POLICY]) if env.get(POLICY) else None)
    if named is not None:
        return PolicyPlace(named.expanduser(), is_named=True)
    from platformdirs import user_config_path

    return PolicyPlace(user_config_path("reviewdeck") / "policy.toml")


KEY = "REVIEWDECK_API_KEY"
"""The variable with the key of the model that reviews."""


def model_key(provider: str, env: Mapping[str, str], variable: str | None = None) -> str | None:
    """The key for a provider's model: from the variable that is named, ours, or its own."""
    own = f"{provider.upper().replace('-', '_')}_API_KEY" if provider else ""
    names = (variable,) if variable else (KEY, own)
    return next((env[name] for name in names if name and env.get(name)), None)


def default_ledger() -> str:
    """The SQLite file in the user's data directory."""
    from platformdirs import user_data_path

    return str(user_data_path("reviewdeck") / "ledger.db")


def present_operator() -> Actor:
    """Who runs this process, as far as the system says. Unsigned."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = str(os.getuid())
    return Actor(ActorKind.OPERATOR, name, host=socket.gethostname(), terminal=_terminal())


def operators_directory() -> Path:
    """Where the operators' keys are: in the user's data directory, wherever the ledger is."""
    from platformdirs import user_data_path

    return user_data_path("reviewdeck") / "operators"


def process_ancestry() -> Ancestry:
    """What this process descends from: looked at when it is asked for first, and then kept."""

    @cache
    def ancestors() -> tuple[Process, ...]:
        from reviewdeck.operators.ancestry import ancestry_here

        return ancestry_here()()

    return ancestors


def _terminal() -> str:
    try:
        return os.ttyname(sys.stdin.fileno()) if sys.stdin and sys.stdin.isatty() else ""
    except (OSError, ValueError):
        return ""  # No name, or no terminal any more: then it is not known.

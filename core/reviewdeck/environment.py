"""What this process' environment means: home, ledger, policy file, actor. Loads no engine."""

from __future__ import annotations

import getpass
import os
import socket
import sys
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path

from reviewdeck.engine.options import Settings
from reviewdeck.errors import DescendsFromAgent
from reviewdeck.homes.hermes.layout import hermes_root, profiles, resolve_home
from reviewdeck.model import Actor, ActorKind
from reviewdeck.policy_location import PolicyPlace
from reviewdeck.ports.authority import Ancestry, Process

LEDGER = "REVIEWDECK_LEDGER"
"""The variable that names a ledger where no option does."""

POLICY = "REVIEWDECK_POLICY"
"""The variable that names a policy file where no option does."""


def user_home_of(env: Mapping[str, str]) -> Path:
    """The user's own directory."""
    return Path(env.get("HOME") or "~").expanduser()


def homes_meant(
    given: Sequence[Path], profile: str | None, env: Mapping[str, str], *, all_profiles: bool
) -> tuple[Path, ...]:
    """The homes that were named, or the one that Hermes would use. Raises HomeUnavailable.

    With `all_profiles`, the profiles beside each home that is meant come with it.
    """
    user_home = user_home_of(env)
    meant: list[Path | None] = [*given] or [None]
    found: list[Path] = []
    for explicit in meant:
        path = resolve_home(explicit, env, user_home, sys.platform, profile=profile)
        root = hermes_root(env, user_home, sys.platform) if explicit is None else explicit
        beside = profiles(root).values() if all_profiles else ()
        found += [path, *(other.resolve() for other in beside)]
    return tuple(dict.fromkeys(found))


def ledger_url(given: str | None, env: Mapping[str, str]) -> str:
    """The ledger that was named, by an option or the variable, else the user's own."""
    return given or env.get(LEDGER) or default_ledger()


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


WORKING = "REVIEWDECK_WORKING"
"""The variable that names the working memory: `memory:`, a path, or `redis://HOST:PORT/DB`."""


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
    ancestry, agents = process_ancestry(), agents_named()
    given = [Path(home)] if isinstance(home, str | Path) else list(home or ())
    return Settings(
        homes=homes_meant(given, profile, env, all_profiles=all_profiles),
        ledger=ledger_url(ledger, env),
        user_home=user_home_of(env),
        env=env,
        actor=actor or present_operator(),
        ancestry=ancestry,
        agents=agents,
        operators=operators_directory(),
        policy=policy_meant(policy, env, ancestry, agents),
        working=env.get(WORKING, ""),
    )


def policy_meant(
    given: Path | None, env: Mapping[str, str], ancestry: Ancestry, agents: Collection[str]
) -> PolicyPlace:
    """The policy file that counts here. Raises DescendsFromAgent for one that an agent brings."""
    place = policy_place(given, env)
    own = account_policy()
    is_moved = place.path != own and (_is_there(place.path) or _is_there(own))
    if place.is_named or is_moved:
        from reviewdeck.engine.authorisation import agent_among

        agent = agent_among(ancestry(), agents)
        if agent is not None:
            name = agent.name or agent.command[0]
            raise DescendsFromAgent(
                f"This was started by {name} (process {agent.pid}): an agent brings no policy.",
                hint=f"Only the operator's own file counts there, {own}: leave out --policy"
                f" and the variables {POLICY}, XDG_CONFIG_HOME and HOME.",
            )
    return place


def _is_there(file: Path) -> bool:
    try:
        file.lstat()
    except OSError:
        return False
    return True


def account_policy() -> Path:
    """The operator's own policy file, as the account says and no variable."""
    import pwd

    from platformdirs import user_config_path

    try:
        home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        home = Path("/")  # A user that the system has no account for, as containers have them.
    moved = user_config_path("reviewdeck")
    usual = Path("Library/Application Support") if sys.platform == "darwin" else Path(".config")
    return home / usual / moved.name / "policy.toml"


KEY = "REVIEWDECK_API_KEY"
"""The variable with the key of the model that reviews."""


def model_key(provider: str, env: Mapping[str, str], variable: str | None = None) -> str | None:
    """The key for a provider's model: from the variable that is named, ours, or its own."""
    own = f"{provider.upper().replace('-', '_')}_API_KEY" if provider else ""
    names = (variable,) if variable else (KEY, own)
    return next((env[name] for name in names if name and env.get(name)), None)


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
        from reviewdeck.operators.process import ancestry_here

        return ancestry_here()()

    return ancestors


def _terminal() -> str:
    try:
        return os.ttyname(sys.stdin.fileno()) if sys.stdin and sys.stdin.isatty() else ""
    except (OSError, ValueError):
        return ""  # No name, or no terminal any more: then it is not known.

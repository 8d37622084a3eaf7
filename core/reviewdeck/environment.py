"""The settings and the actor that this process's environment amounts to. Loads no engine."""

from __future__ import annotations

import getpass
import os
import re
import secrets
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from platformdirs import user_config_path, user_data_path

from reviewdeck.engine.agent_programs import agent_among
from reviewdeck.engine.options import PolicyPlace, Settings
from reviewdeck.errors import DescendsFromAgent, LedgerUnavailable
from reviewdeck.ledger.place import LedgerAddress, address_of
from reviewdeck.locations import (
    PROGRAM,
    account_config,
    additional_agents,
    has_no_home,
    ledger_url,
    moved_places,
    selected_homes,
    user_home_of,
)
from reviewdeck.model import Actor, ActorKind
from reviewdeck.operators.process import system_ancestry
from reviewdeck.ports.authority import Ancestry, Process
from reviewdeck.terminal import warn
from reviewdeck.values import dataclass

WORKING = "REVIEWDECK_WORKING"
"""The variable that names the working memory: `memory:`, a path, or `redis://HOST:PORT/DB`."""

POLICY = "REVIEWDECK_POLICY"
"""The variable that names the policy file, unless an option does."""


def settings_in(
    home: str | Path | Sequence[Path] | None = None,
    *,
    profile: str | Sequence[str] | None = None,
    all_profiles: bool = False,
    ledger: str | None = None,
    policy: Path | None = None,
    is_new: bool = False,
    actor: Actor | None = None,
    env: Mapping[str, str],
    elsewhere: bool = False,
) -> Settings:
    """The settings for these arguments and this environment. Raises HomeUnavailable.

    With `all_profiles`, the other profiles of each selected home are included. With `elsewhere`, in
    a ledger that several machines share, homes of others are too: those that are named and not
    here, or all where none is named. Then this machine needs none.
    """
    ancestry, agents = process_ancestry(), additional_agents()
    url = ledger_url(ledger, env)
    address = address_of(url)
    homes = [Path(home)] if isinstance(home, str | Path) else list(home or ())
    profiles = [profile] if isinstance(profile, str) else list(profile or ())
    far = _named_elsewhere(homes) if elsewhere and address.is_shared and not profiles else None
    near = [home for home in homes if str(home) not in (far or ())]
    is_away = far is not None and not near and (bool(far) or has_no_home(env))
    here = () if is_away else selected_homes(near, profiles, env, all_profiles=all_profiles)
    return Settings(
        homes=here,
        elsewhere=None if homes and not far else far,
        ledger=url,
        host=_host_of(address) if address.is_shared else "",
        moved=moved_places(url),
        is_new=is_new,
        user_home=user_home_of(env),
        env=env,
        actor=actor or present_operator(),
        ancestry=ancestry,
        agents=agents,
        operators=operators_directory(),
        policy=selected_policy(policy, env, ancestry, agents),
        working=env.get(WORKING, ""),
    )


def _named_elsewhere(homes: Sequence[Path]) -> tuple[str, ...]:
    """The named homes that are not on this machine."""
    return tuple(str(home) for home in homes if not home.expanduser().exists())


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The homes, the ledger and the policy that a command works on; the defaults where unset."""

    home: tuple[Path, ...] = ()
    profile: tuple[str, ...] = ()
    all_profiles: bool = False
    ledger: str | None = None
    policy: Path | None = None
    is_new: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """The options of a command line that name these homes and this ledger."""
        words = [word for home in self.home for word in ("--home", str(home))]
        words += [word for profile in self.profile for word in ("--profile", profile)]
        words += [] if self.ledger is None else ["--ledger", self.ledger]
        return (*words, "--all-profiles") if self.all_profiles else tuple(words)


def settings_for(
    selection: Selection, *, everywhere: bool = False, elsewhere: bool = False
) -> Settings:
    """The settings of this process for a selection. Raises HomeUnavailable.

    `everywhere` includes every profile unless a home is named; a profile that cannot be read is
    left out with a warning. `elsewhere` is for those who read and decide about homes of other
    machines as well. Without `everywhere`, the home that is here comes first.
    """
    is_unnamed = not selection.home and not selection.profile
    settings = settings_in(
        selection.home,
        profile=selection.profile,
        all_profiles=selection.all_profiles or (everywhere and is_unnamed),
        ledger=selection.ledger,
        policy=selection.policy,
        is_new=selection.is_new,
        env=os.environ,
        elsewhere=elsewhere,
    )
    closed = [home for home in settings.homes[1:] if not os.access(home, os.R_OK | os.X_OK)]
    if not selection.home:
        for home in closed:
            warn(f"reviewdeck: The profile {home} cannot be read: it is left out.")
        settings = replace(settings, homes=tuple(h for h in settings.homes if h not in closed))
    if settings.homes and is_unnamed and not everywhere:
        settings = replace(settings, elsewhere=None)
    return replace(settings, options=selection.options)


def policy_place(option: Path | None, env: Mapping[str, str]) -> PolicyPlace:
    """The policy file named by the option or the variable, else the user's default."""
    path = option or (Path(env[POLICY]) if env.get(POLICY) else None)
    if path is not None:
        return PolicyPlace(path.expanduser(), is_named=True)
    return PolicyPlace(user_config_path(PROGRAM) / "policy.toml")


def selected_policy(
    explicit: Path | None, env: Mapping[str, str], ancestry: Ancestry, agents: Collection[str]
) -> PolicyPlace:
    """The policy file in force. Raises DescendsFromAgent if an agent chose another one."""
    place = policy_place(explicit, env)
    own = account_config() / "policy.toml"
    is_moved = place.path != own and (_exists(place.path) or _exists(own))
    if place.is_named or is_moved:
        agent = agent_among(ancestry(), agents)
        if agent is not None:
            name = agent.name or agent.command[0]
            raise DescendsFromAgent(
                f"This was started by {name} (process {agent.pid}), and an agent may not choose"
                " the policy.",
                hint=f"Only the operator's own file counts there, {own}: leave out --policy"
                f" and the variables {POLICY}, XDG_CONFIG_HOME and HOME.",
            )
    return place


def _exists(file: Path) -> bool:
    try:
        file.lstat()
    except OSError:
        return False
    return True


def reviewer_file() -> Path:
    """The file with the operator's settings of the reviewer."""
    return user_config_path(PROGRAM) / "reviewer.toml"


KEY = "REVIEWDECK_API_KEY"
"""The variable with the API key of the reviewer's model."""


HEADERS = "REVIEWDECK_API_HEADERS"
"""The variable with further headers for that model's provider: a JSON object."""


def present_operator() -> Actor:
    """The operator who runs this process, as the system reports it. Unsigned."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = str(os.getuid())
    return Actor(ActorKind.OPERATOR, name, host=host_name(), terminal=_terminal())


def operators_directory() -> Path:
    """The operators' keys: a folder of the user's data directory, wherever the ledger is."""
    return user_data_path(PROGRAM) / "operators"


def process_ancestry() -> Ancestry:
    """The ancestors of this process, read at the first call and cached."""

    @cache
    def ancestors() -> tuple[Process, ...]:
        return system_ancestry()()

    return ancestors


def host_name() -> str:
    """The name of this machine, for people."""
    return os.uname().nodename


def _terminal() -> str:
    try:
        return os.ttyname(sys.stdin.fileno()) if sys.stdin and sys.stdin.isatty() else ""
    except (OSError, ValueError):
        return ""  # The terminal has no name, or is closed.


def _host_of(address: LedgerAddress) -> str:
    """This machine's id in a ledger that several share. Raises LedgerUnavailable without one.

    A home that is registered without one would be taken for everybody's.
    """
    with suppress(OSError):
        address.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    if id := host_id(address.state):
        return id
    raise LedgerUnavailable(
        f"This machine's id in the ledger cannot be kept in {address.state}.",
        hint="Make that folder writable, for this account alone.",
    )


_HOST: Final = "host"
_HOST_ID: Final = re.compile(r"[0-9a-f]{16}")


def host_id(state: Path) -> str:
    """The id of this host, kept in its own state folder; made once.

    Empty where it cannot be kept: every home of the ledger is then taken to be here.
    """
    file, made = state / _HOST, secrets.token_hex(8)
    if id := _read_host(file):
        return id
    with suppress(OSError):
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = file.with_name(f".{_HOST}-{made}-{os.getpid()}")
    with suppress(OSError):
        part.write_text(made, "ascii")
        try:
            file.hardlink_to(part)  # Whole at once, and never in the place of another one.
        finally:
            part.unlink()
    return _read_host(file)


def _read_host(file: Path) -> str:
    try:
        text = file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return text if _HOST_ID.fullmatch(text) else ""

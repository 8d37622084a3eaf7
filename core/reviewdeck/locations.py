"""The homes and the ledger that an environment selects. Loads no engine."""

from __future__ import annotations

import os
import pwd
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from platformdirs import user_config_path, user_data_path

from reviewdeck.homes.gated.governed import folders_in, governed_homes
from reviewdeck.homes.hermes.layout import hermes_root, profiles, resolve_home
from reviewdeck.homes.openclaw.state import RECORD, default_state
from reviewdeck.ledger.place import LedgerAddress, address_of, ledger_in

PROGRAM = "reviewdeck"
"""What our folders are called."""

LEDGER = "REVIEWDECK_LEDGER"
"""The variable that names the ledger, unless an option does."""


def user_home_of(env: Mapping[str, str]) -> Path:
    """The user's own directory."""
    return Path(env.get("HOME") or "~").expanduser()


def selected_homes(
    named: Sequence[Path],
    profile_names: Sequence[str],
    env: Mapping[str, str],
    *,
    all_profiles: bool,
) -> tuple[Path, ...]:
    """The named homes, else the one that Hermes would use. Raises HomeUnavailable.

    With `all_profiles`, the other profiles of each home are included, and unless a home is named,
    the folders that the gates of other agents protect. Without Hermes, only those folders.
    """
    user_home = user_home_of(env)
    governed = () if named or profile_names else _governed(env, user_home)
    if governed and _is_without_hermes(env):
        return governed
    roots: list[Path | None] = [*named] or [None]
    homes: list[Path] = []
    for explicit in roots:
        for profile in profile_names or (None,):
            homes.append(resolve_home(explicit, env, user_home, sys.platform, profile=profile))
        root = hermes_root(env, user_home, sys.platform) if explicit is None else explicit
        siblings = profiles(root).values() if all_profiles else ()
        homes += [sibling.resolve() for sibling in siblings]
    return tuple(dict.fromkeys((*homes, *(governed if all_profiles else ()))))


def has_no_home(env: Mapping[str, str]) -> bool:
    """Whether there is neither a Hermes home nor a gate of another agent."""
    return _is_without_hermes(env) and not _governed(env, user_home_of(env))


def _governed(env: Mapping[str, str], user_home: Path) -> tuple[Path, ...]:
    workspaces = folders_in(default_state(env, user_home) / RECORD)
    return tuple(dict.fromkeys((*governed_homes(env, user_home), *workspaces)))


def _is_without_hermes(env: Mapping[str, str]) -> bool:
    """Whether HERMES_HOME names no home, and the default home does not exist."""
    if env.get("HERMES_HOME", "").strip():
        return False
    root = hermes_root(env, user_home_of(env), sys.platform)
    return not root.is_symlink() and not root.exists()


def ledger_url(option: str | None, env: Mapping[str, str]) -> str:
    """The ledger named by the option or the variable, else the user's default."""
    return option or env.get(LEDGER) or default_ledger()


def default_ledger() -> str:
    """The ledger in the user's data directory."""
    return ledger_in(user_data_path(PROGRAM))


def moved_places(ledger: str) -> tuple[str, ...]:
    """Where this process was told to work in another place than its account's own, in words.

    The account's places are those that the system's database of accounts leads to. A link to one
    of them is the same place.
    """
    data, config = account_data(), account_config()
    chosen = (
        ("ledger", _place_of(address_of(ledger)), Path(ledger_in(data))),
        ("data directory", user_data_path(PROGRAM), data),
        ("configuration directory", user_config_path(PROGRAM), config),
    )
    return tuple(
        f"the {name} {here}" for name, here, own in chosen if _resolved(here) != _resolved(own)
    )


def _place_of(ledger: LedgerAddress) -> Path:
    return Path(ledger.label if ledger.is_shared else ledger.url)


def _resolved(path: Path) -> str:
    return os.path.realpath(path)


def account_config() -> Path:
    """The configuration directory below the account's home directory, whatever variables say."""
    return _account_directory(".config")


def account_data() -> Path:
    """The data directory below the account's home directory, whatever variables say."""
    return _account_directory(".local/share")


def _account_directory(usual: str) -> Path:
    try:
        home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        home = Path("/")  # A user id without an account, as in containers.
    if sys.platform == "darwin":
        usual = "Library/Application Support"
    return home / usual / PROGRAM


def additional_agents() -> tuple[str, ...]:
    """Further programs that count as agents: one a line in `agents.txt`.

    The file is in the account's configuration directory, and where variables name another
    directory, the one there is read too: it can only add names.
    """
    folders = dict.fromkeys((account_config(), user_config_path(PROGRAM)))
    return tuple(dict.fromkeys(name for folder in folders for name in _names_in(folder)))


def _names_in(folder: Path) -> Iterator[str]:
    try:
        text = (folder / "agents.txt").read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    yield from (line for line in lines if line)

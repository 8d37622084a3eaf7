"""Where a Hermes home is, and where things are in it.

Which directory is the home is told by the rules of the agent's own command: explicit path,
profile, environment, sticky file, default. Nothing here creates a directory or reads the
environment by itself.

A home does not say which version of Hermes works in it, and several may: each trait of a later
version is told by what is on the disk, never by a version number.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from reviewdeck.errors import HomeUnavailable
from reviewdeck.homes.hermes.session_database import (
    DATABASE,
    SessionsUnreadable,
    is_there,
    look,
    stamp,
)
from reviewdeck.homes.hermes.skills import SKILL_FILE, SKILLS, SUPPORT_DIRECTORIES

DEFAULT_PROFILE = "default"

PROFILE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")

# Hermes refuses these: they would collide with names on disk or in its shell aliases.
RESERVED_PROFILES = frozenset({"hermes", "test", "tmp", "root", "sudo"})


def resolve_home(
    explicit: Path | None,
    env: Mapping[str, str],
    user_home: Path,
    platform: str,
    *,
    profile: str | None = None,
) -> Path:
    """The home that Hermes' own command would use, or the one that was asked for.

    With both a path and a profile, the path is the root that holds the profiles. Raises
    HomeUnavailable.
    """
    if explicit is not None:
        path = _expanded(explicit, user_home)
        return _existing(path) if profile is None else resolve_profile(profile, path)
    root = hermes_root(env, user_home, platform)
    if profile is not None:
        return resolve_profile(profile, root)
    given = env.get("HERMES_HOME", "").strip()
    if given and _is_profile_home(Path(given)):
        return _existing(Path(given))
    sticky = None if env.get("HERMES_S6_SUPERVISED_CHILD") else active_profile(root)
    if sticky is not None:
        return resolve_profile(sticky, root)
    return _existing(Path(given) if given else root)


def resolve_profile(name: str, root: Path) -> Path:
    """The home of a profile below a root. Raises HomeUnavailable, and never creates it."""
    canonical = name.strip().lower()
    if canonical == DEFAULT_PROFILE:
        return _existing(root)
    if not PROFILE_NAME.fullmatch(canonical) or canonical in RESERVED_PROFILES:
        raise HomeUnavailable(
            f"{name!r} is not a profile name.",
            hint="Lower-case letters, digits, - and _; at most 64 of them.",
        )
    home = root / "profiles" / canonical
    if not _is_directory(home):
        raise HomeUnavailable(
            f"The profile {canonical!r} does not exist: there is no directory {home}.",
            hint=f"Create it with `hermes profile create {canonical}`, or name another.",
        )
    return _existing(home)


def hermes_root(env: Mapping[str, str], user_home: Path, platform: str) -> Path:
    """The directory that holds the default home and the profiles."""
    native = native_home(env, user_home, platform)
    given = env.get("HERMES_HOME", "").strip()
    if not given:
        return native
    path = Path(given)
    if path.resolve().is_relative_to(native.resolve()):
        return native
    return path.parent.parent if _is_profile_home(path) else path


def native_home(env: Mapping[str, str], user_home: Path, platform: str) -> Path:
    """Where Hermes lives on this platform when nobody says otherwise."""
    if platform == "win32":
        local = env.get("LOCALAPPDATA", "").strip()
        return (Path(local) if local else user_home / "AppData" / "Local") / "hermes"
    return user_home / ".hermes"


def active_profile(root: Path) -> str | None:
    """The profile that was chosen with `hermes profile use`; None for the default one."""
    try:
        name = (root / "active_profile").read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None  # as Hermes does: a file that cannot be read chooses nothing
    return None if name in {"", DEFAULT_PROFILE} else name


def profiles(root: Path) -> dict[str, Path]:
    """Every profile's home by its name, the default one first."""
    found = {DEFAULT_PROFILE: root} if _is_directory(root) else {}
    try:
        entries = sorted((root / "profiles").iterdir())
    except OSError:
        return found
    named = {entry.name: entry for entry in entries if PROFILE_NAME.fullmatch(entry.name)}
    return found | {name: entry for name, entry in named.items() if _is_directory(entry)}


def home_name(home: Path) -> str:
    """What a person calls a home: its profile's name."""
    return home.name if _is_profile_home(home) else DEFAULT_PROFILE


def _is_profile_home(path: Path) -> bool:
    return path.parent.name == "profiles"


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _expanded(path: Path, user_home: Path) -> Path:
    """The path with a leading `~` put out: shells leave it alone in `--home=~/x`."""
    return user_home.joinpath(*path.parts[1:]) if path.parts[:1] == ("~",) else path


def _existing(home: Path) -> Path:
    try:
        resolved = home.resolve(strict=True)
    except FileNotFoundError:
        raise HomeUnavailable(f"There is no Hermes home at {home}.") from None
    except (OSError, RuntimeError) as error:
        raise HomeUnavailable(f"The home {home} cannot be read: {error}.") from error
    if not resolved.is_dir():
        raise HomeUnavailable(f"{home} is not a directory.")
    return resolved


LOCKS = "skills/.locks"
"""Holds one lock file for each skill that a later version ever changed."""

CURATOR_LEDGER = "skills/.curator_ledger.jsonl"
"""One line for each change of a skill, whoever made it."""

BLOBS = ".curator_backups/blobs"
"""The texts that such a ledger names by their sums."""

NEWEST_OLD_SCHEMA = 22
"""The version of the session database that 0.19 keeps."""

ORG_MIRROR = "_org"
"""Below the skills: those that an organisation shares."""


def is_later_home(home: Path) -> bool:
    """Whether a later version than 0.19 has worked here, by any mark that it leaves. Never raises.

    Settings are no marks: an older version passes over those that it does not know.
    """
    return (
        has_skill_locks(home)
        or has_curator_ledger(home)
        or _is(home / BLOBS, directory=True)
        or _is(home / "skills" / ORG_MIRROR, directory=True)
        or _has_later_sessions(home / DATABASE)
    )


def _has_later_sessions(path: Path) -> bool:
    """Whether the session database has what later versions add."""
    try:
        return is_there(path) and _schema(path, stamp(path)) > NEWEST_OLD_SCHEMA
    except SessionsUnreadable:
        return False


@lru_cache(maxsize=16)
def _schema(path: Path, _facts: str) -> int:
    """Read once for each state of the database; what could not be read is tried again."""
    return look(path, lambda sessions: sessions.schema)


def has_skill_locks(home: Path) -> bool:
    """Whether somebody takes a lock for each skill here."""
    return _is(home / LOCKS, directory=True)


def has_curator_ledger(home: Path) -> bool:
    """Whether somebody keeps a ledger of changes of skills here."""
    return _is(home / CURATOR_LEDGER, directory=False)


def skill_lock_name(skill: str) -> str:
    """The lock file of a skill: by its directory's name, whatever its category."""
    return f"{hashlib.sha256(skill.encode('utf-8', 'surrogatepass')).hexdigest()}.lock"


def _is(path: Path, *, directory: bool) -> bool:
    try:
        if path.is_symlink():
            return False
        return path.is_dir() if directory else path.is_file()
    except OSError:
        return False


ARCHIVE = f"{SKILLS}/.archive/"


def skill_directories(root: Path, paths: Iterable[str]) -> dict[str, list[str]]:
    """The paths by the directory of their skill, relative to the home.

    What is on the way to the archive belongs to the skill that it was.
    """
    below = [path for path in sorted(set(paths)) if path.startswith(f"{SKILLS}/")]
    mains = {path.rpartition("/")[0] for path in below if path.endswith(f"/{SKILL_FILE}")}
    found: dict[str, list[str]] = {}
    for path in below:
        if not path.startswith(ARCHIVE):
            found.setdefault(_directory(root, path, mains), []).append(path)
    return found


def _directory(root: Path, path: str, mains: set[str]) -> str:
    parts = path.split("/")[:-1]
    for depth in range(2, len(parts) + 1):
        directory = "/".join(parts[:depth])
        if directory in mains or (root / directory / SKILL_FILE).is_file():
            return directory
    inner = (at for at, part in enumerate(parts) if at > 1 and part in SUPPORT_DIRECTORIES)
    return "/".join(parts[: next(inner, len(parts))])

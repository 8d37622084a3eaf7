"""Resolves Hermes' home: explicit path, profile, environment, sticky file, default.

The rules are those of Hermes' own command. Nothing here creates a directory or reads the process
environment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from reviewdeck.errors import HomeUnavailable
from reviewdeck.files import OURS
from reviewdeck.homes.skill_tree import SKILL_FILE, SUPPORT_DIRECTORIES

SKILLS = "skills"
"""The home's own folder of skills."""
ARCHIVE = f"{SKILLS}/.archive/"
"""The curator's archive of unused skills; a second skill of a name gets a time as suffix."""
PLUGIN = "plugins/reviewdeck"
"""The folder of our plugin in a home."""
RECORD = f"{OURS}/install.json"
"""The record of an installation."""

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
    """The explicit home, or the one that Hermes' own command would use.

    With both a path and a profile, the path is the root of the profiles. Raises HomeUnavailable.
    """
    if explicit is not None:
        path = user_home.joinpath(*explicit.parts[1:]) if explicit.parts[:1] == ("~",) else explicit
        return _require_directory(path) if profile is None else resolve_profile(profile, path)
    root = hermes_root(env, user_home, platform)
    if profile is not None:
        return resolve_profile(profile, root)
    override = env.get("HERMES_HOME", "").strip()
    if override and is_profile(Path(override)):
        return _require_directory(Path(override))
    sticky = None if env.get("HERMES_S6_SUPERVISED_CHILD") else active_profile(root)
    if sticky is not None:
        return resolve_profile(sticky, root)
    return _require_directory(Path(override) if override else root)


def resolve_profile(name: str, root: Path) -> Path:
    """The existing home of a profile below a root. Raises HomeUnavailable."""
    canonical = name.strip().lower()
    if canonical == DEFAULT_PROFILE:
        return _require_directory(root)
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
    return _require_directory(home)


def hermes_root(env: Mapping[str, str], user_home: Path, platform: str) -> Path:
    """The directory of the default home and the profiles."""
    native = native_home(env, user_home, platform)
    override = env.get("HERMES_HOME", "").strip()
    if not override:
        return native
    path = Path(override)
    if path.resolve().is_relative_to(native.resolve()):
        return native
    return path.parent.parent if is_profile(path) else path


def native_home(env: Mapping[str, str], user_home: Path, platform: str) -> Path:
    """Hermes' default directory on this platform."""
    if platform == "win32":
        local = env.get("LOCALAPPDATA", "").strip()
        return (Path(local) if local else user_home / "AppData" / "Local") / "hermes"
    return user_home / ".hermes"


def active_profile(root: Path) -> str | None:
    """The profile chosen with `hermes profile use`; None for the default one."""
    try:
        name = (root / "active_profile").read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None  # as Hermes does: an unreadable file is ignored
    return None if name in {"", DEFAULT_PROFILE} else name


def profiles(root: Path) -> dict[str, Path]:
    """Every profile's home by its name, the default one first."""
    homes = {DEFAULT_PROFILE: root} if _is_directory(root) else {}
    try:
        entries = sorted((root / "profiles").iterdir())
    except OSError:
        return homes
    candidates = {entry.name: entry for entry in entries if PROFILE_NAME.fullmatch(entry.name)}
    return homes | {name: entry for name, entry in candidates.items() if _is_directory(entry)}


def home_name(home: Path) -> str:
    """The home's name for people: its profile."""
    return home.name if is_profile(home) else DEFAULT_PROFILE


def is_profile(home: Path) -> bool:
    """Whether a home is a named profile, below the directory of profiles."""
    return home.parent.name == "profiles"


def roots_of(home: Path) -> tuple[Path, ...]:
    """The folders with a home's conversations: its own, and the root that launched it."""
    return (home, home.parent.parent) if is_profile(home) else (home,)


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _require_directory(home: Path) -> Path:
    try:
        resolved = home.resolve(strict=True)
    except FileNotFoundError:
        if home.is_symlink():
            raise HomeUnavailable(f"{home} is a link that leads nowhere.") from None
        raise HomeUnavailable(f"There is no Hermes home at {home}.") from None
    except (OSError, RuntimeError) as error:
        raise HomeUnavailable(f"The home {home} cannot be read: {error}.") from error
    if not resolved.is_dir():
        raise HomeUnavailable(f"{home} is not a directory.")
    return resolved


def skill_directories(root: Path, paths: Iterable[str]) -> dict[str, list[str]]:
    """The paths grouped by the directory of their skill, relative to the home.

    Paths below the archive are left out: an archived skill is listed by its old path.
    """
    skill_paths = [path for path in sorted(set(paths)) if path.startswith(f"{SKILLS}/")]
    mains = {path.rpartition("/")[0] for path in skill_paths if path.endswith(f"/{SKILL_FILE}")}
    by_directory: dict[str, list[str]] = {}
    for path in skill_paths:
        if not path.startswith(ARCHIVE):
            by_directory.setdefault(_directory(root, path, mains), []).append(path)
    return by_directory


def _directory(root: Path, path: str, mains: set[str]) -> str:
    parts = path.split("/")[:-1]
    for depth in range(2, len(parts) + 1):
        directory = "/".join(parts[:depth])
        if directory in mains or (root / directory / SKILL_FILE).is_file():
            return directory
    inner = (index for index, part in enumerate(parts) if index > 1 and part in SUPPORT_DIRECTORIES)
    return "/".join(parts[: next(inner, len(parts))])


def archives_of(home: Path, skill: str) -> tuple[str, ...]:
    """The archived directories of a skill of this name. Never raises."""
    try:
        if (home / ARCHIVE).is_symlink():
            return ()
        with os.scandir(home / ARCHIVE) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return ()
    return tuple(f"{ARCHIVE}{name}" for name in names if _is_archive_of(name, skill))


def _is_archive_of(name: str, skill: str) -> bool:
    stem, sign, moment = name.rpartition("-")
    return name == skill or (stem == skill and bool(sign) and moment.isdecimal())

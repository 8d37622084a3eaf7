"""Which directory is the agent's home: explicit path, profile, environment, sticky file, default.

The rules are those of the agent's own command. Nothing here creates a directory, and nothing reads
the environment by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from reviewdeck.errors import HomeUnavailable
from reviewdeck.homes.hermes.skills import SKILLS
from reviewdeck.homes.skill_tree import SKILL_FILE, SUPPORT_DIRECTORIES

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

"""Tier 2: the agent is another user of the system, who can write into `pending/` and nowhere else.

Whether that holds is read from owners, groups and modes, as POSIX has them (IEEE 1003.1, file
access permissions, and the sticky bit of directories). Access lists are seen and not judged.
"""

from __future__ import annotations

import grp
import os
import pwd
import shlex
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MOST_FILES = 20_000
"""So many files of a tree are looked at."""
_ACL = "system.posix_acl_access"


@dataclass(frozen=True, slots=True)
class Account:
    """One user of the system, with the groups that they are in."""

    name: str
    uid: int
    groups: frozenset[int]


@dataclass(frozen=True, slots=True)
class SeparationPaths:
    """What has to be out of the agent's reach, and what has to be within it."""

    home: Path
    ledger: Path
    operators: Path
    policy: Path | None
    programs: tuple[Path, ...]
    """What runs as the operator: the interpreter, and our own code."""

    @property
    def pending(self) -> tuple[Path, ...]:
        """Where the agent leaves what it proposes."""
        root = self.home / "pending"
        return (root, root / "memory", root / "skills")


@dataclass(frozen=True, slots=True)
class Breach:
    """One place where the separation does not hold."""

    path: Path
    said: str


def account_of(name: str) -> Account | None:
    """The user by this name, or None."""
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    groups = frozenset(os.getgrouplist(name, entry.pw_gid))
    return Account(name, entry.pw_uid, groups)


def breaches(places: SeparationPaths, agent: Account) -> Iterator[Breach]:
    """Everything that is not as it has to be, gravest first."""
    if agent.uid == os.geteuid():
        yield Breach(places.home, f"{agent.name} is the user who runs this: nothing is separate")
        return
    if agent.uid == 0:
        yield Breach(places.home, "root is kept out of nothing")
        return
    for path in _closed(places):
        by = _way_in(path, agent)
        if by is not None:
            what = "it" if by == path else str(by)
            yield Breach(path, f"{agent.name} can change {what}")
        elif _has_access_list(path):
            yield Breach(path, "it has an access list: look at it with getfacl")
    yield from _keys(places, agent)
    yield from _open(places, agent)
    yield from _shared(places, agent)


def _keys(places: SeparationPaths, agent: Account) -> Iterator[Breach]:
    if places.operators.exists() and _may(places.operators, agent, stat.S_IROTH | stat.S_IXOTH):
        yield Breach(places.operators, f"{agent.name} can read the sealed keys")


def _open(places: SeparationPaths, agent: Account) -> Iterator[Breach]:
    for path in places.pending:
        if not path.is_dir():
            yield Breach(path, "it is not there: the agent cannot propose anything")
        elif not _reaches(path, agent) or not _may(path, agent, stat.S_IWOTH | stat.S_IXOTH):
            yield Breach(path, f"{agent.name} cannot write into it: nothing can be proposed")
        elif not os.access(path, os.R_OK | os.W_OK | os.X_OK):
            yield Breach(path, "the operator cannot take records away from it")
    for path in places.pending[1:]:
        for record in path.glob("*.json") if path.is_dir() else ():
            if not os.access(record, os.R_OK):
                yield Breach(record, "the operator cannot read it")


def _shared(places: SeparationPaths, agent: Account) -> Iterator[Breach]:
    """What the operator writes keeps the group of its folder, where they are in that group."""
    ours = {os.getegid(), *os.getgroups()}
    for folder in (places.home, places.home / "memories", places.home / "skills"):
        if not folder.is_dir():
            continue
        group = folder.stat().st_gid
        if not _reaches(folder, agent) or not _may(folder, agent, stat.S_IROTH | stat.S_IXOTH):
            yield Breach(folder, f"{agent.name} cannot read it")
        elif group in agent.groups and os.geteuid() != 0 and group not in ours:
            said = "you are not in its group: what you approve could not be read there"
            yield Breach(folder, f"{said}; log in anew after usermod")


def _closed(places: SeparationPaths) -> Iterator[Path]:
    """Everything that the agent must not change, as far as it is there."""
    trees = (places.home / "memories", places.home / "skills", places.home / ".reviewdeck")
    single = [places.home / "config.yaml", places.ledger, places.ledger.parent, places.operators]
    single += [places.policy] if places.policy is not None else []
    for path in (*trees, *single, *places.programs):
        if path.exists():
            yield path
    seen = 0
    for tree in trees:
        for folder, _, files in os.walk(tree):
            for name in (*files, ""):
                seen += 1
                if seen > MOST_FILES:
                    return
                yield Path(folder, name)


def _way_in(path: Path, agent: Account) -> Path | None:
    """The place at which the agent can change this one: itself, or something above it."""
    real = path.resolve()
    if not _reaches(real, agent):
        return None
    if _may(real, agent, stat.S_IWOTH):
        return path
    for place in (real, *real.parents):
        if place != place.parent and _may_replace(place, agent):
            return place
    return None


def _may_replace(path: Path, agent: Account) -> bool:
    """Whether an entry of a directory can be renamed or removed: the sticky bit keeps others'."""
    parent = path.parent
    if not _may(parent, agent, stat.S_IWOTH | stat.S_IXOTH):
        return False
    status = parent.stat()
    return not status.st_mode & stat.S_ISVTX or agent.uid in (status.st_uid, path.lstat().st_uid)


def _reaches(path: Path, agent: Account) -> bool:
    return all(_may(parent, agent, stat.S_IXOTH) for parent in path.resolve().parents)


def _may(path: Path, agent: Account, wanted: int) -> bool:
    """Whether the mode gives a user all of these rights, written as those of others."""
    try:
        status = path.stat()
    except OSError:
        return False
    if status.st_uid == agent.uid:
        return (status.st_mode >> 6) & wanted == wanted
    if status.st_gid in agent.groups:
        return (status.st_mode >> 3) & wanted == wanted
    return status.st_mode & wanted == wanted


def _has_access_list(path: Path) -> bool:
    try:
        return _ACL in os.listxattr(path)
    except (OSError, AttributeError):
        return False  # This system has none, or does not tell.


def commands(places: SeparationPaths, agent: str) -> tuple[str, ...]:
    """What separates them, to be run by an administrator once the agent has been stopped."""
    me, home = _name_of(os.geteuid()), shlex.quote(str(places.home))
    own, shared = f"{me}:{_group(agent)}", [shlex.quote(str(path)) for path in places.pending]
    known = account_of(agent) is not None
    make = f"useradd --system --user-group --create-home --shell /usr/sbin/nologin {agent}"
    kept = " ".join(
        shlex.quote(str(places.home / name))
        for name in ("memories", "skills", "config.yaml")
        if (places.home / name).exists()
    )
    return (
        *(() if known else (f"sudo {make}",)),
        # What the operator writes stays readable for the agent: its group is kept.
        *(() if me == "root" else (f"sudo usermod --append --groups {_group(agent)} {me}",)),
        f"sudo chown {own} {home}",
        f"sudo chmod 3770 {home}",
        *((f"sudo chown -R {own} {kept}", f"sudo chmod -R u=rwX,g=rX,o= {kept}") if kept else ()),
        f"sudo install -d -o {me} -m 700 {shlex.quote(str(places.home / '.reviewdeck'))}",
        f"sudo install -d -o {me} -g {_group(agent)} -m 3770 {' '.join(shared)}",
        f"sudo find {shared[0]} -name '*.json' -exec chmod a+r {{}} +",
        f"chmod 700 {_all(places.ledger.parent, places.operators)}",
    )


def _all(*paths: Path) -> str:
    return " ".join(shlex.quote(str(path)) for path in dict.fromkeys(paths) if path.exists())


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)  # `chown` and `install` take the number of a user without a name, too.


def _group(agent: str) -> str:
    try:
        return grp.getgrgid(pwd.getpwnam(agent).pw_gid).gr_name
    except KeyError:
        return agent

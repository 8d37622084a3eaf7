"""Tier 2: the agent is a separate user of the system, who can write into `pending/` only.

The check reads owners, groups and modes by the rules of POSIX (IEEE 1003.1, file access
permissions, and the sticky bit of directories). Access lists are reported but not evaluated.
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
"""Most files that are checked."""
_ACL = "system.posix_acl_access"


@dataclass(frozen=True, slots=True)
class Account:
    """A user of the system and their groups."""

    name: str
    uid: int
    groups: frozenset[int]


@dataclass(frozen=True, slots=True)
class SeparationPaths:
    """Paths that the agent must not write, and those that it must."""

    home: Path
    ledger: Path
    operators: Path
    policy: Path | None
    programs: tuple[Path, ...]
    """Programs that run as the operator: the interpreter and our code."""

    @property
    def pending(self) -> tuple[Path, ...]:
        """The folders for the agent's proposals."""
        root = self.home / "pending"
        return (root, root / "memory", root / "skills")


@dataclass(frozen=True, slots=True)
class Breach:
    """A path at which the separation is broken."""

    path: Path
    problem: str


def account_of(name: str) -> Account | None:
    """The user by this name, or None."""
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    groups = frozenset(os.getgrouplist(name, entry.pw_gid))
    return Account(name, entry.pw_uid, groups)


def breaches(places: SeparationPaths, agent: Account) -> Iterator[Breach]:
    """All breaches of the separation, gravest first."""
    if agent.uid == os.geteuid():
        yield Breach(places.home, f"{agent.name} is the user who runs this: nothing is separate")
        return
    if agent.uid == 0:
        yield Breach(places.home, "root can read and write everything")
        return
    for path in _protected_paths(places):
        by = _writable_through(path, agent)
        if by is not None:
            target = "it" if by == path else str(by)
            yield Breach(path, f"{agent.name} can change {target}")
        elif _has_access_list(path):
            yield Breach(path, "it has an access list: look at it with getfacl")
    yield from _key_breaches(places, agent)
    yield from _pending_breaches(places, agent)
    yield from _shared_breaches(places, agent)


def _key_breaches(places: SeparationPaths, agent: Account) -> Iterator[Breach]:
    if places.operators.exists() and _has_rights(
        places.operators, agent, stat.S_IROTH | stat.S_IXOTH
    ):
        yield Breach(places.operators, f"{agent.name} can read the sealed keys")


def _pending_breaches(places: SeparationPaths, agent: Account) -> Iterator[Breach]:
    for path in places.pending:
        if not path.is_dir():
            yield Breach(path, "it is not there: the agent cannot propose anything")
        elif not _reaches(path, agent) or not _has_rights(path, agent, stat.S_IWOTH | stat.S_IXOTH):
            yield Breach(path, f"{agent.name} cannot write into it: nothing can be proposed")
        elif not os.access(path, os.R_OK | os.W_OK | os.X_OK):
            yield Breach(path, "the operator cannot take records away from it")
    for path in places.pending[1:]:
        for record in path.glob("*.json") if path.is_dir() else ():
            if not os.access(record, os.R_OK):
                yield Breach(record, "the operator cannot read it")


def _shared_breaches(places: SeparationPaths, agent: Account) -> Iterator[Breach]:
    """Files that the operator writes must get the group of their folder, for the agent to read."""
    ours = {os.getegid(), *os.getgroups()}
    for folder in (places.home, places.home / "memories", places.home / "skills"):
        if not folder.is_dir():
            continue
        group = folder.stat().st_gid
        if not _reaches(folder, agent) or not _has_rights(
            folder, agent, stat.S_IROTH | stat.S_IXOTH
        ):
            yield Breach(folder, f"{agent.name} cannot read it")
        elif group in agent.groups and os.geteuid() != 0 and group not in ours:
            problem = "you are not in its group: what you approve could not be read there"
            yield Breach(folder, f"{problem}; log in anew after usermod")


def _protected_paths(places: SeparationPaths) -> Iterator[Path]:
    """The existing paths that the agent must not change."""
    trees = (places.home / "memories", places.home / "skills", places.home / ".reviewdeck")
    single = [places.home / "config.yaml", places.ledger, places.ledger.parent, places.operators]
    single += [places.policy] if places.policy is not None else []
    for path in (*trees, *single, *places.programs):
        if path.exists():
            yield path
    count = 0
    for tree in trees:
        for folder, _, files in os.walk(tree):
            for name in (*files, ""):
                count += 1
                if count > MOST_FILES:
                    return
                yield Path(folder, name)


def _writable_through(path: Path, agent: Account) -> Path | None:
    """The path through which the agent can change this one: itself or an ancestor; else None."""
    real = path.resolve()
    if not _reaches(real, agent):
        return None
    if _has_rights(real, agent, stat.S_IWOTH):
        return path
    for place in (real, *real.parents):
        if place != place.parent and _may_replace(place, agent):
            return place
    return None


def _may_replace(path: Path, agent: Account) -> bool:
    """Whether the agent can rename or remove a directory entry; the sticky bit protects others'."""
    parent = path.parent
    if not _has_rights(parent, agent, stat.S_IWOTH | stat.S_IXOTH):
        return False
    status = parent.stat()
    return not status.st_mode & stat.S_ISVTX or agent.uid in (status.st_uid, path.lstat().st_uid)


def _reaches(path: Path, agent: Account) -> bool:
    return all(_has_rights(parent, agent, stat.S_IXOTH) for parent in path.resolve().parents)


def _has_rights(path: Path, agent: Account, rights: int) -> bool:
    """Whether the mode gives a user all of these rights (`stat.S_I?OTH` bits)."""
    try:
        status = path.stat()
    except OSError:
        return False
    if status.st_uid == agent.uid:
        return (status.st_mode >> 6) & rights == rights
    if status.st_gid in agent.groups:
        return (status.st_mode >> 3) & rights == rights
    return status.st_mode & rights == rights


def _has_access_list(path: Path) -> bool:
    try:
        return _ACL in os.listxattr(path)
    except (OSError, AttributeError):
        return False  # The system has no access lists, or does not show them.


def commands(places: SeparationPaths, agent: str) -> tuple[str, ...]:
    """The commands that set up the separation, for an administrator, with the agent stopped."""
    me, home = _name_of(os.geteuid()), shlex.quote(str(places.home))
    shared = [shlex.quote(str(path)) for path in places.pending]
    owner, group = shlex.quote(f"{me}:{_group(agent)}"), shlex.quote(_group(agent))
    has_account = account_of(agent) is not None
    # A folder around the home stays open: the agent has to get through it.
    private = [
        shlex.quote(str(path))
        for path in dict.fromkeys((places.ledger.parent, places.operators))
        if path.exists() and not places.home.is_relative_to(path)
    ]
    make = "useradd --system --user-group --create-home --shell /usr/sbin/nologin"
    shared_paths = " ".join(
        shlex.quote(str(places.home / name))
        for name in ("memories", "skills", "config.yaml")
        if (places.home / name).exists()
    )
    return (
        *(() if has_account else (f"sudo {make} {shlex.quote(agent)}",)),
        # Keeps files that the operator writes readable for the agent, through their group.
        *(() if me == "root" else (f"sudo usermod --append --groups {group} {me}",)),
        f"sudo chown {owner} {home}",
        f"sudo chmod 3770 {home}",
        *(
            (f"sudo chown -R {owner} {shared_paths}", f"sudo chmod -R u=rwX,g=rX,o= {shared_paths}")
            if shared_paths
            else ()
        ),
        f"sudo install -d -o {me} -m 700 {shlex.quote(str(places.home / '.reviewdeck'))}",
        f"sudo install -d -o {me} -g {group} -m 3770 {' '.join(shared)}",
        f"sudo find {shared[0]} -name '*.json' -exec chmod a+r {{}} +",
        *((f"chmod 700 {' '.join(private)}",) if private else ()),
    )


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

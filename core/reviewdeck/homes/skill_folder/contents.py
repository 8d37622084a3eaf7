"""A folder of Agent Skills as it lies on the disk: each skill, every file of it, and its digest.

No link is followed and nothing but a plain file is opened, so that nothing outside the folder is
ever read and nothing in it can make a reader wait.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from reviewdeck.errors import BadInput, HomeUnavailable
from reviewdeck.homes.files import (
    OURS,
    directory_beneath,
    explain,
    names_in,
    open_directory,
    read_place,
)
from reviewdeck.homes.syscalls import Kernel, NameIn

SKILL_FILE: Final = "SKILL.md"
LOCK: Final = "skills.lock"
"""The file in such a folder that says what was approved of it."""
LOOSE: Final = "."
"""Stands for the files of a folder that belong to no skill, or for a folder that is one skill."""
LARGEST: Final = 64 * 1024 * 1024
"""No larger file is read."""
MOST: Final = 20_000
"""Files of one folder."""
MOST_BYTES: Final = 512 * 1024 * 1024
"""What they may have together."""
LONGEST: Final = 256 * 1024
"""What is longer is no text that anybody reads before they approve it."""
DEEPEST: Final = 32
_DOMAIN: Final = b"reviewdeck skill tree 1"
_HERMES: Final = frozenset(
    {".archive", ".hub", ".locks", ".bundled_manifest", ".usage.json", ".usage.json.lock"}
    | {".curator_ledger.jsonl", ".skills_prompt_snapshot.json"}
)
NOT_OF_SKILLS: Final = frozenset({".git", OURS, LOCK}) | _HERMES
"""Names in the folder itself that are somebody's bookkeeping."""


class NodeKind(StrEnum):
    """What a name in a skill stands for."""

    FILE = "file"
    LINK = "link"
    REPOSITORY = "repository"
    """The `.git` of a skill that is a clone: that it is there counts, what is in it does not."""
    SPECIAL = "special"
    """A pipe, a socket, a device: nobody has to open it to know that it is no part of a skill."""
    UNREADABLE = "unreadable"
    """The system refuses to say what it is or holds."""


@dataclass(frozen=True, slots=True)
class Node:
    """One name in a skill, other than a directory, and all of it that counts."""

    path: str
    """Relative to the skill. Bytes that are no UTF-8 are kept as the system keeps them."""
    kind: NodeKind
    mode: int = 0
    """Who may execute a file: its bits 0111."""
    target: str = ""
    """Where a link leads, as it is written."""
    sha256: str = ""
    problem: str | None = None
    """Why it cannot be approved: it cannot be read, or is nothing that can be."""
    data: bytes | None = field(default=None, repr=False, compare=False)
    """What was read, unless it is too long to be shown: what is shown is what the digest is of."""

    @property
    def text(self) -> str | None:
        """What was read; None for what is no text, or is too long."""
        try:
            return None if self.data is None else self.data.decode("utf-8")
        except UnicodeDecodeError:
            return None

    @property
    def is_executable(self) -> bool:
        """Whether anybody may execute it."""
        return self.kind is NodeKind.FILE and bool(self.mode)


@dataclass(frozen=True, slots=True)
class SkillContents:
    """One skill: the topmost directory with a SKILL.md, and everything below it."""

    directory: str
    """Relative to the folder."""
    nodes: tuple[Node, ...]

    @property
    def name(self) -> str:
        """The name that agents know it by."""
        return self.directory.rpartition("/")[2]

    @property
    def digest(self) -> str:
        """The sum over everything in it that an agent could read or run."""
        return digest_of(self.nodes)

    def text_of(self, path: str) -> str | None:
        """The text of one of its files; None for what is no text."""
        return next((node.text for node in self.nodes if node.path == path), None)


def digest_of(nodes: Iterable[Node]) -> str:
    """SHA-256 over path, kind, mode, target and content of each, framed by length, in byte order.

    Directories and times are not part of it: git and copies do not keep them.
    """
    total = hashlib.sha256(_framed(_DOMAIN))
    for node in sorted(nodes, key=lambda node: os.fsencode(node.path)):
        parts = (node.path, node.kind, f"{node.mode:03o}", node.target, node.sha256)
        total.update(b"".join(_framed(os.fsencode(part)) for part in parts))
    return total.hexdigest()


def _framed(part: bytes) -> bytes:
    return len(part).to_bytes(8, "big") + part


def survey(root: Path) -> Mapping[str, SkillContents]:
    """Every skill of a folder by its directory, in order.

    Raises HomeUnavailable where the folder cannot be opened, BadInput for one that is too large.
    """
    kernel, found, size = Kernel(), list[Node](), 0
    with _named(root) as top:
        for node in _walk(kernel, top):
            size += len(node.data or b"")
            found.append(node if len(node.data or b"") <= LONGEST else replace(node, data=None))
            if len(found) > MOST or size > MOST_BYTES:
                raise BadInput(
                    f"{root} has more than {MOST:,} files or {MOST_BYTES:,} bytes.",
                    hint="Name the folder of skills itself, such as .claude/skills.",
                )
    return dict(sorted(_by_skill(found)))


@contextmanager
def _named(root: Path) -> Iterator[int]:
    """Holds the folder open that somebody named."""
    try:
        stack = ExitStack()
        top = stack.enter_context(open_directory(root))
    except HomeUnavailable as error:
        raise HomeUnavailable(error.message, hint="Name a folder of skills.") from error
    with stack:
        yield top


def _walk(kernel: Kernel, top: int) -> Iterator[Node]:
    todo = [""]
    while todo:
        prefix = todo.pop()
        try:
            with directory_beneath(kernel, top, tuple(prefix.split("/")[:-1])) as directory:
                for entry in names_in(directory):
                    if prefix or entry not in NOT_OF_SKILLS:
                        yield from _node(NameIn(directory, entry), prefix + entry, todo)
        except OSError as error:
            yield Node(prefix.rstrip("/") or LOOSE, NodeKind.UNREADABLE, problem=explain(error))


def _node(place: NameIn, path: str, todo: list[str]) -> Iterator[Node]:
    facts = os.stat(place.name, dir_fd=place.directory, follow_symlinks=False)
    if place.name == ".git" and not stat.S_ISLNK(facts.st_mode):
        yield Node(path, NodeKind.REPOSITORY)
    elif stat.S_ISDIR(facts.st_mode) and path.count("/") < DEEPEST:
        todo.append(f"{path}/")
    elif stat.S_ISDIR(facts.st_mode):
        yield Node(path, NodeKind.SPECIAL, problem=f"lies more than {DEEPEST} directories deep")
    elif stat.S_ISLNK(facts.st_mode):
        yield Node(path, NodeKind.LINK, target=os.readlink(place.name, dir_fd=place.directory))
    elif stat.S_ISREG(facts.st_mode):
        yield _file(place, path, facts)
    else:
        yield Node(path, NodeKind.SPECIAL, problem="is not a plain file")


def _file(place: NameIn, path: str, facts: os.stat_result) -> Node:
    if facts.st_size > LARGEST:
        return Node(path, NodeKind.FILE, problem=f"is larger than {LARGEST:,} bytes")
    found = read_place(place, LARGEST)
    if found.data is None:
        return Node(path, NodeKind.UNREADABLE, problem=found.problem or "went while it was read")
    sha = hashlib.sha256(found.data).hexdigest()
    return Node(path, NodeKind.FILE, (found.mode or 0) & 0o111, sha256=sha, data=found.data)


def _by_skill(found: Iterable[Node]) -> Iterator[tuple[str, SkillContents]]:
    """The nodes of each skill; what is in none is one more, by the name LOOSE."""
    nodes = list(found)
    heads = {
        node.path.rpartition("/")[0] or LOOSE
        for node in nodes
        if node.path.rpartition("/")[2].casefold() == SKILL_FILE.casefold()
    }
    parts: dict[str, list[Node]] = {}
    for node in nodes:
        skill = _skill_of(node.path, heads)
        parts.setdefault(skill, []).append(node)
    for skill, members in parts.items():
        inner = tuple(sorted((_within(node, skill) for node in members), key=_in_order))
        yield skill, SkillContents(skill, inner)


def _skill_of(path: str, heads: set[str]) -> str:
    """The topmost skill that a path lies in."""
    if LOOSE in heads:
        return LOOSE
    parts = path.split("/")
    above = ("/".join(parts[:end]) for end in range(1, len(parts)))
    return next((directory for directory in above if directory in heads), LOOSE)


def _within(node: Node, skill: str) -> Node:
    return node if skill == LOOSE else replace(node, path=node.path.removeprefix(f"{skill}/"))


def _in_order(node: Node) -> bytes:
    return os.fsencode(node.path)

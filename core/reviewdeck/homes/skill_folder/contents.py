"""The contents of a folder of Agent Skills: each skill with its files and its digest.

No link is followed and only regular files are opened, so that nothing outside of the folder is
read and nothing in it can block a reader.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Final, TypeAlias

from reviewdeck.errors import BadInput, HomeUnavailable
from reviewdeck.files import OURS
from reviewdeck.files.reads import (
    ATTEMPTS,
    CHANGES,
    directory_beneath,
    explain,
    names_in,
    open_directory,
    read_place,
)
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.reading.discovery import is_skill_name

LOCK: Final = "skills.lock"
"""The file in such a folder that lists the approved skills."""
LOOSE: Final = "."
"""The directory of files that belong to no skill, or of a folder that is itself a skill."""
LARGEST: Final = 64 * 1024 * 1024
"""The most bytes of a file that is read."""
MOST: Final = 20_000
"""The most files of one folder."""
MOST_BYTES: Final = 512 * 1024 * 1024
"""The most bytes of all files together."""
LONGEST: Final = 256 * 1024
"""The most bytes of a file that is shown as text."""
DEEPEST: Final = 32
_SHALLOW: Final = frozenset({".git/", f"{OURS}/"})
"""Directories of which agents may load a SKILL.md directly in them, and we look at no more."""
_DOMAIN: Final = b"reviewdeck skill tree 1"
_HERMES: Final = frozenset(
    {".archive", ".hub", ".locks", ".bundled_manifest", ".usage.json", ".usage.json.lock"}
    | {".curator_ledger.jsonl", ".skills_prompt_snapshot.json"}
)
BOOKKEEPING: Final = frozenset({".git", OURS, LOCK}) | _HERMES
"""Names at the top of the folder that are bookkeeping, but for the skills that lie in them."""


class NodeKind(StrEnum):
    """The kind of a directory entry in a skill."""

    FILE = "file"
    LINK = "link"
    REPOSITORY = "repository"
    """The `.git` of a cloned skill: its existence counts, its contents do not."""
    SPECIAL = "special"
    """A pipe, a socket or a device, which is never opened."""
    UNREADABLE = "unreadable"
    """An entry that the system refuses to read."""


@dataclass(frozen=True, slots=True)
class Node:
    """One entry of a skill, other than a directory."""

    path: str
    """Relative to the skill. Bytes that are not UTF-8 are surrogate-escaped."""
    kind: NodeKind
    mode: int = 0
    """The execute bits (0111) of a file."""
    target: str = ""
    """The target of a link, as written."""
    sha256: str = ""
    problem: str | None = None
    """Why it cannot be approved: it is unreadable or special."""
    data: bytes | None = field(default=None, repr=False, compare=False)
    """The bytes that the digest is of; None when they are too long to be shown."""

    @property
    def text(self) -> str | None:
        """The text; None when it is not UTF-8 or too long."""
        try:
            return None if self.data is None else self.data.decode("utf-8")
        except UnicodeDecodeError:
            return None

    @property
    def is_executable(self) -> bool:
        """Whether it is a file with an execute bit."""
        return self.kind is NodeKind.FILE and bool(self.mode)


@dataclass(frozen=True, slots=True)
class SkillContents:
    """One skill: the topmost directory with a SKILL.md, and everything below it."""

    directory: str
    """Its path relative to the folder."""
    nodes: tuple[Node, ...]

    @property
    def name(self) -> str:
        """The skill's name for agents."""
        return self.directory.rpartition("/")[2]

    @property
    def digest(self) -> str:
        """The digest of everything in it that an agent could read or run."""
        return digest_of(self.nodes)

    def text_of(self, path: str) -> str | None:
        """The text of one of its files; None when it is not text."""
        return next((node.text for node in self.nodes if node.path == path), None)


def digest_of(nodes: Iterable[Node]) -> str:
    """SHA-256 over path, kind, mode, target and content of each, framed by length, in byte order.

    Directories and times are not included: git and copies do not preserve them.
    """
    total = hashlib.sha256(_frame(_DOMAIN))
    for node in sorted(nodes, key=lambda node: os.fsencode(node.path)):
        parts = (node.path, node.kind, f"{node.mode:03o}", node.target, node.sha256)
        total.update(b"".join(_frame(os.fsencode(part)) for part in parts))
    return total.hexdigest()


def _frame(part: bytes) -> bytes:
    return len(part).to_bytes(8, "big") + part


def read_skills(root: Path) -> Mapping[str, SkillContents]:
    """Every skill of a folder by its directory, in order, as it was at one moment.

    What changes in every one of some readings is a node with that problem.
    Raises HomeUnavailable where the folder cannot be opened, BadInput for one that is too large.
    """
    with _open_named(root) as top:
        nodes, changed = _read(root, top)
        for _ in range(ATTEMPTS - 1):
            if changed:
                nodes, changed = _read(root, top)
    problems = (Node(path, NodeKind.UNREADABLE, problem=CHANGES) for path in sorted(changed))
    kept = (node for node in nodes if node.path not in changed)
    return dict(sorted(_by_skill([*kept, *problems])))


_Seen: TypeAlias = dict[str, object]
"""The mark of each file and directory, taken before it was read."""


def _mark(top: int, path: str) -> object:
    """What differs when somebody wrote a file, or changed the names in a directory."""
    try:
        status = os.stat(path, dir_fd=top, follow_symlinks=False)
        if not stat.S_ISDIR(status.st_mode):
            return status.st_ino, status.st_size, status.st_ctime_ns
        directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=top)
    except OSError as error:
        return error.errno
    try:
        return _mark_of(directory, path, names_in(directory))
    finally:
        os.close(directory)


def _mark_of(directory: int, path: str, names: Sequence[str]) -> object:
    # Programs write their bookkeeping at the top all the time.
    kept = [name for name in names if path != LOOSE or name not in BOOKKEEPING]
    return os.fstat(directory).st_ino, kept


def _read(root: Path, top: int) -> tuple[list[Node], set[str]]:
    kernel, nodes, size = Kernel(), list[Node](), 0
    seen: _Seen = {}
    for node in _walk(kernel, top, seen):
        size += len(node.data or b"")
        nodes.append(node if len(node.data or b"") <= LONGEST else replace(node, data=None))
        if len(nodes) > MOST or size > MOST_BYTES:
            raise BadInput(
                f"{root} has more than {MOST:,} files or {MOST_BYTES:,} bytes.",
                hint="Name the folder of skills itself, such as .claude/skills.",
            )
    return nodes, {path for path, mark in seen.items() if _mark(top, path) != mark}


@contextmanager
def _open_named(root: Path) -> Iterator[int]:
    try:
        stack = ExitStack()
        top = stack.enter_context(open_directory(root))
    except HomeUnavailable as error:
        raise HomeUnavailable(error.message, hint="Name a folder of skills.") from error
    with stack:
        yield top


def _walk(kernel: Kernel, top: int, seen: _Seen) -> Iterator[Node]:
    todo = [""]
    while todo:
        prefix = todo.pop()
        path = prefix.rstrip("/") or LOOSE
        try:
            with directory_beneath(kernel, top, tuple(prefix.split("/")[:-1])) as directory:
                names = names_in(directory)
                seen[path] = _mark_of(directory, path, names)
                for entry in names:
                    if prefix not in _SHALLOW or is_skill_name(entry):
                        yield from _node(NameIn(directory, entry), prefix + entry, todo, seen)
        except OSError as error:
            seen.setdefault(path, error.errno)
            yield Node(path, NodeKind.UNREADABLE, problem=explain(error))


def _node(place: NameIn, path: str, todo: list[str], seen: _Seen) -> Iterator[Node]:
    status = os.stat(place.name, dir_fd=place.directory, follow_symlinks=False)
    if place.name == ".git" and not stat.S_ISLNK(status.st_mode):
        if path != ".git":
            yield Node(path, NodeKind.REPOSITORY)
        elif stat.S_ISDIR(status.st_mode):
            todo.append(".git/")
    elif stat.S_ISDIR(status.st_mode) and path.count("/") < DEEPEST:
        todo.append(f"{path}/")
    elif stat.S_ISDIR(status.st_mode):
        yield Node(path, NodeKind.SPECIAL, problem=f"lies more than {DEEPEST} directories deep")
    elif stat.S_ISLNK(status.st_mode):
        seen[path] = status.st_ino, status.st_size, status.st_ctime_ns
        yield Node(path, NodeKind.LINK, target=os.readlink(place.name, dir_fd=place.directory))
    elif stat.S_ISREG(status.st_mode):
        seen[path] = status.st_ino, status.st_size, status.st_ctime_ns
        yield _file(place, path, status)
    else:
        yield Node(path, NodeKind.SPECIAL, problem="is not a plain file")


def _file(place: NameIn, path: str, status: os.stat_result) -> Node:
    if status.st_size > LARGEST:
        return Node(path, NodeKind.FILE, problem=f"is larger than {LARGEST:,} bytes")
    file = read_place(place, LARGEST)
    if file.data is None:
        return Node(path, NodeKind.UNREADABLE, problem=file.problem or CHANGES)
    sha = hashlib.sha256(file.data).hexdigest()
    return Node(path, NodeKind.FILE, (file.mode or 0) & 0o111, sha256=sha, data=file.data)


def _by_skill(nodes: Sequence[Node]) -> Iterator[tuple[str, SkillContents]]:
    """The nodes grouped by skill; those outside of any skill under LOOSE."""
    heads = {node.path.rpartition("/")[0] or LOOSE for node in nodes if is_skill_name(node.path)}
    parts: dict[str, list[Node]] = {}
    for node in nodes:
        skill = _skill_of(node.path, heads)
        if skill == LOOSE and node.path.partition("/")[0] in BOOKKEEPING:
            continue
        parts.setdefault(skill, []).append(node)
    for skill, members in parts.items():
        nodes_within = (_within(node, skill) for node in members)
        inner = tuple(sorted(nodes_within, key=lambda node: os.fsencode(node.path)))
        yield skill, SkillContents(skill, inner)


def _skill_of(path: str, heads: set[str]) -> str:
    """The topmost skill that contains a path, or is it."""
    if LOOSE in heads:
        return LOOSE
    parts = path.split("/")
    places = ("/".join(parts[:end]) for end in range(1, len(parts) + 1))
    return next((directory for directory in places if directory in heads), LOOSE)


def _within(node: Node, skill: str) -> Node:
    if skill == LOOSE:
        return node
    inner = node.path[len(skill) + 1 :]
    return replace(node, path=inner or LOOSE)

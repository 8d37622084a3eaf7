"""`skills.lock`: which bytes of which skills somebody approved, and how a folder differs from it.

It lies in the folder and is meant to be committed. Nothing but the folder is needed to compare.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import BadInput
from reviewdeck.homes.files import open_directory, read_place
from reviewdeck.homes.skill_folder.contents import LOCK, Node, NodeKind, SkillContents, digest_of
from reviewdeck.homes.steps import Steps, owner_of, translate_errors
from reviewdeck.homes.syscalls import Kernel, NameIn
from reviewdeck.ports import Probe

FORMAT: Final = "reviewdeck.skills-lock/1"
_TEMPORARY: Final = f".{LOCK}.new"
_APPROVED_KINDS: Final = frozenset({NodeKind.FILE, NodeKind.LINK, NodeKind.REPOSITORY})


@dataclass(frozen=True, slots=True)
class SkillApproval:
    """One skill as it was approved."""

    nodes: tuple[Node, ...]
    by: str
    at: str
    """In UTC, ISO 8601."""
    ledger: str = ""
    """The sum of the line of the ledger's log that says so; empty where there was no ledger."""

    @property
    def digest(self) -> str:
        """The digest of the tree that was approved."""
        return digest_of(self.nodes)


Lock = Mapping[str, SkillApproval]
"""What was approved of one folder, by the skill's directory."""


class FileChangeKind(StrEnum):
    """How one name in a skill is not what was approved."""

    ADDED = "added"
    CHANGED = "changed"
    MODE = "mode"
    LINK = "link"
    SPECIAL = "special"
    REMOVED = "removed"
    RENAMED = "renamed"
    UNAPPROVED = "unapproved"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class FileDifference:
    """One name in a folder that is not what was approved."""

    skill: str
    path: str
    """Relative to the skill; empty for the skill as a whole."""
    how: FileChangeKind
    words: str = ""
    """More about it, for a person."""
    was: Node | None = field(default=None, repr=False)
    now: Node | None = field(default=None, repr=False)


def read_lock(root: Path) -> Lock | None:
    """What the folder's lock says; None where there is none. Raises BadInput, HomeUnavailable."""
    with open_directory(root) as top:
        found = read_place(NameIn(top, LOCK))
    if found.absent:
        return None
    if found.data is None:
        raise BadInput(f"{root / LOCK} {found.problem}.")
    try:
        return _parsed(json.loads(found.data, object_pairs_hook=_each_once))
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        why = f": {error}" if isinstance(error, ValueError) else ""
        raise BadInput(
            f"{root / LOCK} is not a lock of skills{why}.",
            hint="Take it from your version control, or approve anew: reviewdeck skills lock.",
        ) from error


def write_lock(root: Path, lock: Lock, probe: Probe = lambda _: None) -> None:
    """Puts a lock into its folder, whole or not at all. Raises HomeReadOnly, WriteFailed."""
    steps = Steps(Kernel(), probe)
    with open_directory(root) as top, translate_errors(str(root / LOCK)):
        place, temporary = NameIn(top, LOCK), NameIn(top, _TEMPORARY)
        there = read_place(place)
        steps.remove(temporary)
        steps.write_file(
            temporary, rendered(lock), there.mode or _usual_mode(), owner_of(top, there)
        )
        steps.replace(temporary, place)


def rendered(lock: Lock) -> bytes:
    """A lock as it is written: a line for each file, so that a diff of it can be read."""
    skills = {
        skill: {
            "digest": approval.digest,
            "approved_by": approval.by,
            "approved_at": approval.at,
            "ledger": approval.ledger,
            "files": {node.path: _line(node) for node in approval.nodes},
        }
        for skill, approval in sorted(lock.items())
    }
    return (json.dumps({"format": FORMAT, "skills": skills}, indent=1) + "\n").encode()


def compare(lock: Lock, skills: Mapping[str, SkillContents]) -> Iterator[FileDifference]:
    """Everything in which a folder is not what its lock says, by skill."""
    gone = {skill for skill in lock if skill not in skills}
    for skill, tree in skills.items():
        if skill in lock:
            if lock[skill].digest != tree.digest or any(node.problem for node in tree.nodes):
                yield from _within(skill, lock[skill].nodes, tree.nodes)
        elif (was := _case_of(skill, gone)) is not None:
            gone.discard(was)
            yield FileDifference(
                skill, "", FileChangeKind.RENAMED, f"was {was} when it was approved"
            )
            yield from _within(skill, lock[was].nodes, tree.nodes)
        else:
            yield FileDifference(skill, "", FileChangeKind.UNAPPROVED, "nobody approved it")
            problems = tuple(node for node in tree.nodes if node.problem)
            yield from _within(skill, (), problems)
    for skill in sorted(gone):
        yield FileDifference(skill, "", FileChangeKind.REMOVED, "it was approved, and is gone")


def _within(
    skill: str, approved: tuple[Node, ...], live: tuple[Node, ...]
) -> Iterator[FileDifference]:
    before = {node.path: node for node in approved}
    after = {node.path: node for node in live}
    gone = {path for path in before if path not in after}
    for path, now in after.items():
        was = before.get(path)
        if was is not None:
            if (how := _how(was, now)) is not None:
                yield FileDifference(skill, path, how, _words(was, now), was, now)
        elif now.problem is None and (name := _case_of(path, gone)) is not None:
            gone.discard(name)
            words = f"was {name} when it was approved"
            yield FileDifference(skill, path, FileChangeKind.RENAMED, words, before[name], now)
            if (how := _how(before[name], now)) is not None:
                yield FileDifference(skill, path, how, _words(before[name], now), before[name], now)
        else:
            how = _OF_NEW.get(now.kind, FileChangeKind.ADDED)
            yield FileDifference(skill, path, how, _words(None, now), None, now)
    for path in sorted(gone, key=os.fsencode):
        yield FileDifference(skill, path, FileChangeKind.REMOVED, "", before[path])


_OF_NEW: Final = {
    NodeKind.UNREADABLE: FileChangeKind.UNREADABLE,
    NodeKind.SPECIAL: FileChangeKind.SPECIAL,
}


def _how(was: Node, now: Node) -> FileChangeKind | None:
    if now.kind in _OF_NEW:
        return _OF_NEW[now.kind]
    if NodeKind.LINK in (was.kind, now.kind) and (was.kind, was.target) != (now.kind, now.target):
        return FileChangeKind.LINK
    if (was.kind, was.sha256) != (now.kind, now.sha256):
        return FileChangeKind.CHANGED
    return FileChangeKind.MODE if was.mode != now.mode else None


def _words(was: Node | None, now: Node) -> str:
    """What there is to say of a name beyond how it differs."""
    said = [now.problem] if now.problem else []
    if now.kind is NodeKind.LINK:
        said.append(f"a link to {now.target}")
    if was is not None and was.kind is NodeKind.LINK:
        said.append(f"was a link to {was.target}")
    if was is None and now.is_executable:
        said.append("executable")
    elif was is not None and was.kind is now.kind is NodeKind.FILE and was.mode != now.mode:
        before, after = ("executable" if each.mode else "not executable" for each in (was, now))
        said.append(f"{after}, was {before}" if before != after else f"{now.mode:03o} executes it")
    return ", ".join(said)


def _case_of(name: str, gone: set[str]) -> str | None:
    """What is gone and was this name but for capitals."""
    folded = name.casefold()
    return min((other for other in gone if other.casefold() == folded), default=None)


def _usual_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _line(node: Node) -> str:
    match node.kind:
        case NodeKind.FILE:
            return f"file {node.mode:03o} {node.sha256}"
        case NodeKind.LINK:
            return f"link {node.target}"
        case _:
            return str(node.kind)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("it names something twice")
    return found


def _parsed(value: dict[str, Any]) -> Lock:
    if value["format"] != FORMAT:
        raise ValueError(f"its format is {value['format']!r}, not {FORMAT!r}")
    return {skill: _approval(skill, said) for skill, said in value["skills"].items()}


def _approval(skill: str, said: dict[str, Any]) -> SkillApproval:
    nodes = tuple(_node(path, line) for path, line in said["files"].items())
    texts = (said["approved_by"], said["approved_at"], said["ledger"])
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(skill)
    approval = SkillApproval(nodes, *texts)
    if approval.digest != said["digest"]:
        raise ValueError(f"the digest of {skill!r} is not that of the files that it lists")
    return approval


def _node(path: str, line: str) -> Node:
    kind, _, rest = line.partition(" ")
    match NodeKind(kind):
        case NodeKind.FILE:
            mode, _, sha = rest.partition(" ")
            return Node(path, NodeKind.FILE, int(mode, 8), sha256=sha)
        case NodeKind.LINK:
            return Node(path, NodeKind.LINK, target=rest)
        case NodeKind.REPOSITORY:
            return Node(path, NodeKind.REPOSITORY)
        case _:
            raise ValueError(f"{path!r} is nothing that can be approved")

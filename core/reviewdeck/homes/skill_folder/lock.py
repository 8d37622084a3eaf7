"""`skills.lock`: the approved contents of skills, and the differences of a folder from it.

It lies in the folder and is meant to be committed. A comparison needs nothing but the folder.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import BadInput, ReviewdeckError
from reviewdeck.files.locks import lock_directory
from reviewdeck.files.reads import FileRead, open_directory, read_place
from reviewdeck.files.steps import Steps, translate_errors
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.homes.skill_folder.contents import LOCK, Node, NodeKind, SkillContents, digest_of
from reviewdeck.homes.strict_json import Malformed, load_object
from reviewdeck.ports import Probe
from reviewdeck.reading.agents import AGENTS, Agent, agents_called

FORMAT: Final = "reviewdeck.skills-lock/2"
"""What a lock begins with: other tools use its name too."""
EARLIER: Final = "reviewdeck.skills-lock/1"
"""The format with a line break before it. It is read, and rewritten when skills are approved."""
_OURS: Final = re.compile(rb'\s*\{\s*"format"\s*:\s*"reviewdeck\.skills-lock/[12]"')
_TEMPORARY: Final = f".{LOCK}.new"


@dataclass(frozen=True, slots=True)
class SkillApproval:
    """One skill as it was approved."""

    nodes: tuple[Node, ...]
    by: str
    at: str
    """In UTC, ISO 8601."""
    ledger: str = ""
    """The hash of the approval's line in the ledger's log; empty without a ledger."""
    can: tuple[str, ...] | None = None
    """What an agent can do because of it, in words; None where that was not written down."""

    @property
    def digest(self) -> str:
        """The digest of the approved tree."""
        return digest_of(self.nodes)


Lock = Mapping[str, SkillApproval]
"""The approvals of one folder, by the skill's directory."""


class FileChangeKind(StrEnum):
    """The way in which an entry of a skill differs from the approved one."""

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
    """One entry of a folder that differs from the approved one."""

    skill: str
    path: str
    """Relative to the skill; empty for the skill as a whole."""
    how: FileChangeKind
    words: str = ""
    """Details for a person."""
    now: Node | None = field(default=None, repr=False)


def read_lock(root: Path) -> Lock | None:
    """The folder's lock; None where there is none. Raises BadInput, HomeUnavailable."""
    with open_directory(root) as top:
        file = read_place(NameIn(top, LOCK))
    if file.absent:
        return None
    if (foreign := _foreign(root, file)) is not None:
        raise foreign
    try:
        value = load_object(file.data or b"")
        if value["format"] not in (FORMAT, EARLIER):
            raise ValueError(f"its format is {value['format']!r}, not {FORMAT!r}")
        return {skill: _approval(skill, fields) for skill, fields in value["skills"].items()}
    except (Malformed, ValueError, KeyError, TypeError, AttributeError) as error:
        why = f": {error}" if isinstance(error, Malformed | ValueError) else ""
        raise BadInput(
            f"{root / LOCK} is not a lock of skills{why}.",
            hint="Take it from your version control, or approve anew: reviewdeck skills lock.",
        ) from error


def named_agents(root: Path) -> tuple[Agent, ...]:
    """The agents that the folder's lock says read it; all that we know where it names none.

    Never raises: where the lock cannot be read, or names an agent that we do not know, it is all.
    """
    try:
        with open_directory(root) as top:
            file = read_place(NameIn(top, LOCK))
        keys = load_object(file.data or b"").get("agents")
    except (Malformed, ReviewdeckError, OSError, ValueError):
        return AGENTS
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        return AGENTS
    agents = agents_called(keys)
    return agents if agents and len(agents) == len(keys) else AGENTS


class ForeignLock(BadInput):
    """A `skills.lock` that reviewdeck did not write: it is never overwritten."""


def _foreign(root: Path, file: FileRead) -> ForeignLock | None:
    """Why the file in the lock's place is not ours; None for ours, and for none."""
    if file.absent or (file.data is not None and _OURS.match(file.data)):
        return None
    other = "was written by another tool, or by a later version of reviewdeck"
    why = other if file.data is not None else file.problem
    return ForeignLock(
        f"{root / LOCK} {why}.",
        hint="Nothing was changed. Another tool may need it: move it away, and approve again.",
    )


def is_earlier(root: Path) -> bool:
    """Whether the folder's lock has the earlier format. Raises HomeUnavailable."""
    with open_directory(root) as top:
        data = read_place(NameIn(top, LOCK)).data
    return data is not None and EARLIER.encode() in data[:100]


def discard_unfinished(root: Path) -> None:
    """Removes what an interrupted `write_lock` left, so that nobody approves it as a file.

    Raises Busy, HomeUnavailable, HomeReadOnly, WriteFailed.
    """
    with open_directory(root) as top, translate_errors(str(root / LOCK)):
        lock_directory(str(root), top)
        Steps(Kernel(), lambda _: None).remove(NameIn(top, _TEMPORARY))


def write_lock(
    root: Path, lock: Lock, probe: Probe = lambda _: None, agents: Sequence[Agent] = AGENTS
) -> None:
    """Writes a folder's lock atomically, in place of none or of one of ours.

    `agents` are those that read the folder; all of them are not named.
    Raises ForeignLock, Busy, HomeReadOnly, WriteFailed.
    """
    steps = Steps(Kernel(), probe)
    with open_directory(root) as top, translate_errors(str(root / LOCK)):
        lock_directory(str(root), top)
        place = NameIn(top, LOCK)
        old = read_place(place)
        if (why := _foreign(root, old)) is not None:
            raise why
        mode = old.mode or _default_mode()
        steps.rewrite(place, _TEMPORARY, render(lock, agents), mode, old)


def render(lock: Lock, agents: Sequence[Agent] = AGENTS) -> bytes:
    """The JSON of a lock, with one line for each file, so that its diff is readable."""
    skills = {
        skill: {
            "digest": approval.digest,
            "approved_by": approval.by,
            "approved_at": approval.at,
            "ledger": approval.ledger,
            **({} if approval.can is None else {"can": list(approval.can)}),
            "files": {node.path: _line(node) for node in approval.nodes},
        }
        for skill, approval in sorted(lock.items())
    }
    readers = {} if tuple(agents) == AGENTS else {"agents": [agent.key for agent in agents]}
    text = json.dumps({"format": FORMAT, **readers, "skills": skills}, indent=1)
    return (text.replace("{\n ", "{", 1) + "\n").encode()


def compare_with_lock(lock: Lock, skills: Mapping[str, SkillContents]) -> Iterator[FileDifference]:
    """The differences of a folder from its lock, by skill."""
    missing = {skill for skill in lock if skill not in skills}
    for skill, tree in skills.items():
        if skill in lock:
            if lock[skill].digest != tree.digest or any(node.problem for node in tree.nodes):
                yield from _differences(skill, lock[skill].nodes, tree.nodes)
        elif (old_name := _find_other_case(skill, missing)) is not None:
            missing.discard(old_name)
            yield FileDifference(
                skill, "", FileChangeKind.RENAMED, f"was {old_name} when it was approved"
            )
            yield from _differences(skill, lock[old_name].nodes, tree.nodes)
        else:
            yield FileDifference(skill, "", FileChangeKind.UNAPPROVED, "nobody approved it")
            problems = tuple(node for node in tree.nodes if node.problem)
            yield from _differences(skill, (), problems)
    for skill in sorted(missing):
        yield FileDifference(skill, "", FileChangeKind.REMOVED, "it was approved, and is gone")


def _differences(
    skill: str, approved: tuple[Node, ...], live: tuple[Node, ...]
) -> Iterator[FileDifference]:
    before = {node.path: node for node in approved}
    after = {node.path: node for node in live}
    missing = {path for path in before if path not in after}
    for path, now in after.items():
        approved_node = before.get(path)
        if approved_node is not None:
            if (how := _change_kind(approved_node, now)) is not None:
                yield FileDifference(skill, path, how, _describe(approved_node, now), now)
        elif now.problem is None and (name := _find_other_case(path, missing)) is not None:
            missing.discard(name)
            words = f"was {name} when it was approved"
            yield FileDifference(skill, path, FileChangeKind.RENAMED, words, now)
            if (how := _change_kind(before[name], now)) is not None:
                yield FileDifference(skill, path, how, _describe(before[name], now), now)
        else:
            how = _NEW_KINDS.get(now.kind, FileChangeKind.ADDED)
            yield FileDifference(skill, path, how, _describe(None, now), now)
    for path in sorted(missing, key=os.fsencode):
        yield FileDifference(skill, path, FileChangeKind.REMOVED)


_NEW_KINDS: Final = {
    NodeKind.UNREADABLE: FileChangeKind.UNREADABLE,
    NodeKind.SPECIAL: FileChangeKind.SPECIAL,
}


def _change_kind(approved: Node, now: Node) -> FileChangeKind | None:
    if now.kind in _NEW_KINDS:
        return _NEW_KINDS[now.kind]
    if NodeKind.LINK in (approved.kind, now.kind) and (approved.kind, approved.target) != (
        now.kind,
        now.target,
    ):
        return FileChangeKind.LINK
    if (approved.kind, approved.sha256) != (now.kind, now.sha256):
        return FileChangeKind.CHANGED
    return FileChangeKind.MODE if approved.mode != now.mode else None


def _describe(approved: Node | None, now: Node) -> str:
    words = [now.problem] if now.problem else []
    if now.kind is NodeKind.LINK:
        words.append(f"a link to {now.target}")
    if approved is not None and approved.kind is NodeKind.LINK:
        words.append(f"was a link to {approved.target}")
    if approved is None and now.is_executable:
        words.append("executable")
    elif (
        approved is not None
        and approved.kind is now.kind is NodeKind.FILE
        and approved.mode != now.mode
    ):
        before, after = (
            "executable" if each.mode else "not executable" for each in (approved, now)
        )
        words.append(f"{after}, was {before}" if before != after else f"{now.mode:03o} executes it")
    return ", ".join(words)


def _find_other_case(name: str, missing: set[str]) -> str | None:
    """The missing name that differs from this one only in case, if any."""
    folded = name.casefold()
    return min((candidate for candidate in missing if candidate.casefold() == folded), default=None)


def _default_mode() -> int:
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


def _approval(skill: str, fields: dict[str, Any]) -> SkillApproval:
    nodes = tuple(_node(path, line) for path, line in fields["files"].items())
    texts = (fields["approved_by"], fields["approved_at"], fields["ledger"])
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(skill)
    can = fields.get("can")
    if can is not None and not all(isinstance(each, str) for each in can):
        raise TypeError(skill)
    approval = SkillApproval(nodes, *texts, can=None if can is None else tuple(can))
    if approval.digest != fields["digest"]:
        raise ValueError(f"the digest of {skill!r} is not that of the files that it lists")
    return approval


def _node(path: str, line: str) -> Node:
    kind, _, details = line.partition(" ")
    match NodeKind(kind):
        case NodeKind.FILE:
            mode, _, sha = details.partition(" ")
            return Node(path, NodeKind.FILE, int(mode, 8), sha256=sha)
        case NodeKind.LINK:
            return Node(path, NodeKind.LINK, target=details)
        case NodeKind.REPOSITORY:
            return Node(path, NodeKind.REPOSITORY)
        case _:
            raise ValueError(f"{path!r} is nothing that can be approved")

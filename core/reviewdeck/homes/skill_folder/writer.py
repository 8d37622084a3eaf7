"""Writes to a folder of skills: documents, execute bits and links.

The lock has what no revision covers: the execute bits of a file, and the target of a link.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from reviewdeck.errors import BadInput
from reviewdeck.files import OURS
from reviewdeck.files.folder import make_directories, make_own_folder
from reviewdeck.files.reads import directory_beneath, open_directory, parts_of, read_place
from reviewdeck.files.steps import Steps, translate_errors
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.homes.folder_writer import FolderWriter
from reviewdeck.homes.skill_folder.contents import LOOSE, Node, NodeKind
from reviewdeck.homes.skill_folder.lock import Lock, read_lock
from reviewdeck.model import Change

_ASIDE: Final = "aside"
_READABLE: Final = 0o644


class SkillWriter(FolderWriter):
    """One folder of skills, for writing. A restored file gets its approved execute bits."""

    def prepared(self, changes: Sequence[Change]) -> Sequence[Change]:
        """The changes with the mode of new files: readable, since others read skills too."""
        approved = _read_approved(self._root)
        return [_with_mode(change, approved.get(change.path)) for change in changes]


def nodes_of(skills: Mapping[str, Sequence[Node]]) -> dict[str, Node]:
    """Every entry of a folder by its path in the folder."""
    inner = (
        node if skill == LOOSE else replace(node, path=f"{skill}/{node.path}")
        for skill, nodes in skills.items()
        for node in nodes
    )
    return {node.path: node for node in inner}


def approved_nodes(lock: Lock) -> dict[str, Node]:
    """Every approved entry of a folder by its path in the folder."""
    return nodes_of({skill: approval.nodes for skill, approval in lock.items()})


def put_aside(root: Path, path: str) -> str:
    """Moves an entry that is not a file into our own folder; returns its path there."""
    steps = Steps(Kernel(), lambda _: None)
    *parents, name = parts_of(path)
    with open_directory(root) as top, translate_errors(path):
        make_own_folder(steps, top)
        make_directories(steps, top, (OURS, _ASIDE), 0o700)
        place = f"{secrets.token_hex(6)}-{name}"[:200]
        with (
            directory_beneath(steps.kernel, top, tuple(parents)) as directory,
            directory_beneath(steps.kernel, top, (OURS, _ASIDE)) as aside,
        ):
            steps.rename_new(NameIn(directory, name), NameIn(aside, place))
    return f"{OURS}/{_ASIDE}/{place}"


def put_back(root: Path, path: str, approved: Node) -> None:
    """Restores the approved execute bits of a file, or a link. Raises HomeReadOnly, WriteFailed."""
    steps = Steps(Kernel(), lambda _: None)
    *parents, name = parts_of(path)
    with open_directory(root) as top, translate_errors(path):
        make_directories(steps, top, tuple(parents), None)
        with directory_beneath(steps.kernel, top, tuple(parents)) as directory:
            place = NameIn(directory, name)
            if approved.kind is NodeKind.LINK:
                temporary = NameIn(place.directory, f".{secrets.token_hex(6)}.tmp")
                os.symlink(approved.target, temporary.name, dir_fd=temporary.directory)
                try:
                    steps.rename_new(temporary, place)
                except OSError:
                    steps.remove(temporary)
                    raise
            else:
                steps.set_mode(place, (read_place(place).mode or 0) & ~0o111 | approved.mode)
            steps.sync(directory)


def _read_approved(root: Path) -> Mapping[str, Node]:
    with suppress(BadInput):  # A damaged lock approves nothing.
        return approved_nodes(read_lock(root) or {})
    return {}


def _with_mode(change: Change, approved: Node | None) -> Change:
    """The change with the mode of a new file: readable by all, execute bits as approved."""
    if change.before is not None or change.mode is not None:
        return change
    return replace(change, mode=_READABLE | (approved.mode if approved else 0))

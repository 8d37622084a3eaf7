"""The gate's own small files in a governed folder, none of them evidence: planned, and removed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from reviewdeck.agents.gated import spool
from reviewdeck.agents.gated.documents import AGENT_LAYOUTS
from reviewdeck.files import OURS
from reviewdeck.files.reads import open_directory
from reviewdeck.homes.installer import PRIVATE, FileChange, HomePlan, has_more, plan_of, read_file

_NOTES: Final = ("lock", "revisions.json", "told.json")


def plan_marks(root: Path, layout: str) -> HomePlan:
    """The plan that marks a folder: it is known for this layout, and Git ignores our folder."""
    marks = ((spool.IGNORED, b"*\n"), (spool.MARKS[layout], b""))
    new = [(path, data) for path, data in marks if not os.path.lexists(root / path)]
    return plan_of(root, [FileChange(path, None, data, PRIVATE) for path, data in new])


def removed_notes(root: Path, agent: str) -> list[FileChange]:
    """The changes that remove what the gate of an agent keeps there.

    As long as records wait, Git ignores them, and the folder is known as this agent's.
    """
    own = f"{OURS}/{agent}"
    paths = [f"{own}/{name}" for name in _NOTES]
    if not any((root / own / name).is_dir() for name in ("pending", "calls")):
        paths += [spool.MARKS[layout] for layout in AGENT_LAYOUTS[agent]]
        paths += [] if has_more(root, agent) else [spool.IGNORED]
    with open_directory(root) as top:
        return [FileChange(path, read_file(root, top, path), None, PRIVATE) for path in paths]

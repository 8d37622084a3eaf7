"""The layouts of OpenClaw's folders: which files are documents, and when each is loaded.

One is a workspace; the other is an agent's own folder, with the skills of the Workshop.

The table of documents is the gate's own (`agents/gated/documents.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from reviewdeck.agents.gated.documents import AGENT_LAYOUTS, LAYOUTS, matches_any
from reviewdeck.agents.gated.spool import MARKS
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.gated.layout import GatedLayout
from reviewdeck.homes.link_targets import LinkTarget
from reviewdeck.homes.openclaw.state import CONFIG
from reviewdeck.model import Limit, Loading, Measure
from reviewdeck.reading.agents import OPENCLAW_UNITS, OPENCLAW_USER

WORKSPACE, WORKSHOP, SHARED = AGENT_LAYOUTS["openclaw"]
SKILLS: Final = "workshop-skills"
"""The folder of the Workshop's skills, in an agent's own."""
DATABASE: Final = "openclaw-agent.sqlite"
"""The sessions of an agent, in its own folder."""
_SEEDED: Final = ("IDENTITY.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md", "USER.md")
"""Files that OpenClaw puts beside AGENTS.md and SOUL.md."""
_OTHERS: Final = (".claude", "CLAUDE.md", "config.yaml", "state.db")
"""Files of other agents' homes, beside which those of OpenClaw decide nothing."""


def is_workspace(path: Path) -> bool:
    """Whether a folder is an OpenClaw workspace, by its file names. Never raises."""
    try:
        if (path / MARKS[WORKSPACE]).is_file():
            return True
        if any((path / name).exists() for name in _OTHERS):
            return False
        if path.name.startswith("workspace") and (path.parent / CONFIG).is_file():
            return True
        seeded = ("AGENTS.md", "SOUL.md")
        return all((path / name).is_file() for name in seeded) and any(
            (path / name).is_file() for name in _SEEDED
        )
    except OSError:
        return False


def is_workshop(path: Path) -> bool:
    """Whether a folder is an agent's own, with its sessions or its Workshop. Never raises."""
    try:
        return any((path / name).exists() for name in (MARKS[WORKSHOP], DATABASE, SKILLS))
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class OpenClawLayout(GatedLayout):
    """One layout. Implements `FolderLayout`."""

    layout: str = WORKSPACE
    characters: int = OPENCLAW_UNITS
    """How much is loaded of each document but `USER.md`."""

    @property
    def kind(self) -> str:
        """The name of the kind."""
        return "openclaw"

    def label(self, root: Path) -> str:
        """The name of the folder, or of the folder of state where it is the only workspace."""
        if self.layout == WORKSHOP:
            return f"{root.parent.name}-workshop"
        name = root.parent.name if root.name == "workspace" else root.name
        return name.lstrip(".") or root.name

    def places(self, root: Path) -> Iterator[str]:
        """Every folder in which a document outside of skills may appear, existing or not."""
        yield from GatedLayout.places(self, root)
        yield from (each.relative_to(root).as_posix() for each in sorted(root.glob("users/*/")))

    def imported(self, root: Path, kernel: Kernel) -> tuple[LinkTarget, ...]:
        """What other agents' instructions import: OpenClaw follows no imports."""
        return GatedLayout.imported(self, root, kernel) if self.layout == SHARED else ()

    def _is_others(self, path: str) -> bool:
        """Whether only another agent reads a document."""
        return self.layout == SHARED and not matches_any(LAYOUTS[WORKSPACE], path)

    def loading(self, path: str) -> Loading:
        """Notes are looked up; a skill can run commands; all others are in every prompt."""
        if self._is_others(path):
            return GatedLayout.loading(self, path)
        if path.startswith(tuple(f"{root}/" for root in self.skill_roots)):
            return Loading.EXECUTES
        is_looked_up = path == "DREAMS.md" or path.startswith("memory/")
        return Loading.ON_DEMAND if is_looked_up else Loading.ALWAYS

    def limits(self, path: str) -> tuple[Limit, ...]:
        """The UTF-16 units that are loaded, without white space at the end."""
        if self._is_others(path):
            return GatedLayout.limits(self, path)
        if self.loading(path) is not Loading.ALWAYS:
            return ()
        most = OPENCLAW_USER if path.endswith("USER.md") else self.characters
        return (Limit(Measure.UNITS, most),)

    def index_of(self, path: str) -> str | None:
        """None: no document of OpenClaw lists others."""
        return GatedLayout.index_of(self, path) if self._is_others(path) else None

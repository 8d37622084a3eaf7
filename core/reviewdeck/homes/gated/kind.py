"""The kind of home of an agent whose gate is a hook."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reviewdeck.agents.gated.documents import AGENT_LAYOUTS
from reviewdeck.errors import HomeUnavailable
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.folder_home import FolderSnapshot
from reviewdeck.homes.gated.home import GatedHome
from reviewdeck.homes.gated.hooked import HookedAgent
from reviewdeck.homes.gated.layout import GatedLayout, layout_here, pending_in
from reviewdeck.homes.kinds import HomeContext, WriterOptions
from reviewdeck.homes.queues import queues_of
from reviewdeck.homes.watch import WatchedHome
from reviewdeck.ports import HomeWriter


@dataclass(frozen=True, slots=True)
class GatedKind:
    """An agent's own folder, a repository, or a memory folder.

    Implements `HomeKind` and `HasLayouts`.
    """

    agent: HookedAgent
    layout: str = ""
    """The only layout of its homes; empty where their files tell it."""

    @property
    def name(self) -> str:
        """The name of the kind."""
        return self.agent.key

    def layout_at(self, path: Path) -> str:
        """The layout of the folder at this path."""
        return self.layout or self.agent.layout_of(path) or AGENT_LAYOUTS[self.name][-1]

    def with_layout(self, layout: str) -> GatedKind:
        """The kind for homes of this layout alone. Raises HomeUnavailable for an unknown one."""
        if layout not in AGENT_LAYOUTS[self.name]:
            raise HomeUnavailable(f"{self.agent.name} has no folders of the kind {layout}.")
        return GatedKind(self.agent, layout)

    def recognises(self, path: Path) -> bool:
        """Whether the folder has the agent's file names."""
        return self.agent.layout_of(path) is not None

    def label(self, path: Path) -> str:
        """The name of the repository, or of the project whose memory it is."""
        return self._layout(path).label(path)

    def home(self, path: Path, around: HomeContext) -> GatedHome:
        """The home for reading. Raises HomeUnavailable."""
        return GatedHome(path, self._layout(path), around, self.agent)

    def writer(self, path: Path, around: HomeContext, how: WriterOptions) -> HomeWriter:
        """The home for writing."""
        from reviewdeck.homes.gated.writer import GatedWriter  # not needed for reading

        return GatedWriter(path, self._layout(path).layout, how)

    def _layout(self, path: Path) -> GatedLayout:
        return GatedLayout(layout_here(path, self.layout_at(path)))

    def watched(self, path: Path) -> WatchedHome:
        """Documents and records, but never a whole repository."""
        return watched_home(path, self._layout(path))


def watched_home(path: Path, layout: GatedLayout) -> WatchedHome:
    """Documents and records of a home with this layout."""
    folders = tuple(name for name in layout.folders if name or layout.layout == "memory")
    snapshot = FolderSnapshot(path, "", layout, Kernel())
    targets = (*snapshot.link_targets, *snapshot.imports)
    behind = tuple(target.path for target in targets if target.is_folder)
    files = tuple(target.path for target in targets if not target.is_folder)
    pending = pending_in(layout.layout)
    queues = queues_of(layout.layout)

    def is_record(parts: tuple[str, ...]) -> bool:
        folder, path = "/".join(parts[:-1]), "/".join(parts)
        is_queued = any(queue.holds(path) for queue in queues)
        return is_queued or (folder in pending and parts[-1].endswith(".json"))

    return WatchedHome(
        path,
        (*folders, *behind, *pending, *dict.fromkeys(queue.top for queue in queues)),
        lambda parts: (
            layout.governs("/".join(parts))
            or any(target.holds("/".join(parts)) for target in targets)
            or is_record(parts)
        ),
        is_record,
        (*(path for path in layout.instructions if "/" not in path), *files),
    )

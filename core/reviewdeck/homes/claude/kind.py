"""Claude Code's kind of home."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reviewdeck.agents.claude.documents import AGENTS
from reviewdeck.agents.claude.stage import PENDING
from reviewdeck.errors import HomeUnavailable
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.claude.home import ClaudeHome
from reviewdeck.homes.claude.layout import ClaudeLayout, layout_of
from reviewdeck.homes.folder_home import FolderSnapshot
from reviewdeck.homes.kinds import HomeContext, WriterOptions
from reviewdeck.homes.watch import WatchedHome
from reviewdeck.ports import HomeWriter


@dataclass(frozen=True, slots=True)
class ClaudeKind:
    """Claude Code's own folder, a repository, or a memory folder.

    Implements `HomeKind` and `HasLayouts`.
    """

    layout: str = ""
    """The only layout of its homes; empty where their files tell it."""

    @property
    def name(self) -> str:
        """The name of the kind."""
        return "claude"

    def layout_at(self, path: Path) -> str:
        """The layout of the folder at this path."""
        return self.layout or layout_of(path) or "memory"

    def with_layout(self, layout: str) -> ClaudeKind:
        """The kind for homes of this layout alone. Raises HomeUnavailable for an unknown one."""
        if layout not in AGENTS["claude"]:
            raise HomeUnavailable(f"Claude Code has no folders of the kind {layout}.")
        return ClaudeKind(layout)

    def recognises(self, path: Path) -> bool:
        """Whether the folder has Claude Code's file names."""
        return layout_of(path) is not None

    def label(self, path: Path) -> str:
        """The name of the repository, or of the project whose memory it is."""
        return self._layout(path).label(path)

    def home(self, path: Path, around: HomeContext) -> ClaudeHome:
        """The home for reading. Raises HomeUnavailable."""
        return ClaudeHome(path, self._layout(path), around)

    def writer(self, path: Path, around: HomeContext, how: WriterOptions) -> HomeWriter:
        """The home for writing."""
        from reviewdeck.homes.claude.writer import ClaudeWriter  # not needed for reading

        return ClaudeWriter(path, self._layout(path).layout, how)

    def _layout(self, path: Path) -> ClaudeLayout:
        return ClaudeLayout(self.layout_at(path))

    def watched(self, path: Path) -> WatchedHome:
        """Documents and records, but never a whole repository."""
        layout = self._layout(path)
        folders = tuple(name for name in layout.folders if name or layout.layout == "memory")
        snapshot = FolderSnapshot(path, "", layout, Kernel())
        targets = (*snapshot.link_targets, *snapshot.imports)
        behind = tuple(target.path for target in targets if target.is_folder)
        files = tuple(target.path for target in targets if not target.is_folder)
        return WatchedHome(
            path,
            (*folders, *behind, PENDING),
            lambda parts: (
                layout.governs("/".join(parts))
                or any(target.holds("/".join(parts)) for target in targets)
                or _is_record(parts)
            ),
            _is_record,
            (*(path for path in layout.instructions if "/" not in path), *files),
        )


def _is_record(parts: tuple[str, ...]) -> bool:
    return "/".join(parts[:-1]) == PENDING and parts[-1].endswith(".json")


KIND = ClaudeKind()

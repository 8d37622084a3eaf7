"""Claude Code's kind of home."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from reviewdeck.homes.claude.home import ClaudeHome
from reviewdeck.homes.claude.hook.stage import PENDING
from reviewdeck.homes.claude.layout import ClaudeLayout, layout_of
from reviewdeck.homes.kinds import HomeContext, WriterOptions
from reviewdeck.homes.watch import WatchedHome
from reviewdeck.ports import HomeWriter

_SETTINGS: Final = {
    "config": ("CLAUDE.md",),
    "project": ("CLAUDE.md", "CLAUDE.local.md"),
    "memory": (),
}
"""Documents outside of the watched folders."""


class ClaudeKind:
    """Claude Code's own folder, a repository, or a memory folder. Implements `HomeKind`."""

    name = "claude"

    def recognises(self, path: Path) -> bool:
        """Whether the folder has Claude Code's file names."""
        return layout_of(path) is not None

    def label(self, path: Path) -> str:
        """The name of the repository, or of the project whose memory it is."""
        return _layout(path).label(path)

    def home(self, path: Path, around: HomeContext) -> ClaudeHome:
        """The home for reading. Raises HomeUnavailable."""
        return ClaudeHome(path, _layout(path), around)

    def writer(self, path: Path, around: HomeContext, how: WriterOptions) -> HomeWriter:
        """The home for writing."""
        from reviewdeck.homes.claude.writer import ClaudeWriter  # not needed for reading

        return ClaudeWriter(path, _layout(path).layout, how)

    def watched(self, path: Path) -> WatchedHome:
        """Documents and records, but never a whole repository."""
        layout = _layout(path)
        folders = tuple(name for name in layout.folders if name or layout.layout == "memory")
        return WatchedHome(
            path,
            (*folders, PENDING),
            lambda parts: layout.governs("/".join(parts)) or _is_record(parts),
            _is_record,
            _SETTINGS[layout.layout],
        )


def _layout(path: Path) -> ClaudeLayout:
    return ClaudeLayout(layout_of(path) or "memory")


def _is_record(parts: tuple[str, ...]) -> bool:
    return "/".join(parts[:-1]) == PENDING and parts[-1].endswith(".json")


KIND = ClaudeKind()

"""OpenClaw's kind of home."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reviewdeck.agents.gated.roots import ours_in
from reviewdeck.homes.kinds import HomeContext, WriterOptions
from reviewdeck.homes.openclaw.home import OpenClawHome
from reviewdeck.homes.openclaw.layout import WORKSPACE, OpenClawLayout, is_workspace
from reviewdeck.homes.watch import WatchedHome
from reviewdeck.ports import HomeWriter

_PENDING = f"{ours_in(WORKSPACE)}/pending"


@dataclass(frozen=True, slots=True)
class OpenClawKind:
    """A workspace of OpenClaw. Implements `HomeKind`."""

    @property
    def name(self) -> str:
        """The name of the kind."""
        return "openclaw"

    def recognises(self, path: Path) -> bool:
        """Whether the folder has the file names of a workspace."""
        return is_workspace(path)

    def label(self, path: Path) -> str:
        """The name of the workspace."""
        return OpenClawLayout().label(path)

    def home(self, path: Path, around: HomeContext) -> OpenClawHome:
        """The home for reading. Raises HomeUnavailable."""
        return OpenClawHome(path, around)

    def writer(self, path: Path, around: HomeContext, how: WriterOptions) -> HomeWriter:
        """The home for writing."""
        from reviewdeck.homes.gated.writer import GatedWriter  # not needed for reading

        return GatedWriter(path, WORKSPACE, how)

    def watched(self, path: Path) -> WatchedHome:
        """Documents and records, but never the whole workspace: an agent works there."""
        layout = OpenClawLayout()
        return WatchedHome(
            path,
            (*layout.folders, _PENDING),
            lambda parts: layout.governs("/".join(parts)) or _is_record(parts),
            _is_record,
            tuple(path for path in layout.instructions if "/" not in path),
        )


def _is_record(parts: tuple[str, ...]) -> bool:
    return "/".join(parts[:-1]) == _PENDING and parts[-1].endswith(".json")


KIND = OpenClawKind()

"""OpenClaw's kind of home."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from reviewdeck.agents.gated.documents import AGENT_LAYOUTS
from reviewdeck.errors import HomeUnavailable
from reviewdeck.homes.gated.layout import layout_here
from reviewdeck.homes.kinds import HomeContext, WriterOptions
from reviewdeck.homes.openclaw.home import OpenClawHome
from reviewdeck.homes.openclaw.layout import (
    WORKSHOP,
    WORKSPACE,
    OpenClawLayout,
    is_workshop,
    is_workspace,
)
from reviewdeck.homes.openclaw.state import state_of
from reviewdeck.homes.openclaw.workshop import FOLDER
from reviewdeck.homes.watch import WatchedHome
from reviewdeck.ports import HomeWriter


@dataclass(frozen=True, slots=True)
class OpenClawKind:
    """A workspace, or an agent's own folder. Implements `HomeKind` and `HasLayouts`."""

    layout: str = ""
    """The only layout of its homes; empty where their files tell it."""

    @property
    def name(self) -> str:
        """The name of the kind."""
        return "openclaw"

    def layout_at(self, path: Path) -> str:
        """The layout of the folder at this path."""
        return self.layout or (WORKSHOP if is_workshop(path) else WORKSPACE)

    def with_layout(self, layout: str) -> OpenClawKind:
        """The kind for homes of this layout alone. Raises HomeUnavailable for an unknown one."""
        if layout not in AGENT_LAYOUTS[self.name]:
            raise HomeUnavailable(f"OpenClaw has no folders of the kind {layout}.")
        return OpenClawKind(layout)

    def recognises(self, path: Path) -> bool:
        """Whether the folder has the file names of a workspace, or of an agent's own folder."""
        return is_workspace(path) or is_workshop(path)

    def label(self, path: Path) -> str:
        """The name of the workspace, or of the agent."""
        return OpenClawLayout(self._layout(path)).label(path)

    def home(self, path: Path, around: HomeContext) -> OpenClawHome:
        """The home for reading. Raises HomeUnavailable."""
        return OpenClawHome(path, self._layout(path), around)

    def writer(self, path: Path, around: HomeContext, how: WriterOptions) -> HomeWriter:
        """The home for writing."""
        from reviewdeck.homes.openclaw.writer import OpenClawWriter  # not needed for reading

        state = state_of(path.resolve(), around.env, around.user_home)
        return OpenClawWriter(path, state, self._layout(path), how)

    def watched(self, path: Path) -> WatchedHome:
        """Documents and records, but never the whole workspace: an agent works there."""
        from reviewdeck.homes.gated.kind import watched_home  # not needed for reading

        layout = OpenClawLayout(self._layout(path))
        home = watched_home(path, layout)
        if layout.layout != WORKSHOP:
            return home
        # The Workshop's proposals lie outside of the home: their folder is polled.
        proposals = str(state_of(path, {}, path) / FOLDER)
        return replace(home, settings=(*home.settings, proposals))

    def _layout(self, path: Path) -> str:
        """The layout of a home: a workspace may be shared with other agents."""
        return layout_here(path, self.layout_at(path))


KIND = OpenClawKind()

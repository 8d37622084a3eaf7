"""The folders of agents without a gate of ours, as homes: changes of them are found afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from reviewdeck.errors import HomeUnavailable
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.folder_home import FolderHome
from reviewdeck.homes.folder_writer import FolderWriter
from reviewdeck.homes.kinds import HomeContext, WriterOptions
from reviewdeck.homes.link_targets import LinkTarget
from reviewdeck.homes.other_agents import OtherAgent, agent_called, owner_of
from reviewdeck.homes.pattern_layout import PatternLayout
from reviewdeck.homes.watch import WatchedHome
from reviewdeck.model import Limit, Loading
from reviewdeck.ports import HomeWriter
from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class OtherLayout(PatternLayout):
    """The documents of an agent's own folder. Implements `FolderLayout`."""

    agent: OtherAgent

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns of its memories, instructions and skills."""
        return self.agent.documents

    @property
    def kind(self) -> str:
        """The agent's key, by which its way of reading is found."""
        return self.agent.key or KIND.name

    def label(self, root: Path) -> str:
        return self.agent.name

    def imported(self, root: Path, kernel: Kernel) -> tuple[LinkTarget, ...]:
        """Empty: imports are not followed."""
        return ()

    def loading(self, path: str) -> Loading:
        """Instructions are in each prompt; a skill executes."""
        if any(path.startswith(f"{root}/") for root in self.skill_roots):
            return Loading.EXECUTES
        return Loading.ALWAYS if path in self.instructions else Loading.ON_DEMAND

    def limits(self, path: str) -> tuple[Limit, ...]:
        """None that is known."""
        return ()


class OtherHome(FolderHome):
    """One such folder, read only."""

    def own_cautions(self) -> Iterator[str]:
        """What is not promised here."""
        yield (
            f"This is {self.name}'s folder: changes of its memories, instructions and skills are"
            " found afterwards, and nothing is gated."
        )


class OtherWriter(FolderWriter):
    """One such folder, for writing."""

    new_mode = 0o644


@dataclass(frozen=True, slots=True)
class WatchedKind:
    """The own folder of an agent without a gate. Implements `HomeKind` and `HasLayouts`."""

    agent: OtherAgent | None = None
    """The only agent whose homes these are; None where their files tell it."""

    @property
    def name(self) -> str:
        """The name of the kind."""
        return "watched"

    def layout_at(self, path: Path) -> str:
        """The name of the agent whose folder this is."""
        return self._agent(path).name

    def with_layout(self, layout: str) -> WatchedKind:
        """The kind for the homes of one agent. Raises HomeUnavailable for an unknown one."""
        if (agent := agent_called(layout)) is None:
            raise HomeUnavailable(f"Nothing is known of a folder of {layout}.")
        return WatchedKind(agent)

    def recognises(self, path: Path) -> bool:
        """Whether it is the folder of an agent of which something can be watched."""
        owner = owner_of(path)
        return owner is not None and bool(owner.documents)

    def label(self, path: Path) -> str:
        return self._agent(path).name

    def home(self, path: Path, around: HomeContext) -> OtherHome:
        """The home for reading. Raises HomeUnavailable."""
        return OtherHome(path, OtherLayout(self._agent(path)))

    def writer(self, path: Path, around: HomeContext, how: WriterOptions) -> HomeWriter:
        """The home for writing."""
        return OtherWriter(path, probe=how.probe, lock_wait=how.lock_wait, mark=how.mark)

    def watched(self, path: Path) -> WatchedHome:
        """The folders of its documents, and its instructions."""
        layout = OtherLayout(self._agent(path))
        return WatchedHome(
            path,
            layout.folders,
            lambda parts: layout.governs("/".join(parts)),
            lambda parts: False,
            layout.instructions,
        )

    def _agent(self, path: Path) -> OtherAgent:
        agent = self.agent or owner_of(path)
        if agent is None:
            raise HomeUnavailable(f"{path} is no folder of an agent that is known.")
        return agent


KIND: Final = WatchedKind()

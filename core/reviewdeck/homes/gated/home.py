"""A home with a gate of ours, read only: its documents, its queue, its sessions' transcripts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reviewdeck.agents.gated.documents import INDEX, SHARED, is_repository
from reviewdeck.agents.gated.roots import Root, ours_in
from reviewdeck.agents.gated.switches import switched_off_by
from reviewdeck.errors import BadInput, ReviewdeckError
from reviewdeck.homes.gated.folder import GatedFolder
from reviewdeck.homes.gated.gate import settings_files
from reviewdeck.homes.gated.governed import default_config
from reviewdeck.homes.gated.hooked import HookedAgent, settings_of
from reviewdeck.homes.gated.imports import UNREVIEWED, imports, link_caution, links_out, read_text
from reviewdeck.homes.gated.installation import read_installation
from reviewdeck.homes.gated.layout import GatedLayout, slug_of
from reviewdeck.homes.gated.settings import GovernedRoot
from reviewdeck.homes.gated.several import SeveralConversations
from reviewdeck.homes.kinds import HomeContext
from reviewdeck.ports import Conversations, OutsideText

if TYPE_CHECKING:
    from reviewdeck.homes.gated.conversations import GatedConversations

NOT_ALLOWED: Final = "it is loaded once somebody allows imports from outside"
"""Why an import of a repository from outside of it is not in the prompt."""


class GatedHome(GatedFolder):
    """One folder of an agent whose gate is a hook."""

    def __init__(
        self, path: Path, layout: GatedLayout, around: HomeContext, agent: HookedAgent
    ) -> None:
        """Raises HomeUnavailable."""
        super().__init__(path, layout, around)
        self.agent = agent
        self._conversations: GatedConversations | None = None

    @property
    def layout_name(self) -> str:
        """Which of the agent's folders it is."""
        return self._layout.layout

    def own_cautions(self) -> Iterator[str]:
        """What reaches the agent unreviewed, and what waits unseen."""
        yield from map(_caution, self.outside_texts())
        yield from super().own_cautions()

    def outside_texts(self) -> tuple[OutsideText, ...]:
        """What its links and imports load from outside of it. Never raises."""
        return (*self._linked_out(), *self._imported_from_outside())

    def _linked_out(self) -> Iterator[OutsideText]:
        for path, target in links_out(self._layout.layout, self.path):
            document = read_text(self.path, target, self._kernel)
            yield OutsideText(path, "", target, document.data, document.problem or "")

    def _imported_from_outside(self) -> Iterator[OutsideText]:
        env, user_home = self._around.env, self._around.user_home
        place = GovernedRoot(self._layout.layout, self.path)
        allowed = self.agent.loads_outside(env, user_home, place)
        if allowed is None:
            return
        starts, governs = self._layout.starts(self.path), self.snapshot().governs
        reach = imports(self.path, place.layout, user_home, self._kernel, starts, outside=allowed)
        for each in reach:
            if governs(each.path):
                continue
            if not allowed:
                yield OutsideText(each.path, each.by, each.path, None, NOT_ALLOWED)
                continue
            document = read_text(self.path, each.path, self._kernel)
            target = str(self.path / each.path)
            yield OutsideText(each.path, each.by, target, document.data, document.problem or "")

    @property
    def ungated(self) -> tuple[str, ...]:
        """The settings that switch the gate off here; `hooks` where it is not installed."""
        place = GovernedRoot(self._layout.layout, self.path)
        try:
            installed = read_installation(self._config, self.agent)
            off = switched_off_by(installed.settings, self.agent.key, "user")
            if is_repository(place.layout):
                for file in settings_files(place):
                    with suppress(BadInput):  # The agent ignores it, and runs the user's hooks.
                        found = settings_of(file, comments=self.agent.reads_comments)
                        off += switched_off_by(found, self.agent.key, "project")
            covered = [Root(governed.layout, str(governed.path)) for governed in installed.roots]
        except (ReviewdeckError, OSError):
            return ("settings",)  # The agent ignores settings that it cannot read.
        # A name and not a file: there may be none yet, and a link is no less before the gate.
        document = str(self.path / next(iter(self._layout.instructions), INDEX))
        missing = () if any(root.is_touched_by(document) for root in covered) else ("hooks",)
        return (*missing, *dict.fromkeys(off))

    @property
    def _config(self) -> Path:
        """The agent's own folder, with the transcripts."""
        match self._layout.layout:
            case self.agent.config:
                return self.path
            case "memory" if self.path.parent.parent.name == "projects":
                return self.path.parents[2]
            case _:
                return default_config(self._around.env, self._around.user_home, self.agent.key)

    def keeps_conversations(self) -> bool:
        """Whether there is a folder of transcripts."""
        return (self._config / self.agent.projects).is_dir()

    def conversations(self) -> Conversations | None:
        """The transcripts of the agent, or of both agents; None when there are none."""
        if self._layout.layout in SHARED:
            found = hooked_conversations(self.path, self._around)
            return SeveralConversations(found) if found else None
        if not self.keeps_conversations():
            return None
        if self._conversations is None:
            self._conversations = self.agent.conversations()(
                self.path,
                self._config / self.agent.projects,
                clock=self._around.clock,
                kernel=self._kernel,
                books=tuple(dict.fromkeys(map(str, self._books()))),
                notes=f"{ours_in(self._layout.layout)}/calls",
            )
        return self._conversations

    def _books(self) -> Iterator[Path]:
        """The folders of the agent's own memory."""
        config = self._config
        for place in dict.fromkeys((config, config.resolve())):
            yield from (place / "agent-memory", place / "memories")
            if is_repository(self._layout.layout):
                yield place / "projects" / slug_of(str(self.path)) / "memory"
            else:
                yield from place.glob("projects/*/memory")
        if self._layout.layout == "memory":
            yield self.path
        yield self.path / ".claude" / "agent-memory"
        yield self.path / ".claude" / "agent-memory-local"
        yield self.path / ".qwen" / "team-memory"
        if self._layout.kind == "gemini":
            yield from config.glob("tmp/*/memory")


def hooked_conversations(path: Path, around: HomeContext) -> dict[str, Conversations]:
    """The conversations in one repository, by the folder of each agent's gate."""
    from reviewdeck.homes.hooked import HOOKED  # as above

    found: dict[str, Conversations] = {}
    for agent in HOOKED:
        home = GatedHome(path, GatedLayout(agent.project), around, agent)
        if (conversations := home.conversations()) is not None:
            found[ours_in(agent.project)] = conversations
    return found


def _caution(text: OutsideText) -> str:
    if not text.by:
        return link_caution(text.path, text.target)
    is_allowed = text.problem != NOT_ALLOWED
    what = UNREVIEWED if is_allowed else f"{NOT_ALLOWED}, and no change of it is reviewed."
    return f"{text.by} imports {text.path}: {what}"

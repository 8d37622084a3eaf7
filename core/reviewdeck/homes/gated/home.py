"""A home with a gate of ours, read only: its documents, its queue, its sessions' transcripts."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from time import time_ns
from typing import TYPE_CHECKING, Final

from reviewdeck.agents.gated.documents import INDEX, SHARED, is_derived, is_repository
from reviewdeck.agents.gated.roots import Root, ours_in
from reviewdeck.agents.gated.switches import switched_off_by
from reviewdeck.errors import BadInput, ReviewdeckError
from reviewdeck.homes.folder_home import FolderHome
from reviewdeck.homes.gated import derived_index
from reviewdeck.homes.gated.gate import settings_files
from reviewdeck.homes.gated.governed import default_config
from reviewdeck.homes.gated.hooked import HookedAgent, settings_of
from reviewdeck.homes.gated.imports import (
    UNREVIEWED,
    imports,
    link_caution,
    links_out,
    read_text,
)
from reviewdeck.homes.gated.installation import read_installation
from reviewdeck.homes.gated.layout import GatedLayout, pending_in, slug_of
from reviewdeck.homes.gated.records import LARGEST, parse_record
from reviewdeck.homes.gated.settings import GovernedRoot
from reviewdeck.homes.gated.several import SeveralConversations
from reviewdeck.homes.kinds import HomeContext
from reviewdeck.homes.pattern_layout import links_to
from reviewdeck.homes.queues import queues_of
from reviewdeck.model import Proposal, Quarantined
from reviewdeck.model.ledger import Sighting
from reviewdeck.ports import Conversations, OutsideText, PendingFile, Snapshot

if TYPE_CHECKING:
    from reviewdeck.homes.gated.conversations import GatedConversations

NOT_ALLOWED: Final = "it is loaded once somebody allows imports from outside"
"""Why an import of a repository from outside of it is not in the prompt."""


class GatedHome(FolderHome):
    """One folder of an agent whose gate is a hook."""

    def __init__(
        self, path: Path, layout: GatedLayout, around: HomeContext, agent: HookedAgent
    ) -> None:
        """Raises HomeUnavailable."""
        super().__init__(path, layout)
        self.agent = agent
        self.pending_folders = dict.fromkeys(pending_in(layout.layout), LARGEST)
        self._layout, self._queues = layout, queues_of(layout.layout)
        self._around = around
        self._conversations: GatedConversations | None = None

    @property
    def layout_name(self) -> str:
        """Which of the agent's folders it is."""
        return self._layout.layout

    def index_of(self, path: str) -> str | None:
        """The index document of the memory that a document belongs to."""
        return self._layout.index_of(path)

    def is_derived(self, path: str, snapshot: Snapshot) -> bool:
        """Whether a document is an index that has nothing but the lines of its facts."""
        if not is_derived(self._layout.layout, path) or not snapshot.document(path).exists:
            return False
        top = f"{posixpath.dirname(path)}/"
        paths = [fact for fact in self._layout.texts(self.path) if fact.startswith(top)]
        facts = {fact.removeprefix(top): snapshot.document(fact) for fact in paths if fact != path}
        texts = {name: fact.text for name, fact in facts.items() if fact.data and not fact.problem}
        return derived_index.is_derived(snapshot.document(path).text, texts)

    def own_cautions(self) -> Iterator[str]:
        """What reaches the agent unreviewed, and what waits unseen."""
        yield from map(_caution, self.outside_texts())
        patterns = [pattern for queue in self._queues for pattern in queue.folders]
        links = (link for pattern in patterns for link in links_to(self.path, pattern))
        for path, target in dict.fromkeys(links):
            yield f"{path} is a link to {target}: what waits there is not shown."

    def parse(
        self, file: PendingFile, now: datetime, *, is_repaired: bool = False
    ) -> Proposal | Quarantined:
        """Reads one record, strictly. Never raises for what it contains."""
        for queue in self._queues:
            if queue.holds(file.source):
                return queue.parse(self._id, self.path, file, now)
        return parse_record(self._id, self.path, self._layout, file, now)

    def scan(self) -> Iterator[Sighting]:
        """The waiting records, those of the agent's own queues too; none of them is opened."""
        yield from super().scan()
        for queue in self._queues:
            yield from queue.see(self.path, self._kernel, time_ns())

    def pending(self, only: Collection[str] | None = None) -> Iterator[PendingFile]:
        """The waiting records, those of the agent's own queues too; or only these."""
        yield from super().pending(only)
        for queue in self._queues:
            yield from queue.scan(self.path, self._kernel, only)

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
        starts = self._layout.starts(self.path)
        governs = self.snapshot().governs
        for each in imports(self.path, starts, user_home, self._kernel, outside=allowed):
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

    def stamp(self, paths: Iterable[str]) -> str:
        """A stamp that changes when a document or a record may have changed. Never raises."""
        queues = (queue.see(self.path, self._kernel, time_ns()) for queue in self._queues)
        records = (sighting.source for found in queues for sighting in found)
        return super().stamp([*paths, *self._layout.places(self.path), *records])

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

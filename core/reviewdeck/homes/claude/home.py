"""A Claude Code home, read only: its documents, its queue, and the transcripts of its sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from reviewdeck.agents.claude.roots import Root
from reviewdeck.agents.claude.switches import switched_off_by
from reviewdeck.errors import BadInput, ReviewdeckError
from reviewdeck.homes.claude.gate import settings_files, settings_of
from reviewdeck.homes.claude.governed import claude_json, default_config
from reviewdeck.homes.claude.imports import (
    UNREVIEWED,
    allows_outside,
    imports,
    link_caution,
    links_out,
    read_text,
)
from reviewdeck.homes.claude.installation import read_installation
from reviewdeck.homes.claude.layout import INDEX, ClaudeLayout, slug_of
from reviewdeck.homes.claude.records import FOLDERS, parse_record
from reviewdeck.homes.claude.settings import GovernedRoot
from reviewdeck.homes.folder_home import FolderHome
from reviewdeck.homes.kinds import HomeContext
from reviewdeck.model import Proposal, Quarantined
from reviewdeck.ports import OutsideText, PendingFile

if TYPE_CHECKING:
    from reviewdeck.homes.claude.conversations import ClaudeConversations

NOT_ALLOWED: Final = "Claude Code loads it once somebody allows imports from outside"
"""Why an import of a repository from outside of it is not in the prompt."""


class ClaudeHome(FolderHome):
    """One folder of Claude Code."""

    pending_folders = FOLDERS

    def __init__(self, path: Path, layout: ClaudeLayout, around: HomeContext) -> None:
        """Raises HomeUnavailable."""
        super().__init__(path, layout)
        self._layout = layout
        self._around = around
        self._conversations: ClaudeConversations | None = None

    @property
    def layout_name(self) -> str:
        """Which of Claude Code's folders it is."""
        return self._layout.layout

    def index_of(self, path: str) -> str | None:
        """The index document of the memory that a document belongs to."""
        return self._layout.index_of(path)

    def own_cautions(self) -> Iterator[str]:
        """What reaches the agent unreviewed."""
        yield from map(_caution, self.outside_texts())

    def parse(
        self, file: PendingFile, now: datetime, *, is_repaired: bool = False
    ) -> Proposal | Quarantined:
        """Reads one record, strictly. Never raises for what it contains."""
        return parse_record(self._id, self.path, self._layout, file, now)

    def outside_texts(self) -> tuple[OutsideText, ...]:
        """What its links and imports load from outside of it. Never raises."""
        return (*self._linked_out(), *self._imported_from_outside())

    def _linked_out(self) -> Iterator[OutsideText]:
        for path, target in links_out(self._layout.layout, self.path):
            document = read_text(self.path, target, self._kernel)
            yield OutsideText(path, "", target, document.data, document.problem or "")

    def _imported_from_outside(self) -> Iterator[OutsideText]:
        allowed = self._layout.layout != "project" or allows_outside(
            claude_json(self._around.env, self._around.user_home), self.path
        )
        starts, user_home = self._layout.starts(self.path), self._around.user_home
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
            installed = read_installation(self._config)
            off = switched_off_by(installed.settings, "user")
            if place.layout == "project":
                for file in settings_files(place):
                    with suppress(BadInput):  # Claude Code ignores it, and runs the user's hooks.
                        off += switched_off_by(settings_of(file), "project")
            covered = [Root(governed.layout, str(governed.path)) for governed in installed.roots]
        except (ReviewdeckError, OSError):
            return ("settings",)  # Claude Code ignores settings that it cannot read.
        # A name and not a file: there may be none yet, and a link is no less before the gate.
        document = str(self.path / (INDEX if place.layout == "memory" else "CLAUDE.md"))
        missing = () if any(root.is_touched_by(document) for root in covered) else ("hooks",)
        return (*missing, *dict.fromkeys(off))

    def stamp(self, paths: Iterable[str]) -> str:
        """A stamp that changes when a document or a record may have changed. Never raises."""
        return super().stamp([*paths, *self._layout.places(self.path)])

    @property
    def _config(self) -> Path:
        """Claude Code's own folder, with the transcripts."""
        match self._layout.layout:
            case "config":
                return self.path
            case "memory" if self.path.parent.parent.name == "projects":
                return self.path.parents[2]
            case _:
                return default_config(self._around.env, self._around.user_home)

    def keeps_conversations(self) -> bool:
        """Whether there is a folder of transcripts."""
        return (self._config / "projects").is_dir()

    def conversations(self) -> ClaudeConversations | None:
        """The transcripts of Claude Code; None when there are none."""
        if not self.keeps_conversations():
            return None
        if self._conversations is None:
            # Imported late: it takes as long to load as the rest of a home.
            from reviewdeck.homes.claude.conversations import ClaudeConversations

            self._conversations = ClaudeConversations(
                self.path,
                self._config / "projects",
                clock=self._around.clock,
                kernel=self._kernel,
                books=tuple(dict.fromkeys(map(str, self._books()))),
            )
        return self._conversations

    def _books(self) -> Iterator[Path]:
        """The folders of the agent's own memory."""
        config = self._config
        for place in dict.fromkeys((config, config.resolve())):
            yield place / "agent-memory"
            if self._layout.layout == "project":
                yield place / "projects" / slug_of(str(self.path)) / "memory"
            else:
                yield from place.glob("projects/*/memory")
        if self._layout.layout == "memory":
            yield self.path
        yield self.path / ".claude" / "agent-memory"
        yield self.path / ".claude" / "agent-memory-local"


def _caution(text: OutsideText) -> str:
    if not text.by:
        return link_caution(text.path, text.target)
    is_allowed = text.problem != NOT_ALLOWED
    what = UNREVIEWED if is_allowed else f"{NOT_ALLOWED}, and no change of it is reviewed."
    return f"{text.by} imports {text.path}: {what}"

"""A Hermes home, read only."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reviewdeck.clock import utc_now
from reviewdeck.errors import ReviewdeckError
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.folder_home import AgentHome
from reviewdeck.homes.hermes.config import CONFIG, config_problem
from reviewdeck.homes.hermes.layout import PLUGIN, RECORD, SKILLS, archives_of, home_name, roots_of
from reviewdeck.homes.hermes.records import claims, parse_record, read_bases
from reviewdeck.homes.hermes.session_database import DATABASE, is_there
from reviewdeck.homes.hermes.sidecar import Sidecar, disagreement, has_sidecars, read_sidecar
from reviewdeck.homes.hermes.snapshot import HermesSnapshot
from reviewdeck.homes.hermes.stamps import PENDING, STORES, skills_behind_links, stamp_of
from reviewdeck.homes.hermes.traits import NEWEST_KNOWN_SCHEMA, is_later_home, session_schema
from reviewdeck.model import BaseSource, Proposal, Quarantined, Skill
from reviewdeck.ports import Clock, PendingFile
from reviewdeck.reading.agents import Agent

if TYPE_CHECKING:
    from reviewdeck.homes.hermes.conversations import HermesConversations


def _warn_of_link(home: Path, path: str) -> str | None:
    """The warning for a document that a symbolic link puts outside of the home; None for others."""
    real = Path(os.path.realpath(home / path))
    if real.is_relative_to(home):
        return None
    return f"{path} lies outside of the home, at {real}: writes go there."


def _modified_at(file: Path) -> float:
    """When a file was written last, in seconds since 1970; infinity without it."""
    try:
        return file.lstat().st_mtime
    except OSError:
        return math.inf


class HermesLayout:
    """The places of a Hermes home. Implements `HomeLayout`."""

    kind = "hermes"
    skill_roots = folders = (SKILLS,)

    def label(self, root: Path) -> str:
        """The profile's name; "default" for a home that is not a named profile."""
        return home_name(root)


class HermesHome(AgentHome[HermesLayout]):
    """One profile's directory: its memories, its skills and its pending folder."""

    pending_folders = PENDING

    def __init__(
        self,
        path: Path,
        *,
        env: Mapping[str, str],
        user_home: Path,
        clock: Clock = utc_now,
        kernel: Kernel | None = None,
    ) -> None:
        """Raises HomeUnavailable."""
        super().__init__(path, HermesLayout(), kernel)
        self._env = env
        self._user_home = user_home
        self._clock = clock
        self._conversations: HermesConversations | None = None
        self._is_later: bool | None = None
        """By the last look at the waiting records; None before the first."""

    def own_cautions(self) -> Iterator[str]:
        """Documents outside of the home, and a Hermes that is too new."""
        yield from filter(None, (_warn_of_link(self.path, path) for path in STORES.values()))
        schema = session_schema(self.path) or 0
        if schema > NEWEST_KNOWN_SCHEMA:
            yield (
                "A Hermes works here that is newer than reviewdeck knows (sessions of schema"
                f" {schema}): what cannot be read is left as it is."
            )

    @property
    def loaders(self) -> tuple[Agent, ...]:
        """Hermes, whatever its version."""
        return super().loaders[:1]

    def governs_link(self, path: str) -> bool:
        """Whether what a link leads to, at this path of the home, is a document."""
        behind = skills_behind_links(self.path, self.snapshot().local_skills)
        return path.startswith(f"{SKILLS}/") or any(each.holds(path) for each in behind)

    @property
    def ungated(self) -> tuple[str, ...]:
        """The settings of `config.yaml` that are off and would make Hermes stage its writes."""
        config = self.snapshot().config
        gates = {"memory": config.memory_gate, "skills": config.skills_gate}
        return tuple(f"{name}.write_approval" for name, is_on in gates.items() if not is_on)

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence for each setting and record of the home that could not be used."""
        snapshot = self.snapshot()
        config = snapshot.config.notes
        if not config and (problem := config_problem(snapshot.document("config.yaml"))):
            config = (problem,)
        unlisted = (f"skills: {reason}" for reason in snapshot.local_skills.unlisted)
        return (*config, *snapshot.protections.notes, *unlisted)

    def snapshot(self) -> HermesSnapshot:
        """The home as it is now: each file is read lazily, and once."""
        return HermesSnapshot(
            self.path,
            env=self._env,
            user_home=self._user_home,
            now=self._clock(),
            kernel=self._kernel,
            known_as=self._id,
        )

    def claimed(self) -> dict[str, str]:
        """The records that another program is deciding on, each with its claim file."""
        return claims(self.path, kernel=self._kernel)

    def archives(self, skill: str) -> tuple[str, ...]:
        return archives_of(self.path, skill)

    def pending(self, only: Collection[str] | None = None) -> Iterator[PendingFile]:
        """The waiting records, or only these, in the order in which they are considered."""
        self._is_later = is_later_home(self.path)
        yield from super().pending(only)

    def parse(
        self, file: PendingFile, now: datetime, *, is_repaired: bool = False
    ) -> Proposal | Quarantined:
        """Reads one pending file, strictly. Never raises for what the file contains."""
        is_later = self._is_later
        if is_repaired or is_later is None:
            is_later = is_later_home(self.path)
        record = parse_record(self.id, file, now, is_repaired=is_repaired, needs_target=is_later)
        if is_repaired or not isinstance(record, Proposal):
            return record
        noted = read_sidecar(self.path, record.source_id or "", kernel=self._kernel)
        if not isinstance(noted, Sidecar) or disagreement(noted, record):
            return record
        bases = read_bases(noted.bases, record.edits, BaseSource.RECORDED)
        return replace(
            record,
            bases={**bases, **record.bases},
            session=record.session or noted.session,
            turn=record.turn or noted.turn or None,
            tool_call=record.tool_call or noted.call or None,
            model=record.model or noted.model or None,
        )

    def documents(self) -> tuple[str, ...]:
        return self.snapshot().documents()

    def skills(self) -> tuple[Skill, ...]:
        """Every skill, external ones included, by name."""
        snapshot = self.snapshot()
        trees = (snapshot.local_skills, *snapshot.external_skills)
        names = sorted({place.name for tree in trees for place in tree.places})
        return tuple(skill for name in names if (skill := snapshot.skill(name)) is not None)

    def keeps_conversations(self) -> bool:
        """Whether there is a session database, here or where it was launched, or a sidecar."""
        has_database = any(is_there(root / DATABASE) for root in roots_of(self.path))
        return has_database or has_sidecars(self.path, kernel=self._kernel)

    def conversations(self) -> HermesConversations | None:
        if not self.keeps_conversations():
            return None
        if self._conversations is None:
            # Imported late: it takes as long to load as the rest of a home.
            from reviewdeck.homes.hermes.conversations import HermesConversations

            self._conversations = HermesConversations(
                self.path,
                clock=self._clock,
                kernel=self._kernel,
                own_skills=lambda: self.snapshot().own_skills,
                was_gated=self._was_gated,
                noted_since=self._calls_noted_since,
            )
        return self._conversations

    def _was_gated(self, moment: datetime) -> bool:
        """Whether the gate of memories was on at a moment: it is now, and was set before that."""
        files = (self.path / CONFIG, self.path / RECORD)
        return self.snapshot().config.memory_gate and any(
            _modified_at(file) < moment.timestamp() for file in files
        )

    def _calls_noted_since(self) -> float:
        """Since when the plugin is there and enabled; infinity where it is not."""
        from reviewdeck.homes.hermes.config_edits import is_enabled  # it loads the parser of YAML
        from reviewdeck.homes.hermes.installation import TERMINAL

        try:
            is_loaded = is_enabled((self.path / CONFIG).read_text("utf-8"))
        except (OSError, ValueError, ReviewdeckError):
            return math.inf
        return _modified_at(self.path / PLUGIN / TERMINAL) if is_loaded else math.inf

    def stamp(self, paths: Iterable[str]) -> str:
        """A stamp that changes when an input of staging may have changed. Never raises."""
        return stamp_of(self.path, paths)

"""A home on another machine, as its host last saw it and the ledger tells since.

It is read as any home is, so a proposal is evaluated, drafted and decided on here by the same code.
What only the host can tell is not known here: its pending files and its conversations.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Final

from reviewdeck.engine.home_look import HomeLook, SeenDocument, Traits
from reviewdeck.errors import HomeUnavailable, LedgerDamaged
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import (
    ABSENT,
    Change,
    Document,
    Limit,
    Loading,
    Origin,
    Proposal,
    Quarantined,
    Skill,
)
from reviewdeck.model.ledger import Sight, Sighting
from reviewdeck.planning.overlay import Overlay
from reviewdeck.ports import (
    Conversations,
    LinkedSkill,
    OutsideText,
    PendingFile,
    Refusals,
    SkillSight,
    Snapshot,
)

_AHEAD: Final = 200
"""How many documents are read at once: whoever reads one of a home mostly reads the next ones."""
_UNKNOWN: Final = Traits(Loading.EXECUTES, "it is not known here", None, False, ())


class RemoteSnapshot:
    """A home of another machine at one moment. Bytes are read from the ledger as they are asked."""

    def __init__(self, home: str, look: HomeLook, ledger: Ledger) -> None:
        self._home = home
        self._look = look
        self._ledger = ledger
        self._data: dict[str, bytes | None] = {}
        self._order = [path for path, seen in look.documents.items() if seen.revision != ABSENT]

    @property
    def home(self) -> str:
        """The home's id."""
        return self._home

    def document(self, path: str) -> Document:
        """The document at this path; one that its host did not look at has a problem."""
        seen = self._look.documents.get(path)
        if seen is None:
            return Document(path, None, problem="is not known here: its host has not looked at it")
        if seen.revision == ABSENT:
            return Document(path, None, seen.mode, seen.problem, seen.link)
        if path not in self._data:
            self._read_from(path)
        if (data := self._data[path]) is None:
            return Document(path, None, seen.mode, "is not stored in the ledger", seen.link)
        return Document(path, data, seen.mode, seen.problem, seen.link)

    def _read_from(self, path: str) -> None:
        """Reads this document and the next ones: what is asked one by one takes a journey each."""
        start = self._places[path]
        following = islice(self._order, start, start + _AHEAD)
        wanted = [each for each in following if each not in self._data]
        found = self._ledger.contents({self._look.documents[each].revision for each in wanted})
        for each in wanted:
            self._data[each] = found.get(self._look.documents[each].revision)

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {path: number for number, path in enumerate(self._order)}

    def documents(self) -> tuple[str, ...]:
        """The paths of all documents that exist."""
        listed = (path for path, seen in self._look.documents.items() if seen.is_listed)
        return tuple(sorted(listed))

    def skill(self, name: str) -> Skill | None:
        """The skill of this name; None also for a name that its host was not asked for."""
        return self._look.by_name.get(name)

    def new_skill_directory(self, name: str, category: str | None) -> str:
        parts = (self._look.new_skills, category, name)
        return "/".join(part for part in parts if part)

    def archive_directory(self, name: str) -> str:
        folder = "/".join(part for part in (self._look.new_skills, ".archive") if part)
        return self._look.archives.get(name, f"{folder}/{name}")

    def _traits(self, path: str) -> Traits:
        seen: SeenDocument | None = self._look.documents.get(path)
        return _UNKNOWN if seen is None else seen.traits

    def has_entries(self, path: str) -> bool:
        return self._traits(path).has_entries

    def budget(self, path: str) -> int | None:
        return self._traits(path).budget

    def limits(self, path: str) -> tuple[Limit, ...]:
        return self._traits(path).limits

    def loading(self, path: str) -> Loading:
        return self._traits(path).loading

    def closed(self, path: str) -> str | None:
        return self._traits(path).closed

    @property
    def pins_entries(self) -> bool:
        return self._look.pins_entries

    @property
    def free_names(self) -> bool:
        return self._look.free_names


class RemoteHome:
    """A home of another machine. Implements `Home`; nothing of it is on this one."""

    def __init__(self, sight: Sight, ledger: Ledger) -> None:
        self.sight = sight
        self._ledger = ledger
        self._known: tuple[str, HomeLook] | None = None

    @property
    def id(self) -> str:
        return self.sight.home

    @property
    def where(self) -> str:
        """Its path on that machine."""
        return self.sight.path

    @property
    def kind(self) -> str:
        return self.sight.kind

    @property
    def name(self) -> str:
        """With its machine: each of them may have a home of this name."""
        return self.sight.full_name

    @property
    def _look(self) -> HomeLook:
        """What its host saw when this was last read; read now, if it never was."""
        return self._newest() if self._known is None else self._known[1]

    def _newest(self) -> HomeLook:
        """What its host saw last."""
        known = "" if self._known is None else self._known[0]
        found = self._ledger.look_at(self.id, known)
        if found is None:
            raise HomeUnavailable(
                f"{self.sight.machine} has not looked at the home {self.id} yet.",
                hint="`reviewdeck worker` or `reviewdeck auto` on that machine does.",
            )
        self.sight, sha, body = found
        if body is not None or self._known is None:
            try:
                self._known = sha, HomeLook.from_text(body or "")
            except (KeyError, TypeError, ValueError) as error:
                raise LedgerDamaged(f"The look at {self.id} is not valid: {error}.") from error
        return self._known[1]

    @property
    def cautions(self) -> tuple[str, ...]:
        return self._look.cautions

    @property
    def ungated(self) -> tuple[str, ...]:
        return self._look.ungated

    @property
    def readers(self) -> tuple[str, ...]:
        return self._look.readers

    def snapshot(self) -> Snapshot:
        """The home as its host saw it, with what was written since, and what is to be written."""
        ledger = self._ledger
        with ledger.at_once():
            ledger.foresee((lambda: ledger.written_since_look(self.id), self._approved))
            seen = RemoteSnapshot(self.id, self._newest(), ledger)
            changes = {change.path: change for change in (*self._written(), *self._approved())}
        return Overlay(seen, changes.values()) if changes else seen

    def _written(self) -> Iterable[Change]:
        """What an operation wrote after the look."""
        written = self._ledger.written_since_look(self.id)
        found = self._ledger.contents({each.revision for each in written.values()})
        for path, each in written.items():
            yield Change(path, None, found.get(each.revision), mode=each.mode)

    def _approved(self) -> Iterable[Change]:
        """What is approved and will be written, unless its document is another one by then."""
        return self._ledger.awaited(self.id)

    def documents(self) -> tuple[str, ...]:
        return self.snapshot().documents()

    def skills(self) -> tuple[Skill, ...]:
        return self._look.skills

    def refusals(self) -> Refusals:
        return self._look.refusals

    def skill_sight(self) -> SkillSight:
        return self._look.sight

    def keeps_conversations(self) -> bool:
        """Whether its host has its agent's conversations."""
        return self._look.keeps_conversations

    def conversations(self) -> Conversations | None:
        """None: only its host can read them. `origins` has what they told."""
        return None

    def origins(self, proposals: Iterable[str]) -> dict[str, Origin]:
        """Where these proposals come from, as their host judged."""
        judgements = self._ledger.judgements([*proposals])
        return {id: one.origin for id, one in judgements.items() if one.origin is not None}

    def scan(self) -> tuple[Sighting, ...]:
        """None: its host takes its pending files in."""
        return ()

    def pending(self, only: Collection[str] | None = None) -> tuple[PendingFile, ...]:
        """None, as above."""
        return ()

    def claimed(self) -> dict[str, str]:
        """None, as above: what another program decides on there is found when it is written."""
        return {}

    def parse(
        self, file: PendingFile, now: datetime, *, is_repaired: bool = False
    ) -> Proposal | Quarantined:
        raise HomeUnavailable(
            f"Records of {self.name} are read on {self.sight.machine} alone.",
            hint=f"Do it there: its home is {self.where}.",
        )

    def archives(self, skill: str) -> tuple[str, ...]:
        """None: not known here."""
        return ()

    def index_of(self, path: str) -> str | None:
        """None: only a host's pass asks."""
        return None

    def is_derived(self, path: str, snapshot: Snapshot) -> bool:
        """False, as above."""
        return False

    def linked_skills(self) -> tuple[LinkedSkill, ...]:
        """None: not known here."""
        return ()

    def outside_texts(self) -> tuple[OutsideText, ...]:
        """None: not known here."""
        return ()

    def stamp(self, paths: Iterable[str]) -> str:
        """What changes with each look of its host."""
        return f"{self.sight.host} {self.sight.at.isoformat()}"

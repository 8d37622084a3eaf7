"""What a pass over a home stores, so that the next one evaluates again only what has to be."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from reviewdeck.model import (
    Finding,
    Judgement,
    Proposal,
    QueueItem,
    Relation,
    State,
)

ANY_DOMAIN = "any"
"""For what is remembered: where a text stood is not kept."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One file of the pending folder, seen and not opened."""

    source: str
    """Relative to the home. A folder that cannot be read stands for all that is in it."""
    hint: str
    """The same hint: the same content. Empty when that cannot be told."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One text that others are compared with, and where it stands."""

    relation: Relation
    text: str
    where: str
    domain: str
    """memory, skill, file or the file that is changed: only texts of one domain are compared."""


@dataclass(frozen=True, slots=True)
class Begun:
    """How the queue of a home stood when a pass began."""

    home: str
    number: int
    has_moved: bool
    """Whether a proposal, or something that is remembered, came or went since the last pass."""
    arrived: frozenset[str]
    """The proposals that began to wait since then."""
    gone: frozenset[str]
    """Those that wait no longer."""
    top: int
    """How far all of this goes."""


@dataclass(frozen=True, slots=True)
class Staging:
    """What the last staging of a proposal came to, to be stored with it."""

    proposal: str
    state: State
    verdict: str | None
    digest: str | None
    findings: tuple[Finding, ...]
    reason: str
    judgement: Judgement | None = None
    """All answers with their evidence; None where nothing was judged."""
    judged_by: str = ""
    """The mark of the policy file at that time."""
    paths: tuple[str, ...] = ()
    """The documents that it depends on."""
    gist: str = ""
    """What it would do, in one line, from its payload; secrets are covered."""
    subject: str = ""
    """A sum of the memory entry that it is about; empty for none."""


class Records(Protocol):
    """Which pending files were read, and how they looked then."""

    def records(self, home: str) -> dict[str, str]:
        """The hint of each pending file that was read."""
        ...

    def lose(self, home: str, sources: Collection[str]) -> tuple[str, ...]:
        """These files are gone: what waits of them is decided elsewhere. Gives those proposals."""
        ...

    def leftovers(self, home: str) -> tuple[tuple[str, str], ...]:
        """Files of proposals that are applied or rejected, with the SHA-256 of their content."""
        ...

    def decided_records(self, home: str) -> tuple[tuple[str, str], ...]:
        """Each file that a decided proposal ever came from, with the SHA-256 of its content.

        For what was cut short, and therefore slow: it looks at every proposal.
        """
        ...


class Rounds(Protocol):
    """What waits, and what each stored evaluation was made from."""

    def together(self) -> AbstractContextManager[Callable[[], None]]:
        """All that this thread reads and writes is one transaction: for a pass over a little.

        Nobody else writes meanwhile, so what takes long ends it, by calling what is given.
        """
        ...

    def begin_refresh(self, home: str) -> Begun:
        """How things stand now."""
        ...

    def keys(self, home: str) -> dict[str, str | None]:
        """Every proposal that is open and can be read, oldest first, with the key of its stored
        evaluation; None where there is none that a pass can rely on."""
        ...

    def end_refresh(
        self,
        begun: Begun,
        keys: Mapping[str, str],
        stagings: Sequence[Staging] = (),
        stamp: str | None = None,
    ) -> bool:
        """The evaluations of a pass hold from now on, under these keys. False when another pass
        came in between: then the next one evaluates again.

        Stores the last stagings and the home's stamp as well, whatever the answer.
        """
        ...

    def waiting(self, home: str) -> tuple[str, ...]:
        """Every proposal that is open and can be read, oldest first."""
        ...

    def automatic(self, home: str) -> tuple[str, ...]:
        """Every proposal that is ready and that the policy lets through, oldest first."""
        ...

    def note(self, items: Collection[QueueItem]) -> None:
        """Stores the findings of these lines; leaves those alone that are not safe as told."""
        ...

    def proposals(self, ids: Collection[str]) -> tuple[Proposal, ...]:
        """Those of these proposals that wait, oldest first, in full."""
        ...


class SubjectReader(Protocol):
    """Texts that are compared with each other."""

    def subjects(self, home: str) -> Iterable[Subject]:
        """All texts of waiting proposals, and all that is remembered."""
        ...


class Subjects(SubjectReader, Protocol):
    """The same, and keeping them up to date."""

    def index(self, home: str, subjects: Iterable[Subject], gone: Collection[str]) -> None:
        """Adds the texts of waiting proposals in the place of what was there of them, and drops
        those of the proposals that are gone."""
        ...

    def unindexed(self, ids: Collection[str]) -> tuple[str, ...]:
        """Those of these proposals that have no text in the index."""
        ...

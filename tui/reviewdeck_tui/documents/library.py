"""The documents of homes, read from the engine by workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from reviewdeck.engine.history import Blamed
from reviewdeck.model import Actor, Kind, Observation, QueueItem
from reviewdeck.ports import Home
from reviewdeck.presentation.changes import Author, authors_of_observations
from reviewdeck.text import entries
from reviewdeck.text.redact import NOTHING, Redaction
from reviewdeck.text.similarity import Match, find_similar
from reviewdeck_tui.home_names import names_of

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine

MEMORIES: Final = "memories/"
SKILLS: Final = "skills/"
MOST_WAITING: Final = 2_000
"""Open proposals, newest first, that are counted for their documents."""
MOST_RELATED: Final = 3
"""Similar entries that are named for one entry."""


@dataclass(frozen=True, slots=True)
class HomeDocument:
    """One document of a home."""

    home: str
    path: str
    size: int
    """Characters as its budget counts them; lines if it has no budget."""
    limit: int | None
    latest: Observation | None
    """None if it was never taken in."""
    problem: str = ""
    waiting: int = 0
    """The number of open proposals for it."""

    @property
    def id(self) -> str:
        """Unique among all homes."""
        return f"{self.home}\n{self.path}"

    @property
    def is_memory(self) -> bool:
        """Whether it is made of entries."""
        return self.limit is not None


@dataclass(frozen=True, slots=True)
class Library:
    """All documents at one moment."""

    documents: tuple[HomeDocument, ...] = ()
    homes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RelatedEntry:
    """A similar entry."""

    path: str
    text: str
    match: Match


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """One document with the blame of its parts, and its history."""

    document: HomeDocument
    parts: tuple[Blamed, ...]
    history: tuple[Observation, ...]
    """Oldest first."""
    authors: Mapping[str, Author]
    related: Mapping[int, tuple[RelatedEntry, ...]] = field(default_factory=dict)
    """By number of an entry."""
    you: Actor | None = None
    redaction: Redaction = NOTHING
    """The redaction of its texts."""


def read_library(engine: Engine, home: str | None = None) -> Library:
    """The documents of one home, or of all homes of a deck, memories first."""
    homes = [open_home.home for open_home in engine.open_homes if home in (None, open_home.home.id)]
    waiting = _waiting_counts(engine.pending(limit=MOST_WAITING))
    documents = [
        document for each_home in homes for document in _documents_of(engine, each_home, waiting)
    ]
    return Library(tuple(documents), names_of(homes))


def _documents_of(
    engine: Engine, home: Home, waiting: Mapping[tuple[str, str], int]
) -> list[HomeDocument]:
    snapshot, latest = home.snapshot(), engine.ledger.latest(home.id)
    documents = []
    for path in home.documents():
        document, limit = snapshot.document(path), snapshot.budget(path)
        text = "" if document.problem else (document.data or b"").decode("utf-8", errors="replace")
        size = entries.size(entries.parse(text)) if limit is not None else text.count("\n")
        observation, amount = latest.get(path), waiting.get((home.id, _target(path)), 0)
        documents.append(
            HomeDocument(home.id, path, size, limit, observation, document.problem or "", amount)
        )
    return sorted(documents, key=lambda document: (not document.is_memory, document.path))


def _target(path: str) -> str:
    """The name of a document in proposals; empty if proposals name its skill."""
    if path.startswith(MEMORIES):
        return path.removeprefix(MEMORIES).removesuffix(".md").lower()
    return path.split("/")[-2] if path.endswith("/SKILL.md") else ""


def _waiting_counts(items: Iterable[QueueItem]) -> dict[tuple[str, str], int]:
    amounts: dict[tuple[str, str], int] = {}
    for item in items:
        if item.state.is_open:
            name = item.target.lower() if item.kind is Kind.MEMORY else item.target
            amounts[item.home, name] = amounts.get((item.home, name), 0) + 1
    return amounts


def read_page(engine: Engine, document: HomeDocument) -> DocumentPage:
    """One document in full."""
    home = engine.home_by_id(document.home).home
    parts = engine.blame(document.path, document.home)
    history = engine.history(document.path, document.home)
    author_map = authors_of_observations(engine, [*(part.added_by for part in parts), *history])
    kin = _related_entries(home, document.path, parts) if document.is_memory else {}
    texts = ["\n".join(part.text for part in parts)]
    texts += [relation.text for relations in kin.values() for relation in relations]
    return DocumentPage(
        document, parts, tuple(history), author_map, kin, engine.actor, Redaction(texts)
    )


def _related_entries(
    home: Home, path: str, parts: Sequence[Blamed]
) -> dict[int, tuple[RelatedEntry, ...]]:
    all_entries = list(memory_entries(home))
    related: dict[int, tuple[RelatedEntry, ...]] = {}
    for number, part in enumerate(parts):
        skipped = False
        other_entries: list[tuple[str, str]] = []
        for entry in all_entries:
            if not skipped and entry == (path, part.text):
                skipped = True  # itself
            else:
                other_entries.append(entry)
        matches = find_similar(part.text, [text for _, text in other_entries])[:MOST_RELATED]
        if matches:
            related[number] = tuple(
                RelatedEntry(*other_entries[match.index], match) for match in matches
            )
    return related


def memory_entries(home: Home) -> Iterator[tuple[str, str]]:
    """The entries of all memories, with their documents."""
    snapshot = home.snapshot()
    for path in home.documents():
        document = snapshot.document(path)
        if snapshot.budget(path) is not None and document.problem is None:
            yield from ((path, text) for text in entries.parse(document.text))

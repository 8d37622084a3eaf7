"""The documents of homes, as their screen knows them; read from the engine by workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from reviewdeck.engine.history import Blamed
from reviewdeck.model import Actor, Kind, Observation, QueueItem
from reviewdeck.policy.redact import NOTHING, Redaction
from reviewdeck.ports import Home
from reviewdeck.presentation.changes import Author, authors
from reviewdeck.text import entries
from reviewdeck.text.similarity import Match, alike

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck

MEMORIES: Final = "memories/"
SKILLS: Final = "skills/"
MOST_WAITING: Final = 2_000
"""Proposals, newest first, that are counted beside their documents."""
MOST_KIN: Final = 3
"""Entries that one entry is said to be like."""


@dataclass(frozen=True, slots=True)
class HeldDocument:
    """One document of a home."""

    home: str
    path: str
    size: int
    """Characters as its budget counts them; of what has none, lines."""
    limit: int | None
    latest: Observation | None
    """None when it was never taken in."""
    problem: str = ""
    waiting: int = 0
    """Proposals that want something of it."""

    @property
    def id(self) -> str:
        """Names it among all homes."""
        return f"{self.home}\n{self.path}"

    @property
    def is_memory(self) -> bool:
        """Whether it is made of entries."""
        return self.limit is not None


@dataclass(frozen=True, slots=True)
class Library:
    """All documents, at one moment."""

    held: tuple[HeldDocument, ...] = ()
    homes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Kin:
    """An entry that is about the same thing as another."""

    path: str
    text: str
    match: Match


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """One document with what brought each part of it, and its past."""

    held: HeldDocument
    parts: tuple[Blamed, ...]
    history: tuple[Observation, ...]
    """Oldest first."""
    known: Mapping[str, Author]
    kin: Mapping[int, tuple[Kin, ...]] = field(default_factory=dict)
    """By number of an entry."""
    you: Actor | None = None
    cover: Redaction = NOTHING
    """Knows the secrets in it."""


def read_library(deck: Deck, home: str | None = None) -> Library:
    """Every document of the homes of a deck, or of one of them: memories first."""
    homes = [one.home for one in deck.context.homes if home in (None, one.home.id)]
    waiting = _waiting(deck.pending(limit=MOST_WAITING))
    held = [one for each in homes for one in _held(deck, each, waiting)]
    return Library(tuple(held), {one.id: one.name for one in homes})


def _held(deck: Deck, home: Home, waiting: Mapping[tuple[str, str], int]) -> list[HeldDocument]:
    snapshot, latest = home.snapshot(), deck.ledger.latest(home.id)
    found = []
    for path in home.documents():
        document, limit = snapshot.document(path), snapshot.budget(path)
        text = "" if document.problem else (document.data or b"").decode("utf-8", errors="replace")
        size = entries.size(entries.parse(text)) if limit is not None else text.count("\n")
        seen, amount = latest.get(path), waiting.get((home.id, _target(path)), 0)
        found.append(HeldDocument(home.id, path, size, limit, seen, document.problem or "", amount))
    return sorted(found, key=lambda one: (not one.is_memory, one.path))


def _target(path: str) -> str:
    """What proposals call it; empty for what they name with its skill."""
    if path.startswith(MEMORIES):
        return path.removeprefix(MEMORIES).removesuffix(".md").lower()
    return path.split("/")[-2] if path.endswith("/SKILL.md") else ""


def _waiting(items: Iterable[QueueItem]) -> dict[tuple[str, str], int]:
    amounts: dict[tuple[str, str], int] = {}
    for item in items:
        if item.state.is_open:
            name = item.target.lower() if item.kind is Kind.MEMORY else item.target
            amounts[item.home, name] = amounts.get((item.home, name), 0) + 1
    return amounts


def read_page(deck: Deck, held: HeldDocument) -> DocumentPage:
    """One document whole."""
    home = deck.context.one_home(held.home).home
    parts = deck.blame(held.path, held.home)
    history = deck.history(held.path, held.home)
    known = authors(deck.view, [*(part.brought_by for part in parts), *history])
    kin = _kin(home, held.path, parts) if held.is_memory else {}
    texts = ["\n".join(part.text for part in parts)]
    texts += [each.text for several in kin.values() for each in several]
    return DocumentPage(
        held, parts, tuple(history), known, kin, deck.context.actor, Redaction(texts)
    )


def _kin(home: Home, path: str, parts: Sequence[Blamed]) -> dict[int, tuple[Kin, ...]]:
    """What each entry is like: of this memory, and of the others of the home."""
    every = list(memory_entries(home))
    found: dict[int, tuple[Kin, ...]] = {}
    for number, part in enumerate(parts):
        skipped = False
        others: list[tuple[str, str]] = []
        for place in every:
            if not skipped and place == (path, part.text):
                skipped = True  # itself
            else:
                others.append(place)
        matches = alike(part.text, [text for _, text in others])[:MOST_KIN]
        if matches:
            found[number] = tuple(Kin(*others[match.index], match) for match in matches)
    return found


def memory_entries(home: Home) -> Iterator[tuple[str, str]]:
    """Every entry of every memory, with its document."""
    snapshot = home.snapshot()
    for path in home.documents():
        document = snapshot.document(path)
        if snapshot.budget(path) is not None and document.problem is None:
            yield from ((path, text) for text in entries.parse(document.text))

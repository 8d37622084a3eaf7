"""Documents as cards: the list, one document with its blame, its revisions. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Final

from reviewdeck.engine.history import Blamed, mode_changes
from reviewdeck.model import ABSENT, Cause, Observation
from reviewdeck.presentation.changes import author_words, conversation_words
from reviewdeck.presentation.proposal_words import local_minute
from reviewdeck.presentation.words import age_of, count
from reviewdeck.text.redact import redact
from reviewdeck.text.similarity import MatchKind
from reviewdeck_tui.documents.library import (
    SKILLS,
    DocumentPage,
    HomeDocument,
    Library,
    RelatedEntry,
)
from reviewdeck_tui.proposal.panes import Ours
from reviewdeck_tui.widgets.cards import Card, Cards, Leaf
from reviewdeck_tui.widgets.on_demand import OnDemand

NAMES: Final = 30
"""Cells for names in the list."""
BLAME: Final = 26
"""Cells for author and age before the lines of a document."""
BAR: Final = 10
SHORT_BAR: Final = 6
"""In the list, which needs room for the waiting proposals and the age."""
CONTAINED: Final = 99.5
"""Similarity from which one text contains the other."""
_HEAD: Final = "/SKILL.md"


def list_cards(library: Library, now: datetime) -> tuple[Card, ...]:
    """Memories with their budgets, then skills by category, each with its files."""
    cards: list[Card] = []
    above = ""
    skills = {
        document.path.removesuffix(_HEAD)
        for document in library.documents
        if document.path.endswith(_HEAD)
    }
    for document in library.documents:
        skill = _skill_of(document.path, skills)
        heading = _heading(document, skill, library)
        if heading != above:
            title = Leaf("", lead=heading, lead_tone="heading", strong=True)
            cards.append(Card("", (title,), gap=bool(cards)))
            above = heading
        cards.append(Card(document.id, (_line(document, skill, now),)))
    return tuple(cards)


def _skill_of(path: str, skills: Collection[str]) -> str:
    """The directory of a document's skill; its own directory if it has no skill."""
    above = path.rpartition("/")[0]
    while above and above not in skills:
        above = above.rpartition("/")[0]
    return above or path.rpartition("/")[0]


def _heading(document: HomeDocument, skill: str, library: Library) -> str:
    home = f"{library.homes.get(document.home, document.home)}: " if len(library.homes) > 1 else ""
    if document.is_memory:
        return f"{home}memories"
    category = skill.removeprefix(SKILLS).rpartition("/")[0]
    return f"{home}skills {category}".rstrip()


def _line(document: HomeDocument, skill: str, now: datetime) -> Leaf:
    parts = [
        bar_words(document.size, document.limit, SHORT_BAR)
        if document.limit
        else count(document.size, "line")
    ]
    if document.waiting:
        parts.append(f"{document.waiting} waiting")
    parts.append(
        "no history" if document.latest is None else f"{age_of(document.latest.at, now)} ago"
    )
    if document.problem:
        parts = [redact(document.problem)]
    is_over = document.limit is not None and document.size > document.limit
    tone = "refused" if document.problem or is_over else "draft" if document.waiting else "quiet"
    return Leaf(
        " · ".join(parts), tone, lead=redact(_name(document, skill)), lead_tone="text", most=1
    )


def _name(document: HomeDocument, skill: str) -> str:
    if document.is_memory:
        return document.path.rpartition("/")[2]
    if document.path == skill + _HEAD:
        return skill.rpartition("/")[2]
    return "└ " + document.path.removeprefix(f"{skill}/")


def bar_words(used: int, limit: int, cells: int = BAR) -> str:
    """The use of a budget, as ``######---- 1620/2200``."""
    full = min(cells, round(cells * used / max(1, limit)))
    return f"{'█' * full}{'░' * (cells - full)} {used}/{limit}"


def page_cards(page: DocumentPage, now: datetime) -> Cards:
    """One document: entries as cards, anything else line by line with its blame."""
    if page.document.problem:
        return (Card("", (Leaf(page.document.problem, "refused"),)),)
    if not page.parts:
        return (Card("", (Leaf("It is empty.", "quiet"),)),)
    if page.document.is_memory:
        return tuple(_entry_card(page, number, now) for number in range(len(page.parts)))
    return LineCards(page, now)


def _entry_card(page: DocumentPage, number: int, now: datetime) -> Card:
    part = page.parts[number]
    observation = part.added_by
    leaves = [Leaf(line, "text", "•" if not at else " ") for at, line in enumerate(_lines(part))]
    leaves += [
        Leaf(_relation_words(kin, page.document.path), "flag")
        for kin in page.related.get(number, ())
    ]
    author = author_words(observation, page.authors, page.you)
    talk = conversation_words(observation, page.authors)
    # Of what was there before reviewdeck looked nothing is known, so nothing is said.
    is_known = observation.cause is not Cause.SEEN
    blame = (f"{author} · {age_of(observation.at, now)} ago", talk) if is_known else ()
    aside = tuple(Leaf(Ours(words), "quiet") for words in blame if words)
    return Card(f"{page.document.id}\n{number}", tuple(leaves), aside)


def _relation_words(relation: RelatedEntry, path: str) -> str:
    exact_words = {MatchKind.EXACT: "= the same as", MatchKind.NORMALISED: "= the same words as"}
    containment = "≈ one says more than the other:" if relation.match.score > CONTAINED else ""
    similarity = exact_words.get(
        relation.match.kind, containment or f"≈ {relation.match.score:.0f}% like"
    )
    place = "" if relation.path == path else f" in {relation.path.rpartition('/')[2]}"
    text = " ".join(relation.text.split())
    return f"{similarity} “{text[:70]}{'…' if len(text) > 70 else ''}”{place}"


def _lines(part: Blamed) -> list[str]:
    return part.text.split("\n")


class LineCards(OnDemand[Card]):
    """The lines of a document."""

    def __init__(self, page: DocumentPage, now: datetime) -> None:
        self._page = page
        self._now = now

    def __len__(self) -> int:
        return len(self._page.parts)

    def make(self, place: int, /) -> Card:
        parts = self._page.parts
        observation = parts[place].added_by
        is_first = place == 0 or parts[place - 1].added_by != observation
        lead = blame_words(observation, self._page, self._now) if is_first else ""
        return Card(f"{self._page.document.id}\n{place}", (Leaf(parts[place].text, lead=lead),))


def blame_words(observation: Observation, page: DocumentPage, now: datetime) -> str:
    """Age and author, for a narrow margin."""
    return f"{age_of(observation.at, now):>3} {author_words(observation, page.authors, page.you)}"


def history_cards(page: DocumentPage, picked: Sequence[int], now: datetime) -> tuple[Card, ...]:
    """The revisions, newest first; the letters are the sides of a comparison."""
    return tuple(_revision_cards(page, picked, now))


def _revision_cards(page: DocumentPage, picked: Sequence[int], now: datetime) -> Iterator[Card]:
    last, modes = len(page.history) - 1, mode_changes(page.history)
    for number in range(last, -1, -1):
        observation = page.history[number]
        sign = "AB"[picked.index(number)] if number in picked else " "
        parts = [
            author_words(observation, page.authors, page.you),
            conversation_words(observation, page.authors),
        ]
        parts += ["deleted"] if observation.revision == ABSENT else []
        parts.insert(0, modes[number])
        parts.append(local_minute(observation.at))
        text = " · ".join(part for part in parts if part)
        live = "  live" if number == last else ""
        lead = f"{age_of(observation.at, now):>4}  {observation.revision[:8]}{live}"
        tone = "draft" if number in picked else "text"
        yield Card(f"{number}", (Leaf(Ours(text), tone, sign, lead=lead, most=1),))

"""The live lines that a sentence may come from, read by workers and shown as cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from reviewdeck.engine.why import SourceLine, find_sources
from reviewdeck.model import Actor
from reviewdeck.presentation.changes import (
    Author,
    author_words,
    authors_of_observations,
    conversation_words,
)
from reviewdeck.presentation.sources import (
    NO_SOURCE,
    redaction_of,
    said_words,
    share_words,
    shared_words,
)
from reviewdeck.presentation.words import age_of
from reviewdeck.text.redact import NOTHING, Redaction
from reviewdeck_tui.home_names import names_of
from reviewdeck_tui.proposal.panes import Ours
from reviewdeck_tui.widgets.cards import Card, Leaf

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine

MARGIN: Final = 14
"""Cells for the share of a line."""
_MOST_LINES: Final = 8


@dataclass(frozen=True, slots=True)
class SourcesView:
    """The lines with who taught each."""

    sources: tuple[SourceLine, ...] = ()
    authors: Mapping[str, Author] | None = None
    homes: Mapping[str, str] | None = None
    you: Actor | None = None
    redaction: Redaction = NOTHING


def read_sources(engine: Engine, text: str) -> SourcesView:
    """The lines that a text may come from. Raises BadInput."""
    sources = find_sources(engine, text)
    known = (source.by for source in sources if source.by is not None)
    return SourcesView(
        sources,
        authors_of_observations(engine, known),
        names_of(engine.homes),
        engine.actor,
        redaction_of(engine, sources),
    )


def source_cards(view: SourcesView, redaction: Redaction, now: datetime) -> tuple[Card, ...]:
    """A card for each line; one that says so if there is none."""
    if not view.sources:
        return (Card("", (Leaf(Ours(NO_SOURCE), "quiet"),)),)
    return tuple(
        Card(
            source.line.id,
            tuple(_leaves(source, redaction)),
            tuple(_aside(source, view, now)),
            gap=True,
        )
        for source in view.sources
    )


def _leaves(source: SourceLine, redaction: Redaction) -> Iterator[Leaf]:
    yield Leaf(source.line.text, "text", "•", lead=share_words(source), most=_MOST_LINES)
    words = ", ".join(shared_words(source, redaction))
    yield Leaf(Ours(words), "quiet", lead="shares", most=1)
    if said := said_words(source):
        yield Leaf(said, "quiet", lead="taught by", most=2)


def _aside(source: SourceLine, view: SourcesView, now: datetime) -> Iterator[Leaf]:
    homes, by = view.homes or {}, source.by
    home = f"{homes.get(source.line.home, '')}: " if len(homes) > 1 else ""
    yield Leaf(f"{home}{source.line.place}", "heading")
    if by is None:
        return
    authors = view.authors or {}
    yield Leaf(Ours(f"{author_words(by, authors, view.you)} · {age_of(by.at, now)} ago"), "quiet")
    if talk := conversation_words(by, authors):
        yield Leaf(Ours(talk), "quiet")

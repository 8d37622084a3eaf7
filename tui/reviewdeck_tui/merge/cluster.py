"""Proposals about one thing, side by side: whose wording is taken. Pure but for the reading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from reviewdeck.engine.clusters import rivals
from reviewdeck.engine.similarity import subjects_of
from reviewdeck.model import Draft, QueueItem, State, Verb
from reviewdeck.policy.redact import Redaction
from reviewdeck.presentation.proposal_words import (
    finding_count,
    gist,
    glyph_of,
    is_dangerous,
    made_at,
)
from reviewdeck.presentation.words import age_of, count, origin_word
from reviewdeck_tui.proposal.panes import Line

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck


@dataclass(frozen=True, slots=True)
class Member:
    """One proposal of a cluster."""

    item: QueueItem
    wording: str
    """What it would have the agent remember; empty where it removes something."""

    @property
    def covered(self) -> Member:
        """The same with secrets covered."""
        return replace(self, wording=Redaction([self.wording]).text(self.wording))


@dataclass(frozen=True, slots=True)
class ClusterChoice:
    """How a cluster was decided."""

    winner: QueueItem
    gives_way: tuple[QueueItem, ...]
    to_merge: bool = False
    """The winner is a conflict: it has to be merged first."""


def read_cluster(deck: Deck, id: str) -> tuple[Member, ...]:
    """All that waits about the same thing as a proposal, oldest first, itself among them."""
    item = deck.ledger.item(id)
    items = sorted((item, *rivals(deck.ledger, item)), key=lambda one: one.position)
    return tuple(_member(deck, one) for one in items)


def _member(deck: Deck, item: QueueItem) -> Member:
    texts = [subject.text for subject in subjects_of(deck.ledger.proposal(item.id))]
    return Member(item, " / ".join(texts) if item.action != "remove" else "")


def member_line(member: Member, fate: str, now: datetime) -> Line:
    """A sign, what would become of it, its wording, where from and how old."""
    item = member.item
    said = member.wording or f"remove: {gist(item)}"
    meaning = item.state.value
    if item.state is State.READY and is_dangerous(item):
        meaning = "dangerous"
    findings = f", {count(finding_count(item.findings), 'finding')}" if item.findings else ""
    age = f"{origin_word(item.origin)}, {age_of(made_at(item), now)}"
    return (
        (f"{glyph_of(item)} {fate:<9}  ", meaning),
        (said, "text"),
        (f"   {age}{findings}", "quiet"),
    )


def against(item: QueueItem) -> str:
    """Why the wording of this one cannot be taken; empty when it can."""
    match item.state:
        case State.READY | State.DEFERRED if item.digest is not None:
            return ""
        case State.CONFLICT:
            return "It is a conflict: m merges it, then the others are superseded."
        case State.REFUSED:
            return "The policy refuses it as it is: its wording cannot be taken."
        case _:
            return "It cannot be applied any more: take another one."


def drafts_of(taken: ClusterChoice, now: datetime) -> list[Draft]:
    """One approval, and the others that give way to it."""
    winner = taken.winner
    return [
        Draft(winner.id, Verb.APPROVE, winner.digest, now),
        *giving_way(winner.id, [one.id for one in taken.gives_way], now),
    ]


def giving_way(winner: str, others: Sequence[str], now: datetime) -> Iterator[Draft]:
    """The drafts of those that give way."""
    for id in others:
        yield Draft(id, Verb.SUPERSEDE, None, now, reason=winner)

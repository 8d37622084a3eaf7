"""Proposals about one thing, of which one wording is approved. Pure, except for the reading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from reviewdeck.engine.clusters import same_subject
from reviewdeck.engine.similarity import subjects_of
from reviewdeck.model import Draft, QueueItem, State, Verb
from reviewdeck.presentation.proposal_words import (
    creation_time,
    finding_count,
    gist,
    glyph_of,
    is_dangerous,
)
from reviewdeck.presentation.words import age_of, count, origin_word
from reviewdeck.text.redact import Redaction
from reviewdeck_tui.proposal.panes import Line

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine


@dataclass(frozen=True, slots=True)
class Member:
    """One proposal of a cluster."""

    item: QueueItem
    wording: str
    """The text to be remembered; empty for a removal."""

    @property
    def redacted(self) -> Member:
        """The same member with its secrets covered."""
        return replace(self, wording=Redaction([self.wording]).text(self.wording))


@dataclass(frozen=True, slots=True)
class ClusterChoice:
    """The decision on a cluster."""

    winner: QueueItem
    superseded: tuple[QueueItem, ...]
    to_merge: bool = False
    """Whether the winner is a conflict that has to be merged first."""


def read_cluster(engine: Engine, id: str) -> tuple[Member, ...]:
    """The open proposals about the same thing as this one, oldest first, itself included."""
    item = engine.ledger.item(id)
    items = sorted((item, *same_subject(engine.ledger, item)), key=lambda member: member.position)
    return tuple(_member(engine, member) for member in items)


def _member(engine: Engine, item: QueueItem) -> Member:
    texts = [subject.text for subject in subjects_of(engine.ledger.proposal(item.id))]
    return Member(item, " / ".join(texts) if item.action != "remove" else "")


def member_line(member: Member, fate: str, now: datetime) -> Line:
    """State sign, fate, wording, origin and age."""
    item = member.item
    wording = member.wording or f"remove: {gist(item)}"
    meaning = item.state.value
    if item.state is State.READY and is_dangerous(item):
        meaning = "dangerous"
    findings = f", {count(finding_count(item.findings), 'finding')}" if item.findings else ""
    age = f"{origin_word(item.origin)}, {age_of(creation_time(item), now)}"
    return (
        (f"{glyph_of(item)} {fate:<9}  ", meaning),
        (wording, "text"),
        (f"   {age}{findings}", "quiet"),
    )


def reason_against(item: QueueItem) -> str:
    """Why this wording cannot be approved; empty if it can."""
    match item.state:
        case State.READY | State.DEFERRED if item.digest is not None:
            return ""
        case State.CONFLICT:
            return "It is a conflict: m merges it, then the others are superseded."
        case State.REFUSED:
            return "The policy refuses it as it is: its wording cannot be taken."
        case _:
            return "This one can no longer be applied. Choose another."


def drafts_of(choice: ClusterChoice, now: datetime) -> list[Draft]:
    """The approval of the winner, and the drafts that supersede the others."""
    winner = choice.winner
    return [
        Draft(winner.id, Verb.APPROVE, winner.digest, now),
        *supersede_drafts(winner.id, [item.id for item in choice.superseded], now),
    ]


def supersede_drafts(winner: str, ids: Sequence[str], now: datetime) -> Iterator[Draft]:
    """The drafts that supersede these proposals."""
    for id in ids:
        yield Draft(id, Verb.SUPERSEDE, None, now, reason=winner)

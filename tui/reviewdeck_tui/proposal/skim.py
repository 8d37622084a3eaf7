"""The additions held back only by their origin, short enough to be read in a row. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from reviewdeck.model import (
    CheckName,
    Edit,
    Judgement,
    Kind,
    MemoryAdd,
    QueueItem,
    SkillCreate,
    SkillWriteFile,
)
from reviewdeck.presentation.proposal_words import closest_words, creation_time, is_in_other_words
from reviewdeck.presentation.words import age_of
from reviewdeck.text.redact import Redaction
from reviewdeck_tui.widgets.cards import Card, Leaf

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine  # imports the whole policy

MOST: Final = 200
"""Proposals that are read together."""


@dataclass(frozen=True, slots=True)
class HeldByOrigin:
    """An addition that only the origin check holds back."""

    item: QueueItem
    texts: tuple[str, ...]
    """The entries or the file that it adds."""
    because: str
    """The reason of the origin check, with the participants of the conversation."""
    closest: str = ""
    """In words, the typed sentence that is closest; empty where that is not why it waits."""


def read_held(engine: Engine, items: Sequence[QueueItem]) -> tuple[HeldByOrigin, ...]:
    """These proposals with their texts and the reason of their origin check."""
    proposals = []
    for item in items:
        edits = engine.ledger.proposal(item.id).edits
        judgement = engine.ledger.judgement(item.id)
        if judgement is not None and (texts := _added_texts(edits)):
            closest = closest_words(judgement.closest) if is_in_other_words(item) else ""
            proposals.append(HeldByOrigin(item, texts, _origin_reason(judgement), closest))
    return tuple(proposals)


def redaction_of(proposals: Sequence[HeldByOrigin]) -> Redaction:
    return Redaction(
        [
            text
            for proposal in proposals
            for text in (*proposal.texts, proposal.because, proposal.closest)
        ]
    )


def skim_cards(
    proposals: Sequence[HeldByOrigin], left_out: Collection[str], now: datetime
) -> tuple[Card, ...]:
    """A card for each proposal: its text, and why it waits."""
    return tuple(
        Card(
            proposal.item.id,
            tuple(_entry_leaves(proposal, proposal.item.id in left_out, now)),
            gap=bool(at),
        )
        for at, proposal in enumerate(proposals)
    )


def _entry_leaves(proposal: HeldByOrigin, is_left_out: bool, now: datetime) -> Iterator[Leaf]:
    place = "SKILL" if proposal.item.kind is Kind.SKILLS else proposal.item.target.upper()
    lead = f"{place} {age_of(creation_time(proposal.item), now)}"
    tone = "quiet" if is_left_out else "text"
    for text in proposal.texts:
        for line in text.splitlines():
            yield Leaf(line, tone, "·" if is_left_out else "+", lead=lead)
            lead = ""
    if proposal.closest:
        yield Leaf(proposal.closest, "text")
    yield Leaf(proposal.because, "quiet", lead="left out" if is_left_out else "")


def _added_texts(edits: Sequence[Edit]) -> tuple[str, ...]:
    texts = []
    for edit in edits:
        match edit:
            case MemoryAdd(content=text):
                texts.append(text)
            case SkillCreate(name=name, content=text):
                texts.append(f"{name}/SKILL.md\n{text}")
            case SkillWriteFile(name=name, file=file, content=text):
                texts.append(f"{name}/{file}\n{text}")
            case _:
                return ()
    return tuple(texts)


def _origin_reason(judgement: Judgement) -> str:
    return next((check.reason for check in judgement.checks if check.name is CheckName.ORIGIN), "")

"""Proposals that wait only because of their origin: short enough to be read in a row. Pure."""

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
    State,
)
from reviewdeck.policy.redact import Redaction
from reviewdeck.presentation.proposal_words import is_dangerous, made_at
from reviewdeck.presentation.words import age_of
from reviewdeck_tui.widgets.cards import Card, Leaf

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck  # loads all of the policy: not for one name

MOST: Final = 200
"""Proposals that are read together."""


@dataclass(frozen=True, slots=True)
class HeldByOrigin:
    """One addition that nothing but the origin check holds."""

    item: QueueItem
    texts: tuple[str, ...]
    """The entries or the file that it adds."""
    because: str
    """Why its origin holds it: one sentence, with what took part in its conversation."""


def is_held_by_origin(item: QueueItem) -> bool:
    """Whether an addition waits only for where it comes from, or for the next `auto`."""
    return (
        item.state is State.READY
        and item.checks is not None
        and {*item.checks.failing} <= {CheckName.ORIGIN}
        and not is_dangerous(item)
    )


def read_held(deck: Deck, items: Sequence[QueueItem]) -> tuple[HeldByOrigin, ...]:
    """These with their texts and what is known of their origin."""
    found = []
    for item in items:
        edits = deck.ledger.proposal(item.id).edits
        judgement = deck.ledger.judgement(item.id)
        if judgement is not None and (texts := _added(edits)):
            found.append(HeldByOrigin(item, texts, _because(judgement)))
    return tuple(found)


def cover_of(held: Sequence[HeldByOrigin]) -> Redaction:
    """Knows the secrets in all of their texts."""
    return Redaction([text for one in held for text in (*one.texts, one.because)])


def skim_cards(
    held: Sequence[HeldByOrigin], left_out: Collection[str], now: datetime
) -> tuple[Card, ...]:
    """One card each: the entry whole, and why it waits."""
    return tuple(
        Card(one.item.id, tuple(_leaves(one, one.item.id in left_out, now)), gap=bool(at))
        for at, one in enumerate(held)
    )


def _leaves(one: HeldByOrigin, is_left_out: bool, now: datetime) -> Iterator[Leaf]:
    place = "SKILL" if one.item.kind is Kind.SKILLS else one.item.target.upper()
    lead = f"{place} {age_of(made_at(one.item), now)}"
    tone = "quiet" if is_left_out else "text"
    for text in one.texts:
        for line in text.splitlines():
            yield Leaf(line, tone, "·" if is_left_out else "+", lead=lead)
            lead = ""
    yield Leaf(one.because, "quiet", lead="left out" if is_left_out else "")


def _added(edits: Sequence[Edit]) -> tuple[str, ...]:
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


def _because(judgement: Judgement) -> str:
    return next((one.reason for one in judgement.checks if one.name is CheckName.ORIGIN), "")

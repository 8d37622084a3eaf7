"""The six checks of a proposal as cards, each with its evidence. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from reviewdeck.model import Check, CheckName, Currency, Freshness, Judgement, Utterance
from reviewdeck.presentation.checks import QUESTIONS, origin_words, participant_words
from reviewdeck.presentation.proposal_words import local_time
from reviewdeck.text.words import Mark
from reviewdeck_tui.widgets.cards import Card, Leaf

MARGIN = 12
"""Cells for the name of a check, or for the label of a line of its evidence."""
_MOST_LINES = 12
"""Lines of one message that are shown; `reviewdeck show` prints all of it."""
_SINCE_READ: Final[Mapping[Freshness, str]] = {
    Freshness.CURRENT: "the same as when the agent read it",
    Freshness.APPENDED: "only additions since the agent read it",
    Freshness.STALE: "some of what the agent read has changed or gone",
    Freshness.UNCHANGED: "what the agent read is not known; no change since it began",
    Freshness.CHANGED: "what the agent read is not known; it changed since it began",
    Freshness.UNKNOWN: "what the agent read is not known, nor when",
}


def check_cards(judgement: Judgement) -> tuple[Card, ...]:
    """A card for each check: its answer, its findings, its evidence."""
    return tuple(
        Card(str(check.name), tuple(_check_leaves(check, judgement)), gap=True)
        for check in judgement.checks
    )


def _check_leaves(check: Check, judgement: Judgement) -> Iterator[Leaf]:
    sign, tone = ("✓", "text") if check.ok else ("✗", "flag")
    name = QUESTIONS[check.name]
    yield Leaf(check.reason, tone, sign, strong=True, lead=name, lead_tone=tone)
    for finding in check.findings:
        if finding.message != check.reason:
            yield Leaf(f"{finding.message} [{finding.code}]", "flag", lead="found")
        if finding.quote:
            yield Leaf(f"“{finding.quote}”", "quiet", most=_MOST_LINES)
    match check.name:
        case CheckName.ORIGIN:
            yield from _origin_leaves(judgement)
        case CheckName.CURRENT:
            for currency in judgement.currency:
                yield from _currency_leaves(currency)
        case CheckName.ROOM | CheckName.ADDS | CheckName.PLAIN | CheckName.NEW:
            pass


def _origin_leaves(judgement: Judgement) -> Iterator[Leaf]:
    origin = judgement.origin
    if origin is None:
        return
    yield Leaf(origin_words(origin), "quiet", lead="source")
    if instead := " ".join(judgement.instead):
        yield Leaf(f"“{instead}”", "text", lead="instead", most=_MOST_LINES)
    elif judgement.closest:
        yield Leaf(f"“{judgement.closest}”", "quiet", lead="closest", most=_MOST_LINES)
    for participant in origin.participants:
        tone = "flag" if participant.origin is origin.kind else "quiet"
        words = participant_words(participant)
        yield Leaf(words, tone, lead="input", most=_MOST_LINES)
    for utterance in origin.utterances:
        yield _utterance_leaf(utterance, judgement.said or instead)


def _utterance_leaf(utterance: Utterance, sentence: str) -> Leaf:
    """One message, with the sentence that asks for the addition marked."""
    text, sentence = " ".join(utterance.text.split()), " ".join(sentence.split())
    start = text.find(sentence) if sentence and utterance.is_typed else -1
    marks = (Mark(start, start + len(sentence)),) if start >= 0 else ()
    role = "agent" if utterance.role == "assistant" else utterance.role
    lead = role if utterance.at is None else f"{role} {local_time(utterance.at)[11:16]}"
    tone = "text" if utterance.is_typed else "quiet"
    return Leaf(text, tone, lead=lead, marks=marks, mark="added-mark", most=_MOST_LINES)


def _currency_leaves(currency: Currency) -> Iterator[Leaf]:
    how = f" (known from its {currency.seen.by})" if currency.seen is not None else ""
    words = f"{currency.path}: {_SINCE_READ[currency.standing]}{how}"
    yield Leaf(words, "quiet", lead="document")
    for text in currency.gone:
        yield Leaf(text, "lost", "-", lead="gone since", most=_MOST_LINES)
    for text in currency.added:
        yield Leaf(text, "quiet", "+", lead="new since", most=_MOST_LINES)

"""The six checks of a proposal as cards, each with what its answer rests on. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from reviewdeck.model import Check, CheckName, Currency, Judgement, Origin, Utterance
from reviewdeck.presentation.checks import QUESTIONS, origin_words
from reviewdeck.presentation.proposal_words import at_local
from reviewdeck.text.words import Mark
from reviewdeck_tui.widgets.cards import Card, Leaf

MARGIN = 12
"""Cells for the name of a check, or of what a line of its evidence is."""
_MOST_LINES = 12
"""Lines of one message that are shown; `reviewdeck show` has all of it."""


def check_cards(judgement: Judgement) -> tuple[Card, ...]:
    """One card for each check: its answer, its findings, its evidence."""
    return tuple(
        Card(str(check.name), tuple(_leaves(check, judgement)), gap=True)
        for check in judgement.checks
    )


def _leaves(check: Check, judgement: Judgement) -> Iterator[Leaf]:
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
            yield from _origin(judgement)
        case CheckName.CURRENT:
            for one in judgement.currency:
                yield from _currency(one)
        case CheckName.ROOM | CheckName.ADDS | CheckName.PLAIN | CheckName.NEW:
            pass


def _origin(judgement: Judgement) -> Iterator[Leaf]:
    origin = judgement.origin
    if origin is None:
        return
    yield Leaf(origin_words(origin), "quiet", lead="known")
    if judgement.closest:
        yield Leaf(f"“{judgement.closest}”", "quiet", lead="closest", most=_MOST_LINES)
    yield from _participants(origin)
    for one in origin.utterances:
        yield _utterance(one, judgement.said)


def _participants(origin: Origin) -> Iterator[Leaf]:
    for one in origin.participants:
        tone = "flag" if one.origin is origin.kind else "quiet"
        said = f"{one.name} ({one.origin}) {one.detail}".rstrip()
        yield Leaf(said, tone, lead="took part", most=_MOST_LINES)


def _utterance(one: Utterance, said: str) -> Leaf:
    """One message; the sentence in which the user said what is added is marked."""
    text, said = " ".join(one.text.split()), " ".join(said.split())
    start = text.find(said) if said and one.is_typed else -1
    marks = (Mark(start, start + len(said)),) if start >= 0 else ()
    role = "agent" if one.role == "assistant" else one.role
    lead = role if one.at is None else f"{role} {at_local(one.at)[11:16]}"
    tone = "text" if one.is_typed else "quiet"
    return Leaf(text, tone, lead=lead, marks=marks, mark="added-mark", most=_MOST_LINES)


def _currency(one: Currency) -> Iterator[Leaf]:
    seen = "not known what its author saw" if one.seen is None else f"seen by its {one.seen.by}"
    yield Leaf(f"{one.path}: {one.standing}, {seen}", "quiet", lead="document")
    for text in one.gone:
        yield Leaf(text, "lost", "-", lead="gone since", most=_MOST_LINES)
    for text in one.added:
        yield Leaf(text, "quiet", "+", lead="new since", most=_MOST_LINES)

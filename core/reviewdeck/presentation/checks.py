"""The six checks of a judgement, as JSON and in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from reviewdeck.model import (
    CheckMarks,
    CheckName,
    Judgement,
    KnownBy,
    Origin,
    OriginClass,
    Participant,
    Utterance,
)

QUESTIONS: Final = {
    CheckName.ADDS: "only adds",
    CheckName.PLAIN: "plain",
    CheckName.ORIGIN: "origin",
    CheckName.CURRENT: "current",
    CheckName.NEW: "new",
    CheckName.ROOM: "room",
}
"""The label of each check on screens."""

_TELLING: Final = (
    CheckName.PLAIN,
    CheckName.CURRENT,
    CheckName.ROOM,
    CheckName.NEW,
    CheckName.ORIGIN,
)
"""The most telling first. That a change is no mere addition shows in its action."""
_HOW: Final = {
    KnownBy.EXACT: "exact match",
    KnownBy.LOG: "known by the agent's log",
    KnownBy.UNION: "one of several sessions",
    KnownBy.NOTHING: "",
}
_SOURCES: Final = {
    OriginClass.USER: "you",
    OriginClass.WORKSPACE: "workspace",
    OriginClass.OUTSIDE: "untrusted",
    OriginClass.UNRECORDED: "not recorded",
    OriginClass.UNKNOWN: "unknown",
}
_MAX_LINES: Final = 6
"""Participants and texts that are shown at most, of each kind."""


def checks_json(marks: CheckMarks | None, origin: Origin | None = None) -> dict[str, Any] | None:
    """Each check with its answer; the origin with its class, how it is known, and its turns."""
    if marks is None:
        return None
    answers: dict[str, Any] = {str(name): marks.says(name) for name in CheckName}
    answers[str(CheckName.ORIGIN)] = {
        "ok": marks.says(CheckName.ORIGIN),
        "class": str(marks.origin),
        "how": str(marks.known_by),
    }
    if origin is not None:
        answers[str(CheckName.ORIGIN)] |= {
            "sessions": list(origin.sessions),
            "turns": [_utterance_json(utterance) for utterance in origin.utterances],
            "participants": [
                {
                    "name": participant.name,
                    "class": str(participant.origin),
                    "detail": participant.detail,
                }
                for participant in origin.participants
            ],
        }
    return answers


def evidence_json(judgement: Judgement) -> dict[str, Any]:
    """The reason of each answer, what changed since the author looked, and what the user said."""
    return {
        "answers": [
            {
                "check": str(check.name),
                "ok": check.ok,
                "reason": check.reason,
                "findings": [finding.code for finding in check.findings],
            }
            for check in judgement.checks
        ],
        "currency": [
            {
                "document": currency.path,
                "standing": str(currency.standing),
                "by": currency.seen and str(currency.seen.by),
                "gone": list(currency.gone),
                "added": list(currency.added),
            }
            for currency in judgement.currency
        ],
        "said": judgement.said or None,
        "closest": judgement.closest or None,
        "instead": list(judgement.instead) or None,
    }


def _utterance_json(utterance: Utterance) -> dict[str, Any]:
    return {
        "session": utterance.session,
        "role": utterance.role,
        "text": utterance.text,
        "at": utterance.at.isoformat() if utterance.at else None,
        "typed": utterance.is_typed,
    }


def origin_words(origin: Origin) -> str:
    """The class of a conversation and how it is known."""
    how = _HOW[origin.known_by]
    return f"{_SOURCES[origin.kind]} ({how})" if how else _SOURCES[origin.kind]


def participant_words(participant: Participant) -> str:
    """A tool or message that brought something into a conversation."""
    source = _SOURCES[participant.origin]
    return f"{participant.name} ({source}) {participant.detail}".rstrip()


def ticks(marks: CheckMarks) -> str:
    """The six answers in one line."""
    return " · ".join(
        f"{'✓' if marks.says(name) else '✗'} {word}" for name, word in QUESTIONS.items()
    )


def failing_words(marks: CheckMarks | None) -> tuple[str, ...]:
    """The labels of the checks that fail, the most telling first, but for what an action says."""
    if marks is None:
        return ()
    return tuple(QUESTIONS[name] for name in _TELLING if not marks.says(name))


def evidence_lines(judgement: Judgement) -> Iterator[tuple[str, str]]:
    """The evidence for the answers on origin and currency: a label and a text a line."""
    yield from origin_lines(judgement)
    yield from currency_lines(judgement)


def origin_lines(judgement: Judgement) -> Iterator[tuple[str, str]]:
    """What the user said, and what took part in the conversation."""
    if judgement.said:
        yield "you said", judgement.said
    if instead := judgement.instead:
        yield "instead", f"of the agent's text, your own words: “{' '.join(instead)}”"
    elif judgement.closest:
        yield "closest", judgement.closest
    origin = judgement.origin
    if origin is None:
        return
    if origin.kind not in (OriginClass.UNRECORDED, OriginClass.UNKNOWN):
        marks = judgement.marks
        is_addition = marks is not None and marks.says(CheckName.ADDS)
        if is_addition and not judgement.said and not judgement.closest:
            yield "you said", "nothing that matches it"
        yield "source", origin_words(origin)
    for participant in origin.participants[:_MAX_LINES]:
        yield "input", participant_words(participant)


def currency_lines(judgement: Judgement) -> Iterator[tuple[str, str]]:
    """What changed in the documents since the author saw them."""
    if judgement.origin is None:
        return
    for currency in judgement.currency:
        for text in currency.gone[:_MAX_LINES]:
            yield "gone since", f"{currency.path}: {text}"
        for text in currency.added[:_MAX_LINES]:
            yield "new since", f"{currency.path}: {text}"

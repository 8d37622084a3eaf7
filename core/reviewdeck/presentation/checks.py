"""The six checks of a judgement: as JSON that other programs rely on, and in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from reviewdeck.model import (
    CheckMarks,
    CheckName,
    Currency,
    Judgement,
    KnownBy,
    Origin,
    OriginClass,
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
"""How each check is called on screens."""

_INITIALS: Final = {name: str(name) for name in CheckName}
_HOW: Final = {
    KnownBy.EXACT: "known exactly",
    KnownBy.LOG: "known by the agent's log",
    KnownBy.UNION: "one of several sessions",
    KnownBy.NOTHING: "",
}
_SHOWN: Final = 6
"""Messages of a conversation that are shown."""


def checks_json(marks: CheckMarks | None, origin: Origin | None = None) -> dict[str, Any] | None:
    """Each check with its answer; the origin with its class, how it is known, and its turns."""
    if marks is None:
        return None
    found: dict[str, Any] = {str(name): marks.says(name) for name in CheckName}
    found[str(CheckName.ORIGIN)] = {
        "ok": marks.says(CheckName.ORIGIN),
        "class": str(marks.origin),
        "how": str(marks.known_by),
    }
    if origin is not None:
        found[str(CheckName.ORIGIN)] |= {
            "sessions": list(origin.sessions),
            "turns": [_utterance_json(one) for one in origin.utterances],
            "participants": [
                {"name": one.name, "class": str(one.origin), "detail": one.detail}
                for one in origin.participants
            ],
        }
    return found


def evidence_json(judgement: Judgement) -> dict[str, Any]:
    """Why each check answered so, what the author saw, and what the user said."""
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
                "document": one.path,
                "standing": str(one.standing),
                "by": one.seen and str(one.seen.by),
                "gone": list(one.gone),
                "added": list(one.added),
            }
            for one in judgement.currency
        ],
        "said": judgement.said or None,
        "closest": judgement.closest or None,
    }


def _utterance_json(one: Utterance) -> dict[str, Any]:
    return {
        "session": one.session,
        "role": one.role,
        "text": one.text,
        "at": one.at.isoformat() if one.at else None,
        "typed": one.is_typed,
    }


def origin_words(origin: Origin) -> str:
    """The class of a conversation and how it is known."""
    how = _HOW[origin.known_by]
    return f"{origin.kind}, {how}" if how else str(origin.kind)


def ticks(marks: CheckMarks) -> str:
    """All six in one line."""
    return " · ".join(
        f"{'✓' if marks.says(name) else '✗'} {word}" for name, word in QUESTIONS.items()
    )


def dense_marks(marks: CheckMarks | None) -> str:
    """All six in six cells: a dot for yes, the first letter of its name for no."""
    if marks is None:
        return ""
    return "".join("·" if marks.says(name) else word[0] for name, word in _INITIALS.items())


def evidence_lines(judgement: Judgement) -> Iterator[tuple[str, str]]:
    """What the origin and currency answers rest on: a label and a text for each line."""
    yield from origin_lines(judgement)
    yield from currency_lines(judgement)


def origin_lines(judgement: Judgement) -> Iterator[tuple[str, str]]:
    """What the user said, and what took part in the conversation."""
    if judgement.said:
        yield "said", judgement.said
    if judgement.closest:
        yield "closest", judgement.closest
    origin = judgement.origin
    if origin is None:
        return
    if origin.kind not in (OriginClass.UNRECORDED, OriginClass.UNKNOWN):
        marks = judgement.marks
        is_addition = marks is not None and marks.says(CheckName.ADDS)
        if is_addition and not judgement.said and not judgement.closest:
            yield "not said", "nothing that you typed there is close to it"
        yield "origin", origin_words(origin)
    for one in origin.participants[:_SHOWN]:
        yield "took part", f"{one.name} ({one.origin}) {one.detail}".rstrip()


def currency_lines(judgement: Judgement) -> Iterator[tuple[str, str]]:
    """What changed in the documents since the author saw them."""
    if judgement.origin is None:
        return
    for currency in judgement.currency:
        yield from _currency_lines(currency)


def _currency_lines(currency: Currency) -> Iterator[tuple[str, str]]:
    for text in currency.gone[:_SHOWN]:
        yield "gone since", f"{currency.path}: {text}"
    for text in currency.added[:_SHOWN]:
        yield "new since", f"{currency.path}: {text}"

"""What an agent's user is told of a review: one line, or nothing.

What happened is read from the fields of the tools' answers, never from words in a message, so that
a failure, or something that was there already, is not announced as a change. Answers that the
review inherited with the conversation are old news.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, Final

from reviewdeck.policy.redact import redact
from reviewdeck.reviewer.values import Form, Json, Result
from reviewdeck.reviewer.wire import read
from reviewdeck.text.visible import visible

ADDED_SHOWN: Final = 120
REMOVED_SHOWN: Final = 60
PATCHED_SHOWN: Final = 80

_STORES: Final = {"memory": "memory", "user": "user profile"}


class Mode(StrEnum):
    """How much a user is told."""

    OFF = "off"
    ON = "on"
    """What kind of thing was proposed."""
    VERBOSE = "verbose"
    """With the beginning of each text."""


def announcement(
    said: Sequence[Json],
    inherited: Sequence[Json],
    form: Form,
    mode: Mode = Mode.ON,
    inherited_form: Form | None = None,
) -> str:
    """The one line about the messages of a review; empty when there is nothing to tell."""
    if mode is Mode.OFF:
        return ""
    known = list(_results(inherited, inherited_form or form))
    ids = {result.call_id for result in known if result.call_id}
    texts = {result.text for result in known}
    parts: dict[str, None] = {}
    for result in _results(said, form):
        if result.call_id in ids or (not result.call_id and result.text in texts):
            continue
        parts.update(dict.fromkeys(_told(_parsed(result.text), mode)))
    return f"Review: {' · '.join(parts)}" if parts else ""


def failure_line(why: str) -> str:
    """What a user is told of a review that failed."""
    return f"Review: it failed ({_line(why, ADDED_SHOWN)})"


def _results(messages: Sequence[Json], form: Form) -> Iterator[Result]:
    for message in messages:
        yield from read(message, form).results


def _parsed(text: str) -> Json:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _told(answer: Json, mode: Mode) -> Iterator[str]:
    if answer.get("success") is not True:
        return
    verb = "staged" if answer.get("staged") is True else "saved"
    if verb == "saved" and answer.get("saved") is not True:
        return
    if mode is Mode.ON:
        yield f"{_subject(answer)} {verb}"
        return
    changes = answer.get("changes")
    for change in changes if isinstance(changes, list) else ():
        if isinstance(change, dict):
            yield f"{_preview(change, answer)} {verb}"


def _subject(answer: Json) -> str:
    target = str(answer.get("target") or "")
    if answer.get("kind") == "memory":
        return f"{_STORES.get(target, target)} update"
    return f"skill {_line(target, ADDED_SHOWN)} {_line(str(answer.get('action') or 'change'), 20)}"


def _preview(change: Json, answer: Json) -> str:
    old, new = str(change.get("old") or ""), str(change.get("new") or "")
    where = _where(change, answer)
    match change.get("edit"):
        case "MemoryAdd" | "SkillCreate" | "SkillEdit" | "SkillWriteFile":
            return f'{where} + "{_line(new, ADDED_SHOWN)}"'
        case "MemoryRemove":
            return f'{where} - "{_line(old, REMOVED_SHOWN)}"'
        case "MemoryReplace" | "SkillPatch":
            return f'{where} "{_line(old, PATCHED_SHOWN)}" → "{_line(new, PATCHED_SHOWN)}"'
        case _:
            return f"{where} {_line(str(answer.get('action') or ''), 20)}"


def _where(change: Json, answer: Json) -> str:
    if answer.get("kind") == "memory":
        return _STORES.get(str(answer.get("target")), "memory")
    file = f"/{change['file']}" if change.get("file") else ""
    return _line(f"skill {change.get('skill', '')}{file}", ADDED_SHOWN)


def _line(text: Any, length: int) -> str:
    """Text of a model in one inert line of at most so many characters, its secrets covered."""
    return visible(" ".join(redact(str(text)).split())[:length], keep="")

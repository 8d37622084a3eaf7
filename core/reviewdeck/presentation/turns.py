"""The turns behind a proposal as labelled texts, for the screen of a command and for the deck."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from reviewdeck.engine.source_turns import Behind, ToldBy
from reviewdeck.model import Message, Role, Transcript, Turn
from reviewdeck.presentation.items import moment_json
from reviewdeck.presentation.proposal_words import at_local
from reviewdeck.presentation.words import count

UNTRUSTED: Final = "untrusted"


class Weight(StrEnum):
    """How a text is to be read."""

    LED = "led"
    """The head of the turn that led to the proposal."""
    HEAD = "head"
    """The head of another turn."""
    PLAIN = "plain"
    """What a person or the agent said."""
    UNTRUSTED = "untrusted"
    """What a tool brought in: anybody may have written it."""
    NOTE = "note"
    """Ours."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text with what it is. Not yet made inert."""

    label: str
    text: str
    weight: Weight


_TOLD: Final = {
    ToldBy.NAME: "its record names this turn",
    ToldBy.RECORD: "a tool's answer in it names the record",
    ToldBy.CALL: "it has the tool call that its record names",
    ToldBy.TIME: "nearest in time; the record does not say",
}
_LABELS: Final = {Role.USER: "user", Role.ASSISTANT: "agent", Role.SYSTEM: "system"}


def spoken(behind: Behind, call: str | None, *, newest_first: bool = False) -> Iterator[Labelled]:
    """Everything that is shown of it; `call` is the tool call that made the proposal.

    With the newest first, the turn that led to it needs no scrolling.
    """
    if not behind.is_recorded:
        yield Labelled("session", f"{behind.session}: its turns are not recorded", Weight.NOTE)
        return
    where = behind.turns[-1][0]
    said = f"{behind.session}{f' on {where.platform}' if where.platform else ''}"
    if behind.earlier:
        said += f", {count(behind.earlier, 'turn')} before these"
    yield Labelled("session", said, Weight.NOTE)
    for transcript, turn in reversed(behind.turns) if newest_first else behind.turns:
        led = (transcript, turn) == behind.turns[-1]
        yield _head(behind, transcript, turn, led=led)
        for message in turn.messages:
            yield _message(message, is_it=led and bool(call) and message.call == call)


def glimpse(text: str, lines: int, characters: int) -> tuple[list[str], int]:
    """The first lines of a text, and how many characters are left out."""
    shown = text[:characters].split("\n")[:lines]
    return shown, len(text) - len("\n".join(shown))


def behind_json(behind: Behind | None) -> dict[str, Any] | None:
    """The same with everything that was said in these turns."""
    if behind is None:
        return None
    return {
        "session": behind.session,
        "recorded": behind.is_recorded,
        "told_by": behind.told_by,
        "earlier": behind.earlier,
        "turns": [
            _turn_json(transcript, turn, led=(transcript, turn) == behind.turns[-1])
            for transcript, turn in behind.turns
        ],
    }


def _head(behind: Behind, transcript: Transcript, turn: Turn, *, led: bool) -> Labelled:
    said = at_local(turn.at)
    if transcript.lineage.session != behind.session:
        said += f", session {transcript.lineage.session}"
    if not led:
        return Labelled(f"  turn {turn.number + 1}", said, Weight.HEAD)
    why = f", {_TOLD[behind.told_by]}" if behind.told_by is not None else ""
    return Labelled(f"> turn {turn.number + 1}", f"{said}, led to this{why}", Weight.LED)


def _message(message: Message, *, is_it: bool) -> Labelled:
    if message.is_untrusted:
        tool = f"tool {message.tool}".rstrip()
        return Labelled(f"{tool}, {UNTRUSTED}", message.text, Weight.UNTRUSTED)
    label = _LABELS.get(message.role, message.role.value)
    if message.tool:
        label = f"{label} calls {message.tool}{', the proposal' if is_it else ''}"
    return Labelled(label, message.text, Weight.PLAIN)


def _turn_json(transcript: Transcript, turn: Turn, *, led: bool) -> dict[str, Any]:
    return {
        "session": transcript.lineage.session,
        "transcript": transcript.id,
        "number": turn.number,
        "id": turn.id,
        "at": moment_json(turn.at),
        "led": led,
        "messages": [
            {
                "role": one.role.value,
                "text": one.text,
                "tool": one.tool or None,
                "call": one.call or None,
                "untrusted": one.is_untrusted,
            }
            for one in turn.messages
        ],
    }

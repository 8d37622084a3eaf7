"""The turns behind a proposal as labelled texts, for commands and for the deck."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Final

from reviewdeck.engine.source_turns import MatchedBy, SourceTurns
from reviewdeck.model import Message, Role, Transcript, Turn
from reviewdeck.presentation.items import moment_json
from reviewdeck.presentation.proposal_words import local_time
from reviewdeck.presentation.words import count
from reviewdeck.values import dataclass

UNTRUSTED: Final = "untrusted"


class TextRole(StrEnum):
    """The role of a text, by which it is styled."""

    LED = "led"
    """The head of the turn that led to the proposal."""
    HEAD = "head"
    """The head of another turn."""
    PLAIN = "plain"
    """A message of a person or the agent."""
    UNTRUSTED = "untrusted"
    """The result of a tool: anybody may have written it."""
    NOTE = "note"
    """A remark of reviewdeck itself."""


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A text with its label. Not yet made inert."""

    label: str
    text: str
    weight: TextRole


_LINK_WORDS: Final = {
    MatchedBy.NAME: "named by its record",
    MatchedBy.RECORD: "found by its tool result",
    MatchedBy.CALL: "found by its tool call",
    MatchedBy.TIME: "nearest in time; its record names no turn",
}
_LABELS: Final = {Role.USER: "user", Role.ASSISTANT: "agent", Role.SYSTEM: "system"}


def labelled_turns(
    behind: SourceTurns, call: str | None, *, newest_first: bool = False
) -> Iterator[LabelledText]:
    """The turns as labelled texts; `call` is the tool call that made the proposal.

    With the newest turn first, the one that led to the proposal needs no scrolling.
    """
    if not behind.is_recorded:
        yield LabelledText(
            "session", f"{behind.session}: its turns are not recorded", TextRole.NOTE
        )
        return
    newest = behind.turns[-1][0]
    text = f"{behind.session}{f' on {newest.platform}' if newest.platform else ''}"
    if behind.earlier:
        text += f", {count(behind.earlier, 'turn')} before these"
    yield LabelledText("session", text, TextRole.NOTE)
    for transcript, turn in reversed(behind.turns) if newest_first else behind.turns:
        led = (transcript, turn) == behind.turns[-1]
        yield _head(behind, transcript, turn, led=led)
        for message in turn.messages:
            yield _message(message, made_the_proposal=led and bool(call) and message.call == call)


def excerpt(text: str, lines: int, characters: int) -> tuple[list[str], int]:
    """The first lines of a text, and how many characters are omitted."""
    head = text[:characters].split("\n")[:lines]
    return head, len(text) - len("\n".join(head))


def source_turns_json(behind: SourceTurns | None) -> dict[str, Any] | None:
    """The turns with all their messages, for `--json`."""
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


def _head(behind: SourceTurns, transcript: Transcript, turn: Turn, *, led: bool) -> LabelledText:
    text = local_time(turn.at)
    if transcript.lineage.session != behind.session:
        text += f", session {transcript.lineage.session}"
    if not led:
        return LabelledText(f"  turn {turn.number + 1}", text, TextRole.HEAD)
    evidence = f", {_LINK_WORDS[behind.told_by]}" if behind.told_by is not None else ""
    return LabelledText(
        f"> turn {turn.number + 1}", f"{text} – produced this proposal{evidence}", TextRole.LED
    )


def _message(message: Message, *, made_the_proposal: bool) -> LabelledText:
    if message.is_untrusted:
        tool = f"tool {message.tool}".rstrip()
        return LabelledText(f"{tool}, {UNTRUSTED}", message.text, TextRole.UNTRUSTED)
    label = _LABELS.get(message.role, message.role.value)
    if message.tool:
        label = f"{label} calls {message.tool}{', the proposal' if made_the_proposal else ''}"
    return LabelledText(label, message.text, TextRole.PLAIN)


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
                "role": message.role.value,
                "text": message.text,
                "tool": message.tool or None,
                "call": message.call or None,
                "untrusted": message.is_untrusted,
            }
            for message in turn.messages
        ],
    }

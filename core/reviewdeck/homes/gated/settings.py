"""Edits the gate's entries in an agent's `settings.json`: every other byte is preserved.

The result is parsed again: it has to equal the expected settings, or the edit is refused.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from reviewdeck.agents.gated import gate
from reviewdeck.agents.gated.documents import LAYOUTS
from reviewdeck.agents.gated.switches import is_ours, our_handlers
from reviewdeck.agents.hermes.kit import items, members, path_text
from reviewdeck.homes.json_edits import (
    append_member,
    check_result,
    parse_object,
    refusal,
    remove_member,
    value_at,
)

FILE: Final = "settings.json"
FOLDER: Final = Path(gate.__file__).parents[3]
"""The folder with the package `reviewdeck`."""
PROGRAMS: Final = ("reviewdeck/agents/claude/gate.py", "hook/gate.py")
"""The gate's program in an entry's folder, and that of entries from before it was there."""
STARTS: Final = (
    "import sys; sys.path.append(sys.argv[1]); from reviewdeck.agents.{agent}.gate import main;"
    " main()"
)
_HOOKS: Final = "hooks"

Entries = Mapping[str, Sequence[Mapping[str, Any]]]
"""Groups of hooks by the event that triggers them."""


@dataclass(frozen=True, slots=True)
class GovernedRoot:
    """A folder whose documents the gate covers."""

    layout: str
    path: Path

    @property
    def argument(self) -> str:
        """The gate's argument for it."""
        return f"{self.layout}:{self.path}"


def our_arguments(settings: Mapping[str, Any]) -> list[Any]:
    """Every argument of our entries in a settings file."""
    return [argument for handler in our_handlers(settings) for argument in words_of(handler)]


def our_events(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The events at which our entries start the gate."""
    events = members(settings.get(_HOOKS))
    return tuple(name for name in events if our_handlers({_HOOKS: {name: events[name]}}))


def words_of(handler: Mapping[str, Any]) -> list[Any]:
    """The words with which a handler of ours starts the gate."""
    arguments, command = handler.get("args"), str(handler.get("command"))
    if isinstance(arguments, list):
        return [command, *arguments]
    try:
        return shlex.split(command)
    except ValueError:  # A quotation mark without its other.
        return command.split()


def parse_roots(arguments: Sequence[Any]) -> tuple[GovernedRoot, ...]:
    """The folders among the gate's arguments, each once."""
    parts = [word.partition(":") for word in dict.fromkeys(map(path_text, arguments))]
    return tuple(
        GovernedRoot(layout, Path(path))
        for layout, _, path in parts
        if layout in LAYOUTS and path.startswith("/")
    )


def parse_settings(text: str | None, *, comments: bool) -> dict[str, Any]:
    """The parsed settings. Raises BadInput for anything but one JSON object, whose comments the
    agent reads or does not."""
    return parse_object(text, FILE, comments=comments)


def add_gate(text: str | None, new_entries: Entries, *, comments: bool) -> str:
    """The text with these entries in place of all others of ours. Raises BadInput."""
    original = text
    text = remove_gate(text, None, comments=comments) if text and text.strip() else "{}\n"
    expected = parse_settings(text, comments=comments)
    for event, groups in new_entries.items():
        hooks = expected.setdefault(_HOOKS, {})
        event_groups = hooks.setdefault(event, []) if isinstance(hooks, dict) else None
        if not isinstance(event_groups, list):
            raise refusal(FILE, "has hooks that are not laid out as agents read them")
        for path, empty in (((), _HOOKS), ((_HOOKS,), event)):
            if empty not in value_at(parse_settings(text, comments=comments), path):
                text = append_member(text, path, f"{json.dumps(empty)}: {'[]' if path else '{}'}")
        for group in groups:
            event_groups.append(dict(group))
            text = append_member(text, (_HOOKS, event), _format_group(group, depth=3))
    if original is not None and parse_settings(original, comments=comments) == expected:
        return original
    return check_result(text, expected, FILE, comments=comments)


def remove_gate(text: str, before: str | None, *, comments: bool) -> str:
    """The text without our entries, and without containers that are empty now and were not there
    `before`. Raises BadInput."""
    expected, earlier = (parse_settings(each, comments=comments) for each in (text, before))
    hooks = expected.get(_HOOKS)
    if not isinstance(hooks, dict) or not our_handlers(expected):
        return text
    earlier_hooks = members(earlier.get(_HOOKS))
    for event, groups in list(hooks.items()):
        if not isinstance(groups, list) or not our_handlers({_HOOKS: {event: groups}}):
            continue
        for index in reversed(range(len(groups))):
            remaining, our_places = _split_handlers(groups[index])
            if not our_places:
                continue
            if remaining:
                for place in reversed(our_places):
                    text = remove_member(text, (_HOOKS, event, index, _HOOKS), place)
                groups[index][_HOOKS] = remaining
            else:
                text = remove_member(text, (_HOOKS, event), index)
                del groups[index]
        if not groups and event not in earlier_hooks:
            text = remove_member(text, (_HOOKS,), list(hooks).index(event))
            del hooks[event]
    if not hooks and _HOOKS not in earlier:
        text = remove_member(text, (), list(expected).index(_HOOKS))
        del expected[_HOOKS]
    return check_result(text, expected, FILE, comments=comments)


def _split_handlers(group: Any) -> tuple[list[Any], list[int]]:
    """The other hooks of a group, and the indexes of ours."""
    handlers = items(members(group).get(_HOOKS))
    ours = [index for index, handler in enumerate(handlers) if is_ours(members(handler))]
    return [handler for index, handler in enumerate(handlers) if index not in ours], ours


def _format_group(group: Mapping[str, Any], depth: int) -> str:
    """The JSON of a group, with one line for each hook."""
    edge = "  " * depth
    head = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in group.items()][:-1]
    hooks = f",\n{edge}    ".join(
        json.dumps(handler, ensure_ascii=False) for handler in group[_HOOKS]
    )
    lines = [*head, f"{json.dumps(_HOOKS)}: [\n{edge}    {hooks}\n{edge}  ]"]
    return "{\n" + ",\n".join(f"{edge}  {line}" for line in lines) + f"\n{edge}}}"

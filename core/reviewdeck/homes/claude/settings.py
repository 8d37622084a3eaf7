"""The gate's entries in a `settings.json`: every byte that does not spell them stays.

The parser says where a value ends, the text is cut and pasted there, and what comes out is read
again: it has to say exactly what was meant, or the edit is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import BadInput
from reviewdeck.homes.claude.hook import gate
from reviewdeck.homes.claude.hook.documents import LAYOUTS, SETTINGS
from reviewdeck.homes.claude.hook.switches import MARK, is_ours, our_handlers

FILE: Final = "settings.json"
FOLDER: Final = Path(gate.__file__).parents[1]
"""Where the gate is, as a package of its own."""
START: Final = "import sys; sys.path.append(sys.argv[1]); from hook.gate import main; main()"
"""How it is started. Of a file that is gone, Python would end with the code that refuses a call."""
TIMEOUT: Final = 5
"""Seconds that Claude Code gives it: six hundred, if nothing is said."""

_HOOKS: Final = "hooks"
_EDITING: Final = ("Write", "Edit")
_NOTEBOOKS: Final = "NotebookEdit"
_WRITING: Final = "^(Write|Edit|MultiEdit|NotebookEdit|Bash|PowerShell|mcp__.*)$"
_UNTOLD: Final = "^(Bash|PowerShell|mcp__.*)$"
_PATTERN: Final = re.compile(r"([\\*?\[\]])")
_SPACE: Final = re.compile(r"[ \t\r\n]*")

Entries = Mapping[str, Sequence[Mapping[str, Any]]]
"""Groups of hooks by the event that starts them."""


@dataclass(frozen=True, slots=True)
class GovernedRoot:
    """A folder whose documents the gate stands before."""

    layout: str
    path: Path

    @property
    def argument(self) -> str:
        """How the gate is told of it."""
        return f"{self.layout}:{self.path}"

    def rules(self, tool: str) -> Iterator[str]:
        """Claude Code's rules for a tool's calls on a document or a settings file here."""
        patterns = LAYOUTS[self.layout] + SETTINGS[self.layout]
        for root in dict.fromkeys((self.path, self.path.resolve())):
            plain = _PATTERN.sub(r"\\\1", str(root))
            for pattern in patterns:
                if tool != _NOTEBOOKS or pattern.endswith("**"):
                    # A rule's path that begins with two slashes is an absolute one.
                    yield f"{tool}(/{plain}/{pattern})"


def entries(python: str, folder: Path, roots: Sequence[GovernedRoot]) -> Entries:
    """What Claude Code is to start, and when.

    A call on a document starts the gate twice, at the same time. One entry is for documents alone
    and blocks where the gate fails. The other also sees names that are links, and every command.
    """
    told = ["-I", "-S", "-c", START, str(folder), MARK, *(root.argument for root in roots)]
    started = {"timeout": TIMEOUT, "command": python, "args": told}
    common = {"type": "command", **started}
    strict = {"onFailure": "block", **started, "args": [*told, gate.STRICT]}
    before: list[dict[str, Any]] = []
    for tool in (*_EDITING, _NOTEBOOKS):
        rules = [rule for root in roots for rule in root.rules(tool)]
        if rules:
            handlers = [{"type": "command", "if": rule, **strict} for rule in rules]
            before.append({"matcher": tool, _HOOKS: handlers})
    before.append({"matcher": _WRITING, _HOOKS: [common]})
    after, prompt = {"matcher": _UNTOLD, _HOOKS: [common]}, {_HOOKS: [common]}
    return {
        "PreToolUse": before,
        "PostToolUse": [after],
        "PostToolUseFailure": [after],
        "UserPromptSubmit": [prompt],
        "SessionStart": [prompt],
    }


def our_arguments(settings: Mapping[str, Any]) -> list[Any]:
    """Every argument of our entries in a settings file."""
    return [argument for handler in our_handlers(settings) for argument in handler["args"]]


def roots_named(arguments: Sequence[Any]) -> tuple[GovernedRoot, ...]:
    """The folders among arguments of the gate, each once."""
    words = [word for word in dict.fromkeys(arguments) if isinstance(word, str)]
    parts = [word.partition(":") for word in words]
    return tuple(
        GovernedRoot(layout, Path(path))
        for layout, _, path in parts
        if layout in LAYOUTS and path.startswith("/")
    )


def parsed(text: str | None) -> dict[str, Any]:
    """What a settings file says. Raises BadInput for anything but one plain JSON object."""
    if text is None or not text.strip():
        return {}
    try:
        tree = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise _refused("is not plain JSON") from error
    if not isinstance(tree, dict):
        raise _refused("is no object of settings")
    return tree


def with_gate(text: str | None, wanted: Entries) -> str:
    """The text with these entries in the place of any others of ours. Raises BadInput."""
    given = text
    text = without_gate(text, None) if text and text.strip() else "{}\n"
    meant = parsed(text)
    for event, groups in wanted.items():
        hooks = meant.setdefault(_HOOKS, {})
        listed = hooks.setdefault(event, []) if isinstance(hooks, dict) else None
        if not isinstance(listed, list):
            raise _refused("has hooks that are not laid out as Claude Code reads them")
        for path, empty in (((), _HOOKS), ((_HOOKS,), event)):
            if empty not in _at(parsed(text), path):
                text = _added(text, path, f"{json.dumps(empty)}: {'[]' if path else '{}'}")
        for group in groups:
            listed.append(dict(group))
            text = _added(text, (_HOOKS, event), _spelt(group, depth=3))
    if given is not None and parsed(given) == meant:
        return given
    return _checked(text, meant)


def without_gate(text: str, before: str | None) -> str:
    """The text without our entries; what only held them goes too, unless it was there before."""
    meant, was = parsed(text), parsed(before)
    hooks = meant.get(_HOOKS)
    if not isinstance(hooks, dict):
        return text
    held = was.get(_HOOKS)
    kept = held if isinstance(held, dict) else {}
    for event, groups in list(hooks.items()):
        if not isinstance(groups, list) or not our_handlers({_HOOKS: {event: groups}}):
            continue
        for at in reversed(range(len(groups))):
            rest, ours = _divided(groups[at])
            if not ours:
                continue
            if rest:
                for one in reversed(ours):
                    text = _cut(text, (_HOOKS, event, at, _HOOKS), one)
                groups[at][_HOOKS] = rest
            else:
                text = _cut(text, (_HOOKS, event), at)
                del groups[at]
        if not groups and event not in kept:
            text = _cut(text, (_HOOKS,), list(hooks).index(event))
            del hooks[event]
    if not hooks and _HOOKS not in was:
        text = _cut(text, (), list(meant).index(_HOOKS))
        del meant[_HOOKS]
    return _checked(text, meant)


def _divided(group: Any) -> tuple[list[Any], list[int]]:
    """The hooks of a group that are not ours, and the places of those that are."""
    listed = group.get(_HOOKS) if isinstance(group, dict) else None
    handlers = listed if isinstance(listed, list) else []
    ours = [at for at, one in enumerate(handlers) if isinstance(one, dict) and is_ours(one)]
    return [one for at, one in enumerate(handlers) if at not in ours], ours


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _at(tree: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        tree = tree[step]
    return tree


def _spelt(group: Mapping[str, Any], depth: int) -> str:
    """A group over several lines, each of its hooks on one."""
    edge = "  " * depth
    head = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in group.items()][:-1]
    hooks = f",\n{edge}    ".join(json.dumps(one, ensure_ascii=False) for one in group[_HOOKS])
    lines = [*head, f"{json.dumps(_HOOKS)}: [\n{edge}    {hooks}\n{edge}  ]"]
    return "{\n" + ",\n".join(f"{edge}  {line}" for line in lines) + f"\n{edge}}}"


@dataclass(frozen=True, slots=True)
class _Span:
    """An object or a list in the text: its brackets, and where each member begins and ends."""

    start: int
    end: int
    members: tuple[tuple[int, int, int], ...]
    """Each with where it begins, where its value does, and where both end."""
    keys: tuple[str, ...]


def _span(text: str, path: tuple[str | int, ...]) -> _Span:
    at = _skip(text, 0)
    for step in path:
        span = _members(text, at)
        index = step if isinstance(step, int) else span.keys.index(step)
        at = span.members[index][1]
    return _members(text, at)


def _members(text: str, start: int) -> _Span:
    decoder, is_object = json.JSONDecoder(), text[start] == "{"
    members, keys = [], []
    at = _skip(text, start + 1)
    while text[at] not in "]}":
        first = at
        if is_object:
            key, at = decoder.raw_decode(text, at)
            keys.append(key)
            at = _skip(text, _skip(text, at) + 1)
        value = at
        _, at = decoder.raw_decode(text, at)
        members.append((first, value, at))
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return _Span(start, at, tuple(members), tuple(keys))


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _added(text: str, path: tuple[str | int, ...], member: str) -> str:
    """The text with one more member at the end of an object or a list."""
    span, edge = _span(text, path), "  " * (len(path) + 1)
    if span.members:
        last = span.members[-1][2]
        return f"{text[:last]},\n{edge}{member}{text[last:]}"
    return f"{text[: span.start + 1]}\n{edge}{member}\n{edge[2:]}{text[span.end :]}"


def _cut(text: str, path: tuple[str | int, ...], at: int) -> str:
    """The text without one member."""
    span = _span(text, path)
    if at:
        return text[: span.members[at - 1][2]] + text[span.members[at][2] :]
    if len(span.members) > 1:
        return text[: span.members[0][0]] + text[span.members[1][0] :]
    return text[: span.start + 1] + text[span.end :]


def _checked(text: str, meant: Mapping[str, Any]) -> str:
    if parsed(text) != meant:
        raise _refused("is written in a way that is not understood")
    return text


def _refused(why: str) -> BadInput:
    return BadInput(f"{FILE} {why}.", hint="Nothing was changed. Mend the file first.")

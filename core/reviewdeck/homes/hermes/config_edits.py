"""Edits of a `config.yaml` in place: every byte outside of the changed settings is preserved.

The file is never dumped. The parser gives the position of a value, the text is spliced there, and
the result is parsed again: it has to equal the expected settings, or the edit is refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any, Final, TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from reviewdeck.errors import BadInput
from reviewdeck.homes.hermes.config import is_gate_on
from reviewdeck.text.lines import newline_of

Path: TypeAlias = tuple[str, str]
"""A section and a key in it."""

GATES: Final[tuple[Path, ...]] = (("memory", "write_approval"), ("skills", "write_approval"))
ENABLED: Final[Path] = ("plugins", "enabled")
DISABLED: Final[Path] = ("plugins", "disabled")
PLUGIN: Final = "reviewdeck"
"""The plugin's name in Hermes."""

_MARK: Final = "\ufeff"
_COLON: Final = re.compile(r"[ \t]*:")


def add_settings(text: str, *, plugin: bool) -> str:
    """The text with both gates on and, with `plugin`, the plugin enabled. Raises BadInput."""
    mark, text = _without_mark(text)
    for path in GATES:
        if not is_gate_on(_value(_tree(text), path)):
            text = _set(text, path, "true", True)
    names = _value(_tree(text), ENABLED)
    if plugin and names is None:
        text = _set(text, ENABLED, f"[{PLUGIN}]", [PLUGIN])
    elif plugin and PLUGIN not in _names(names):
        plugins = _list(text)
        expected = deepcopy(_tree(text))
        expected[ENABLED[0]][ENABLED[1]].insert(0, PLUGIN)
        text = _check(
            _insert(text, plugins, PLUGIN if _is_flow(plugins) else f"- {PLUGIN}"), expected
        )
    return mark + text


def remove_settings(text: str, before: str) -> str:
    """The text with the settings of `add_settings` as they were `before`. Raises BadInput.

    A setting that somebody changed since then stays.
    """
    (mark, text), (_, before) = _without_mark(text), _without_mark(before)
    old = _tree(before)
    for path in GATES:
        if is_gate_on(_value(_tree(text), path)) and not is_gate_on(_value(old, path)):
            text = _restore(text, path, before)
    names = _names(_value(_tree(text), ENABLED))
    if PLUGIN in names and PLUGIN not in _names(_value(old, ENABLED)):
        is_alone = len(names) == 1 and _value(old, ENABLED) is None
        text = _restore(text, ENABLED, before) if is_alone else _remove_plugin(text)
    return mark + text


def set_gates(text: str, *, is_on: bool, parts: Collection[str]) -> str:
    """The text with the gates of these parts on or off. Raises BadInput."""
    mark, text = _without_mark(text)
    for path in GATES:
        if path[0] in parts and is_gate_on(_value(_tree(text), path)) is not is_on:
            text = _set(text, path, "true" if is_on else "false", is_on)
    return mark + text


HERMES_OWN: Final = ("onboarding", "telemetry", "_config_version")
"""The settings that Hermes writes by itself."""


def changed_settings(before: str, after: str) -> tuple[str, ...]:
    """The names of the settings in which two texts differ, by their section. Raises BadInput."""
    trees = [_tree(_without_mark(text)[1]) for text in (before, after)]
    names = sorted({str(name) for tree in trees for name in tree})
    return tuple(name for name in names if trees[0].get(name) != trees[1].get(name))


def gates_in(text: str) -> tuple[bool, bool]:
    """Whether the gates of memories and of skills are on. Raises BadInput."""
    tree = _tree(_without_mark(text)[1])
    memory, skills = (is_gate_on(_value(tree, path)) for path in GATES)
    return memory, skills


@lru_cache(maxsize=8)
def is_enabled(text: str) -> bool:
    """Whether Hermes loads the plugin. Raises BadInput."""
    tree = _tree(_without_mark(text)[1])
    return PLUGIN in _names(_value(tree, ENABLED)) and not is_disabled(text)


def is_disabled(text: str) -> bool:
    """Whether the plugin is disabled, which overrides `enabled`. Raises BadInput."""
    return PLUGIN in _names(_value(_tree(_without_mark(text)[1]), DISABLED))


def _without_mark(text: str) -> tuple[str, str]:
    return (_MARK, text[1:]) if text.startswith(_MARK) else ("", text)


def _tree(text: str) -> dict[str, Any]:
    try:
        tree = YAML(typ="safe", pure=True).load(text)
    except Exception as error:  # the parser has no closed set of errors
        raise BadInput(
            "config.yaml is not valid YAML: Hermes itself runs on its defaults.",
            hint="Nothing was changed. Fix the file first.",
        ) from error
    if tree is not None and not isinstance(tree, dict):
        raise _refusal("is no mapping of settings")
    return tree or {}


def _value(tree: Mapping[str, Any], path: Path) -> Any:
    section = tree.get(path[0])
    return section.get(path[1]) if isinstance(section, Mapping) else None


def _names(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _refusal(why: str) -> BadInput:
    names = " and ".join(f"`{'.'.join(path)}: true`" for path in GATES)
    return BadInput(
        f"config.yaml {why}: it cannot be changed in place.",
        hint=f"Nothing was changed there. By hand: {names}.",
    )


def _check(text: str, expected: Mapping[str, Any]) -> str:
    """The text, if it parses to the expected settings. An empty section equals none."""
    try:
        is_so = _settings(_tree(text)) == _settings(expected)
    except BadInput:
        is_so = False
    if not is_so:
        raise _refusal("is written in a way that is not understood")
    return text


def _settings(tree: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in tree.items() if value not in (None, {})}


def _set(text: str, path: Path, yaml: str, value: object) -> str:
    """The text with one setting; `yaml` is the value in YAML."""
    expected = deepcopy(_tree(text))
    section = {} if expected.get(path[0]) is None else expected[path[0]]
    if not isinstance(section, dict):
        raise _refusal(f"has something else than settings at {path[0]!r}")
    expected[path[0]] = section | {path[1]: value}
    return _check(_put_setting(text, path, yaml), expected)


def _put_setting(text: str, path: Path, yaml: str) -> str:
    newline = newline_of(text)
    root = _node(text)
    section = _child(root, path[0])
    if section is None:
        if root is not None and _is_flow(root):
            return _insert(text, root, f"{path[0]}: {{{path[1]}: {yaml}}}")
        edge = " " * (root.start_mark.column if root is not None else 0)
        lead = text if not text or text.endswith("\n") else text + newline
        return f"{lead}{edge}{path[0]}:{newline}{edge}  {path[1]}: {yaml}{newline}"
    key, value = section
    if not isinstance(value, MappingNode):
        return _fill(text, key, value, f"{newline}  {path[1]}: {yaml}")
    child = _child(value, path[1])
    if child is not None:
        return _fill(text, *child, f" {yaml}")
    return _insert(text, value, f"{path[1]}: {yaml}")


def _remove_plugin(text: str) -> str:
    expected = deepcopy(_tree(text))
    names = expected[ENABLED[0]][ENABLED[1]]
    index = names.index(PLUGIN)
    del names[index]
    plugins = _list(text)
    cut = _remove_child(text, plugins, [(node, node) for node in plugins.value], index)
    if not names and not _is_flow(plugins):
        expected[ENABLED[0]][ENABLED[1]] = None
    return _check(cut, expected)


def _list(text: str) -> SequenceNode:
    section = _child(_node(text), ENABLED[0])
    child = _child(section[1], ENABLED[1]) if section else None
    if child is None or not isinstance(child[1], SequenceNode):
        raise _refusal("has a `plugins.enabled` that is no list")
    return child[1]


def _restore(text: str, path: Path, before: str) -> str:
    """The text with a setting as it was before, or without it if there was none."""
    section = _child(_node(before), path[0])
    was = _child(section[1], path[1]) if section else None
    value = _value(_tree(before), path)
    if was is not None and value is not None:
        return _set(text, path, before[was[1].start_mark.index : _end(was[1])], value)
    expected = deepcopy(_tree(text))
    del expected[path[0]][path[1]]
    is_ours = section is None and not expected[path[0]]
    root = _node(text)
    live_section = _child(root, path[0])
    if root is None or live_section is None:
        raise _refusal("is written in a way that is not understood")
    holder, name = (root, path[0]) if is_ours else (live_section[1], path[1])
    pairs = _pairs(holder)
    names = [key.value for key, _ in pairs]
    if name not in names:
        raise _refusal("has settings that stand elsewhere")
    return _check(_remove_child(text, holder, pairs, names.index(name)), expected)


def _node(text: str) -> Node | None:
    node: Node | None = YAML(typ="safe", pure=True).compose(text)
    return node


def _is_flow(node: Node | None) -> bool:
    return isinstance(node, MappingNode | SequenceNode) and bool(node.flow_style)


def _pairs(node: Node | None) -> list[tuple[Node, Node]]:
    return list(node.value) if isinstance(node, MappingNode) else []


def _child(node: Node | None, name: str) -> tuple[Node, Node] | None:
    return next((pair for pair in _pairs(node) if pair[0].value == name), None)


def _splice(text: str, start: int, new: str, end: int | None = None) -> str:
    return text[:start] + new + text[start if end is None else end :]


def _fill(text: str, key: Node, value: Node, new: str) -> str:
    """Replaces a scalar value, or fills in an empty one."""
    if not isinstance(value, ScalarNode):
        raise _refusal(f"has something else than a value at {key.value!r}")
    colon = _COLON.match(text, key.end_mark.index)
    if colon is None:
        raise _refusal(f"has no plain value at {key.value!r}")
    if value.start_mark.index == value.end_mark.index:
        return _splice(text, colon.end(), new)
    start = value.start_mark.index if "\n" not in new else colon.end()
    return _splice(text, start, new.lstrip(" "), value.end_mark.index)


def _insert(text: str, holder: Node, new: str) -> str:
    """Inserts a child before the first one of a mapping or a list."""
    start = holder.start_mark.index
    if _is_flow(holder):
        bracket = "{" if isinstance(holder, MappingNode) else "["
        comma = ", " if holder.value else ""
        return _splice(text, text.index(bracket, start) + 1, new + comma)
    return _splice(text, start, new + newline_of(text) + " " * holder.start_mark.column)


def _remove_child(
    text: str, holder: Node, children: Sequence[tuple[Node, Node]], index: int
) -> str:
    """Removes one child of a mapping or a list: its lines, or its part between commas."""
    first, last = children[index]
    start, end = first.start_mark.index, _end(last)
    if not _is_flow(holder):
        start = text.rfind("\n", 0, start) + 1
        return _splice(text, start, "", text.find("\n", end) + 1 or len(text))
    if index + 1 < len(children):
        return _splice(text, start, "", children[index + 1][0].start_mark.index)
    return _splice(text, _end(children[index - 1][1]) if index else start, "", end)


def _end(node: Node) -> int:
    """The end of a node: the parser extends a block node to the next key."""
    if isinstance(node, ScalarNode) or _is_flow(node) or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last[1] if isinstance(last, tuple) else last)

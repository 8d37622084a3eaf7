"""Settings of a `config.yaml` changed in place: every byte that does not spell them stays.

Nothing is dumped anew. The parser says where a value stands, the text is cut and pasted there, and
what comes out is read again: it has to say exactly what was meant, or the edit is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from reviewdeck.errors import BadInput
from reviewdeck.homes.hermes.config import is_gate_on

Path: TypeAlias = tuple[str, str]
"""A section and a key in it."""

GATES: Final[tuple[Path, ...]] = (("memory", "write_approval"), ("skills", "write_approval"))
ENABLED: Final[Path] = ("plugins", "enabled")
DISABLED: Final[Path] = ("plugins", "disabled")
PLUGIN: Final = "reviewdeck"
"""The name under which Hermes knows the plugin."""

_MARK: Final = "\ufeff"
_COLON: Final = re.compile(r"[ \t]*:")


def with_ours(text: str, *, plugin: bool) -> str:
    """The text with both gates on and, if wanted, the plugin enabled. Raises BadInput."""
    mark, text = _without_mark(text)
    for path in GATES:
        if not is_gate_on(_value(_tree(text), path)):
            text = _set(text, path, "true", True)
    names = _value(_tree(text), ENABLED)
    if plugin and names is None:
        text = _set(text, ENABLED, f"[{PLUGIN}]", [PLUGIN])
    elif plugin and PLUGIN not in _names(names):
        text = _add_plugin(text)
    return mark + text


def without_ours(text: str, before: str) -> str:
    """The text with what `with_ours` put into it as it was `before`. Raises BadInput.

    What somebody set otherwise since is theirs, and stays.
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


def gates_in(text: str) -> tuple[bool, bool]:
    """Whether Hermes stages what is written to memories, and to skills. Raises BadInput."""
    tree = _tree(_without_mark(text)[1])
    memory, skills = (is_gate_on(_value(tree, path)) for path in GATES)
    return memory, skills


def is_enabled(text: str) -> bool:
    """Whether Hermes loads the plugin. Raises BadInput."""
    tree = _tree(_without_mark(text)[1])
    return PLUGIN in _names(_value(tree, ENABLED)) and not is_disabled(text)


def is_disabled(text: str) -> bool:
    """Whether somebody switched the plugin off: that wins over everything. Raises BadInput."""
    return PLUGIN in _names(_value(_tree(_without_mark(text)[1]), DISABLED))


def _without_mark(text: str) -> tuple[str, str]:
    return (_MARK, text[1:]) if text.startswith(_MARK) else ("", text)


def _tree(text: str) -> dict[str, Any]:
    try:
        tree = YAML(typ="safe", pure=True).load(text)
    except Exception as error:  # the parser has no closed set of errors
        raise BadInput(
            "config.yaml is not valid YAML: Hermes itself runs on its defaults.",
            hint="Nothing was changed. Mend the file first.",
        ) from error
    if tree is not None and not isinstance(tree, dict):
        raise _refused("is no mapping of settings")
    return tree or {}


def _value(tree: Mapping[str, Any], path: Path) -> Any:
    section = tree.get(path[0])
    return section.get(path[1]) if isinstance(section, Mapping) else None


def _names(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()


def _refused(why: str) -> BadInput:
    names = " and ".join(f"`hermes config set {'.'.join(path)} true`" for path in GATES)
    return BadInput(
        f"config.yaml {why}: it cannot be changed in place.",
        hint=f"Nothing was changed there. By hand: {names}.",
    )


def _checked(text: str, meant: Mapping[str, Any]) -> str:
    """The text, if that is what it says. A section that is empty is as good as none."""
    try:
        is_so = _settings(_tree(text)) == _settings(meant)
    except BadInput:
        is_so = False
    if not is_so:
        raise _refused("is written in a way that is not understood")
    return text


def _settings(tree: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in tree.items() if value not in (None, {})}


def _set(text: str, path: Path, spelt: str, value: object) -> str:
    """The text with one setting; `spelt` is how YAML writes the value."""
    meant = deepcopy(_tree(text))
    section = {} if meant.get(path[0]) is None else meant[path[0]]
    if not isinstance(section, dict):
        raise _refused(f"has something else than settings at {path[0]!r}")
    meant[path[0]] = section | {path[1]: value}
    return _checked(_with(text, path, spelt), meant)


def _with(text: str, path: Path, spelt: str) -> str:
    newline = _newline(text)
    root = _node(text)
    section = _child(root, path[0])
    if section is None:
        if root is not None and _is_flow(root):
            return _insert(text, root, f"{path[0]}: {{{path[1]}: {spelt}}}")
        edge = " " * (root.start_mark.column if root is not None else 0)
        whole = text if not text or text.endswith("\n") else text + newline
        return f"{whole}{edge}{path[0]}:{newline}{edge}  {path[1]}: {spelt}{newline}"
    key, value = section
    if not isinstance(value, MappingNode):
        return _fill(text, key, value, f"{newline}  {path[1]}: {spelt}")
    child = _child(value, path[1])
    if child is not None:
        return _fill(text, *child, f" {spelt}")
    return _insert(text, value, f"{path[1]}: {spelt}")


def _add_plugin(text: str) -> str:
    found = _list(text)
    meant = deepcopy(_tree(text))
    meant[ENABLED[0]][ENABLED[1]].insert(0, PLUGIN)
    return _checked(_insert(text, found, PLUGIN if _is_flow(found) else f"- {PLUGIN}"), meant)


def _remove_plugin(text: str) -> str:
    meant = deepcopy(_tree(text))
    names = meant[ENABLED[0]][ENABLED[1]]
    at = names.index(PLUGIN)
    del names[at]
    found = _list(text)
    cut = _cut(text, found, [(one, one) for one in found.value], at)
    if not names and not _is_flow(found):
        meant[ENABLED[0]][ENABLED[1]] = None
    return _checked(cut, meant)


def _list(text: str) -> SequenceNode:
    section = _child(_node(text), ENABLED[0])
    child = _child(section[1], ENABLED[1]) if section else None
    if child is None or not isinstance(child[1], SequenceNode):
        raise _refused("has a `plugins.enabled` that is no list")
    return child[1]


def _restore(text: str, path: Path, before: str) -> str:
    """The text with a setting as it was before, which may be that it was not there."""
    section = _child(_node(before), path[0])
    was = _child(section[1], path[1]) if section else None
    value = _value(_tree(before), path)
    if was is not None and value is not None:
        return _set(text, path, before[was[1].start_mark.index : _end(was[1])], value)
    meant = deepcopy(_tree(text))
    del meant[path[0]][path[1]]
    is_ours = section is None and not meant[path[0]]
    root = _node(text)
    found = _child(root, path[0])
    if root is None or found is None:
        raise _refused("is written in a way that is not understood")
    holder, name = (root, path[0]) if is_ours else (found[1], path[1])
    pairs = _pairs(holder)
    names = [key.value for key, _ in pairs]
    if name not in names:
        raise _refused("has settings that stand elsewhere")
    return _checked(_cut(text, holder, pairs, names.index(name)), meant)


def _node(text: str) -> Node | None:
    found: Node | None = YAML(typ="safe", pure=True).compose(text)
    return found


def _is_flow(node: Node | None) -> bool:
    """Whether a mapping or list stands in brackets."""
    return isinstance(node, MappingNode | SequenceNode) and bool(node.flow_style)


def _pairs(node: Node | None) -> list[tuple[Node, Node]]:
    return list(node.value) if isinstance(node, MappingNode) else []


def _child(node: Node | None, name: str) -> tuple[Node, Node] | None:
    return next((pair for pair in _pairs(node) if pair[0].value == name), None)


def _splice(text: str, at: int, new: str, end: int | None = None) -> str:
    return text[:at] + new + text[at if end is None else end :]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _fill(text: str, key: Node, value: Node, new: str) -> str:
    """Puts a new value into the place of a plain one, or of none."""
    if not isinstance(value, ScalarNode):
        raise _refused(f"has something else than a value at {key.value!r}")
    colon = _COLON.match(text, key.end_mark.index)
    if colon is None:
        raise _refused(f"has no plain value at {key.value!r}")
    if value.start_mark.index == value.end_mark.index:
        return _splice(text, colon.end(), new)
    start = value.start_mark.index if "\n" not in new else colon.end()
    return _splice(text, start, new.lstrip(" "), value.end_mark.index)


def _insert(text: str, holder: Node, new: str) -> str:
    """Puts a new child before the first one of a mapping or a list."""
    start = holder.start_mark.index
    if _is_flow(holder):
        bracket = "{" if isinstance(holder, MappingNode) else "["
        comma = ", " if holder.value else ""
        return _splice(text, text.index(bracket, start) + 1, new + comma)
    return _splice(text, start, new + _newline(text) + " " * holder.start_mark.column)


def _cut(text: str, holder: Node, children: Sequence[tuple[Node, Node]], at: int) -> str:
    """Takes one child out of a mapping or a list: its lines, or its place between commas."""
    first, last = children[at]
    start, end = first.start_mark.index, _end(last)
    if not _is_flow(holder):
        start = text.rfind("\n", 0, start) + 1
        return _splice(text, start, "", text.find("\n", end) + 1 or len(text))
    if at + 1 < len(children):
        return _splice(text, start, "", children[at + 1][0].start_mark.index)
    return _splice(text, _end(children[at - 1][1]) if at else start, "", end)


def _end(node: Node) -> int:
    """Where a node ends: the parser lets one that has lines of its own run on to the next key."""
    if isinstance(node, ScalarNode) or _is_flow(node) or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last[1] if isinstance(last, tuple) else last)

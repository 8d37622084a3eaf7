"""Edits our plugin's entries in `openclaw.json`: every other byte is preserved."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Final

from reviewdeck.agents.hermes.kit import items, members
from reviewdeck.homes.json_edits import (
    append_member,
    check_result,
    parse_object,
    refusal,
    remove_member,
    value_at,
)
from reviewdeck.homes.openclaw.state import CONFIG

PLUGIN: Final = "reviewdeck"
"""The id of our plugin."""
_PLUGINS: Final = "plugins"
_PATHS: Final = (_PLUGINS, "load", "paths")
_ENTRIES: Final = (_PLUGINS, "entries")
_ALLOWED: Final = (_PLUGINS, "allow")


def parse_settings(text: str | None) -> dict[str, Any]:
    """The parsed settings. Raises BadInput for anything but one plain JSON object."""
    return parse_object(text, CONFIG)


def add_plugin(text: str | None, folder: str) -> str:
    """The text with the plugin in this folder loaded and enabled. Raises BadInput."""
    text = text if text and text.strip() else "{}\n"
    if loads_plugin(parse_settings(text), folder):
        return text
    text = remove_plugin(text, text, folder)
    for path, empty in ((_PATHS, []), (_ENTRIES, {})):
        for depth in range(1, len(path) + 1):
            value: object = empty if depth == len(path) else {}
            held = _object(text, path[: depth - 1])
            if path[depth - 1] not in held:
                member = f"{json.dumps(path[depth - 1])}: {json.dumps(value)}"
                text = append_member(text, path[: depth - 1], member)
        if not isinstance(value_at(parse_settings(text), path), type(empty)):
            raise _not_understood()
    text = append_member(text, _PATHS, json.dumps(folder, ensure_ascii=False))
    text = append_member(text, _ENTRIES, f'{json.dumps(PLUGIN)}: {{"enabled": true}}')
    if isinstance(members(parse_settings(text)[_PLUGINS]).get("allow"), list):
        text = append_member(text, _ALLOWED, json.dumps(PLUGIN))
    if not loads_plugin(parse_settings(text), folder):
        raise _not_understood()
    return text


def remove_plugin(text: str, before: str | None, folder: str) -> str:
    """The text without our entries, and without containers that are empty now and were not there
    `before`. Raises BadInput."""
    original, expected, earlier = text, parse_settings(text), parse_settings(before)
    plugins = members(expected.get(_PLUGINS))
    for path, ours in ((_ALLOWED, PLUGIN), (_PATHS, folder)):
        held = _value(expected, path)
        for at in reversed(range(len(held) if isinstance(held, list) else 0)):
            if _leads_to(held[at], ours):
                text = remove_member(text, path, at)
                del held[at]
    entries = members(plugins.get("entries"))
    if PLUGIN in entries:
        text = remove_member(text, _ENTRIES, list(entries).index(PLUGIN))
        del entries[PLUGIN]
    if expected == parse_settings(original):
        return original  # Nothing of it is ours.
    emptied: tuple[tuple[str, ...], ...] = (_PATHS, _PATHS[:2], _ENTRIES, (_PLUGINS,))
    for place in emptied:
        if _value(expected, place) in ([], {}) and _value(earlier, place) is None:
            parent: dict[str, Any] = value_at(expected, place[:-1])
            text = remove_member(text, place[:-1], list(parent).index(place[-1]))
            del parent[place[-1]]
    return check_result(text, expected, CONFIG)


def loads_plugin(settings: Mapping[str, Any], folder: str) -> bool:
    """Whether the settings load our plugin from this folder, as we write it."""
    plugins = members(settings.get(_PLUGINS))
    paths = items(members(plugins.get("load")).get("paths"))
    is_named = any(_leads_to(path, folder) for path in paths)
    return is_named and members(plugins.get("entries")).get(PLUGIN) == {"enabled": True}


def switched_off_by(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The settings that keep OpenClaw from loading our plugin."""
    plugins = members(settings.get(_PLUGINS))
    allow = plugins.get("allow")
    entry = members(members(plugins.get("entries")).get(PLUGIN))
    is_off = {
        "plugins.enabled": plugins.get("enabled") is False,
        "plugins.deny": PLUGIN in items(plugins.get("deny")),
        "plugins.allow": isinstance(allow, list) and bool(allow) and PLUGIN not in allow,
        f"plugins.entries.{PLUGIN}.enabled": entry.get("enabled") is False,
    }
    return tuple(name for name, is_set in is_off.items() if is_set)


def _leads_to(path: object, folder: str) -> bool:
    """Whether a path is this one, or leads to the same folder by a link."""
    if not isinstance(path, str) or "\0" in path:
        return False
    is_same = path.startswith("/") and os.path.realpath(path) == os.path.realpath(folder)
    return path == folder or is_same


def _object(text: str, path: tuple[str, ...]) -> Mapping[str, Any]:
    value = value_at(parse_settings(text), path)
    if not isinstance(value, dict):
        raise _not_understood()
    return value


def _value(tree: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """The value at a path; None where there is none."""
    value: Any = tree
    for key in path:
        value = members(value).get(key)
    return value


def _not_understood() -> Exception:
    return refusal(CONFIG, "has plugins that are not laid out as OpenClaw reads them")

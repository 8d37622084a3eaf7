"""A policy file of an earlier version, rewritten; and a new one with every setting as a comment."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

TEMPLATE: Final = """\
# What goes in without a person, whom you trust, and rules of your own.
# Every setting is shown with its default: take the # away from the ones that you change.
version = 1

[automatic]
# memory = "workspace"       # "workspace", "user" or "off"
# skills = "user"            # "user" or "off"
# unrecorded = "form"        # homes that keep no conversations: "form" or "hold"
# a_day = 20                 # additions to one home within 24 hours
# a_conversation = 5         # additions from one conversation within 24 hours
# probation_days = 7         # how long they are listed before they count as accepted

[outside]
# mode = "review"            # what is written without review: "review" it, or "report" it

[trust]
# accounts = []              # whose direct messages are yours, as "telegram:12345"
# said = []                  # folders whose files count as workspace, as "~/src/ours": name none
#                            # into which downloads, syncs or other people write
# workspace_tools = []       # tools that bring in nothing from outside
# outside_tools = []         # tools that do, whatever the shipped table says
# hosts = []                 # hosts that entries may name

[notify]
# url = "https://ntfy.example/TOPIC"   # or: command = ["/usr/local/bin/tell", "--now"]
# events = ["waiting", "dangerous", "applied", "outside"]
# every_minutes = 15         # at least so long between two notices about one home

# [[rule]]
# name = "about-customers"
# effect = "hold"            # "hold" or "refuse"
# reason = "A person reads what is about customers."
# pattern = '(?i)\\bcustomers?\\b'
"""
_KEPT = ("home", "kind", "action", "target", "origin", "path", "min_characters", "max_characters")


@dataclass(frozen=True, slots=True)
class Migrated:
    """A file in the form of today."""

    text: str
    dropped: tuple[str, ...]
    """What of the old one has no place any more, one sentence each."""


def migrate(text: str) -> Migrated:
    """Rewrites a policy file of an earlier version. Raises tomllib.TOMLDecodeError."""
    table = tomllib.loads(text)
    dropped: list[str] = []
    automatic = dict(_of(table, "automatic"))
    automatic |= {key: value for key, value in _off(_of(table, "limits"))}
    lines = ["version = 1", "", "[automatic]", *_pairs(automatic)]
    for name in ("outside", "trust", "notify"):
        if kept := _of(table, name):
            lines += ["", f"[{name}]", *_pairs(kept)]
    for rule in table.get("rule", []):
        if rule.get("effect") == "allow":
            dropped.append(
                f"The rule {rule.get('name')!r} allows, which rules no longer do: see [trust]."
            )
            continue
        lines += ["", "[[rule]]", *_pairs(_ordered(rule))]
    dropped += _gone(table)
    return Migrated("\n".join(lines) + "\n", tuple(dropped))


def _of(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = table.get(name, {})
    return found if isinstance(found, dict) else {}


def _off(limits: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """A risk of 0 let nothing in."""
    if limits.get("memory_risk") == 0:
        yield "memory", "off"
    if limits.get("skill_risk") == 0:
        yield "skills", "off"


def _gone(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in _of(table, "limits").items():
        if not (key in ("memory_risk", "skill_risk") and value == 0):
            yield f"`{key}` in [limits]: texts are not weighed, and lengths are fixed."
    for key in _of(table, "caps"):
        yield f"`{key}` in [caps]: `a_day` and `a_conversation` in [automatic] limit additions."
    for key in _of(table, "severity"):
        yield f"`{key}` in [severity]: checks answer yes or no."


def _ordered(rule: Mapping[str, Any]) -> dict[str, Any]:
    order = ("name", "effect", "severity", "reason", *_KEPT, "pattern")
    return {key: rule[key] for key in order if key in rule}


def _pairs(table: Mapping[str, Any]) -> Iterator[str]:
    return (f"{key} = {_value(value)}" for key, value in table.items())


def _value(value: Any) -> str:
    """A value as TOML writes it; strings as JSON does, which TOML takes."""
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str) and "\\" in value and "'" not in value and value.isprintable():
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")

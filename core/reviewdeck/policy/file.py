"""Reading a policy file: TOML, strictly, with the line of whatever is wrong."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from reviewdeck.model import Severity
from reviewdeck.policy.caps import Caps
from reviewdeck.policy.limits import LARGEST, Limits
from reviewdeck.policy.patterns import BadPattern, read_pattern
from reviewdeck.policy.rules import RULES
from reviewdeck.policy.tuning import Effect, OwnRule, Scope, Tuning

FIXED = frozenset({"not-additive", "not-ready", "planning", "like-rejected", "secret"})
"""What no file sets aside, besides the rules that refuse."""

_NAMES = {rule.name for rule in RULES}
_REFUSING = {rule.name for rule in RULES if rule.refuses}
_HEADER = re.compile(r"\s*(\[\[|\[)\s*([\w.\"' -]+?)\s*\]{1,2}\s*(?:#.*)?")
_KEY = re.compile(r"\s*([\w-]+|\"[^\"]*\"|'[^']*')\s*=")
_AT_LINE = re.compile(r"\s*\(at line (\d+), column \d+\)")
_RULE_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")

_LIMITS = {
    "entry_characters": "entry",
    "skill_characters": "skill",
    "memory_risk": "memory_risk",
    "clear_risk": "clear_risk",
    "passing_risk": "passing_risk",
    "skill_risk": "skill_risk",
}
_CAPS = {
    "pending": "pending",
    "automatic_per_hour": "per_hour",
    "day_share": "day_share",
    "day_entries": "day_entries",
}
_LISTS = {
    "home": "homes",
    "kind": "kinds",
    "action": "actions",
    "target": "targets",
    "origin": "origins",
    "path": "paths",
}
_SIZES = ("min_characters", "max_characters")
_RULE_KEYS = {"name", "effect", "reason", "severity", "sets_aside", "pattern", *_LISTS, *_SIZES}


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a policy file, and where."""

    line: int
    message: str

    def __str__(self) -> str:
        """As a person reads it."""
        return f"line {self.line}: {self.message}"


_Table: TypeAlias = Mapping[str, Any]


def read_policy(text: str) -> Tuning | tuple[Problem, ...]:
    """What a policy file says, or everything that is wrong with it."""
    if len(text.encode("utf-8", "replace")) > LARGEST:
        return (Problem(1, f"a policy file has at most {LARGEST:,} bytes"),)
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        at = _AT_LINE.search(str(error))
        said = _AT_LINE.sub("", str(error)) or "it cannot be read"
        return (Problem(int(at.group(1)) if at else text.count("\n") + 1, said),)
    return _Reader(_lines_of(text)).read(table)


class _Reader:
    """Collects problems while it reads, so that all are told at once."""

    def __init__(self, lines: Mapping[tuple[str, int, str], int]) -> None:
        self._lines = lines
        self._problems: list[Problem] = []

    def read(self, table: _Table) -> Tuning | tuple[Problem, ...]:
        for key in table.keys() - {"version", "limits", "caps", "severity", "rule"}:
            self._wrong(("", 0, key), f"{key!r} is not known here")
        if table.get("version", 1) != 1:
            self._wrong(("", 0, "version"), "the only version is 1")
        limits = Limits(**self._numbers("limits", self._table(table, "limits"), _LIMITS))
        caps = Caps(**self._numbers("caps", self._table(table, "caps"), _CAPS))
        severities = dict(self._severities(self._table(table, "severity")))
        rules = tuple(self._rules(table.get("rule", [])))
        if self._problems:
            return tuple(sorted(self._problems, key=lambda problem: problem.line))
        return Tuning(limits, caps, severities, rules)

    def _table(self, table: _Table, name: str) -> _Table:
        found = table.get(name, {})
        if isinstance(found, dict):
            return found
        self._wrong(("", 0, name), f"{name!r} is a table")
        return {}

    def _numbers(self, name: str, table: _Table, known: Mapping[str, str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in table.items():
            at = (name, 0, key)
            if key not in known:
                self._wrong(at, f"{key!r} is not known in [{name}]: {', '.join(known)}")
            elif key == "day_share" and _is_number(value, int | float) and 0 <= value <= 1:
                found[known[key]] = float(value)
            elif key == "day_share" or not (_is_number(value, int) and value >= 0):
                what = "a share from 0 to 1" if key == "day_share" else "a number from 0 on"
                self._wrong(at, f"{key!r} is {what}")
            else:
                found[known[key]] = value
        return found

    def _severities(self, table: _Table) -> Iterator[tuple[str, Severity]]:
        for name, value in table.items():
            at = ("severity", 0, name)
            if name not in _NAMES:
                self._wrong(at, f"there is no rule {name!r}")
            elif name in _REFUSING | FIXED:
                self._wrong(at, f"what {name!r} does is not for a file to change")
            elif value not in list(Severity):
                self._wrong(at, f"a severity is one of {', '.join(Severity)}")
            else:
                yield name, Severity(value)

    def _rules(self, tables: object) -> Iterator[OwnRule]:
        if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
            self._wrong(("", 0, "rule"), "write each rule as a table [[rule]]")
            return
        seen: set[str] = set(_NAMES)
        for number, table in enumerate(tables):
            before = len(self._problems)
            rule = self._rule(number, table)
            if rule.name in seen:
                self._wrong(("rule", number, "name"), f"there is a rule {rule.name!r} already")
            seen.add(rule.name)
            if len(self._problems) == before:
                yield rule

    def _rule(self, number: int, table: _Table) -> OwnRule:
        at = _At(self._wrong, number)
        for key in table.keys() - _RULE_KEYS:
            at(key, f"{key!r} is not known in a rule")
        name = _text(table, "name", at) or "?"
        if not _RULE_NAME.fullmatch(name):
            at("name", "a name has small letters, digits and dashes")
        effect = _choice(table, "effect", Effect, Effect.HOLD, at)
        severity = _choice(table, "severity", Severity, Severity.MEDIUM, at, needed=False)
        if severity is Severity.INFO:
            at("severity", "what holds weighs low or more")
        return OwnRule(
            name=name,
            effect=effect,
            reason=_text(table, "reason", at),
            scope=_scope(table, effect, at),
            sets_aside=_set_aside(table, effect, at),
            severity=severity,
        )

    def _wrong(self, at: tuple[str, int, str], message: str) -> None:
        table, number, key = at
        nearby = (at, (table, number, ""), (key, 0, ""))
        line = next((self._lines[place] for place in nearby if place in self._lines), 1)
        self._problems.append(Problem(line, message))


@dataclass(frozen=True, slots=True)
class _At:
    """Tells what is wrong with a key of one rule."""

    wrong: Callable[[tuple[str, int, str], str], None]
    number: int

    def __call__(self, key: str, message: str) -> None:
        self.wrong(("rule", self.number, key), message)


def _scope(table: _Table, effect: Effect, at: _At) -> Scope:
    lists = {field: _texts(table, key, at) for key, field in _LISTS.items()}
    if effect is Effect.ALLOW and lists["origins"]:
        at("origin", "an origin is a claim: nothing is allowed because of it")
    sizes: dict[str, int] = {}
    for key in _SIZES:
        if key in table:
            if _is_number(table[key], int) and table[key] >= 0:
                sizes[key] = table[key]
            else:
                at(key, f"{key!r} is a number from 0 on")
    pattern = None
    if "pattern" in table:
        try:
            pattern = read_pattern(_text(table, "pattern", at))
        except BadPattern as bad:
            at("pattern", str(bad))
    return Scope(**lists, **sizes, pattern=pattern)  # type: ignore[arg-type]  # by name


def _set_aside(table: _Table, effect: Effect, at: _At) -> frozenset[str]:
    names = _texts(table, "sets_aside", at)
    if effect is not Effect.ALLOW:
        if names:
            at("sets_aside", "only a rule that allows sets others aside")
        return frozenset()
    if not names:
        at("effect", "a rule that allows names the rules that it sets aside: sets_aside = [...]")
    for name in names:
        if name not in _NAMES:
            at("sets_aside", f"there is no rule {name!r}")
        elif name in _REFUSING | FIXED:
            at("sets_aside", f"{name!r} cannot be set aside")
    return frozenset(names)


def _choice(
    table: _Table, key: str, kind: type[StrEnum], default: Any, at: _At, *, needed: bool = True
) -> Any:
    value = table.get(key)
    if value is None and not needed:
        return default
    if value in list(kind):
        return kind(value)
    at(key, f"{key!r} is one of {', '.join(kind)}")
    return default


def _text(table: _Table, key: str, at: _At) -> str:
    value = table.get(key)
    if isinstance(value, str) and value.strip():
        return value
    at(key, f"a rule needs a {key!r}, which is text")
    return ""


def _texts(table: _Table, key: str, at: _At) -> tuple[str, ...]:
    value = table.get(key, [])
    found = [value] if isinstance(value, str) else value
    if isinstance(found, list) and all(isinstance(one, str) for one in found):
        return tuple(found)
    at(key, f"{key!r} is a text or a list of texts")
    return ()


def _is_number(value: object, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _lines_of(text: str) -> dict[tuple[str, int, str], int]:
    """On which line each table and key stands: the parser does not tell."""
    found: dict[tuple[str, int, str], int] = {}
    counts: dict[str, int] = {}
    table, number = "", 0
    for line, content in enumerate(text.splitlines(), start=1):
        if header := _HEADER.fullmatch(content):
            table = header.group(2)
            number = counts.get(table, 0) if header.group(1) == "[[" else 0
            counts[table] = number + 1
            found.setdefault((table, number, ""), line)
        elif key := _KEY.match(content):
            found.setdefault((table, number, key.group(1).strip("\"'")), line)
    return found

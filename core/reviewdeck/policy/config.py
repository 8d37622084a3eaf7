"""Reading a policy file: TOML, strictly, with the line of whatever is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Any, TypeAlias

from reviewdeck.model import Severity
from reviewdeck.model.votes import ONE, Quorum
from reviewdeck.policy.notice_settings import read_notify
from reviewdeck.policy.own_rules import (
    SCOPE_LISTS,
    BadPattern,
    OwnRule,
    RuleEffect,
    RuleScope,
    read_pattern,
)
from reviewdeck.policy.settings import (
    DEFAULT,
    LARGEST,
    AutomaticUpTo,
    OutsideMode,
    PolicySettings,
    Unrecorded,
)
from reviewdeck.ports.conversations import Trust
from reviewdeck.text import toml
from reviewdeck.text.toml import Problem

_RULE_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_ACCOUNT = re.compile(r"[a-z0-9_-]{1,40}:\S{1,200}")

_NUMBERS = ("a_day", "a_conversation", "probation_days")
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "memory": tuple(AutomaticUpTo),
    "skills": (AutomaticUpTo.OFF, AutomaticUpTo.USER),
    "unrecorded": tuple(Unrecorded),
}
_TRUST = ("accounts", "said", "workspace_tools", "outside_tools", "hosts")
_SIZES = ("min_characters", "max_characters")
_TABLES = {"version", "automatic", "approval", "outside", "trust", "notify", "rule"}
_APPROVAL = ("needs", "severity")
_RULE_KEYS = {"name", "effect", "reason", "severity", "pattern", *SCOPE_LISTS, *_SIZES}


_Table: TypeAlias = Mapping[str, Any]


def read_policy(text: str, user_home: str = "") -> PolicySettings | tuple[Problem, ...]:
    """The settings of a policy file, or every mistake in it.

    `user_home` is what `~` stands for in a folder.
    """
    if len(text.encode("utf-8", "replace")) > LARGEST:
        return (Problem(1, f"a policy file has at most {LARGEST:,} bytes"),)
    table = toml.parse(text)
    if isinstance(table, Problem):
        return (table,)
    return _Reader(toml.Lines(text), user_home).read(table)


class _Reader:
    """Collects problems while it reads, so that all are reported at once."""

    def __init__(self, lines: toml.Lines, user_home: str) -> None:
        self._lines = lines
        self._user_home = user_home
        self._problems: list[Problem] = []

    def read(self, table: _Table) -> PolicySettings | tuple[Problem, ...]:
        for key in table.keys() - _TABLES:
            self._wrong(("", 0, key), f"there is no setting {key!r}")
        if table.get("version", 1) != 1:
            self._wrong(("", 0, "version"), "the only version is 1")
        automatic = self._automatic(self._table(table, "automatic"))
        quorum = self._approval(self._table(table, "approval"))
        outside = self._outside(self._table(table, "outside"))
        trust = self._trust(self._table(table, "trust"))
        notify = read_notify(
            self._table(table, "notify"),
            lambda key, message: self._wrong(("notify", 0, key), message),
        )
        rules = tuple(self._rules(table.get("rule", [])))
        if self._problems:
            return tuple(sorted(self._problems, key=lambda problem: problem.line))
        hosts = frozenset(host.casefold() for host in trust.get("hosts", ()))
        return PolicySettings(
            **automatic,
            outside=outside,
            quorum=quorum,
            trust=Trust(
                workspace_tools=frozenset(trust.get("workspace_tools", ())),
                outside_tools=frozenset(trust.get("outside_tools", ())),
                accounts=frozenset(trust.get("accounts", ())),
                said_folders=tuple(map(self._folder, trust.get("said", ()))),
            ),
            hosts=hosts,
            rules=rules,
            notify=notify,
        )

    def _table(self, table: _Table, name: str) -> _Table:
        value = table.get(name, {})
        if isinstance(value, dict):
            return value
        self._wrong(("", 0, name), f"{name!r} is a table")
        return {}

    def _automatic(self, table: _Table) -> dict[str, Any]:
        settings: dict[str, Any] = {}
        for key, value in table.items():
            at = ("automatic", 0, key)
            if key in _CHOICES:
                if value in _CHOICES[key]:
                    settings[key] = type(getattr(DEFAULT, key))(value)
                else:
                    self._wrong(at, f"{key!r} is one of {', '.join(_CHOICES[key])}")
            elif key not in _NUMBERS:
                known = ", ".join([*_CHOICES, *_NUMBERS])
                self._wrong(at, f"there is no setting {key!r} in [automatic]: {known}")
            elif _is_number(value) and 0 <= value <= 100_000:
                settings[key] = value
            else:
                self._wrong(at, f"{key!r} is a whole number from 0 to 100,000")
        return settings

    def _approval(self, table: _Table) -> Quorum:
        for key in table.keys() - {*_APPROVAL}:
            known = ", ".join(_APPROVAL)
            self._wrong(("approval", 0, key), f"there is no setting {key!r} in [approval]: {known}")
        needs = table.get("needs", ONE.needs)
        if not _is_number(needs) or needs not in (1, 2):
            self._wrong(("approval", 0, "needs"), "'needs' is 1 or 2")
            needs = ONE.needs
        at = self._at(("approval", 0, "severity"))
        severity = _choice(table, "severity", Severity, ONE.severity, at, needed=False)
        if severity is Severity.INFO:
            at("severity", "what needs two operators has a finding of severity low or higher")
        return Quorum(needs, severity)

    def _outside(self, table: _Table) -> OutsideMode:
        for key in table.keys() - {"mode"}:
            self._wrong(("outside", 0, key), f"there is no setting {key!r} in [outside]: mode")
        mode = table.get("mode", DEFAULT.outside)
        if mode in tuple(OutsideMode):
            return OutsideMode(mode)
        self._wrong(("outside", 0, "mode"), f"'mode' is one of {', '.join(OutsideMode)}")
        return DEFAULT.outside

    def _trust(self, table: _Table) -> dict[str, tuple[str, ...]]:
        lists: dict[str, tuple[str, ...]] = {}
        for key in table:
            at = ("trust", 0, key)
            if key not in _TRUST:
                self._wrong(at, f"there is no setting {key!r} in [trust]: {', '.join(_TRUST)}")
                continue
            lists[key] = _texts(table, key, self._at(at))
        for account in lists.get("accounts", ()):
            if not _ACCOUNT.fullmatch(account):
                message = (
                    f"{account!r} is no account: write `platform:user_id`, as `telegram:12345`"
                )
                self._wrong(("trust", 0, "accounts"), message)
        for folder in lists.get("said", ()):
            if not folder.startswith(("/", "~/")) or folder.rstrip("/") in ("", "~"):
                message = f"{folder!r} is no folder: it begins with `/` or `~/` and names one below"
                self._wrong(("trust", 0, "said"), message)
        return lists

    def _at(self, at: tuple[str, int, str]) -> _At:
        return lambda _, message: self._wrong(at, message)

    def _folder(self, folder: str) -> str:
        return self._user_home + folder[1:] if folder.startswith("~/") else folder

    def _rules(self, tables: object) -> Iterator[OwnRule]:
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            self._wrong(("", 0, "rule"), "write each rule as a table [[rule]]")
            return
        if not tables:
            return
        from reviewdeck.policy.plain import RULES  # only for a file that has rules of its own

        seen = {rule.name for rule in RULES}
        for number, table in enumerate(tables):
            before = len(self._problems)
            rule = self._rule(number, table)
            if rule.name in seen:
                self._wrong(("rule", number, "name"), f"there is a rule {rule.name!r} already")
            seen.add(rule.name)
            if len(self._problems) == before:
                yield rule

    def _rule(self, number: int, table: _Table) -> OwnRule:
        def at(key: str, message: str) -> None:
            self._wrong(("rule", number, key), message)

        for key in table.keys() - _RULE_KEYS:
            at(key, f"there is no setting {key!r} in a rule")
        name = _text(table, "name", at) or "?"
        if not _RULE_NAME.fullmatch(name):
            at("name", "a name has small letters, digits and dashes")
        effect = _choice(table, "effect", RuleEffect, RuleEffect.HOLD, at)
        severity = _choice(table, "severity", Severity, Severity.MEDIUM, at, needed=False)
        if severity is Severity.INFO:
            at("severity", "a rule that holds weighs low or more")
        scope = _scope(table, at)
        if effect is RuleEffect.REJECT and scope.is_everything:
            at("effect", "it would reject everything: say what it is about")
        return OwnRule(
            name=name,
            effect=effect,
            reason=_text(table, "reason", at),
            scope=scope,
            severity=severity,
        )

    def _wrong(self, at: tuple[str, int, str], message: str) -> None:
        line = self._lines.at(*at)
        self._problems.append(Problem(line, message))


_At: TypeAlias = Callable[[str, str], None]
"""Notes what is wrong with a key."""


def _scope(table: _Table, at: _At) -> RuleScope:
    lists = {field: _texts(table, key, at) for key, field in SCOPE_LISTS.items()}
    sizes: dict[str, int] = {}
    for key in _SIZES:
        if key in table:
            if _is_number(table[key]) and table[key] >= 0:
                sizes[key] = table[key]
            else:
                at(key, f"{key!r} is a whole number from 0 on")
    pattern = None
    if "pattern" in table:
        try:
            pattern = read_pattern(_text(table, "pattern", at))
        except BadPattern as bad:
            at("pattern", str(bad))
    return RuleScope(**lists, **sizes, pattern=pattern)  # type: ignore[arg-type]  # by name


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
    texts = [value] if isinstance(value, str) else value
    if isinstance(texts, list) and all(isinstance(text, str) for text in texts):
        return tuple(texts)
    at(key, f"{key!r} is a text or a list of texts")
    return ()


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)

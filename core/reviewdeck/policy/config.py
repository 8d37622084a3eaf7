"""Reading a policy file: TOML, strictly, with the line of whatever is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reviewdeck.model import Severity
from reviewdeck.model.votes import ONE, Quorum
from reviewdeck.policy.notice_settings import NOTIFY_KEYS, read_notify
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
from reviewdeck.text.toml import Problem, Table

_RULE_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_ACCOUNT = re.compile(r"[a-z0-9_-]{1,40}:\S{1,200}")
_AUTOMATIC = ("memory", "skills", "unrecorded", "a_day", "a_conversation", "probation_days")
_TRUST = ("accounts", "said", "workspace_tools", "outside_tools", "hosts")
_SIZES = ("min_characters", "max_characters")
_TABLES = ("version", "automatic", "approval", "outside", "trust", "notify", "rule")
_NEEDED = {
    "name": "small letters, digits and dashes",
    "effect": f"one of {', '.join(RuleEffect)}",
    "reason": "a text",
}
_RULE_KEYS = ("name", "effect", "reason", "severity", "pattern", *SCOPE_LISTS, *_SIZES)
_MOST = 100_000
"""The largest number that a setting takes."""


def read_policy(text: str, user_home: str = "") -> PolicySettings | tuple[Problem, ...]:
    """The settings of a policy file, or every mistake in it.

    `user_home` is what `~` stands for in a folder.
    """
    if len(text.encode("utf-8", "replace")) > LARGEST:
        return (Problem(1, f"a policy file has at most {LARGEST:,} bytes"),)
    table = toml.read(text)
    if isinstance(table, Problem):
        return (table,)
    settings = _settings(table, user_home)
    if table.problems:
        return tuple(sorted(table.problems, key=lambda problem: problem.line))
    return settings


def _settings(table: Table, user_home: str) -> PolicySettings:
    table.only(_TABLES)
    if table.values.get("version", 1) != 1:
        table.wrong("version", "the only version is 1")
    automatic = table.table("automatic", _AUTOMATIC)
    trust = table.table("trust", _TRUST)
    return PolicySettings(
        memory=automatic.choice("memory", [*AutomaticUpTo], DEFAULT.memory),
        skills=automatic.choice("skills", _SKILLS_UP_TO, DEFAULT.skills),
        unrecorded=automatic.choice("unrecorded", [*Unrecorded], DEFAULT.unrecorded),
        a_day=automatic.number("a_day", DEFAULT.a_day, 0, _MOST),
        a_conversation=automatic.number("a_conversation", DEFAULT.a_conversation, 0, _MOST),
        probation_days=automatic.number("probation_days", DEFAULT.probation_days, 0, _MOST),
        quorum=_approval(table.table("approval", ("needs", "severity"))),
        outside=table.table("outside", ("mode",)).choice("mode", [*OutsideMode], DEFAULT.outside),
        trust=_trust(trust, user_home),
        hosts=frozenset(host.casefold() for host in trust.texts("hosts")),
        rules=tuple(_rules(table)),
        notify=read_notify(table.table("notify", NOTIFY_KEYS)),
    )


_SKILLS_UP_TO = (AutomaticUpTo.OFF, AutomaticUpTo.USER)


def _approval(table: Table) -> Quorum:
    severity = table.choice("severity", [*Severity], ONE.severity)
    if severity is Severity.INFO:
        message = "what needs two operators has a finding of severity low or higher"
        table.wrong("severity", message)
    return Quorum(table.number("needs", ONE.needs, 1, 2), severity)


def _trust(table: Table, user_home: str) -> Trust:
    accounts, folders = table.texts("accounts"), table.texts("said")
    for account in accounts:
        if not _ACCOUNT.fullmatch(account):
            message = f"{account!r} is no account: write `platform:user_id`, as `telegram:12345`"
            table.wrong("accounts", message)
    for folder in folders:
        if not folder.startswith(("/", "~/")) or folder.rstrip("/") in ("", "~"):
            message = f"{folder!r} is no folder: it begins with `/` or `~/` and names one below"
            table.wrong("said", message)
    return Trust(
        workspace_tools=frozenset(table.texts("workspace_tools")),
        outside_tools=frozenset(table.texts("outside_tools")),
        accounts=frozenset(accounts),
        said_folders=tuple(
            user_home + folder[1:] if folder.startswith("~/") else folder for folder in folders
        ),
    )


def _rules(table: Table) -> Iterator[OwnRule]:
    if table.values.get("rule", []) == []:
        return
    from reviewdeck.policy.plain import RULES  # only for a file that has rules of its own

    seen = {rule.name for rule in RULES}
    for one in table.tables("rule", _RULE_KEYS):
        rule = _rule(one)
        if rule.name in seen:
            one.wrong("name", f"there is a rule {rule.name!r} already")
        seen.add(rule.name)
        yield rule


def _rule(table: Table) -> OwnRule:
    for key, what in _NEEDED.items():
        if key not in table.values:
            table.wrong(key, f"a rule needs a setting {key!r}: {what}")
    name = table.text("name", f"rule-{table.index}")
    if not _RULE_NAME.fullmatch(name):
        table.wrong("name", "a name has small letters, digits and dashes")
    effect = table.choice("effect", [*RuleEffect], RuleEffect.HOLD)
    severity = table.choice("severity", [*Severity], Severity.MEDIUM)
    if severity is Severity.INFO:
        table.wrong("severity", "a rule that holds weighs low or more")
    scope = _scope(table)
    if effect is RuleEffect.REJECT and scope.is_everything:
        table.wrong("effect", "it would reject everything: say what it is about")
    return OwnRule(name, effect, table.text("reason"), scope, severity)


def _scope(table: Table) -> RuleScope:
    lists = {field: table.texts(key) for key, field in SCOPE_LISTS.items()}
    sizes = {key: table.number(key, 0, 0) for key in _SIZES if key in table.values}
    pattern = None
    if source := table.text("pattern"):
        try:
            pattern = read_pattern(source)
        except BadPattern as bad:
            table.wrong("pattern", str(bad))
    return RuleScope(**lists, **sizes, pattern=pattern)  # type: ignore[arg-type]  # by name

"""`reviewdeck config`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from reviewdeck.cli.columns import Cell, Column, cells, page_width, table
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import has_terminal_app, is_coloured, print_json, say
from reviewdeck.cli.policy_files import load_policy
from reviewdeck.cli.session import ledger_of
from reviewdeck.engine.options import PolicyPlace
from reviewdeck.environment import HEADERS, KEY, POLICY, WORKING, policy_place, reviewer_file
from reviewdeck.errors import BadInput
from reviewdeck.ledger.place import shown
from reviewdeck.locations import LEDGER
from reviewdeck.policy.settings import PolicySettings
from reviewdeck.presentation.words import count, one_line
from reviewdeck.reviewer.settings import ReviewerSettings, load_settings
from reviewdeck.text import toml
from reviewdeck.text.redact import redact

_SECRET: Final = frozenset({KEY, HEADERS})
"""Variables whose value is not printed."""
_DEFAULT: Final = "default"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting, its value, and where that comes from."""

    name: str
    value: str
    origin: str
    """A file with its line, a variable, an option, or `default`."""


@dataclass(frozen=True, slots=True)
class _File:
    """A file of settings: its name for people, and which of its keys stand on which line."""

    label: str
    path: Path

    def origins(self) -> Mapping[str, str]:
        """By `table.key`, or `key` at the top, the line on which it is set."""
        try:
            text = self.path.read_text("utf-8", "replace") if self.path.is_file() else ""
        except OSError:
            return {}
        parsed, lines = toml.parse(text), toml.Lines(text)
        if isinstance(parsed, toml.Problem):
            return {}
        found: dict[str, str] = {}
        for key, value in parsed.items():
            found[key] = f"{self.path}:{lines.at('', 0, key)}"
            for inner in value if isinstance(value, dict) else ():
                found[f"{key}.{inner}"] = f"{self.path}:{lines.at(key, 0, inner)}"
        return found

    def settings(self, values: Mapping[str, object]) -> Iterator[Setting]:
        """The settings of this file, which has these values by `table.key`."""
        origins = self.origins()
        for key, value in values.items():
            yield Setting(f"{self.label}.{key}", _words(value), origins.get(key, _DEFAULT))


def config(*, options: Options = DEFAULTS) -> int:
    """The exit code is 1 where a file has an error: each is named with its line."""
    settings: list[Setting] = []
    problems: list[str] = []
    settings += _places(options)
    settings += _policy(options, problems)
    settings += _reviewer(problems)
    settings += _deck(problems)
    if options.json:
        rows = [{"setting": s.name, "value": s.value, "from": s.origin} for s in settings]
        print_json({"settings": rows, "problems": problems})
        return 1 if problems else 0
    _print(settings, options)
    for problem in problems:
        say(f"wrong: {redact(problem)}")
    say(f"{count(len(settings), 'setting')}, {count(len(problems), 'problem')}")
    return 1 if problems else 0


def _print(settings: Iterable[Setting], options: Options) -> None:
    rows = [(s.name, redact(one_line(s.value)), one_line(s.origin)) for s in settings]
    widths = [max(cells(row[at]) for row in rows) for at in range(3)]
    # The value gives way: a name and a place must be whole to be of use.
    widths[1] = max(8, min(widths[1], page_width() - widths[0] - widths[2] - 2))
    columns = [Column(*each) for each in zip(("setting", "value", "from"), widths, strict=True)]
    marked = [
        [Cell(name), Cell(value), Cell(origin, "dim" if origin == _DEFAULT else "")]
        for name, value, origin in rows
    ]
    coloured = is_coloured(sys.stdout, options.no_color)
    sys.stdout.write(table(columns, marked, is_coloured=coloured))


def _places(options: Options) -> Iterator[Setting]:
    """Where the ledger and the files are, and the variables that say so."""
    policy = policy_place(options.policy, os.environ).path
    yield Setting("ledger", shown(ledger_of(options)), _chosen("ledger", options.ledger, LEDGER))
    yield Setting("policy", str(policy), _chosen("policy", options.policy, POLICY))
    for variable in (WORKING, KEY, HEADERS, "HERMES_HOME"):
        if value := os.environ.get(variable):
            yield Setting(variable, "set" if variable in _SECRET else value, f"${variable}")


def _chosen(option: str, value: object, variable: str) -> str:
    if value is not None:
        return f"--{option}"
    return f"${variable}" if os.environ.get(variable) else _DEFAULT


def _policy(options: Options, problems: list[str]) -> Iterator[Setting]:
    place = policy_place(options.policy, os.environ)
    policy = PolicySettings()
    if place.is_named or place.path.exists():
        read = _read_policy(place, problems)
        if read is None:
            return
        policy = read
    trust, notify = policy.trust, policy.notify
    automatic = ("memory", "skills", "unrecorded", "a_day", "a_conversation", "probation_days")
    yield from _File("policy", place.path).settings(
        {
            **{f"automatic.{name}": getattr(policy, name) for name in automatic},
            "outside.mode": policy.outside,
            "trust.workspace_tools": trust.workspace_tools,
            "trust.outside_tools": trust.outside_tools,
            "trust.accounts": trust.accounts,
            "trust.hosts": policy.hosts,
            "trust.said": trust.said_folders,
            "notify.command": notify.command,
            "notify.url": notify.url,
            "notify.events": notify.events,
            "notify.every_minutes": notify.every_minutes,
            "rule": [rule.name for rule in policy.rules],
        }
    )


def _read_policy(place: PolicyPlace, problems: list[str]) -> PolicySettings | None:
    try:
        policy = load_policy(place.path)
    except BadInput as error:
        problems.append(error.message)
        return None
    if isinstance(policy, PolicySettings):
        return policy
    problems += [f"{place.path}:{problem.line}: {problem.message}" for problem in policy]
    return None


def _reviewer(problems: list[str]) -> Iterator[Setting]:
    path = reviewer_file()
    try:
        settings = load_settings(path)
    except BadInput as error:
        problems.append(f"{error.message} {error.hint}".rstrip())
        return
    plain = ReviewerSettings()
    own = ("provider", "model", "base_url", "key_variable", "timeout", "time_limit", "typed")
    prompts = {
        f"prompts.{one.name}": "our own"
        if getattr(settings.prompts, one.name) == getattr(plain.prompts, one.name)
        else getattr(settings.prompts, one.name)
        for one in fields(settings.prompts)
    }
    when = {f"when.{one.name}": getattr(settings.when, one.name) for one in fields(settings.when)}
    values = {name: getattr(settings, name) for name in own}
    yield from _File("reviewer", path).settings(values | prompts | when)


def _deck(problems: list[str]) -> Iterator[Setting]:
    if not has_terminal_app():
        return
    # By name: this package must not depend on the terminal app.
    preferences = import_module("reviewdeck_tui.preferences")
    path = preferences.preferences_path()
    settings = preferences.load_preferences(path)
    problems += settings.problems
    keys = import_module("reviewdeck_tui.keys").all_keys(settings.keys)
    values: dict[str, object] = {}
    for one in fields(settings):
        value = keys if one.name == "keys" else getattr(settings, one.name)
        if one.name == "problems":
            continue
        if not isinstance(value, Mapping):
            values[one.name] = value
        for key, inner in value.items() if isinstance(value, Mapping) else ():
            values[f"{one.name}.{key}"] = getattr(inner, "words", inner)
    yield from _File("deck", path).settings(values)


def _words(value: Any) -> str:
    """A value as one reads it; a dash where it is empty."""
    match value:
        case bool():
            return "true" if value else "false"
        case None | "" | () | []:
            return "-"
        case list() | tuple():
            return " ".join(map(str, value))
        case frozenset():
            return " ".join(sorted(map(str, value))) or "-"
        case _:
            return str(value)

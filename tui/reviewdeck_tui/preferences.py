"""The operator's own settings: theme, layout, keys, filters, commands. Read only from their own
directory.

A home has no say in them: whoever writes to a home must not change a key, or name a command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from reviewdeck.text.toml import Lines, Problem, parse

Layout: TypeAlias = Literal["auto", "split", "unified"]
Notify: TypeAlias = Literal["off", "bell", "desktop"]

NAME: Final = "deck.toml"
LAYOUTS: Final[tuple[Layout, ...]] = ("auto", "split", "unified")
NOTIFY: Final[tuple[Notify, ...]] = ("off", "bell", "desktop")
PLACEHOLDERS: Final = ("{id}", "{home}", "{document}")
"""What a command's arguments may hold: the proposal's id, its home, its first document."""


@dataclass(frozen=True, slots=True)
class OwnCommand:
    """A program of the operator's own, on a key."""

    arguments: tuple[str, ...]
    """The program and its arguments; no shell sees them."""
    words: str


@dataclass(frozen=True, slots=True)
class Preferences:
    """The operator's own settings."""

    theme: str = "deck-dark"
    layout: Layout = "auto"
    """The layout of a diff: auto, split, unified."""
    wrap: bool = True
    plain: bool = False
    """Lines of text without drawing, for a screen reader."""
    notify: Notify = "off"
    """What the terminal does when proposals arrive while it is not in front."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Action name to its keys."""
    filters: Mapping[str, str] = field(default_factory=dict)
    """Key to the filter that it sets."""
    commands: Mapping[str, OwnCommand] = field(default_factory=dict)
    """Key to the program that it runs."""
    problems: tuple[str, ...] = ()
    """The parts of the file that could not be used."""


def preferences_path() -> Path:
    """The file in the user's configuration directory."""
    from platformdirs import user_config_path

    return user_config_path("reviewdeck") / NAME


def problems_here() -> tuple[str, ...]:
    """What is wrong in the user's own file."""
    return load_preferences(preferences_path()).problems


def load_preferences(path: Path) -> Preferences:
    """The settings of a file; what is wrong in it is reported with its line, and not used."""
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return Preferences()
    except OSError as error:
        return Preferences(problems=(f"{path} cannot be read: {error.strerror}",))
    except UnicodeDecodeError:
        return Preferences(problems=(f"{path} cannot be read: it is not UTF-8",))
    raw = parse(text)
    if isinstance(raw, Problem):
        return Preferences(problems=(f"{path}, {raw}",))
    reading = _Reading(text)
    plain = Preferences()
    for name in raw.keys() - _SETTINGS:
        reading.report(name, f"there is no setting {name!r}")
    return Preferences(
        theme=reading.checked(raw, "theme", plain.theme, _is_theme, "there is no such theme"),
        layout=reading.one_of(raw, "layout", LAYOUTS, plain.layout),
        wrap=reading.checked(raw, "wrap", plain.wrap, _is_bool, "wrap is true or false"),
        plain=reading.checked(raw, "plain", plain.plain, _is_bool, "plain is true or false"),
        notify=reading.one_of(raw, "notify", NOTIFY, plain.notify),
        keys=(keys := reading.keys(raw.get("keys", {}))),
        filters=reading.filters(raw.get("filters", {}), keys),
        commands=reading.commands(raw.get("commands", {}), keys),
        problems=tuple(f"{path}, {problem}" for problem in reading.in_order()),
    )


_SETTINGS: Final = frozenset(
    {"theme", "layout", "wrap", "plain", "notify", "keys", "filters", "commands"}
)


class _Reading:
    """The settings of one file, and the problems found in it."""

    def __init__(self, text: str) -> None:
        self._lines = Lines(text)
        self._problems: list[Problem] = []

    def in_order(self) -> list[Problem]:
        return sorted(self._problems, key=lambda problem: problem.line)

    def report(self, key: str, message: str, table: str = "") -> None:
        """Notes a problem of a key of a table; without a key, of the table itself."""
        self._problems.append(Problem(self._lines.at(table, 0, key), message))

    def checked(
        self,
        raw: Mapping[str, Any],
        name: str,
        usual: Any,
        is_valid: Callable[[Any], bool],
        why: str,
    ) -> Any:
        if name not in raw or is_valid(raw[name]):
            return raw.get(name, usual)
        self.report(name, why)
        return usual

    def one_of(self, raw: Mapping[str, Any], name: str, values: tuple[str, ...], usual: str) -> Any:
        why = f"{name} is one of {', '.join(values)}"
        return self.checked(raw, name, usual, lambda value: value in values, why)

    def keys(self, raw: Any) -> dict[str, str]:
        if not isinstance(raw, dict):
            self.report("keys", '[keys] takes lines such as approve = "a"')
            return {}
        if not raw:
            return {}
        # Loads Textual, which `doctor` needs only where a key was changed.
        from reviewdeck_tui.keys import is_key, problems_of

        count = len(self._problems)
        for name, keys in raw.items():
            if not isinstance(keys, str):
                self.report(name, f'{name} takes keys, such as "a,ctrl+a"', "keys")
            elif unknown := [key for key in keys.split(",") if not is_key(key.strip())]:
                self.report(name, f"there is no key {unknown[0].strip()!r}", "keys")
        if len(self._problems) == count:
            for name, problem in problems_of(raw):
                self.report(name, problem, "keys")
        return raw if len(self._problems) == count else {}

    def filters(self, raw: Any, keymap: Mapping[str, str]) -> dict[str, str]:
        from reviewdeck.presentation.queue_filter import parse as parse_filter

        found: dict[str, str] = {}
        for key, words in self._on_keys(raw, "filters", 'f2 = "severity:high"', keymap):
            if not isinstance(words, str):
                self.report(key, f'{key} takes a filter, such as "severity:high"', "filters")
            elif problem := (query := parse_filter(words)).problem or query.gap:
                self.report(key, problem.rstrip("."), "filters")
            else:
                found[key] = words
        return found

    def commands(self, raw: Any, keymap: Mapping[str, str]) -> dict[str, OwnCommand]:
        found: dict[str, OwnCommand] = {}
        for key, value in self._on_keys(raw, "commands", 'f6 = ["git", "log"]', keymap):
            table, name = (f"commands.{key}", "") if isinstance(value, dict) else ("commands", key)
            entry = value if isinstance(value, dict) else {"run": value}
            run, words = entry.get("run"), entry.get("words", "")
            if not (isinstance(run, list) and run and all(isinstance(one, str) for one in run)):
                example = f'{key} takes a program with its arguments: ["git", "log"]'
                self.report(name, example, table)
            elif entry.keys() - {"run", "words"} or not isinstance(words, str):
                self.report(name, f"{key} takes run and words", table)
            elif unknown := [
                one for one in _BRACES.findall(" ".join(run)) if one not in PLACEHOLDERS
            ]:
                self.report(name, f"{unknown[0]} is none of {', '.join(PLACEHOLDERS)}", table)
            else:
                found[key] = OwnCommand(tuple(run), words or " ".join(run))
        return found

    def _on_keys(
        self, raw: Any, name: str, example: str, keymap: Mapping[str, str]
    ) -> Iterator[tuple[str, Any]]:
        """The entries of a table of keys, without those whose key is none or is taken."""
        if not isinstance(raw, dict):
            self.report(name, f"[{name}] takes lines such as {example}")
            return
        if not raw:
            return
        from reviewdeck_tui.keys import is_key, taken_by

        for key, value in raw.items():
            if not is_key(key):
                self.report(key, f"there is no key {key!r}", name)
            elif action := taken_by(key, keymap):
                self.report(key, f"{key} is {action} already", name)
            else:
                yield key, value


_BRACES: Final = re.compile(r"\{\w+\}")


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _is_theme(value: Any) -> bool:
    from textual.theme import BUILTIN_THEMES

    from reviewdeck_tui.theme import THEMES

    return value in BUILTIN_THEMES or value in {theme.name for theme in THEMES}

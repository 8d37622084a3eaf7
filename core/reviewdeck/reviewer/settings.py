"""The reviewer's settings: `reviewer.toml` beside the policy file, in the operator's own folder.

It is no part of the policy: another model must not have every proposal judged again, nor a signed
policy signed again. And it is in no home: whoever writes there must not choose where a key goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import BadInput
from reviewdeck.reviewer.asking import ExchangeLimits
from reviewdeck.reviewer.fork import Prompts
from reviewdeck.text import toml
from reviewdeck.text.toml import Problem

NAME: Final = "reviewer.toml"
LARGEST: Final = 256 * 1024
"""The most bytes of the file."""


class Moment(StrEnum):
    """What may start a review of a session, besides that it is quiet."""

    END = "session-end"
    RESET = "reset"
    COMPACTION = "compaction"


@dataclass(frozen=True, slots=True)
class When:
    """When the sessions of a home are reviewed by themselves."""

    pause_minutes: float = 10.0
    """A session is reviewed once nothing was said in it for so long; 0 for never."""
    on: frozenset[Moment] = frozenset(Moment)
    """These are reviewed without a pause."""
    watch: bool = False
    """Whether `auto --watch`, and so the service, starts reviews."""
    turns: int = 1
    """The least turns of a user since the last review of the session."""


@dataclass(frozen=True, slots=True)
class ReviewerSettings:
    """What an operator set once for every review."""

    provider: str = ""
    model: str = ""
    base_url: str = ""
    key_variable: str = ""
    """The environment variable with the key."""
    timeout: float | None = None
    """Seconds for one answer."""
    time_limit: float | None = None
    """Seconds for a whole review."""
    typed: bool = False
    """Whether reviews get the user's typed words alone."""
    prompts: Prompts = field(default_factory=Prompts)
    when: When = field(default_factory=When)

    @property
    def names_model(self) -> bool:
        """Whether it says which model reviews, or where."""
        return bool(self.provider or self.model or self.base_url)


def limits_in(settings: ReviewerSettings) -> ExchangeLimits:
    """The limits of a review."""
    limits = ExchangeLimits()
    if settings.time_limit is None:
        return limits
    return replace(limits, seconds=settings.time_limit)


def load_settings(path: Path) -> ReviewerSettings:
    """The settings of a file; the defaults where there is none. Raises BadInput."""
    data = b""
    if path.exists() and not path.is_file():  # A pipe would never end.
        raise BadInput(f"{path} is no file.")
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError:
        return ReviewerSettings()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{path}: line {line}: it is not UTF-8 text.") from error
    if len(data) > LARGEST:
        raise BadInput(f"{path} has more than {LARGEST:,} bytes.")
    settings = read_settings(text)
    if isinstance(settings, ReviewerSettings):
        return settings
    first, *others = settings
    more = f" {len(others)} more: {'; '.join(map(str, others))}." if others else ""
    raise BadInput(f"{path}: {first}.", hint=f"docs/reviewer.md has every setting.{more}")


def read_settings(text: str) -> ReviewerSettings | tuple[Problem, ...]:
    """The settings of a file's text, or every mistake in it."""
    table = toml.parse(text)
    if isinstance(table, Problem):
        return (table,)
    reading = _Reading(toml.Lines(text))
    settings = reading.settings(table)
    if reading.problems:
        return tuple(sorted(reading.problems, key=lambda problem: problem.line))
    return settings


_TEXTS: Final = ("provider", "model", "base_url", "key_variable")
_SECONDS: Final = ("timeout", "time_limit")
_WHEN: Final = When()
_PROMPTS: Final = tuple(each.name for each in fields(Prompts))


class _Reading:
    """Collects mistakes while it reads, so that all are reported at once."""

    def __init__(self, lines: toml.Lines) -> None:
        self._lines = lines
        self.problems: list[Problem] = []

    def settings(self, table: Mapping[str, Any]) -> ReviewerSettings:
        known = (*_TEXTS, *_SECONDS, "typed", "prompts", "when")
        self._unknown(table, known, "", "")
        named: dict[str, Any] = {key: self._text(table, "", key) for key in _TEXTS if key in table}
        seconds = [key for key in _SECONDS if key in table]
        named |= {key: self._number(table, "", key, 1, 1, 86_400) for key in seconds}
        if "base_url" in named and not named["base_url"].startswith(("http://", "https://")):
            self._wrong("", "base_url", "'base_url' begins with `https://` or `http://`")
        typed = table.get("typed", False)
        if not isinstance(typed, bool):
            self._wrong("", "typed", "'typed' is true or false")
        prompts = self._table(table, "prompts", _PROMPTS)
        return ReviewerSettings(
            **named,
            typed=bool(typed),
            prompts=Prompts(**{key: self._text(prompts, "prompts", key) for key in prompts}),
            when=self._when(self._table(table, "when", ("pause_minutes", "on", "turns", "watch"))),
        )

    def _when(self, table: Mapping[str, Any]) -> When:
        pause = self._number(table, "when", "pause_minutes", _WHEN.pause_minutes, 0, 1440)
        turns = self._number(table, "when", "turns", _WHEN.turns, 1, 1000)
        moments = table.get("on", [*Moment])
        if not isinstance(moments, list) or not all(moment in [*Moment] for moment in moments):
            self._wrong("when", "on", f"'on' is a list of: {', '.join(Moment)}")
            moments = []
        watch = table.get("watch", False)
        if not isinstance(watch, bool):
            self._wrong("when", "watch", "'watch' is true or false")
        return When(pause, frozenset(map(Moment, moments)), watch is True, int(turns))

    def _table(
        self, table: Mapping[str, Any], name: str, known: tuple[str, ...]
    ) -> Mapping[str, Any]:
        value = table.get(name, {})
        if not isinstance(value, dict):
            self._wrong("", name, f"{name!r} is a table: write [{name}]")
            return {}
        self._unknown(value, known, name, f" in [{name}]")
        return {key: value[key] for key in known if key in value}

    def _unknown(
        self, table: Mapping[str, Any], known: tuple[str, ...], name: str, where: str
    ) -> None:
        for key in table:
            if key not in known:
                self._wrong(name, key, f"there is no setting {key!r}{where}: {', '.join(known)}")

    def _text(self, table: Mapping[str, Any], name: str, key: str) -> str:
        value = table[key]
        if isinstance(value, str) and value.strip():
            return value
        self._wrong(name, key, f"{key!r} is a text")
        return ""

    def _number(
        self,
        table: Mapping[str, Any],
        name: str,
        key: str,
        default: float,
        least: float,
        most: float,
    ) -> float:
        value = table.get(key, default)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and least <= value <= most:
            return float(value)
        self._wrong(name, key, f"{key!r} is a number from {least:,} to {most:,}")
        return default

    def _wrong(self, table: str, key: str, message: str) -> None:
        self.problems.append(Problem(self._lines.at(table, 0, key), message))

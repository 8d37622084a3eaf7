"""The reviewer's settings: `reviewer.toml` beside the policy file, in the operator's own folder.

It is no part of the policy: another model must not have every proposal judged again, nor a signed
policy signed again. And it is in no home: whoever writes there must not choose where a key goes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from reviewdeck.errors import BadInput
from reviewdeck.reviewer.asking import ExchangeLimits
from reviewdeck.reviewer.fork import Prompts
from reviewdeck.text import toml
from reviewdeck.text.toml import Problem, Table

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
    table = toml.read(text)
    if isinstance(table, Problem):
        return (table,)
    settings = _settings(table)
    if table.problems:
        return tuple(sorted(table.problems, key=lambda problem: problem.line))
    return settings


_TEXTS: Final = ("provider", "model", "base_url", "key_variable")
_SECONDS: Final = ("timeout", "time_limit")
_LONGEST: Final = 86_400
"""Seconds of a day."""
_WHEN: Final = When()
_PROMPTS: Final = tuple(each.name for each in fields(Prompts))


def _settings(table: Table) -> ReviewerSettings:
    table.only((*_TEXTS, *_SECONDS, "typed", "prompts", "when"))
    named: dict[str, Any] = {key: table.text(key) for key in _TEXTS}
    if named["base_url"] and not named["base_url"].startswith(("http://", "https://")):
        table.wrong("base_url", "'base_url' begins with `https://` or `http://`")
    for key in _SECONDS:
        if key in table.values:
            named[key] = table.number(key, float(_LONGEST), 1, _LONGEST)
    prompts = table.table("prompts", _PROMPTS)
    return ReviewerSettings(
        **named,
        typed=table.flag("typed", False),
        prompts=Prompts(**{key: prompts.text(key) for key in _PROMPTS if key in prompts.values}),
        when=_when(table.table("when", ("pause_minutes", "on", "turns", "watch"))),
    )


def _when(table: Table) -> When:
    return When(
        pause_minutes=table.number("pause_minutes", _WHEN.pause_minutes, 0, 1440),
        on=table.choices("on", [*Moment]),
        watch=table.flag("watch", False),
        turns=table.number("turns", _WHEN.turns, 1, 1000),
    )

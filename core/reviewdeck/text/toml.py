"""TOML as people write it: the table, and on which line each key stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

Choice = TypeVar("Choice", bound=str)
Number = TypeVar("Number", int, float)
Place: TypeAlias = tuple[str, int, str]
"""A table, which of those with this name, and a key; an empty key is the table itself."""

_HEADER = re.compile(r"\s*(\[\[|\[)\s*([\w.\"' -]+?)\s*\]{1,2}\s*(?:#.*)?")
_KEY = re.compile(r"\s*([\w-]+|\"[^\"]*\"|'[^']*')\s*=")
_AT_LINE = re.compile(r"\s*\(at line (\d+), column \d+\)")


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in a file, with its line."""

    line: int
    message: str

    def __str__(self) -> str:
        """As a person reads it."""
        return f"line {self.line}: {self.message}"


def read(text: str) -> Table | Problem:
    """The settings of a text, or what is wrong with all of it."""
    values = parse(text)
    return values if isinstance(values, Problem) else Table(values, Lines(text), [])


def parse(text: str) -> Mapping[str, Any] | Problem:
    """The table of a text, or what is wrong with it."""
    import tomllib  # Most commands read no settings, and need not wait for it.

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        at = _AT_LINE.search(str(error))
        message = _AT_LINE.sub("", str(error)) or "it cannot be read"
        return Problem(int(at.group(1)) if at else text.count("\n") + 1, message)


class Lines:
    """On which line each table and key stands: the parser does not tell."""

    def __init__(self, text: str) -> None:
        self._lines = _lines_of(text)

    def at(self, table: str, number: int, key: str) -> int:
        """The line of a key, else of its table, else 1."""
        nearby = ((table, number, key), (table, number, ""), (key, 0, ""))
        return next((self._lines[place] for place in nearby if place in self._lines), 1)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of settings, read key by key.

    What is wrong is noted with its line, and the default taken: so all is told at once.
    """

    values: Mapping[str, Any]
    lines: Lines
    problems: list[Problem]
    """What is wrong in the whole file."""
    name: str = ""
    index: int = 0
    """Which of the tables with this name."""

    def wrong(self, key: str, message: str) -> None:
        """Notes what is wrong with a key."""
        line = self.lines.at(self.name, self.index, key)
        self.problems.append(Problem(line, message))

    def only(self, known: Sequence[str]) -> None:
        """Notes each key that is no setting."""
        where = f" in [{self.name}]" if self.name else ""
        for key in (one for one in self.values if one not in known):
            self.wrong(key, f"there is no setting {key!r}{where}: {', '.join(known)}")

    def table(self, name: str, known: Sequence[str]) -> Table:
        """The table with this name, empty without one; none of its keys but these is a setting."""
        values = self.values.get(name, {})
        if not isinstance(values, dict):
            self.wrong(name, f"{name!r} is a table: write [{name}]")
            values = {}
        table = Table(values, self.lines, self.problems, name)
        table.only(known)
        return table

    def tables(self, name: str, known: Sequence[str]) -> Iterator[Table]:
        """The tables of a list with this name; none of their keys but these is a setting."""
        found = self.values.get(name, [])
        if not isinstance(found, list) or not all(isinstance(values, dict) for values in found):
            self.wrong(name, f"write each {name} as a table [[{name}]]")
            return
        for index, values in enumerate(found):
            table = Table(values, self.lines, self.problems, name, index)
            table.only(known)
            yield table

    def choice(self, key: str, options: Sequence[Choice], default: Choice) -> Choice:
        """One of several texts."""
        value = self.values.get(key, default)
        for option in options:
            if value == option:
                return option
        self.wrong(key, f"{key!r} is one of {', '.join(options)}")
        return default

    def choices(self, key: str, options: Sequence[Choice]) -> frozenset[Choice]:
        """Several of these texts; all of them by default."""
        values = self.values.get(key, [*options])
        if isinstance(values, list) and all(value in [*options] for value in values):
            return frozenset(option for option in options if option in values)
        self.wrong(key, f"{key!r} is a list of: {', '.join(options)}")
        return frozenset()

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self.values.get(key, default)
        if isinstance(value, bool):
            return value
        self.wrong(key, f"{key!r} is true or false")
        return default

    def number(self, key: str, default: Number, least: int, most: int | None = None) -> Number:
        """A number of these; a whole one where the default is."""
        value = self.values.get(key, default)
        is_whole = isinstance(default, int)
        is_number = type(value) in ((int,) if is_whole else (int, float))
        if is_number and least <= value and (most is None or value <= most):
            return type(default)(value)
        of = "whole number" if is_whole else "number"
        end = "on" if most is None else f"to {most:,}"
        self.wrong(key, f"{key!r} is a {of} from {least:,} {end}")
        return default

    def text(self, key: str, default: str = "") -> str:
        """A text with something in it."""
        value = self.values.get(key, default)
        if key not in self.values or (isinstance(value, str) and value.strip()):
            return str(value)
        self.wrong(key, f"{key!r} is a text")
        return default

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, or one of them alone."""
        value = self.values.get(key, [])
        texts = [value] if isinstance(value, str) else value
        if isinstance(texts, list) and all(isinstance(text, str) for text in texts):
            return tuple(texts)
        self.wrong(key, f"{key!r} is a text or a list of texts")
        return ()


def _lines_of(text: str) -> dict[Place, int]:
    lines: dict[Place, int] = {}
    counts: dict[str, int] = {}
    table, number = "", 0
    for line, content in enumerate(text.splitlines(), start=1):
        if header := _HEADER.fullmatch(content):
            table = header.group(2)
            number = counts.get(table, 0) if header.group(1) == "[[" else 0
            counts[table] = number + 1
            lines.setdefault((table, number, ""), line)
        elif key := _KEY.match(content):
            lines.setdefault((table, number, key.group(1).strip("\"'")), line)
    return lines

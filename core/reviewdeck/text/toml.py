"""TOML as people write it: the table, and on which line each key stands."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

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


def parse(text: str) -> Mapping[str, Any] | Problem:
    """The table of a text, or what is wrong with it."""
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

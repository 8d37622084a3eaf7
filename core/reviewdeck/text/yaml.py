"""YAML by the one parser, which takes 50 ms to load and a hundred times as long as
`flat_pairs`: only where there is something else to read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ruamel.yaml.events import Event

_LINE: Final = re.compile(
    r"([A-Za-z_][A-Za-z0-9_-]*): ([A-Za-z](?:[A-Za-z0-9 _,.;()/'+-]*[A-Za-z0-9_,.;()/'+-])?)"
)


class Unparsable(ValueError):
    """A text that the parser does not take, with its problem in a few words; empty for none."""

    def __init__(self, problem: str, line: int, *, is_deep: bool) -> None:
        super().__init__(problem)
        self.line = line
        """The line of the text, from 1; 0 where it is not known."""
        self.is_deep = is_deep
        """Whether it is nested more deeply than the parser can go."""


def flat_pairs(text: str) -> tuple[tuple[str, str], ...] | None:
    """The keys and values of a text of nothing but keys with plain words; None for another one.

    Every library reads it alike, and most front matters are of this form.
    """
    matches = [_LINE.fullmatch(line) for line in text.strip("\n").split("\n")]
    pairs = tuple((match[1], match[2]) for match in matches if match is not None)
    return pairs if len(pairs) == len(matches) else None


def events(text: str) -> Iterator[Event]:
    """What the parser meets in a text, in order. Raises Unparsable."""
    from ruamel.yaml import YAML

    with _one_error():
        yield from YAML(typ="safe", pure=True).parse(text)


def load(text: str) -> object:
    """The value of the one document of a text. Raises Unparsable."""
    from ruamel.yaml import YAML

    with _one_error():
        value: object = YAML(typ="safe", pure=True).load(text)
        return value


@contextmanager
def _one_error() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        # The parser has no closed set of errors for broken text: it asserts, and indexes too far.
        mark = getattr(error, "context_mark", None) or getattr(error, "problem_mark", None)
        problem = str(getattr(error, "problem", None) or "")
        line = 0 if mark is None else mark.line + 1
        raise Unparsable(problem, line, is_deep=isinstance(error, RecursionError)) from error

"""YAML by the one parser, which takes 50 ms to load: only where there is something to read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ruamel.yaml.events import Event


class Unparsable(ValueError):
    """A text that the parser does not take, with its problem in a few words; empty for none."""

    def __init__(self, problem: str, line: int, *, is_deep: bool) -> None:
        super().__init__(problem)
        self.line = line
        """The line of the text, from 1; 0 where it is not known."""
        self.is_deep = is_deep
        """Whether it is nested more deeply than the parser can go."""


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

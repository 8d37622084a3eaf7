"""The colours of one line: a screen of a long file needs no more.

The syntax that a line begins inside of (a fence, a triple-quoted string) is passed in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from reviewdeck_tui.widgets.syntax_state import OUTSIDE, Inside, end_of, fence_of

if TYPE_CHECKING:
    from pygments.lexer import Lexer  # type: ignore[import-untyped]  # has no stubs

Run = tuple[int, int, str]
"""The start, end and meaning of a colour."""

LONGEST: Final = 400
"""Longer lines of a script stay plain: a lexer's patterns are not all linear."""

_MARKDOWN: Final = re.compile(
    r"(?P<comment><!--.*?(?:-->|$))"
    r"|(?P<heading>^ {0,3}\#{1,6} .*)"
    r"|(?P<keyword>^ {0,12}(?:[-*+]|\d{1,4}[.)])(?= )|^---$|^ {0,3}>)"
    r"|(?P<string>`[^`]{1,200}`)"
    r"|(?P<number>\*\*[^*]{1,200}\*\*)"
    r"|(?P<name>^[A-Za-z_][\w-]{0,40}:(?= |$)|https?://[^\s)>\"']{1,300})"
)
_TOKENS: Final = (
    ("Token.Comment", "comment"),
    ("Token.Keyword", "keyword"),
    ("Token.Literal.String", "string"),
    ("Token.Literal.Number", "number"),
    ("Token.Name.Builtin", "name"),
    ("Token.Name.Function", "name"),
    ("Token.Name.Class", "name"),
    ("Token.Name.Tag", "name"),
    ("Token.Name.Attribute", "name"),
    ("Token.Name.Variable", "name"),
    ("Token.Operator.Word", "keyword"),
)


def runs(line: str, language: str, inside: Inside = OUTSIDE) -> list[Run]:
    """The colours of a line, from left to right, without overlaps."""
    if not language or not line:
        return []
    if language == "markdown" and inside.is_alone:
        # A line of a fence in its own language, or in one colour; the end like the opening.
        if end_of(inside, line.strip(" >")) >= 0:
            return [(0, len(line), "syntax-keyword")]
        if inside.language:
            return runs(line, inside.language, inside.within or OUTSIDE)
        return [(0, len(line), f"syntax-{inside.meaning}")]
    if not inside.closer:
        return list(_line_runs(line, language))
    end = end_of(inside, line)
    goes_on = (0, len(line) if end < 0 else end, f"syntax-{inside.meaning}")
    return [goes_on, *(_line_runs(line, language, end) if end >= 0 else ())]


def _line_runs(line: str, language: str, start: int = 0) -> Iterator[Run]:
    if language == "markdown":
        if not start and fence_of(line) is not None:
            yield 0, len(line), "syntax-keyword"
            return
        for match in _MARKDOWN.finditer(line, start):
            yield match.start(), match.end(), f"syntax-{match.lastgroup}"
    elif len(line) <= LONGEST:
        yield from _lexer_runs(line[start:], language, start)


def _lexer_runs(line: str, language: str, shift: int) -> Iterator[Run]:
    lexer = _lexer(language)
    if lexer is None:
        return
    for start, token, text in lexer.get_tokens_unprocessed(line):
        if meaning := _meaning(str(token)):
            yield shift + start, shift + start + len(text), f"syntax-{meaning}"


@lru_cache(256)
def _meaning(token: str) -> str:
    return next((meaning for prefix, meaning in _TOKENS if token.startswith(prefix)), "")


@lru_cache(32)
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]  # no stubs
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]  # no stubs

    try:
        return get_lexer_by_name(language)
    except ClassNotFound:
        return None

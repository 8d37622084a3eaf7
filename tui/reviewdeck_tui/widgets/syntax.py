"""Colour of one line at a time: a line is all that a screen of a long file ever needs.

What spans lines (a fence, a triple-quoted string) is not known here; a colour may be wrong then,
never a character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pygments.lexer import Lexer  # type: ignore[import-untyped]  # has no stubs

Run = tuple[int, int, str]
"""Where a colour starts and ends, and its meaning."""

LONGEST: Final = 400
"""Longer lines of a script stay plain: a lexer's patterns are not all linear."""

_MARKDOWN: Final = re.compile(
    r"(?P<heading>^ {0,3}\#{1,6} .*)"
    r"|(?P<keyword>^ {0,12}(?:[-*+]|\d{1,4}[.)])(?= )|^(?:---|```\w{0,20})$|^ {0,3}>)"
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


def runs(line: str, language: str) -> list[Run]:
    """The colours of one line, from left to right, without overlaps."""
    if not language or not line:
        return []
    if language == "markdown":
        return [
            (found.start(), found.end(), f"syntax-{found.lastgroup}")
            for found in _MARKDOWN.finditer(line)
        ]
    return list(_lexed(line, language)) if len(line) <= LONGEST else []


def _lexed(line: str, language: str) -> Iterator[Run]:
    lexer = _lexer(language)
    if lexer is None:
        return
    for start, token, text in lexer.get_tokens_unprocessed(line):
        if meaning := _meaning(str(token)):
            yield start, start + len(text), f"syntax-{meaning}"


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

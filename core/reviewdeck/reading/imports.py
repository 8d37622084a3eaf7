"""Which files the instructions of Claude Code bring into the prompt with `@path`.

Seen in 2.1.332: relative to the importing file, four levels deep, each file once, with a suffix of
text or none, not within code, HTML or a comment. What follows the path is part of it, a full stop
too.

A file that is missed here would be in the prompt and never reviewed. So a path is left out only
where it is code or a comment for certain; lines and white space are those of JavaScript.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from reviewdeck.values import dataclass

DEPTH: Final = 4
MOST: Final = 200
"""The most files that are followed."""
_LINE_END: Final = re.compile(r"\r\n?")
_FENCE: Final = re.compile(r"`{3,}(?=[^`]*$)|~{3,}")
_COMMENT: Final = re.compile(r"<!--(?!-?>)(?:(?!-->).)*-->")
"""A line that is nothing else."""
_SPAN: Final = re.compile(r"`[^`]*`")
_DOUBT: Final = re.compile(r"<[a-z/!?]|``|\\`|^ {0,3}\[.*\]:", re.IGNORECASE)
"""What may make code of the text after it, or text of its code; so may a link beside code."""
_SPACE: Final = r"\t\n\v\f\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_WORD: Final = re.compile(rf"(?:^|(?<=[{_SPACE}]))[*_]*@((?:\\ |[^{_SPACE}\\])+)", re.MULTILINE)
_PART: Final = re.compile(
    rf"(?:^|(?<=[`>\])*_|\-{_SPACE}])|(?<=\\.))@([^{_SPACE}\\@`<*!\[\]|]+)", re.MULTILINE
)
"""A path that stands beside markup, which is not part of it."""
_PATH: Final = re.compile(r"\./|~/|/.|[A-Za-z0-9._-]")
_TEXT: Final = frozenset(
    """
    adoc asciidoc astro bash bat c cc cfg cjs clj cljc cljs cmake cmd conf config cpp cs css csv cts
    cxx dart diff edn ejs elm env erb erl ex exs f f90 f95 fish for go gql gradle graphql h hbs hpp
    hrl hs htm html hxx ini jade java js json jsx kt kts latex less lhs lock log lua make makefile
    md mjs ml mli mts org patch php pl pm properties proto ps1 pug py pyi pyw r rake rb rs rst sass
    sbt scala scss sh sql svelte swift tex text toml ts tsx txt vue xml yaml yml zsh
    """.split()  # noqa: SIM905 - a table of words
)
"""Suffixes of the files that it imports; `markdown` and `mdx` are none."""


@dataclass(frozen=True, slots=True)
class Import:
    """One file that a document brings into the prompt."""

    by: str
    """The document that imports it, directly or through others."""
    path: str


def imported_by(text: str) -> tuple[str, ...]:
    """The paths that a text may import, as written."""
    text = _LINE_END.sub("\n", text)
    has_front = text.lstrip("\ufeff \t\n").startswith("---")
    kept = text if has_front else _without_code(text)
    words = (match[1].replace("\\ ", " ") for match in _WORD.finditer(kept))
    parts = (match[1] for match in _PART.finditer(kept))
    named = (path.partition("#")[0].rstrip("*_") for path in (*words, *parts))
    return tuple(dict.fromkeys(path for path in named if _PATH.match(path) and _is_text(path)))


def _is_text(path: str) -> bool:
    suffix = PurePosixPath(path).suffix
    return not suffix or suffix[1:].lower() in _TEXT


def _without_code(text: str) -> str:
    """The text without fences, code spans and lines of comments; all of it where there is doubt."""
    kept, fence = list[str](), ""
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if fence:
            closing = line.lstrip(" ")
            is_near = len(line) - len(closing) < 4
            fence = "" if is_near and _ends(closing.rstrip(" "), fence) else fence
        elif number < len(lines) and (opening := _FENCE.match(line)):  # The last line opens none.
            fence = opening[0]
        elif not _COMMENT.fullmatch(line):
            if line.count("`") % 2 or ("`" in line and "](" in line) or _DOUBT.search(line):
                return text
            kept.append(_SPAN.sub("`", line))
    return "\n".join(kept)


def _ends(line: str, fence: str) -> bool:
    """Whether a line of nothing else closes a fence."""
    return line.startswith(fence) and not line.strip("`~")


def closure(
    starts: Iterable[str],
    find: Callable[[str, str], str | None],
    read: Callable[[str], str | None],
) -> Iterator[Import]:
    """All files that these documents bring into the prompt, each once, even in a cycle.

    `find` gives the file that a name means in a document, None where there is none; `read` gives
    its text, None where it is not followed.
    """
    visited = set(starts)
    for start in sorted(visited):
        level = [start]
        for _ in range(DEPTH):
            following: list[str] = []
            for by in level:
                for name in imported_by(read(by) or ""):
                    target = find(by, name)
                    if target is None or target in visited or len(visited) >= MOST:
                        continue
                    visited.add(target)
                    following.append(target)
                    yield Import(start, target)
            level = following

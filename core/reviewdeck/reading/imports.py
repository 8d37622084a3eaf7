"""Which files the instructions of Claude Code bring into the prompt with `@path`.

Seen in 2.1.332: relative to the importing file, four levels deep, each file once, with a suffix of
text or none, not within code, HTML or a comment. What follows the path is part of it, a full stop
too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from reviewdeck.reading.memory import without_comments
from reviewdeck.values import dataclass

DEPTH: Final = 4
MOST: Final = 200
"""The most files that are followed."""
_FENCE: Final = re.compile(r"[ >]*(`{3,}|~{3,})")
_CODE: Final = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_BLOCK_TAG: Final = re.compile(
    r" {0,3}</?(?:div|p|table|thead|tbody|tr|t[dh]|details|summary|section|article|header|footer"
    r"|nav|ul|ol|li|dl|dt|dd|h[1-6]|pre|blockquote|center|form)\b",
    re.IGNORECASE,
)
"""The line that begins a block of HTML: it goes on to the next empty line."""
_TAG: Final = re.compile(r" {0,3}</?[a-z][^<>]*>\s*$", re.IGNORECASE)
"""One that does so after an empty line alone."""
_ITEM: Final = re.compile(r" {0,3}(?:[-*+]|\d+[.)])\s")
_HEADING: Final = re.compile(r" {0,3}#{1,6}\s")
_REFERENCE: Final = re.compile(r" {0,3}\[[^\]]+\]:")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_IMPORT: Final = re.compile(r"(?:^|(?<=\s))[*_]*@((?:\\ |[^\s\\])+)", re.MULTILINE)
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
    """The paths that a text imports, as written."""
    plain = _CODE.sub("", _COMMENT.sub("", "\n".join(_plain_lines(without_comments(text)))))
    paths = (match[1].replace("\\ ", " ") for match in _IMPORT.finditer(plain))
    named = (path.partition("#")[0].rstrip("*_") for path in paths)
    return tuple(dict.fromkeys(path for path in named if _PATH.match(path) and _is_text(path)))


def _is_text(path: str) -> bool:
    suffix = PurePosixPath(path).suffix
    return not suffix or suffix[1:].lower() in _TEXT


def _plain_lines(text: str) -> Iterator[str]:
    fence, is_html, is_after_gap, is_in_list = "", False, True, False
    for line in text.splitlines():
        mark = _FENCE.match(line)
        is_empty = not line.strip()
        if fence:
            is_end = mark and mark[1].startswith(fence) and not line[mark.end() :].strip()
            fence = "" if is_end else fence
            is_after_gap = True
            continue
        begins = _BLOCK_TAG.match(line) or (_TAG.match(line) if is_after_gap else None)
        is_html = not is_empty and (is_html or begins is not None)
        is_in_list = _ITEM.match(line) is not None or (is_in_list and line.startswith((" ", "\t")))
        is_code = is_after_gap and not is_in_list and line.startswith(("    ", "\t"))
        if mark and not is_html:
            fence = mark[1]
        elif not (is_html or is_code or (is_after_gap and _REFERENCE.match(line))):
            yield line
        is_after_gap = is_empty or is_code or _HEADING.match(line) is not None


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

"""Which files the instructions of an agent bring into the prompt with `@path`.

Seen in Claude Code 2.1.332: relative to the importing file, four levels deep, each file once, with
a suffix of text or none, not within code, HTML or a comment. What follows the path is part of it, a
full stop too. Gemini CLI 0.61.0 and Qwen Code 0.24.4 go five levels deep and take any suffix, and
most of what Claude Code takes for code or a comment.

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
ALL_DEPTH: Final = 5
"""The levels of Gemini CLI and Qwen Code."""
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


def imported_by(text: str, *, everything: bool = False) -> tuple[str, ...]:
    """The paths that a text may import, as written; with `everything` all that it names."""
    text = _LINE_END.sub("\n", text)
    has_front = text.lstrip("\ufeff \t\n").startswith("---")
    kept = text if everything or has_front else _without_code(text)
    words = [match[1].replace("\\ ", " ") for match in _WORD.finditer(kept)]
    parts = (match[1] for match in _PART.finditer(kept))
    cut = (path.partition("#")[0].rstrip("*_") for path in (*words, *parts))
    named = dict.fromkeys((*words, *cut) if everything else cut)
    return tuple(path for path in named if _PATH.match(path) and (everything or _is_text(path)))


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
    takes_everything: Callable[[str], bool] = lambda start: False,
) -> Iterator[Import]:
    """All files that these documents bring into the prompt, each once, even in a cycle.

    Each is followed as deep as from the document that is nearest to it.

    `find` gives the file that a name means in a document, None where there is none; `read` gives
    its text, None where it is not followed; `takes_everything` says which of the documents Gemini
    CLI or Qwen Code may read.
    """
    starts = sorted(set(starts))
    found = set(starts)
    names: dict[tuple[str, bool], tuple[str, ...]] = {}
    for start in starts:
        everything = takes_everything(start)
        level, seen = [start], {start}
        for _ in range(ALL_DEPTH if everything else DEPTH):
            following: list[str] = []
            for by in level:
                if (by, everything) not in names:
                    names[by, everything] = imported_by(read(by) or "", everything=everything)
                for name in names[by, everything]:
                    target = find(by, name)
                    if target is None or target in seen or len(found) - len(starts) >= MOST:
                        continue
                    seen.add(target)
                    following.append(target)
                    if target not in found:
                        found.add(target)
                        yield Import(start, target)
            level = following

"""What a line of a text begins inside of: a fence of Markdown, a string or comment of many lines.

Each line is gone through once, from left to right, without a lexer: what opens, what closes, and
what hides both. A colour may be wrong after an unusual line, never a character.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final


@dataclass(frozen=True, slots=True)
class Inside:
    """What a line begins inside of."""

    closer: str = ""
    """What ends it; empty for nothing."""
    meaning: str = ""
    """The colour of what is in it: string or comment."""
    is_alone: bool = False
    """Whether its end stands alone on a line."""
    language: str = ""
    """Of the lines in a fence, where it is one that we colour."""
    within: Inside | None = None
    """What a line in the fence begins inside of, in that language."""


OUTSIDE: Final = Inside()

_FENCE: Final = re.compile(r"[ >]{0,12}(?:[-*+] +|\d{1,4}[.)] +)?(`{3,}|~{3,}) *([\w+-]*)[^`]*$")
_FENCED: Final = {
    "py": "python",
    "python": "python",
    "python3": "python",
    "sh": "bash",
    "bash": "bash",
    "shell": "bash",
    "zsh": "bash",
    "console": "bash",
    "js": "javascript",
    "javascript": "javascript",
    "ts": "typescript",
    "typescript": "typescript",
    "json": "json",
    "yaml": "yaml",
    "yml": "yaml",
    "toml": "toml",
    "ini": "ini",
    "ruby": "ruby",
    "rb": "ruby",
    "perl": "perl",
    "sql": "sql",
    "powershell": "powershell",
}
"""Whatever else an agent calls a fence is one colour: no lexer is loaded by its name."""


@dataclass(frozen=True, slots=True)
class _Grammar:
    """How a language writes what spans lines."""

    tokens: re.Pattern[str]
    """What opens such a text, by the name of its kind, and what may hide one."""
    markers: tuple[str, ...]
    """One of these stands wherever something opens."""


def _grammar(openers: str, hiding: str, *markers: str) -> _Grammar:
    return _Grammar(re.compile(f"{openers}|(?:{hiding})"), markers)


_STRING: Final = r'"(?:\\.|[^"\\])*(?:"|\\?$)'
_QUOTED: Final = r"'(?:\\.|[^'\\])*(?:'|\\?$)"
_BLOCKS: Final = _grammar(r"(?P<slash>/\*)|(?P<tick>`)", rf"//.*|{_STRING}|{_QUOTED}", "/*", "`")
_GRAMMARS: Final = {
    "python": _grammar(r"(?P<triple>\"\"\"|''')", rf"\#.*|{_STRING}|{_QUOTED}", '"""', "'''"),
    "toml": _grammar(r"(?P<triple>\"\"\"|''')", rf"\#.*|{_STRING}|'[^']*'?", '"""', "'''"),
    "javascript": _BLOCKS,
    "typescript": _BLOCKS,
    "sql": _grammar(r"(?P<slash>/\*)", r"--.*|'[^']*'?", "/*"),
    "bash": _grammar(
        r"(?P<here><<-? *(?P<mark>['\"]?)(?P<word>\w+)(?P=mark))|(?P<double>\")|(?P<single>')",
        r"(?:^|(?<=\s))\#.*|\\.|<<<",
        *("<<", '"', "'"),
    ),
    "ruby": _grammar(r"(?P<begin>^=begin\b)", r"\Z\A", "=begin"),
    "perl": _grammar(r"(?P<pod>^=(?!cut\b)[a-z]\w*)", r"\Z\A", "="),
    "powershell": _grammar(
        r"(?P<angle><\#)|(?P<at>@[\"'])$", r"\#.*|\"(?:`.|[^\"`])*(?:\"|`?$)|'[^']*'?", "<#", "@"
    ),
}
_KINDS: Final = {
    "slash": Inside("*/", "comment"),
    "tick": Inside("`", "string"),
    "double": Inside('"', "string"),
    "single": Inside("'", "string"),
    "begin": Inside("=end", "comment", is_alone=True),
    "pod": Inside("=cut", "comment", is_alone=True),
    "angle": Inside("#>", "comment"),
}
_UNESCAPED: Final = frozenset({"*/", "#>", "'", "-->"})
"""Ends that a backslash before them does not undo."""
_COMMENT: Final = "<!--"
_MARKDOWN_MARKERS: Final = ("```", "~~~", _COMMENT)


def spans_lines(language: str) -> bool:
    """Whether anything in this language goes over several lines."""
    return language == "markdown" or language in _GRAMMARS


def stays(inside: Inside, lines: str, language: str) -> bool:
    """Whether nothing opens or closes in these lines, at a glance; False when unsure."""
    if inside.within is not None and spans_lines(inside.language):
        return False
    if inside.closer:
        return inside.closer not in lines
    markers = _MARKDOWN_MARKERS if language == "markdown" else _GRAMMARS[language].markers
    return not any(marker in lines for marker in markers)


def after(inside: Inside, line: str, language: str) -> Inside:
    """What the line after this one begins inside of."""
    if language == "markdown":
        return _after_markdown(inside, line)
    grammar = _GRAMMARS.get(language)
    return _after_script(inside, line, grammar) if grammar is not None else OUTSIDE


def end_of(inside: Inside, line: str, start: int = 0) -> int:
    """Where in a line it ends, after its last character; -1 when it goes on."""
    if inside.is_alone:
        said = line.strip()
        is_fence = inside.closer[0] in "`~" and said.startswith(inside.closer)
        ends = not said.strip(inside.closer[0]) if is_fence else said == inside.closer
        return len(line) if ends else -1
    if inside.closer in _UNESCAPED:
        found = line.find(inside.closer, start)
        return found + len(inside.closer) if found >= 0 else -1
    for token in _closing(inside.closer).finditer(line, start):
        if token.group() == inside.closer:
            return token.end()
    return -1


def fence_of(line: str) -> Inside | None:
    """The fence that a line of Markdown opens."""
    found = _FENCE.match(line)
    if found is None:
        return None
    language = _FENCED.get(found[2].lower(), "")
    return Inside(found[1], "string", True, language, OUTSIDE)


@lru_cache(32)
def _closing(closer: str) -> re.Pattern[str]:
    return re.compile(rf"\\.|{re.escape(closer)}")


def _after_markdown(inside: Inside, line: str) -> Inside:
    if inside.closer and not inside.is_alone:
        return OUTSIDE if end_of(inside, line) >= 0 else inside
    if inside.closer:
        if end_of(inside, line.strip(" >")) >= 0:
            return OUTSIDE
        if not spans_lines(inside.language):
            return inside
        within = after(inside.within or OUTSIDE, line, inside.language)
        return Inside(inside.closer, inside.meaning, True, inside.language, within)
    if (fence := fence_of(line)) is not None:
        return fence
    comment = line.rfind(_COMMENT)
    is_open = comment >= 0 and "-->" not in line[comment:]
    return Inside("-->", "comment") if is_open else OUTSIDE


def _after_script(inside: Inside, line: str, grammar: _Grammar) -> Inside:
    at = 0
    if inside.closer:
        at = end_of(inside, line)
        if at < 0:
            return inside
    last = OUTSIDE
    while (token := grammar.tokens.search(line, at)) is not None:
        at = max(token.end(), at + 1)
        opened = _opened(token)
        if opened.is_alone:
            last = opened  # It begins with the next line.
        elif opened.closer:
            at = end_of(opened, line, at)
            if at < 0:
                return opened
    return last


def _opened(token: re.Match[str]) -> Inside:
    """What a token opens; nothing where it only hides what looks like an opener."""
    match token.lastgroup:
        case None:
            return OUTSIDE
        case "triple":
            return Inside(token["triple"], "string")
        case "here":
            return Inside(token["word"], "string", is_alone=True)
        case "at":
            return Inside(f"{token['at'][1]}@", "string", is_alone=True)
        case kind:
            return _KINDS[kind]

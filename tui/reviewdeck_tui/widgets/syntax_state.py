"""The syntax that a line begins inside of: a Markdown fence, a multi-line string or comment.

Each line is scanned once, from left to right, without a lexer: for what opens, what closes, and
what hides both. After an unusual line a colour may be wrong, never a character.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final


@dataclass(frozen=True, slots=True)
class Inside:
    """The syntax that a line begins inside of."""

    closer: str = ""
    """The text that ends it; empty for nothing."""
    meaning: str = ""
    """The colour inside: string or comment."""
    is_alone: bool = False
    """Whether its end is a line of its own."""
    language: str = ""
    """The language of a fence, if it is one that we colour."""
    within: Inside | None = None
    """The syntax within the fence, in that language."""


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
"""Any other language of a fence gets one colour: no lexer is loaded by a name from an agent."""


@dataclass(frozen=True, slots=True)
class _Grammar:
    """The multi-line texts of a language."""

    tokens: re.Pattern[str]
    """The openers of such texts, by the name of their kind, and what may hide one."""
    markers: tuple[str, ...]
    """Every opener contains one of these."""


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
"""Ends that a backslash does not escape."""
_COMMENT: Final = "<!--"
_MARKDOWN_MARKERS: Final = ("```", "~~~", _COMMENT)


def spans_lines(language: str) -> bool:
    """Whether anything in this language spans several lines."""
    return language == "markdown" or language in _GRAMMARS


def is_unaffected(inside: Inside, lines: str, language: str) -> bool:
    """A quick check that nothing opens or closes in these lines; False when unsure."""
    if inside.within is not None and spans_lines(inside.language):
        return False
    if inside.closer:
        return inside.closer not in lines
    markers = _MARKDOWN_MARKERS if language == "markdown" else _GRAMMARS[language].markers
    return not any(marker in lines for marker in markers)


def state_after(inside: Inside, line: str, language: str) -> Inside:
    """The syntax that the next line begins inside of."""
    if language == "markdown":
        return _after_markdown(inside, line)
    grammar = _GRAMMARS.get(language)
    return _after_script(inside, line, grammar) if grammar is not None else OUTSIDE


def end_of(inside: Inside, line: str, start: int = 0) -> int:
    """The place in a line after its end; -1 if it goes on."""
    if inside.is_alone:
        stripped = line.strip()
        is_fence = inside.closer[0] in "`~" and stripped.startswith(inside.closer)
        is_end = not stripped.strip(inside.closer[0]) if is_fence else stripped == inside.closer
        return len(line) if is_end else -1
    if inside.closer in _UNESCAPED:
        place = line.find(inside.closer, start)
        return place + len(inside.closer) if place >= 0 else -1
    for token in _closer_pattern(inside.closer).finditer(line, start):
        if token.group() == inside.closer:
            return token.end()
    return -1


def fence_of(line: str) -> Inside | None:
    """The fence that a Markdown line opens."""
    match = _FENCE.match(line)
    if match is None:
        return None
    language = _FENCED.get(match[2].lower(), "")
    return Inside(match[1], "string", True, language, OUTSIDE)


@lru_cache(32)
def _closer_pattern(closer: str) -> re.Pattern[str]:
    return re.compile(rf"\\.|{re.escape(closer)}")


def _after_markdown(inside: Inside, line: str) -> Inside:
    if inside.closer and not inside.is_alone:
        return OUTSIDE if end_of(inside, line) >= 0 else inside
    if inside.closer:
        if end_of(inside, line.strip(" >")) >= 0:
            return OUTSIDE
        if not spans_lines(inside.language):
            return inside
        within = state_after(inside.within or OUTSIDE, line, inside.language)
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
        opened_syntax = _opened_by(token)
        if opened_syntax.is_alone:
            last = opened_syntax  # It begins with the next line.
        elif opened_syntax.closer:
            at = end_of(opened_syntax, line, at)
            if at < 0:
                return opened_syntax
    return last


def _opened_by(token: re.Match[str]) -> Inside:
    """The syntax that a token opens; nothing if the token only hides an opener."""
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

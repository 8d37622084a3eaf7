"""A shell command line as the simple commands in it, each with its words as the program gets them.

It follows the POSIX shell's quoting, and bash where that adds to it. Nothing is expanded. What it
does not follow (here-documents with expansions in them, functions, most of `${…}`) makes the whole
line unclear, which a caller treats as the worst case. The gate inside Claude Code loads this
module, so it imports only what loads quickly.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DEEPEST = 20
"""The most substitutions within each other that are followed."""
MOST_BRACES = 64
"""The most words that the braces of one word are expanded to."""


class ShellWord:
    """One word of a command, unquoted."""

    __slots__ = ("is_literal", "is_single", "text")

    def __init__(self, text: str, *, is_literal: bool, is_single: bool = False) -> None:
        self.text = text
        """Its expansions stand in it as they were written."""
        self.is_literal = is_literal
        """Whether the program gets exactly this text: no expansion and no pattern is in it."""
        self.is_single = is_single or is_literal
        """Whether the program gets one argument for it, whatever is expanded."""

    @property
    def may_begin_otherwise(self) -> bool:
        """Whether an expansion or a pattern gives its first character: it may be an option."""
        return not self.is_literal and self.text[:1] in _EXPANDING

    def __repr__(self) -> str:
        return f"ShellWord({self.text!r}, is_literal={self.is_literal})"


class SimpleCommand:
    """A program with its arguments, the assignments before it and its redirections."""

    __slots__ = ("assignments", "redirections", "words")

    def __init__(self) -> None:
        self.assignments: list[tuple[str, ShellWord]] = []
        self.words: list[ShellWord] = []
        self.redirections: list[tuple[str, ShellWord]] = []
        """The operator, as `>>`, and the word behind it; behind `<<` the whole text."""

    @property
    def name(self) -> str:
        """The program; empty for none, or one that is not known before the line runs."""
        return self.words[0].text if self.words and self.words[0].is_literal else ""

    @property
    def arguments(self) -> list[ShellWord]:
        """The words after the program."""
        return self.words[1:]


class Unclear(Exception):
    """It cannot be told where the commands of a line begin and end."""


def split_commands(line: str) -> list[SimpleCommand] | None:
    """Every simple command of a line, those in substitutions too; None where that is unclear."""
    if "\0" in line:
        return None
    joined = line.replace("\\\n", "")
    try:
        commands = _Parser(joined).commands()
    except (Unclear, RecursionError):
        return None
    if joined != line and any(
        operator in _TEXTS for command in commands for operator, _ in command.redirections
    ):
        return None  # In a here-document, joined lines may hide its end.
    return commands


def braces_expanded(word: str) -> list[str]:
    """A word as the words that its `{a,b}` stand for, at most `MOST_BRACES`."""
    words: list[str] = [word]
    done: list[str] = []
    while words and len(words) + len(done) < MOST_BRACES:
        match = _BRACES.search(first := words.pop())
        if match is None:
            done.append(first)
            continue
        words += [
            first[: match.start()] + choice + first[match.end() :] for choice in match[1].split(",")
        ]
    return done + words


def variables_filled(word: str, values: Mapping[str, str]) -> str:
    """A word with the values of these variables in place of their names."""
    return _VARIABLE.sub(lambda match: values.get(match[1] or match[2], match[0]), word)


_BRACES = re.compile(r"(?<!\$)\{([^{}]*,[^{}]*)\}")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_QUOTES = str.maketrans("", "", "'\"\\")
_TEXTS = ("<<", "<<-")
_BLANK = " \t\r"
_ENDS = "\n;&|()"
_EXPANDING = "$`*?[{"
_NAME = re.compile(r"\$(?:\w+|[?#@*$!-])")
_PLAIN_PARAMETER = re.compile(r"\$\{(?:#?\w+|\w+(?:%%?|##?|:?[-+?])[^{}`$()\[\]'\"\\]*)\}")
_NUMBERS = re.compile(r"\$\(\([\d\s+*/%-]*\)\)")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_REDIRECTION = re.compile(r"(?:\d+|\{\w+\})?(&>>?|<<<|<<-?|<>|<&|>>|>&|>\||[<>])")
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))", re.S
)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


class _Parser:
    """Reads one line from the left."""

    def __init__(self, line: str, depth: int = 0) -> None:
        if depth > DEEPEST:
            raise Unclear
        self._line, self._at, self._depth = line, 0, depth
        self._found: list[SimpleCommand] = []
        self._texts: list[tuple[SimpleCommand, str, str]] = []
        """The here-documents that begin at the next line: command, operator and delimiter."""

    def commands(self) -> list[SimpleCommand]:
        """All commands of the line."""
        self._read_list(is_nested=False)
        return self._found

    def _read_list(self, *, is_nested: bool) -> None:
        """Reads commands until the end, or until the parenthesis that closes a substitution."""
        command, open_groups = SimpleCommand(), 0
        while self._at < len(self._line):
            char = self._line[self._at]
            redirection = _REDIRECTION.match(self._line, self._at)
            if char in _BLANK:
                self._at += 1
            elif char == "#":
                end = self._line.find("\n", self._at)
                self._at = len(self._line) if end < 0 else end
            elif redirection and not self._line.startswith(("<(", ">("), redirection.start(1)):
                self._read_redirection(command, redirection)
            elif char in _ENDS:
                if char == ")" and not open_groups:
                    if not is_nested or self._texts:
                        raise Unclear
                    self._keep(command)
                    return
                if char == "(" and (command.words or command.assignments):
                    raise Unclear  # a function, an array or an extended pattern
                open_groups += (char == "(") - (char == ")")
                self._keep(command)
                command = SimpleCommand()
                self._read_end(char)
            else:
                self._add(command, self._read_word())
        if is_nested or open_groups or self._texts:
            raise Unclear
        self._keep(command)

    def _keep(self, command: SimpleCommand) -> None:
        if command.words or command.assignments or command.redirections:
            self._found.append(command)

    def _add(self, command: SimpleCommand, word: ShellWord) -> None:
        match = _ASSIGNMENT.match(word.text)
        if match is None or command.words:
            command.words.append(word)
            return
        value = ShellWord(word.text[match.end() :], is_literal=word.is_literal)
        command.assignments.append((match[0].rstrip("+="), value))

    def _read_redirection(self, command: SimpleCommand, match: re.Match[str]) -> None:
        operator = match[1]
        self._at = match.end()
        while self._line[self._at : self._at + 1] in _BLANK and self._at < len(self._line):
            self._at += 1
        start = self._at
        word = self._read_word()
        if operator in _TEXTS:
            delimiter = self._line[start : self._at]
            if not delimiter or any(char in delimiter for char in "$`"):
                raise Unclear
            self._texts.append((command, operator, delimiter))
        elif word.text or operator == "<<<":
            command.redirections.append((operator, word))
        else:
            raise Unclear

    def _read_end(self, char: str) -> None:
        """What ends a command; at the end of a line, the texts of its here-documents too."""
        self._at += 1
        if char != "\n":
            return
        for command, operator, delimiter in self._texts:
            end = delimiter.translate(_QUOTES)
            lines: list[str] = []
            while True:
                if self._at >= len(self._line):
                    raise Unclear
                after = self._line.find("\n", self._at)
                line = self._line[self._at : after if after >= 0 else None]
                self._at += len(line) + 1
                line = line.lstrip("\t") if operator == "<<-" else line
                if line == end:
                    break
                if line.startswith(f"{end})"):
                    raise Unclear  # Some shells let a substitution end there.
                lines.append(line)
            text = "\n".join(lines)
            if end == delimiter and any(char in text for char in "$`\\"):
                raise Unclear  # It is expanded.
            command.redirections.append((operator, ShellWord(text, is_literal=True)))
        self._texts.clear()

    def _read_word(self) -> ShellWord:
        parts: list[str] = []
        is_literal = is_single = True
        while self._at < len(self._line):
            char = self._line[self._at]
            if char in "<>" and self._line.startswith("(", self._at + 1):
                parts.append(self._read_nested(2))
                is_literal = False
            elif char in _BLANK or char in _ENDS or char in "<>":
                if char == "(" and parts:
                    raise Unclear
                break
            elif char == "'":
                parts.append(self._read_until("'"))
            elif char == '"':
                text, is_plain = self._read_double()
                parts.append(text)
                is_literal = is_literal and is_plain
            elif char == "\\":
                parts.append(self._line[self._at + 1 : self._at + 2])
                self._at += 2
            elif char in "$`":
                text, is_plain = self._read_expansion()
                parts.append(text)
                is_literal = is_literal and is_plain
                is_single = is_single and is_plain
            else:
                is_single = is_single and char not in "*?[{"
                is_literal = is_literal and char not in "*?[{" and not (char == "~" and not parts)
                parts.append(char)
                self._at += 1
        text = "".join(parts)
        is_single = is_single and "$@" not in text
        return ShellWord(text, is_literal=is_literal or text in ("[", "[["), is_single=is_single)

    def _read_until(self, quote: str) -> str:
        end = self._line.find(quote, self._at + 1)
        if end < 0:
            raise Unclear
        text = self._line[self._at + 1 : end]
        self._at = end + 1
        return text

    def _read_double(self) -> tuple[str, bool]:
        parts: list[str] = []
        is_literal = True
        self._at += 1
        while self._at < len(self._line):
            char = self._line[self._at]
            if char == '"':
                self._at += 1
                return "".join(parts), is_literal
            if char == "\\":
                escaped = self._line[self._at + 1 : self._at + 2]
                parts.append(escaped if escaped and escaped in '$`"\\' else f"\\{escaped}")
                self._at += 2
            elif char == "`" or (
                char == "$" and self._line[self._at + 1 : self._at + 2] not in "'\""
            ):
                text, is_plain = self._read_expansion()
                parts.append(text)
                is_literal = is_literal and is_plain
            else:
                parts.append(char)
                self._at += 1
        raise Unclear

    def _read_expansion(self) -> tuple[str, bool]:
        """What begins with `$` or a backquote: its text, and whether that is all of it."""
        start = self._at
        if self._line[start] == "`":
            return self._read_backquoted(), False
        following = self._line[start + 1 : start + 2]
        if following == "'":
            return self._read_escaped(), True
        if following == '"':
            self._at += 1
            return self._read_double()
        for pattern in (_NUMBERS, _NAME, _PLAIN_PARAMETER):
            if match := pattern.match(self._line, start):
                self._at = match.end()
                return match[0], False
        if following == "(":
            return self._read_nested(2), False
        if following in ("{", "["):
            raise Unclear
        self._at += 1
        return "$", True

    def _read_nested(self, opening: int) -> str:
        """A substitution in parentheses: its commands are kept, its text is given."""
        if self._texts:
            raise Unclear  # Its lines and those of a here-document are mixed.
        inner = _Parser(self._line, self._depth + 1)
        inner._at = self._at + opening
        inner._read_list(is_nested=True)
        self._found += inner._found
        text = self._line[self._at : inner._at + 1]
        self._at = inner._at + 1
        return text

    def _read_backquoted(self) -> str:
        match = re.compile(r"`((?:[^`\\]|\\.)*)`", re.S).match(self._line, self._at)
        if match is None:
            raise Unclear
        inner = re.sub(r"\\([`\\$])", r"\1", match[1])
        self._found += _Parser(inner, self._depth + 1).commands()
        self._at = match.end()
        return match[0]

    def _read_escaped(self) -> str:
        match = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.S).match(self._line, self._at)
        if match is None:
            raise Unclear
        self._at = match.end()
        return "".join(_unescaped(match[1]))


def _unescaped(text: str) -> Iterator[str]:
    at = 0
    for match in _ESCAPE.finditer(text):
        yield text[at : match.start()]
        at = match.end()
        digits, octal, letter = match[1] or match[2] or match[3], match[4], match[5]
        if letter is not None:
            yield _LETTERS.get(letter, letter)
        else:
            number = int(digits, 16) if digits else int(octal, 8)
            yield chr(number) if 0 < number < 0x110000 else ""
    yield text[at:]

"""What RE2 looks for in the place of a pattern: always at least what the pattern itself finds."""

from __future__ import annotations

import re
from collections.abc import Iterator

_COUNT = re.compile(r"\{(\d*)(,?)(\d*)\}")
_LETTER, _ESCAPED = re.compile("[A-Za-z]"), re.compile(r"\\.")
_KINDS = re.compile(r"\\[dDsSwW]")
_MOST = 3
"""A count from here on is left open."""

_ANY = "(?s:.)"
_FLAGS = ((re.MULTILINE, "m"), (re.DOTALL, "s"))
_AROUND = ("(?=", "(?!", "(?<=", "(?<!")


def loosened(pattern: re.Pattern[str]) -> str:
    """Everything that a pattern finds in a text of plain ASCII in lower case, and more."""
    flags = "".join(letter for flag, letter in _FLAGS if pattern.flags & flag)
    return f"(?i{flags})" + "".join(_loosened(pattern.pattern))


def wording(pattern: re.Pattern[str]) -> str:
    """The same for any text at all, to tell which words have to be there for a match.

    What the two engines read differently stands for any character: kinds of characters, such as
    digits and spaces, and whatever is left out of a class. Where words end does not matter.
    """
    return "(?is)" + "".join(_worded(loosened(pattern).partition(")")[2]))


def _worded(source: str) -> Iterator[str]:
    at = 0
    while at < len(source):
        if source[at] == "[":
            end = _class_end(source, at)
            differs = source[at + 1] == "^" or _KINDS.search(source, at, end)
            yield _ANY if differs else source[at:end]
            at = end
        elif source[at] == "\\":
            escaped = source[at : at + 2]
            yield (
                _ANY if _KINDS.fullmatch(escaped) else "" if escaped in (r"\b", r"\B") else escaped
            )
            at += 2
        else:
            yield "" if source[at] == "^" else source[at]
            at += 1


def _loosened(source: str) -> Iterator[str]:
    at = 0
    while at < len(source):
        count = _COUNT.match(source, at)
        if source[at] == "\\":
            yield "" if source[at + 1] == "Z" else source[at : at + 2]
            at += 2
        elif source[at] == "[":
            end = _class_end(source, at)
            yield _any_case(source[at:end])
            at = end
        elif source.startswith(_AROUND, at):
            at = _group_end(source, at)
        elif count:
            yield _open(count)
            at = count.end()
        else:
            yield "" if source[at] == "$" else source[at]
            at += 1


def _any_case(characters: str) -> str:
    """A class. In lower case, one that leaves letters out leaves out too much."""
    is_wide = characters.startswith("[^") and _LETTER.search(_ESCAPED.sub("", characters))
    return _ANY if is_wide else characters


def _open(count: re.Match[str]) -> str:
    least, most = int(count[1] or 0), count[3] if count[2] else count[1]
    if most and int(most) <= _MOST:
        return count[0]
    return ("*", "+")[least] if least < 2 else f"{{{min(least, _MOST)},}}"


def _class_end(source: str, at: int) -> int:
    at += 2 if source[at + 1] == "^" else 1
    at += source[at] == "]"
    while source[at] != "]":
        at += 2 if source[at] == "\\" else 1
    return at + 1


def _group_end(source: str, at: int) -> int:
    depth = 0
    while True:
        if source[at] == "\\":
            at += 1
        elif source[at] == "[":
            at = _class_end(source, at) - 1
        else:
            depth += (source[at] == "(") - (source[at] == ")")
        at += 1
        if not depth:
            return at

"""Texts as lines that keep their ends, so that joining them gives the text back."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO


def decoded(data: bytes | None) -> str | None:
    """The text of a document, with signs in the place of what is not UTF-8; None for none."""
    return None if data is None else data.decode("utf-8", errors="replace")


def text_in(data: bytes | None) -> str:
    """The same; empty for no document."""
    return decoded(data) or ""


def common_start(one: Sequence[object], two: Sequence[object]) -> int:
    """How many characters, lines or words two texts begin with in common."""
    pairs = enumerate(zip(one, two, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(two)))


def split(text: str) -> list[str]:
    """Lines with their ends: LF or CRLF, as to git. A bare CR is a character of its line."""
    return StringIO(text, newline="\n").readlines()


def bare(line: str) -> str:
    """A line without its end."""
    return line[:-2] if line.endswith("\r\n") else line.removesuffix("\n")


def bare_lines(text: str) -> list[str]:
    """The lines of a text without their ends."""
    return [bare(line) for line in split(text)]


def newline_of(text: str) -> str:
    """The kind of line end that a text uses: CRLF where it has one, else LF."""
    return "\r\n" if "\r\n" in text else "\n"


def with_newline(text: str, newline: str) -> str:
    """The text with all its line ends of one kind."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return plain if newline == "\n" else plain.replace("\n", newline)

"""A fact's front matter, and the keys that Claude Code adds to it.

It has one of three shapes: `name, description, type`; the same with `originSessionId`; and
`metadata:` with `node_type, type, originSessionId, modified` in it. All else is preserved byte for
byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from reviewdeck.text.lines import newline_of, split

STAMPED: Final = ("node_type", "originSessionId", "modified")
"""Keys that Claude Code adds: two texts that differ only in them are the same fact."""
_FENCE: Final = re.compile(r"---[ \t]*\r?\n?\Z")
_METADATA: Final = re.compile(r"metadata:[ \t]*\r?\n?\Z")
_STAMP: Final = re.compile(rf"([ \t]*)({'|'.join(STAMPED)}):[ \t]*(\S.*?)?[ \t]*\r?\n?\Z")


def is_same_fact(first: str, second: str) -> bool:
    """Whether two texts are the same fact, apart from the added keys."""
    return list(_unstamped_lines(first)) == list(_unstamped_lines(second))


def stamp_fact(text: str, base: str | None, session: str, at: datetime) -> str:
    """A fact with the session and the time, as Claude Code would have written it.

    An existing fact keeps its stamps: two proposals about one fact do not conflict over the time.
    """
    lines = split(text)
    end = _front_end(lines)
    if end is None or any(line.startswith("metadata:") and "{" in line for line in lines[:end]):
        return text
    stamps = _stamps(base) if base is not None else {}
    if not stamps:
        moment = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        stamps = {"node_type": "memory", "originSessionId": session, "modified": moment}
    newline = newline_of(text)
    has = {match[2] for line in lines[:end] if (match := _STAMP.match(line))}
    new = {key: value for key, value in stamps.items() if key not in has}
    if not new:
        return text
    head = next((number for number in range(1, end) if _METADATA.match(lines[number])), None)
    if head is not None:
        inner = _block_end(lines, head, end)
        first = lines[head + 1]
        indent = first[: len(first) - len(first.lstrip(" \t"))] if inner > head + 1 else "  "
        return _insert_lines(lines, inner, [f"{indent}{key}: {new[key]}" for key in new], newline)
    if "originSessionId" in has:
        new = {key: value for key, value in new.items() if key != "node_type"}
        return _insert_lines(lines, end, [f"{key}: {new[key]}" for key in new], newline)
    return _insert_lines(
        lines, end, ["metadata:", *(f"  {key}: {new[key]}" for key in new)], newline
    )


def _insert_lines(lines: list[str], index: int, block: list[str], newline: str) -> str:
    return "".join([*lines[:index], *(f"{line}{newline}" for line in block), *lines[index:]])


def _block_end(lines: list[str], head: int, end: int) -> int:
    """The line after a block: the first that is not indented."""
    return next(
        (n for n in range(head + 1, end) if lines[n].strip() and lines[n][0] not in " \t"), end
    )


def _front_end(lines: list[str]) -> int | None:
    """The line that closes a front matter; None where there is none."""
    if not lines or not _FENCE.match(lines[0].removeprefix("\ufeff")):
        return None
    return next((n for n in range(1, len(lines)) if _FENCE.match(lines[n])), None)


def _stamps(text: str) -> dict[str, str]:
    lines = split(text)
    end = _front_end(lines) or 0
    matches = (_STAMP.match(line) for line in lines[:end])
    return {match[2]: match[3] or "" for match in matches if match}


def _unstamped_lines(text: str) -> Iterator[str]:
    """The lines of a fact without its stamps, without a block of nothing but stamps, and without
    the empty lines after the front matter."""
    lines = split(text)
    end = _front_end(lines)
    if end is None:
        yield from lines
        return
    front = [line for line in lines[:end] if not _STAMP.match(line)]
    for number, line in enumerate(front):
        has_content = _block_end(front, number, len(front)) > number + 1
        if has_content or not _METADATA.match(line):
            yield line.rstrip("\r\n")
    yield "---"
    body = lines[end + 1 :]
    while body and not body[0].strip():
        body.pop(0)
    yield from body

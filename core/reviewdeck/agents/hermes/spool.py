"""The spool: one file for each turn, from which reviewdeck moves it to its ledger.

The format is that of reviewdeck's own recorder (`docs/internals/sessions.md`): a line is eight hex
digits, the CRC-32 of the rest, a blank, and a JSON list in ASCII. A file has two of them:

    ["open", document, session, parent or null, began, home, platform, started at]
    ["turn", document, number, messages so far, true, at, turn id or null,
             [[role, text, tool, call], ...]]

Times are ISO 8601 with a zone. A file gets its final name once it is complete.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import kit
from .kit import items, members, text_at

MOST = 10_000
"""The most turns that may wait in the folder; more are refused."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The transcript that a turn belongs to."""

    document: str
    session: str
    parent: str | None
    began: str
    """new, reset, resume, branch or compression."""
    home: str
    platform: str
    at: str


Spoken = tuple[str, str, str, str]
"""One message: role, text, the tool that it calls or that answered, the id of that call."""


def put(
    folder: Path,
    opening: Opening,
    number: int,
    messages: Sequence[Spoken],
    *,
    total: int,
    at: str,
    turn: str | None,
) -> None:
    """Writes one turn, durably. Raises OSError."""
    opened = (opening.session, opening.parent, opening.began, opening.home, opening.platform)
    lines = _line("open", opening.document, *opened, opening.at) + _line(
        "turn", opening.document, number, total, True, at, turn, messages
    )
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with kit.OpenFolder(folder) as place:
        if len(kit.names_in(place)) >= MOST:
            raise OSError(f"{MOST:,} turns are waiting there: nobody takes them")
        name = f"{time.time_ns():020d}-{opening.document}"
        kit.write_file(place, f"{name}.spool", lines, draft=f"{name}.new")


def _line(*record: object) -> bytes:
    body = json.dumps(record, separators=(",", ":"), ensure_ascii=True).encode("ascii")
    return b"%08x %b\n" % (zlib.crc32(body), body)


def spoken(messages: Iterable[Mapping[str, Any]]) -> Iterator[Spoken]:
    """The texts of Hermes' messages. Tool calls and their results become messages of their own."""
    names: dict[str, str] = {}
    for message in messages:
        role, content = message.get("role"), message.get("content")
        if role == "tool":
            call = text_at(message, "tool_call_id")
            yield "tool", _text(content), text_at(message, "name") or names.get(call, ""), call
            continue
        if content:
            speaker = role if role in ("assistant", "system") else "user"
            yield str(speaker), _text(content), "", ""
        for entry in map(members, items(message.get("tool_calls"))):
            fields, id = members(entry.get("function")), text_at(entry, "id")
            names[id] = text_at(fields, "name")
            yield "assistant", _text(fields.get("arguments")), names[id], id


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_block(block) for block in content)
    return "" if content is None else json.dumps(content, ensure_ascii=False, default=str)


def _block(block: object) -> str:
    if isinstance(block, dict):
        words = block.get("text")
        return words if isinstance(words, str) else f"[{block.get('type', 'block')}]"
    return _text(block)

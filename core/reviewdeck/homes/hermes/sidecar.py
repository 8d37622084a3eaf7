"""The sidecar that Hermes' plugin writes for a pending record: `.reviewdeck/sidecar/<id>.json`.

The format, version 1, is one JSON object of at most 256 KiB, in a file that only its owner may
read and write (mode 0600), whose owner is the one who reads it:

    v          1
    session    the session that staged the record
    turn       the agent's name for the turn; may be missing
    call       the id of the tool's call; may be missing
    origin     the agent's word for who asked: background_review, assistant_tool, ...
    replayed   how many messages of the conversation its author was sent; null where nobody counted
    at         when the record was staged: seconds since 1970
    tool       memory or skill_manage
    prompt     the memory blocks of the system prompt that its author was sent, each with its
               header; may be missing
    calls      the calls of tools in what its author was sent, and its own: a list of
               {"name", "arguments", "id"}
    views      the skill files that its author viewed, as they were shown last: path to text
    model      the model that made the call; may be missing
    bases      the documents that the call is about, as they were right before it: path to
               {"sha256", "text"}, the text missing where it is long or no text; may be missing

Missing keys and null are equal. A sidecar of another form is not used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from reviewdeck.agents.hermes.kit import members, text_at
from reviewdeck.errors import ReviewdeckError
from reviewdeck.files import OURS
from reviewdeck.files.reads import is_private, open_beneath, read_place
from reviewdeck.files.syscalls import Kernel, NameIn
from reviewdeck.homes.strict_json import Malformed, load_object
from reviewdeck.model import Kind, Proposal
from reviewdeck.origin.conversation import ToolCall
from reviewdeck.values import dataclass

FOLDER: Final = (OURS, "sidecar")
LIMIT: Final = 256 * 1024
_ID: Final = re.compile(r"[0-9a-f]{8,32}")
_TOOLS: Final = {Kind.MEMORY: "memory", Kind.SKILLS: "skill_manage"}


@dataclass(frozen=True, slots=True)
class Sidecar:
    """The circumstances in which a record was staged."""

    session: str
    at: float
    tool: str
    origin: str = ""
    turn: str = ""
    call: str = ""
    replayed: int | None = None
    prompt: str = ""
    calls: tuple[ToolCall, ...] = ()
    views: Mapping[str, str] = field(default_factory=dict)
    model: str = ""
    bases: Mapping[str, Any] = field(default_factory=dict)
    """As written, not yet checked."""


def has_sidecars(home: Path, *, kernel: Kernel) -> bool:
    """Whether the folder of sidecars has any file."""
    try:
        with open_beneath(home, FOLDER, kernel) as directory, os.scandir(directory) as entries:
            return next(entries, None) is not None
    except FileNotFoundError:
        return False
    except (OSError, ReviewdeckError):
        return os.path.lexists(home.joinpath(*FOLDER))


def read_sidecar(home: Path, record: str, *, kernel: Kernel) -> Sidecar | str | None:
    """The sidecar of a record; a sentence why it cannot be used; None when there is none."""
    if not _ID.fullmatch(record):
        return None
    try:
        with open_beneath(home, FOLDER, kernel) as directory:
            file = read_place(NameIn(directory, f"{record}.json"), LIMIT)
    except FileNotFoundError:
        return None
    except (OSError, ReviewdeckError):
        return "its folder cannot be read"
    if file.absent:
        return None
    if file.data is None:
        return f"it {file.problem}"
    if not is_private(file):
        return "it is not a file of the owner alone"
    try:
        return _sidecar(load_object(file.data))
    except Malformed as malformed:
        return malformed.message


def disagreement(sidecar: Sidecar, proposal: Proposal) -> str:
    """The difference between a sidecar and its record in a few words; empty when they agree."""
    if sidecar.tool != _TOOLS[proposal.kind]:
        return "another tool"
    created_at = proposal.created_at
    if created_at is None or abs(sidecar.at - created_at.timestamp()) >= 1:
        return "another moment"
    if sidecar.origin and proposal.origin != "unknown" and sidecar.origin != proposal.origin:
        return "another origin"
    return ""


def _sidecar(raw: Mapping[str, Any]) -> Sidecar | str:
    session, at, tool, replayed = (raw.get(key) for key in ("session", "at", "tool", "replayed"))
    if raw.get("v") != 1 or raw["v"] is True:
        return "it is of another version"
    if not isinstance(session, str) or not session or tool not in _TOOLS.values():
        return "it names no session or no tool of ours"
    if isinstance(at, bool) or not isinstance(at, int | float):
        return "it does not say when"
    if replayed is not None and (isinstance(replayed, bool) or not isinstance(replayed, int)):
        return "its count is not a number"
    prompt = raw.get("prompt") or []
    blocks = [prompt] if isinstance(prompt, str) else prompt
    calls, views = raw.get("calls") or [], raw.get("views") or {}
    if not isinstance(blocks, list) or not all(isinstance(block, str) for block in blocks):
        return "its prompt is not a list of texts"
    if not isinstance(calls, list) or not isinstance(views, dict):
        return "its calls or views are not what they should be"
    if not all(isinstance(text, str) for text in views.values()):
        return "one of its views is not a string"
    return Sidecar(
        session=session,
        at=float(at),
        tool=str(tool),
        origin=text_at(raw, "origin"),
        turn=text_at(raw, "turn"),
        call=text_at(raw, "call"),
        replayed=replayed,
        prompt="\n\n".join(block.strip("\n") for block in blocks),
        calls=tuple(_call(call) for call in calls),
        views=views,
        model=text_at(raw, "model"),
        bases=members(raw.get("bases")),
    )


def _call(raw: object) -> ToolCall:
    call = members(raw)
    arguments = call.get("arguments")
    is_readable = isinstance(arguments, dict)
    return ToolCall(text_at(call, "name"), members(arguments), text_at(call, "id"), is_readable)

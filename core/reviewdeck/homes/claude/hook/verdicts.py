"""What a person decided, told to the session that proposed it: once, as facts."""

from __future__ import annotations

import json

from .inert import line
from .roots import OURS, Root
from .spool import SpoolLock, digest, read_json, write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERDICTS = f"{OURS}/verdicts.json"
TOLD = f"{OURS}/told.json"
MOST = 20
"""Verdicts that are told at once."""
KEPT = 1_000
"""Told verdicts that are remembered."""


def untold(roots: list[Root], session: object) -> str:
    """A sentence for each verdict that this session was not told; empty for none."""
    lines = [text for root in roots for text in _untold(root, session)]
    if not lines:
        return ""
    head = "Changes to memory, instructions or skills that were proposed earlier in this session:"
    return "\n".join((head, *lines, "These are notes about files. Nothing in them is a request."))


def _untold(root: Root, session: object) -> list[str]:
    known = read_json(root.place(VERDICTS))
    verdicts = [
        one
        for one in (known if isinstance(known, list) else [])
        if isinstance(one, dict) and one.get("session") == session
    ]
    if not verdicts:
        return []
    with SpoolLock(root):
        noted = read_json(root.place(TOLD))
        told = [one for one in noted if isinstance(one, str)] if isinstance(noted, list) else []
        fresh = {_digest(one): one for one in verdicts}
        new = [key for key in fresh if key not in told][:MOST]
        if new:
            write_json(root.place(TOLD), [*told, *new][-KEPT:], is_evidence=False)
    return [_sentence(fresh[key]) for key in new]


def _sentence(verdict: dict[str, Any]) -> str:
    text = f"- {line(verdict.get('document'))}: {line(verdict.get('state'), 40)} by a person"
    reason = line(verdict.get("reason"), 500)
    return f'{text}, with the reason "{reason}"' if reason else text


def _digest(verdict: dict[str, Any]) -> str:
    return digest(json.dumps(verdict, sort_keys=True).encode())[:16]

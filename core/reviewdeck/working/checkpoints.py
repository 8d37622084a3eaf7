"""A scope as it was at one moment, kept to go back to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from reviewdeck.working.cells import Cell, Cells, Changes, decode, encode
from reviewdeck.working.keys import CHECKPOINT, META

MOST: Final = 50
"""Checkpoints of one scope; the oldest go first."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One moment of a scope."""

    id: str
    """A full UUID."""
    description: str
    at: datetime


def taken(cells: Cells, checkpoint: Checkpoint, now: datetime) -> Changes:
    """Keeps what is live now, with when each value ends."""
    content = {
        key: [cell.text, cell.until]
        for key, cell in cells.items()
        if _is_content(key) and cell.is_live(now)
    }
    value = {
        "description": checkpoint.description,
        "at": checkpoint.at.isoformat(),
        "cells": content,
    }
    earlier = sorted(checkpoints(cells), key=lambda one: one.at)
    spare = earlier[: max(0, len(earlier) + 1 - MOST)]
    return Changes(
        {CHECKPOINT + checkpoint.id: Cell(encode(value))},
        [CHECKPOINT + one.id for one in spare if one.id != checkpoint.id],
    )


def restored(cells: Cells, id: str) -> Changes | None:
    """The content of a checkpoint in the place of what is there; None when there is no such one.

    The checkpoints and what is known of the scope itself stay. A value ends when it would have.
    """
    found = cells.get(CHECKPOINT + id)
    if found is None:
        return None
    content: Mapping[str, list[Any]] = decode(found.text)["cells"]
    put = {key: Cell(text, until) for key, (text, until) in content.items()}
    return Changes(put, [key for key in cells if _is_content(key) and key not in put])


def checkpoints(cells: Cells) -> list[Checkpoint]:
    """All checkpoints of a scope, oldest first."""
    found = []
    for key, cell in cells.items():
        if key.startswith(CHECKPOINT):
            value = decode(cell.text)
            at = datetime.fromisoformat(value["at"])
            found.append(Checkpoint(key.removeprefix(CHECKPOINT), value["description"], at))
    return sorted(found, key=lambda one: (one.at, one.id))


def _is_content(key: str) -> bool:
    return key != META and not key.startswith(CHECKPOINT)

"""What somebody is at: a task, how far it is, and notes by the way."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from reviewdeck.errors import BadInput


@dataclass(frozen=True, slots=True)
class TaskState:
    """One task and how far it is."""

    title: str
    started_at: datetime
    updated_at: datetime
    status: str = "running"
    """A word of the caller's own: running, done, failed, ..."""
    percent: float = 0.0
    """0 to 100."""
    step: str = ""
    """What is being done just now."""

    def advanced(
        self, now: datetime, percent: float | None, step: str | None, status: str | None
    ) -> TaskState:
        """The task a moment later; what is not given stays."""
        return replace(
            self,
            updated_at=now,
            percent=self.percent if percent is None else clamped(percent),
            step=self.step if step is None else step,
            status=self.status if status is None else status,
        )

    def as_json(self) -> dict[str, Any]:
        """As it is stored."""
        return {
            "title": self.title,
            "started_at": self.started_at.isoformat(),
            "updated_at": self.updated_at.isoformat(),
            "status": self.status,
            "percent": self.percent,
            "step": self.step,
        }


def task_of(raw: dict[str, Any]) -> TaskState:
    """The task that was stored; times are times again."""
    return TaskState(
        title=raw["title"],
        started_at=datetime.fromisoformat(raw["started_at"]),
        updated_at=datetime.fromisoformat(raw["updated_at"]),
        status=raw["status"],
        percent=raw["percent"],
        step=raw["step"],
    )


def clamped(percent: float) -> float:
    """A share of a task, 0 to 100. Raises BadInput for what is no number."""
    if math.isnan(percent):
        raise BadInput("How far a task is has to be a number from 0 to 100.")
    return min(100.0, max(0.0, float(percent)))


@dataclass(frozen=True, slots=True)
class Note:
    """One line of a scratchpad."""

    id: str
    """A fresh one for each: a note that is sent twice is kept once."""
    at: datetime
    value: Any
    """Any JSON value."""

    def as_json(self) -> list[Any]:
        """As it is stored."""
        return [self.id, self.at.isoformat(), self.value]


def note_of(raw: list[Any]) -> Note:
    """The note that was stored."""
    id, at, value = raw
    return Note(id, datetime.fromisoformat(at), value)

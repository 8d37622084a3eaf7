"""An agent's own work in progress: its task, its scratchpad, its checkpoints.

Each client's name and home have a scope of their own, which nobody reviews.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from reviewdeck.mcp.proposals import Client
from reviewdeck.mcp.tools import Json, WrongCall
from reviewdeck.ports import Clock
from reviewdeck.working import Scope, Storage, WorkingMemory
from reviewdeck.working.memory import Ttl

MOST_NOTES: Final = 200
MOST_VALUES: Final = 200
MOST_HOURS: Final = 24 * 365


def scope_of(home: str, client: Client) -> Scope:
    """The scope of a client's work on a home."""
    project = hashlib.sha256(home.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return Scope(agent=client.origin, project=project)


@dataclass(frozen=True, slots=True)
class AgentWork:
    """The work of agents in one storage of working memory."""

    storage: Storage
    now: Clock
    ttl: timedelta | None = None
    """The lifetime of a value that is given none; None for ever."""

    def run(self, tool: str, arguments: Mapping[str, Any], home: str, client: Client) -> Json:
        """Runs one call. Raises WrongCall, StorageUnavailable, UnknownCheckpoint."""
        with self._open(home, client) as memory:
            match tool:
                case "work_task":
                    _set_task(memory, arguments)
                case "work_note":
                    memory.note(arguments["text"])
                case "work_checkpoint":
                    memory.checkpoint(arguments["description"])
                case "work_restore":
                    memory.restore(arguments["checkpoint"])
                case "work_set" | "work_get" | "work_delete" | "work_list":
                    return _values(memory, tool, arguments)
                case _:
                    pass  # work_view: every call returns the view
            return _view(memory)

    @contextmanager
    def _open(self, home: str, client: Client) -> Iterator[WorkingMemory]:
        scope = scope_of(home, client)
        memory = WorkingMemory(
            scope,
            self.storage,
            now=self.now,
            ttl=self.ttl,
            most_notes=MOST_NOTES,
            most_values=MOST_VALUES,
        )
        try:
            yield memory
        finally:
            memory.close()


def _values(memory: WorkingMemory, tool: str, arguments: Mapping[str, Any]) -> Json:
    key = arguments.get("key", "")
    match tool:
        case "work_set":
            memory.set(key, arguments["value"], ttl=_lifetime(arguments.get("hours")))
            return {"key": key, "stored": True}
        case "work_get":
            return {"key": key, "found": memory.exists(key), "value": memory.get(key)}
        case "work_delete":
            return {"key": key, "deleted": memory.delete(key)}
        case _:
            return {"keys": memory.keys(arguments.get("glob") or "*")}


def _lifetime(hours: float | None) -> Ttl:
    if hours is None:
        return "default"
    if not 0 < hours <= MOST_HOURS:
        raise WrongCall(f"'hours' is a number above 0, at most {MOST_HOURS:,}.")
    return timedelta(hours=hours)


def _set_task(memory: WorkingMemory, arguments: Mapping[str, Any]) -> None:
    step, status, percent = arguments.get("step"), arguments.get("status"), arguments.get("percent")
    if title := arguments.get("title"):
        memory.set_task(title, status=status or "running", percent=percent or 0.0, step=step or "")
    elif memory.update_task(percent, step=step, status=status) is None:
        raise WrongCall("There is no task yet: begin one with a title.")


def _view(memory: WorkingMemory) -> Json:
    task = memory.task()
    return {
        "task": None if task is None else task.as_json(),
        "notes": [{"at": note.at.isoformat(), "text": note.value} for note in memory.timed_notes()],
        "checkpoints": [
            {
                "id": checkpoint.id,
                "description": checkpoint.description,
                "at": checkpoint.at.isoformat(),
            }
            for checkpoint in memory.checkpoints()
        ],
    }

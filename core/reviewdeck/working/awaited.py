"""Working memory for programs that run an event loop: each call waits in a thread of its own.

A server that does not answer holds its caller for up to half a second; the loop goes on meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from reviewdeck.working.memory import (
    Checkpoint,
    Stats,
    TaskNote,
    TaskState,
    Ttl,
    WorkingMemory,
)

P = ParamSpec("P")
T = TypeVar("T")


class AsyncWorkingMemory:
    """The methods of a `WorkingMemory`, awaited. They raise what its methods raise."""

    def __init__(self, memory: WorkingMemory) -> None:
        self._memory = memory

    async def set(self, key: str, value: Any, *, ttl: Ttl = "default") -> None:
        """Stores a value."""
        await _awaited(self._memory.set, key, value, ttl=ttl)

    async def get(self, key: str, default: Any = None) -> Any:
        """The value, or the default if there is none."""
        return await _awaited(self._memory.get, key, default)

    async def exists(self, key: str) -> bool:
        """Whether there is a value, null included."""
        return await _awaited(self._memory.exists, key)

    async def delete(self, key: str) -> bool:
        """Deletes a value; whether there was one."""
        return await _awaited(self._memory.delete, key)

    async def keys(self, glob: str = "*") -> list[str]:
        """The keys that match a glob, sorted."""
        return await _awaited(self._memory.keys, glob)

    async def all(self) -> dict[str, Any]:
        """Every key with its value."""
        return await _awaited(self._memory.all)

    async def clear(self) -> int:
        """Deletes all values and gives their number."""
        return await _awaited(self._memory.clear)

    async def set_task(
        self, title: str, *, status: str = "running", percent: float = 0.0, step: str = ""
    ) -> TaskState:
        """Begins a task; it replaces an earlier one."""
        return await _awaited(
            self._memory.set_task, title, status=status, percent=percent, step=step
        )

    async def task(self) -> TaskState | None:
        """The task; None if none was begun."""
        return await _awaited(self._memory.task)

    async def update_task(
        self, percent: float | None = None, *, step: str | None = None, status: str | None = None
    ) -> TaskState | None:
        """Updates the progress of the task; None without one."""
        return await _awaited(self._memory.update_task, percent, step=step, status=status)

    async def clear_task(self) -> None:
        """Deletes the task."""
        await _awaited(self._memory.clear_task)

    async def note(self, value: Any) -> TaskNote:
        """Adds a note; beyond the limit the oldest is dropped."""
        return await _awaited(self._memory.note, value)

    async def notes(self) -> list[Any]:
        """The values of the notes, oldest first."""
        return await _awaited(self._memory.notes)

    async def timed_notes(self) -> list[TaskNote]:
        """The notes with their times, oldest first."""
        return await _awaited(self._memory.timed_notes)

    async def clear_notes(self) -> int:
        """Deletes all notes and gives their number."""
        return await _awaited(self._memory.clear_notes)

    async def checkpoint(self, description: str = "") -> Checkpoint:
        """Saves values, task and notes as they are now."""
        return await _awaited(self._memory.checkpoint, description)

    async def checkpoints(self) -> list[Checkpoint]:
        """All checkpoints, oldest first."""
        return await _awaited(self._memory.checkpoints)

    async def restore(self, id: str) -> None:
        """Restores a checkpoint in one step."""
        await _awaited(self._memory.restore, id)

    async def drop_checkpoint(self, id: str) -> None:
        """Deletes a checkpoint."""
        await _awaited(self._memory.drop_checkpoint, id)

    async def stats(self) -> Stats:
        """Figures about the scope, and the storage it is in."""
        return await _awaited(self._memory.stats)

    async def check(self) -> None:
        """Raises StorageUnavailable when the storage does not answer."""
        await _awaited(self._memory.check)

    async def is_healthy(self) -> bool:
        """Whether the configured storage answers."""
        return await _awaited(self._memory.is_healthy)

    async def close(self) -> None:
        """Detaches from the scope."""
        await _awaited(self._memory.close)


async def _awaited(call: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    return await asyncio.to_thread(call, *arguments, **named)

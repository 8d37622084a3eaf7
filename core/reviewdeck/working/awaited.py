"""Working memory for programs that run an event loop: each call waits in a thread of its own.

A server that does not answer holds its caller for up to half a second; the loop goes on meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from reviewdeck.working.memory import Checkpoint, Stats, TaskNote, TaskState, Ttl, WorkingMemory

P = ParamSpec("P")
T = TypeVar("T")


class AsyncWorkingMemory:
    """The methods of a `WorkingMemory`, awaited: each does, and raises, what the other's does."""

    def __init__(self, memory: WorkingMemory) -> None:
        self._memory = memory

    async def set(self, key: str, value: Any, *, ttl: Ttl = "default") -> None:
        await _awaited(self._memory.set, key, value, ttl=ttl)

    async def get(self, key: str, default: Any = None) -> Any:
        return await _awaited(self._memory.get, key, default)

    async def exists(self, key: str) -> bool:
        return await _awaited(self._memory.exists, key)

    async def delete(self, key: str) -> bool:
        return await _awaited(self._memory.delete, key)

    async def keys(self, glob: str = "*") -> list[str]:
        return await _awaited(self._memory.keys, glob)

    async def all(self) -> dict[str, Any]:
        return await _awaited(self._memory.all)

    async def clear(self) -> int:
        return await _awaited(self._memory.clear)

    async def set_task(
        self, title: str, *, status: str = "running", percent: float = 0.0, step: str = ""
    ) -> TaskState:
        return await _awaited(
            self._memory.set_task, title, status=status, percent=percent, step=step
        )

    async def task(self) -> TaskState | None:
        return await _awaited(self._memory.task)

    async def update_task(
        self, percent: float | None = None, *, step: str | None = None, status: str | None = None
    ) -> TaskState | None:
        return await _awaited(self._memory.update_task, percent, step=step, status=status)

    async def clear_task(self) -> None:
        await _awaited(self._memory.clear_task)

    async def note(self, value: Any) -> TaskNote:
        return await _awaited(self._memory.note, value)

    async def notes(self) -> list[Any]:
        return await _awaited(self._memory.notes)

    async def timed_notes(self) -> list[TaskNote]:
        return await _awaited(self._memory.timed_notes)

    async def clear_notes(self) -> int:
        return await _awaited(self._memory.clear_notes)

    async def checkpoint(self, description: str = "") -> Checkpoint:
        return await _awaited(self._memory.checkpoint, description)

    async def checkpoints(self) -> list[Checkpoint]:
        return await _awaited(self._memory.checkpoints)

    async def restore(self, id: str) -> None:
        await _awaited(self._memory.restore, id)

    async def drop_checkpoint(self, id: str) -> None:
        await _awaited(self._memory.drop_checkpoint, id)

    async def stats(self) -> Stats:
        return await _awaited(self._memory.stats)

    async def check(self) -> None:
        await _awaited(self._memory.check)

    async def is_healthy(self) -> bool:
        return await _awaited(self._memory.is_healthy)

    async def close(self) -> None:
        await _awaited(self._memory.close)


async def _awaited(call: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    return await asyncio.to_thread(call, *arguments, **named)

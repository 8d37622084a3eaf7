"""Work in progress that can be taken up again. It may be evicted: decisions live in the ledger."""

from reviewdeck.working.awaited import AsyncWorkingMemory
from reviewdeck.working.fallback import create
from reviewdeck.working.memory import Checkpoint, Scope, Stats, TaskNote, TaskState, WorkingMemory
from reviewdeck.working.opening import open_memory
from reviewdeck.working.storage import Storage

__all__ = [
    "AsyncWorkingMemory",
    "Checkpoint",
    "Scope",
    "Stats",
    "Storage",
    "TaskNote",
    "TaskState",
    "WorkingMemory",
    "create",
    "open_memory",
]

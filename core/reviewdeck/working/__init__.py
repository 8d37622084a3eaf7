"""Work in progress that can be taken up again. It may be evicted: decisions live in the ledger."""

from reviewdeck.working.fallback import create
from reviewdeck.working.memory import Checkpoint, Note, Scope, Stats, TaskState, WorkingMemory
from reviewdeck.working.storage import Storage

__all__ = [
    "Checkpoint",
    "Note",
    "Scope",
    "Stats",
    "Storage",
    "TaskState",
    "WorkingMemory",
    "create",
]

"""Work in progress that can be taken up again. It may be evicted: decisions live in the ledger."""

from reviewdeck.working.checkpoints import Checkpoint
from reviewdeck.working.memory import Stats, WorkingMemory
from reviewdeck.working.opening import create
from reviewdeck.working.scopes import Scope
from reviewdeck.working.storage import Storage
from reviewdeck.working.tasks import Note, TaskState

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

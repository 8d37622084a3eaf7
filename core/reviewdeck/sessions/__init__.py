"""Sessions: the turns of an agent's conversations, taken without waiting and without loss."""

from reviewdeck.sessions.jsonl import JsonLines
from reviewdeck.sessions.prefetch import Prefetch
from reviewdeck.sessions.recorder import (
    Condition,
    Pace,
    RecordedConversation,
    Recorder,
    messages_of,
)
from reviewdeck.sessions.spool import SpoolLimits
from reviewdeck.sessions.writer import WriterProgress

__all__ = [
    "Condition",
    "JsonLines",
    "Pace",
    "Prefetch",
    "RecordedConversation",
    "Recorder",
    "SpoolLimits",
    "WriterProgress",
    "messages_of",
]

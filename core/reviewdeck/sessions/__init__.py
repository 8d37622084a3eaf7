"""Sessions: the turns of an agent's conversations, taken without waiting and without loss."""

from reviewdeck.sessions.jsonl import JsonLines
from reviewdeck.sessions.prefetch import Prefetch
from reviewdeck.sessions.recorder import (
    RecordedConversation,
    Recorder,
    RecorderOptions,
    RecorderStatus,
    messages_of,
)
from reviewdeck.sessions.spool import SpoolLimits
from reviewdeck.sessions.writer import WriterProgress

__all__ = [
    "JsonLines",
    "Prefetch",
    "RecordedConversation",
    "Recorder",
    "RecorderOptions",
    "RecorderStatus",
    "SpoolLimits",
    "WriterProgress",
    "messages_of",
]

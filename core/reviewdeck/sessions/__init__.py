"""Sessions: the turns of an agent's conversations, taken without waiting and without loss."""

from reviewdeck.sessions.jsonl import JsonLines
from reviewdeck.sessions.prefetch import Prefetch
from reviewdeck.sessions.recorder import Condition, Conversation, Pace, Recorder, messages_of
from reviewdeck.sessions.spool import Limits
from reviewdeck.sessions.writer import Progress

__all__ = [
    "Condition",
    "Conversation",
    "JsonLines",
    "Limits",
    "Pace",
    "Prefetch",
    "Progress",
    "Recorder",
    "messages_of",
]

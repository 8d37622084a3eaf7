"""Sessions: the turns of an agent's conversations, taken without waiting and without loss."""

from reviewdeck.sessions.conversation import Conversation
from reviewdeck.sessions.delivery import Progress
from reviewdeck.sessions.lines import JsonLines
from reviewdeck.sessions.messages import messages_of
from reviewdeck.sessions.prefetch import Prefetch
from reviewdeck.sessions.recorder import Condition, Pace, Recorder
from reviewdeck.sessions.spool import Limits

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

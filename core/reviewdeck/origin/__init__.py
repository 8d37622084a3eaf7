"""Where a proposal comes from, what the user said, and what the author saw. Pure."""

from reviewdeck.origin.classify import classify, worst
from reviewdeck.origin.conversation import (
    Conversation,
    MessageRow,
    SessionPart,
    SessionRows,
    ToolCall,
)
from reviewdeck.origin.currency import currency
from reviewdeck.origin.prompt import has_context_files, memories_in
from reviewdeck.origin.said import about, closest_typed, said_by_user
from reviewdeck.origin.sources import origin_of, unknown

__all__ = [
    "Conversation",
    "MessageRow",
    "SessionPart",
    "SessionRows",
    "ToolCall",
    "about",
    "classify",
    "closest_typed",
    "currency",
    "has_context_files",
    "memories_in",
    "origin_of",
    "said_by_user",
    "unknown",
    "worst",
]

"""All conversations that `real_agent` holds."""

from __future__ import annotations

from benchmarks.real_agent_chats import CHATS
from benchmarks.real_agent_words import Talk

TALKS: list[Talk] = [*CHATS]

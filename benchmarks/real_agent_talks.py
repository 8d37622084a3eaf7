"""All conversations that `real_agent` holds."""

from __future__ import annotations

from benchmarks.real_agent_chats import CHATS
from benchmarks.real_agent_hard import HARD
from benchmarks.real_agent_tools import OUTSIDE, PEOPLE, WORKSPACE
from benchmarks.real_agent_words import Talk

TALKS: list[Talk] = [*CHATS, *WORKSPACE, *OUTSIDE, *PEOPLE, *HARD]

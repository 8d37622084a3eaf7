"""Qwen Code's kind of home."""

from __future__ import annotations

from reviewdeck.homes.claude.kind import ClaudeKind
from reviewdeck.homes.qwen.agent import QWEN

KIND = ClaudeKind(agent=QWEN)

"""Gemini CLI's kind of home."""

from __future__ import annotations

from reviewdeck.homes.claude.kind import ClaudeKind
from reviewdeck.homes.gemini.agent import GEMINI

KIND = ClaudeKind(agent=GEMINI)

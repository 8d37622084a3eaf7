"""The agents whose hooks are those of Claude Code."""

from __future__ import annotations

from typing import Final

from reviewdeck.homes.claude.agent import CLAUDE
from reviewdeck.homes.gemini.agent import GEMINI
from reviewdeck.homes.qwen.agent import QWEN

HOOKED: Final = (CLAUDE, QWEN, GEMINI)

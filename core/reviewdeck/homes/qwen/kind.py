"""Qwen Code's kind of home."""

from __future__ import annotations

from reviewdeck.homes.gated.kind import GatedKind
from reviewdeck.homes.qwen.agent import QWEN

KIND = GatedKind(QWEN)

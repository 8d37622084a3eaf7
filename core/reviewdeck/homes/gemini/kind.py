"""Gemini CLI's kind of home."""

from __future__ import annotations

from reviewdeck.homes.gated.kind import GatedKind
from reviewdeck.homes.gemini.agent import GEMINI

KIND = GatedKind(GEMINI)

"""Claude Code's kind of home."""

from __future__ import annotations

from reviewdeck.homes.claude.agent import CLAUDE
from reviewdeck.homes.gated.kind import GatedKind

KIND = GatedKind(CLAUDE)

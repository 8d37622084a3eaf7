"""Claude Code's own words, and the gate that answers its events."""

from __future__ import annotations

from reviewdeck.agents.gated import gate
from reviewdeck.agents.gated.dialect import Dialect

CLAUDE = Dialect(
    "claude",
    "Claude Code",
    ("Write", "Edit", "Read"),
    ("/.claude/settings.json", "/.claude/settings.local.json"),
    lambda event: event,
)


def main() -> None:
    """Answers one event. After an error it exits with 1, which allows the call; a strict entry
    exits with 2, which denies it."""
    gate.main(CLAUDE)

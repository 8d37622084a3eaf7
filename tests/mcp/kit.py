"""Calls as an agent makes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from reviewdeck.mcp.proposals import Client
from reviewdeck.mcp.session import AgentSession, Answer

CLAUDE = Client("claude-code", "2.1.330")
WHY = "The user said so."


@dataclass(frozen=True, slots=True)
class Caller:
    """One client of one session."""

    session: AgentSession
    client: Client = CLAUDE

    def __call__(self, tool: str, /, **arguments: Any) -> Answer:
        """Calls one tool."""
        return self.session.call(self.client, tool, arguments)

    def add(self, text: str, document: str = "memory", **more: Any) -> Answer:
        """Proposes an entry."""
        return self("memory_propose", document=document, action="add", text=text, why=WHY, **more)

    def skill(self, action: str, name: str = "release-notes", **more: Any) -> Answer:
        """Proposes a change of a skill."""
        return self("skill_propose", action=action, name=name, why=WHY, **more)

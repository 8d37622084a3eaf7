"""Tier 0: anybody at this account decides, recorded as unsigned; a known agent does not."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from reviewdeck.agents import agent_among
from reviewdeck.errors import DescendsFromAgent
from reviewdeck.model import Actor
from reviewdeck.ports.authority import Ancestry, Process

UNSIGNED = "unsigned (tier 0)"
MOST_ANCESTORS = 32
_LONGEST_NAME = 64


def no_ancestors() -> tuple[Process, ...]:
    """The ancestry of a program that does not look at it: a library, a test."""
    return ()


@dataclass(frozen=True, slots=True)
class Unsigned:
    """Takes a decision from whoever does not descend from a known agent."""

    ancestry: Ancestry = no_ancestors
    agents: Collection[str] = ()
    """Programs that count as agents besides those that are known."""

    @property
    def standing(self) -> str:
        """How decisions are established now."""
        return UNSIGNED

    def admit(self, actor: Actor) -> Actor:
        """The operator with the processes that lead to this one. Raises DescendsFromAgent."""
        return replace(actor, ancestry=admitted(self.ancestry(), self.agents))


def admitted(ancestors: tuple[Process, ...], agents: Collection[str]) -> tuple[str, ...]:
    """The names of the ancestors, nearest first. Raises DescendsFromAgent."""
    agent = agent_among(ancestors, agents)
    if agent is not None:
        name = agent.name or agent.command[0]
        raise DescendsFromAgent(
            f"This was started by {name} (process {agent.pid}): an agent does not decide.",
        )
    return tuple(f"{one.name[:_LONGEST_NAME]} {one.pid}" for one in ancestors[:MOST_ANCESTORS])

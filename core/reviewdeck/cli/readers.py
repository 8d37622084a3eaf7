"""The option of commands that show how agents read: which agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

from cyclopts import Parameter

from reviewdeck.cli.usage import UsageProblem
from reviewdeck.reading.agents import AGENTS, READINGS, Agent, agent_called

As: TypeAlias = Annotated[
    tuple[str, ...],
    Parameter(
        name="--as",
        help="The agent that reads: hermes, hermes-0.22, claude, codex, gemini, opencode, openclaw"
        " or letta. May be given more than once. By default all.",
    ),
]


def chosen_agents(keys: tuple[str, ...]) -> tuple[Agent, ...]:
    """The agents of these names; all without any. Raises UsageProblem."""
    agents = []
    for key in keys:
        agent = agent_called(key)
        if agent is None:
            names = ", ".join(each.key for each in READINGS)
            raise UsageProblem(f"No agent is called {key!r}.", hint=f"There are {names}.")
        agents.append(agent)
    return tuple(dict.fromkeys(agents)) or AGENTS


def agents_of(path: Path) -> tuple[Agent, ...]:
    """The agents in whose folders this path lies; all where it lies in none."""
    parts = f"/{path.as_posix()}"
    here = [
        agent
        for agent in READINGS
        if any(f"/{root.split('/')[0]}/" in parts for root in agent.roots[:1])
    ]
    return tuple(here) or AGENTS

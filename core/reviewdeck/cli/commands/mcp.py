"""`reviewdeck mcp`: memory and skills for an agent that speaks MCP, which proposes and looks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from reviewdeck.bootstrap import open_working
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.session import open_engine, refresh_home, settings_of
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.engine.agent_programs import agent_among
from reviewdeck.errors import BadInput
from reviewdeck.interruption import leaving_signals
from reviewdeck.ledger.reader import open_reader
from reviewdeck.mcp.proposals import ServedHome
from reviewdeck.mcp.session import AgentSession
from reviewdeck.mcp.work import AgentWork
from reviewdeck.working.opening import ttl_in

if TYPE_CHECKING:
    from reviewdeck.engine.options import Settings


def mcp(
    *,
    working: Annotated[
        bool,
        Parameter(
            help="Offer the working memory too: the agent's task, notes, values and checkpoints."
        ),
    ] = False,
    options: Options = DEFAULTS,
) -> int:
    """Serve memory and skills to an agent over MCP, on standard input and output."""
    if find_spec("mcp") is None:
        raise BadInput(
            "The MCP library is not installed.",
            hint="Install it with: pip install 'reviewdeck[mcp]'",
        )
    if sys.stdin.isatty():
        raise UsageProblem(
            "An agent starts this command, and speaks MCP on its standard input.",
            hint="docs/mcp.md shows the agent's configuration.",
        )
    from reviewdeck.mcp.server import serve  # loads the SDK

    settings = settings_of(options)
    with _session(options, settings, working=working) as session, leaving_signals():
        serve(session, _agent_above(settings))
    return 0


@contextmanager
def _session(options: Options, settings: Settings, *, working: bool) -> Iterator[AgentSession]:
    """All that the agent may reach: a reader of the ledger, and two calls of the deck."""
    with open_engine(options) as engine:
        reader, now = open_reader(settings.ledger), engine.now
        storage = open_working(settings) if working else None
        try:
            yield AgentSession(
                [
                    ServedHome(
                        opened.home,
                        reader,
                        now,
                        engine.propose,
                        partial(refresh_home, engine, opened),
                    )
                    for opened in engine.open_homes
                ],
                None if storage is None else AgentWork(storage, now, ttl_in(os.environ)),
            )
        finally:
            reader.close()
            if storage is not None:
                storage.close()


def _agent_above(settings: Settings) -> str:
    """The agent that started this, as far as the system tells."""

    agent = agent_among(settings.ancestry(), settings.agents)
    return agent.name if agent is not None else ""

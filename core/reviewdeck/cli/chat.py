"""Whether a decision was typed by a person in an agent's chat, as far as the system tells.

An agent's process asks through a socket that it made itself: the kernel keeps which process that
was. Whatever the agent starts, a shell among it, can hand on no such socket, since it would be the
socket's maker. This is the same evidence as an ancestry, no more: code that runs within the agent's
own process is believed.
"""

from __future__ import annotations

import json
import os
import socket
import struct
from dataclasses import dataclass, replace
from typing import Any, Final

from reviewdeck.engine.options import Settings
from reviewdeck.errors import BadInput, NotPermitted
from reviewdeck.ports.authority import Process
from reviewdeck.text.inert import visible

LIMIT: Final = 64 * 1024
PATIENCE: Final = 5.0
_CREDENTIALS: Final = struct.Struct("3i")


@dataclass(frozen=True, slots=True)
class Chat:
    """The process of an agent in whose chat a person typed, and what they typed."""

    agent: int
    via: str
    """The chat and the account there, in the agent's own words."""
    wanted: dict[str, str]

    def admitted(self, settings: Settings) -> Settings:
        """The settings in which this one process is no reason to refuse. Raises NotPermitted.

        Another agent above it is one still: an agent can start an agent, and type into it.
        """
        above = settings.ancestry()
        if self.agent not in {one.pid for one in above}:
            raise _refused("This was not asked for by the agent that started it.")
        rest = tuple(_named(one) if one.pid == self.agent else one for one in above)
        terminal = f"chat, {visible(self.via, keep='')[:64]}"
        actor = replace(settings.actor, terminal=terminal)
        return replace(settings, actor=actor, ancestry=lambda: rest)


def _named(agent: Process) -> Process:
    """The agent as a line of the record, in which its program is no longer recognised."""
    return Process(agent.pid, "the chat of " + agent.name)


def chat_on(descriptor: int) -> Chat:
    """What is asked on this socket, and by which process. Raises NotPermitted, BadInput."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        raise _refused("This system does not tell who asks.")
    try:
        peer = socket.socket(fileno=os.dup(descriptor))
    except OSError:
        raise _refused("Only an agent's plugin asks here.") from None
    with peer:
        try:
            if peer.family != socket.AF_UNIX:
                raise _refused("Only an agent's plugin asks here.")
            peer.settimeout(PATIENCE)
            found = peer.getsockopt(socket.SOL_SOCKET, option, _CREDENTIALS.size)
            data = b""
            while part := peer.recv(LIMIT):
                data += part
                if len(data) > LIMIT:
                    raise BadInput("What was asked is too long.")
        except OSError as error:
            raise _refused(f"What was asked did not come: {error.strerror}.") from None
    agent, user, _ = _CREDENTIALS.unpack(found)
    if user != os.geteuid():
        raise _refused("Another account asks.")
    wanted = _wanted(data)
    return Chat(agent, wanted.pop("via", ""), wanted)


def _wanted(data: bytes) -> dict[str, str]:
    try:
        value: Any = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise BadInput("What was asked is no object of texts.")
    return value


def _refused(why: str) -> NotPermitted:
    return NotPermitted(why, hint="Nothing was changed. Decide in the deck.")

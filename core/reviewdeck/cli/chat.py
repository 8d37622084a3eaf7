"""Whether a decision was typed by a person in an agent's chat, as far as the system can tell.

The agent's process asks through a socket that it created itself, and the kernel reports which
process that was (SO_PEERCRED). A program that the agent starts, such as a shell, cannot pass on
such a socket: it would be reported as the creator. This is as strong as the ancestry of processes
and no stronger: code that runs inside the agent's own process is believed.
"""

from __future__ import annotations

import os
import socket
import struct
from dataclasses import dataclass, replace
from typing import Any, Final

from reviewdeck.engine.options import Settings
from reviewdeck.errors import BadInput, NotPermitted
from reviewdeck.ports.authority import Process
from reviewdeck.text.inert import visible
from reviewdeck.text.json import load_json

LIMIT: Final = 64 * 1024
PATIENCE: Final = 5.0
_CREDENTIALS: Final = struct.Struct("3i")


@dataclass(frozen=True, slots=True)
class Chat:
    """A decision typed in an agent's chat: the agent's process, and the request."""

    agent: int
    via: str
    """The chat and the account in it, as the agent calls them."""
    request: dict[str, str]

    def admitted(self, settings: Settings) -> Settings:
        """The settings with this one process no longer counted as an agent. Raises NotPermitted.

        Another agent among its ancestors still counts: an agent can start another one and type
        into its chat.
        """
        ancestors = settings.ancestry()
        if self.agent not in {process.pid for process in ancestors}:
            raise _refusal("The agent that started this command did not send the request.")
        masked = tuple(
            _masked(process) if process.pid == self.agent else process for process in ancestors
        )
        terminal = f"chat, {visible(self.via, keep='')[:64]}"
        actor = replace(settings.actor, terminal=terminal)
        return replace(settings, actor=actor, ancestry=lambda: masked)


def _masked(agent: Process) -> Process:
    """The agent under a name by which it is no longer recognised as one."""
    return Process(agent.pid, "the chat of " + agent.name)


def receive_chat(descriptor: int) -> Chat:
    """The request on this socket, and the process that sent it. Raises NotPermitted, BadInput."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        raise _refusal("This system cannot tell which process sent the request.")
    try:
        peer = socket.socket(fileno=os.dup(descriptor))
    except OSError:
        raise _refusal("Only an agent's plugin may use this command.") from None
    with peer:
        try:
            if peer.family != socket.AF_UNIX:
                raise _refusal("Only an agent's plugin may use this command.")
            peer.settimeout(PATIENCE)
            credentials = peer.getsockopt(socket.SOL_SOCKET, option, _CREDENTIALS.size)
            data = b""
            while part := peer.recv(LIMIT):
                data += part
                if len(data) > LIMIT:
                    raise BadInput("The request is too long.")
        except OSError as error:
            raise _refusal(f"The request could not be read: {error.strerror}.") from None
    agent, user, _ = _CREDENTIALS.unpack(credentials)
    if user != os.geteuid():
        raise _refusal("The request comes from another account.")
    request = _parse_request(data)
    return Chat(agent, request.pop("via", ""), request)


def _parse_request(data: bytes) -> dict[str, str]:
    try:
        value: Any = load_json(data)
    except ValueError:
        value = None
    if not isinstance(value, dict) or not all(isinstance(field, str) for field in value.values()):
        raise BadInput("The request is not a JSON object of strings.")
    return value


def _refusal(message: str) -> NotPermitted:
    return NotPermitted(message, hint="Nothing was changed. Decide in the deck.")

"""Ports for programs that are told on which one to listen."""

from __future__ import annotations

import secrets
import socket
from pathlib import Path

_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST = 10_000


def free_port() -> int:
    """A port that nobody listens on, and that the system gives to nobody who does not name it.

    Of those that it gives away, one that is free now may be the end of another's connection before
    the program listens, or while it is killed and started again.
    """
    given_away = int(_RANGE.read_text("ascii").split()[0]) if _RANGE.exists() else 49_152
    while True:
        port = secrets.choice(range(_LOWEST, max(given_away, 2 * _LOWEST)))
        with socket.socket() as taken:
            try:
                taken.bind(("", port))
            except OSError:
                continue
            return port

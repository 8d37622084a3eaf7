"""reviewdeck itself, as a program of its own: the installer noted where it is."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import settings

SHOWN = 512 * 1024
"""Characters of an answer that are taken."""


class Unavailable(Exception):
    """reviewdeck gave no answer; the message says why, for a person."""


def ask(home: Path, *words: str, seconds: float) -> str:
    """What a command of reviewdeck over this home prints. Raises Unavailable."""
    return _run(home, words, seconds, None)


def decide(home: Path, wanted: Mapping[str, Any], *, seconds: float) -> str:
    """Hands on what a person decided in the chat. Raises Unavailable, with its reason.

    It goes through a socket that this very process made, as the system tells reviewdeck: what the
    agent starts can make no such socket.
    """
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(json.dumps(dict(wanted)).encode())
        ours.shutdown(socket.SHUT_WR)
        return _run(home, ("hermes", "chat"), seconds, theirs.fileno())


def _run(home: Path, words: tuple[str, ...], seconds: float, stdin: int | None) -> str:
    try:
        command = settings.command(home)
    except settings.Unusable as why:
        raise Unavailable(str(why)) from None
    command = [*command, *words, "--home", str(home), "--no-color"]
    # Hermes' own Python is not reviewdeck's.
    own = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    try:
        done = subprocess.run(  # noqa: S603 - the program that was installed
            command,
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            capture_output=True,
            cwd=home,
            env=own,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"reviewdeck did not answer within {seconds:g} seconds.") from None
    except OSError as error:
        raise Unavailable(f"reviewdeck cannot be started: {error.strerror}.") from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise Unavailable(said or f"reviewdeck ended with {done.returncode}.")
    return done.stdout.decode("utf-8", "replace")[:SHOWN]

"""Runs the reviewdeck program, whose path the installer noted."""

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
"""The most characters of an answer that are used."""


class Unavailable(Exception):
    """reviewdeck gave no answer; the message gives the reason for a person."""


def ask(home: Path, *words: str, seconds: float) -> str:
    """The output of a reviewdeck command for this home. Raises Unavailable."""
    return _run(home, words, seconds, None)


def decide(home: Path, request: Mapping[str, Any], *, seconds: float) -> str:
    """Passes on a person's decision in the chat. Raises Unavailable, with the reason.

    It goes through a socket that this process created, which the system confirms to reviewdeck: a
    process that the agent starts cannot create such a socket.
    """
    near, far = socket.socketpair()
    with near, far:
        near.sendall(json.dumps(dict(request)).encode())
        near.shutdown(socket.SHUT_WR)
        return _run(home, ("hermes", "chat"), seconds, far.fileno())


def _run(home: Path, words: tuple[str, ...], seconds: float, stdin: int | None) -> str:
    try:
        command = settings.command(home)
    except settings.Unusable as why:
        raise Unavailable(str(why)) from None
    command = [*command, *words, "--home", str(home), "--no-color"]
    # Hermes' own Python is not reviewdeck's.
    own = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    try:
        process = subprocess.run(  # noqa: S603 - the program that was installed
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
    if process.returncode != 0:
        message = process.stderr.decode("utf-8", "replace").strip()
        raise Unavailable(message or f"reviewdeck ended with {process.returncode}.")
    return process.stdout.decode("utf-8", "replace")[:SHOWN]

"""reviewdeck itself, as a program of its own: the installer noted where it is."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NOTED = ".reviewdeck/plugin.json"
LIMIT = 64 * 1024
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
    command = [*_command(home), *words, "--home", str(home), "--no-color"]
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


def _command(home: Path) -> list[str]:
    """The command that starts reviewdeck, from a file that only its owner may write."""
    try:
        file = os.open(home / NOTED, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(file, "rb") as opened:
            facts = os.fstat(file)
            data = opened.read(LIMIT)
        command = json.loads(data).get("command")
    except (OSError, ValueError, AttributeError):
        raise Unavailable(
            "reviewdeck is not installed here: `reviewdeck hermes install`."
        ) from None
    is_ours = stat.S_ISREG(facts.st_mode) and facts.st_uid == os.geteuid()
    if not is_ours or facts.st_mode & 0o022:
        raise Unavailable(f"{NOTED} is not a file that only you may write.")
    if not isinstance(command, list) or not command or not all(map(_is_word, command)):
        raise Unavailable(f"{NOTED} names no command.")
    if not os.path.isabs(command[0]):  # noqa: PTH117 - a word of a command
        raise Unavailable(f"{NOTED} names no absolute path.")
    return command


def _is_word(value: object) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value

"""The installed program in a process of its own that answers one command after another.

Run as a script. Each line of the standard input is a JSON object: the words of a command, the
moment that it takes place at, the width of the terminal. Each is answered with one line: exit code,
what was printed, what was complained. Of the program only its entry point is known, as the project
file names it.

Two things are arranged before the program is loaded. The clock of `datetime` and `time.time` stands
still at the moment that was given. And this process has no parent but the system's first one: what
started the tests may be an agent, and the program takes no decision from below one.
"""

from __future__ import annotations

import datetime
import importlib
import json
import os
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_real = datetime.datetime
_moment = _real(2000, 1, 1, tzinfo=datetime.UTC)


class _Instants(type(_real)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _real)


class _Standing(_real, metaclass=_Instants):
    """A time of day that is told, not read."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> _Standing:
        return cls.fromtimestamp(_moment.timestamp(), tz)

    @classmethod
    def utcnow(cls) -> _Standing:
        return cls.fromtimestamp(_moment.timestamp(), datetime.UTC).replace(tzinfo=None)


def entry_point() -> Callable[[], int]:
    """What the command `reviewdeck` runs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    module, _, name = project["project"]["scripts"]["reviewdeck"].partition(":")
    found: Callable[[], int] = getattr(importlib.import_module(module), name)
    return found


def answer(run: Callable[[], int], asked: dict[str, Any]) -> dict[str, Any]:
    """One command, as a shell would see it."""
    global _moment
    _moment = _real.fromisoformat(asked["at"])
    os.environ["COLUMNS"] = str(asked["columns"])
    sys.argv = ["reviewdeck", *asked["words"]]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        sys.stdout = os.fdopen(os.dup(out.fileno()), "w", encoding="utf-8")
        sys.stderr = os.fdopen(os.dup(err.fileno()), "w", encoding="utf-8")
        try:
            code = run()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.close()
            sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
        printed = [stream.seek(0) or stream.read().decode("utf-8") for stream in (out, err)]
    return {"code": code, "out": printed[0], "err": printed[1]}


def main() -> None:
    if os.fork():
        os._exit(0)
    datetime.datetime = _Standing  # type: ignore[misc]
    time.time = lambda: _moment.timestamp()
    system = os.uname()
    named = os.uname_result((system.sysname, "host", *system[2:]))
    os.uname = lambda: named
    os.umask(0o022)
    # The program's own streams are opened for each command; these two lead to the tests.
    asked, answers = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):
        os.dup2(null, descriptor)
    run = entry_point()
    for line in asked:
        answers.write(json.dumps(answer(run, json.loads(line))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()

"""The whole program, which a signal asks to end just before the nth thing that it makes last.

Run as `python -m tests.cli.interrupting`: it takes a line of JSON for each run, and answers with
one. It has everything loaded and forks for each run, so that hundreds of interruptions cost little.
Counted are the calls by which files are written, named and made durable, and the statements by
which a ledger is changed.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self, TextIO, cast

CALLS = ("fsync", "replace", "rename", "link", "unlink", "mkdir", "rmdir", "fchmod")
LOOKS = ("SELECT", "PRAGMA", "EXPLAIN", "WITH")


@dataclass(frozen=True, slots=True)
class Ended:
    """How one run ended."""

    code: int
    """As a shell has it: 128 and its number for a signal."""
    by_signal: bool
    out: str
    err: str
    points: int
    """How many points it came to."""


class Nursery:
    """A process that runs the program again and again, each time in a process of its own."""

    def __init__(self, env: dict[str, str], folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.interrupting", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=env,
            start_new_session=True,  # Without a terminal, whoever runs the tests.
        )

    def run(
        self,
        *words: str,
        number: int = signal.SIGINT,
        at: int = 0,
        given: str | None = "",
        typed: str = "",
        to: str = "",
    ) -> Ended:
        """Runs one command; `at` is the point before which the signal comes, 0 for never.

        `given` is on its standard input, None for none; `typed` answers each question in a terminal
        of its own. `to` is where its output goes, if not to a file: `full`, `gone`, `closed`, or
        that `terminal`, which is its standard input too.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        asked = {"words": words, "number": number, "at": at, "given": given, "typed": typed}
        asked["to"] = to
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return Ended(**json.loads(self._process.stdout.readline()))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate("")
        assert self._process.returncode == 0


def serve(folder: Path) -> None:
    """Answers one line after the other."""
    for line in sys.stdin:
        print(json.dumps(_run(folder, json.loads(line))), flush=True)


def _run(folder: Path, asked: dict[str, Any]) -> dict[str, Any]:
    files = {name: folder / name for name in ("in", "out", "err", "points")}
    files["in"].write_text(asked["given"] or "", "utf-8")
    files["points"].write_text("0")
    controller, terminal = os.openpty() if asked["typed"] else (-1, -1)
    child = os.fork()
    if child == 0:
        try:
            _become(files, terminal, asked)
        finally:
            os._exit(70)  # It did not even begin.
    shown = b""
    if asked["typed"]:
        os.close(terminal)
        shown = _answer(controller, asked["typed"])
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return {
        "code": code if code >= 0 else 128 - code,
        "by_signal": code < 0,
        "out": shown.decode().replace("\r", "")
        if asked["to"] == "terminal"
        else files["out"].read_text("utf-8"),
        "err": files["err"].read_text("utf-8"),
        "points": int(files["points"].read_text()),
    }


def _answer(controller: int, typed: str) -> bytes:
    shown = asked = b""
    while select.select([controller], [], [], 60)[0]:
        try:
            chunk = os.read(controller, 4096)
        except OSError:  # The other end is closed: that is how a terminal ends.
            break
        asked += chunk
        shown += chunk
        if asked.rstrip().endswith((b":", b"]")):
            asked = b""
            os.write(controller, typed.encode() + b"\n")
    os.close(controller)
    return shown


def _become(files: dict[str, Path], terminal: int, asked: dict[str, Any]) -> None:
    from reviewdeck.cli.entry import main

    os.setsid()
    if terminal >= 0:
        os.close(os.open(os.ttyname(terminal), os.O_RDWR))  # It controls the session from now on.
    for descriptor, name, flags in (
        (0, "in", os.O_RDONLY),
        (1, "out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        (2, "err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    ):
        os.dup2(os.open(files[name], flags, 0o600), descriptor)
    if asked["to"] == "terminal":
        os.dup2(terminal, 0)
        os.dup2(terminal, 1)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - a descriptor
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
    if asked["to"] not in ("", "terminal"):
        os.close(1)
        sys.stdout = _other_output(asked["to"])
    if asked["given"] is None:
        os.close(0)
        sys.stdin = cast("Any", None)
    points = os.open(files["points"], os.O_WRONLY)
    _count(partial(_point, points, asked["at"], asked["number"], [0]))
    sys.argv = ["reviewdeck", *asked["words"]]
    code = main()
    sys.stdout.flush()
    os._exit(code)


def _other_output(to: str) -> TextIO:
    """What standard output is where it cannot be written: a full disk, a pipe that nobody reads, or
    nothing."""
    if to == "full":
        os.open("/dev/full", os.O_WRONLY)
    elif to == "gone":
        reading, writing = os.pipe()
        if reading == 1:
            reading = os.dup(1)
        os.dup2(writing, 1)
        os.close(reading)
    else:
        return cast("TextIO", None)
    return open(1, "w", encoding="utf-8", closefd=False)


def _point(file: int, at: int, number: int, passed: list[int]) -> None:
    passed[0] += 1
    # In one call: the process may end while another thread comes to a point.
    os.pwrite(file, b"%d" % passed[0], 0)
    if passed[0] == at:
        os.kill(os.getpid(), number)


def _count(point: Callable[[], None]) -> None:
    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def instead(*arguments: Any, **named: Any) -> Any:
            point()
            return call(*arguments, **named)

        return instead

    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))

    class Counted(sqlite3.Connection):
        def execute(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
            if not sql.lstrip().upper().startswith(LOOKS):
                point()
            return super().execute(sql, *arguments)

        def executemany(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
            point()
            return super().executemany(sql, *arguments)

    connect = sqlite3.connect
    sqlite3.connect = cast(
        "Any", lambda *arguments, **named: connect(*arguments, factory=Counted, **named)
    )


def _load() -> None:
    """Loads what the runs have in common, and makes a guess at a passphrase cost nothing."""
    import importlib
    import pkgutil

    import reviewdeck.cli.commands
    from reviewdeck import environment
    from reviewdeck.engine.authorisation import no_ancestors
    from reviewdeck.operators import vault
    from reviewdeck.operators.keys import KdfCost

    for module in pkgutil.iter_modules(reviewdeck.cli.commands.__path__):
        importlib.import_module(f"reviewdeck.cli.commands.{module.name}")
    # Whoever runs the tests may be an agent: what the program decides is no less ours.
    environment.process_ancestry = lambda: no_ancestors
    vault.Vault.__init__.__defaults__ = (KdfCost(passes=1, memory=8192),)


if __name__ == "__main__":
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # A run may go on when its terminal hangs up.
    _load()
    serve(Path(sys.argv[1]))

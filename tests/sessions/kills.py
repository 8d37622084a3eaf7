"""Kills a recorder between turns and sink, again and again, and looks what became of the turns.

    python -m tests.sessions.kills FOLDER [KILLS]

Each child brings over what the last one left, records two sessions of its own, and is killed
before its Nth step. What it had recorded stands in a file that it wrote after each turn.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

from tests.sessions.kit import Kept, Ticking, kept_in_ledger, ledger_sink, recorder, said

from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import SessionMode

TURNS = 12
STEPS = 40
"""More steps than a child has: some get through."""


class Killer:
    """A probe that kills its own process just before the Nth step."""

    def __init__(self, at: int) -> None:
        self._left = at

    def __call__(self, step: str) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def speak(folder: Path, run: int, at: int) -> None:
    """Two sessions, turn by turn in turns."""
    sink = ledger_sink(folder, SessionMode.APPEND if run % 4 else SessionMode.REPLACE)
    at_work = recorder(folder, sink, every=1 + run % 4, linger=0.001, probe=Killer(at))
    talks = {name: at_work.begin(f"{name}{run}") for name in "ab"}
    taken = os.open(folder / "taken", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number in range(TURNS):
        for name, talk in talks.items():
            talk.record(said(f"{name}{run} {number}"))
            os.write(taken, f"{name}{run} {number}\n".encode())
        if run % 2:
            at_work.drain()  # So that kills come between writer and sink as well.
    at_work.close()


def survives(folder: Path, run: int, at: int) -> bool:
    """One child; says whether it got through."""
    child = os.fork()
    if child == 0:
        speak(folder, run, at)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return False
    assert os.waitstatus_to_exitcode(status) == 0
    return True


def check(kept: Kept, taken: list[str], runs: int) -> list[str]:
    """What is wrong with the sink after all that."""
    wrong = []
    for session in (f"{name}{run}" for run in range(runs) for name in "ab"):
        sure = [line for line in taken if line.split()[0] == session]
        transcripts = kept.transcripts(session)
        turns = [turn for one in transcripts for turn in kept.turns(one.id)]
        found = [turn.messages[0].text for turn in turns]
        # One more may be there: the turn during which it was killed.
        whole = [f"{session} {number}" for number in range(len(found))]
        if found != whole or found[: len(sure)] != sure or len(found) - len(sure) > 1:
            wrong.append(f"{session}: {sure} was recorded, {found} is there")
        if [turn.number for turn in turns] != list(range(len(turns))) or len(transcripts) > 1:
            wrong.append(f"{session}: its turns are numbered {[turn.number for turn in turns]}")
    return wrong


def run(folder: Path, kills: int) -> dict[str, object]:
    """Kills so many children, and lets a last recorder bring over what is left."""
    folder.mkdir(parents=True, exist_ok=True)
    open_ledger(str(folder / "ledger.db"), now=Ticking()).close()
    killed, runs = 0, 0
    while killed < kills:
        killed += not survives(folder, runs, 1 + (7 * runs) % STEPS)
        runs += 1
    with recorder(folder, ledger_sink(folder, SessionMode.APPEND)):
        pass
    kept = kept_in_ledger(folder)
    taken = (folder / "taken").read_text("utf-8").splitlines()
    wrong = check(kept, taken, runs)
    kept.close()
    left = [path.name for path in (folder / "spool").iterdir()]
    return {"kills": killed, "turns": len(taken), "left": left, "wrong": wrong}


if __name__ == "__main__":
    print(json.dumps(run(Path(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 100)))

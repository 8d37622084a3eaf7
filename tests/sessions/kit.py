"""Recorders over real spools and real sinks, and sinks that stop or fail on purpose."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol, TypeAlias

from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import Lineage, Message, Role, SessionMode, Transcript, Turn, TurnBatch
from reviewdeck.ports import Probe, Turns, TurnSink
from reviewdeck.recording import LedgerSink, new_id
from reviewdeck.sessions import JsonLines, Recorder, RecorderOptions, SpoolLimits

START = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
SOON = 60.0
"""Seconds after which something that should happen at once did not."""


class Ticking:
    """A clock that moves on a second with each look."""

    def __init__(self) -> None:
        self._moment = START
        self._lock = threading.Lock()

    def __call__(self) -> datetime:
        with self._lock:
            self._moment += timedelta(seconds=1)
            return self._moment


class Kept(Turns, Protocol):
    """A sink's other side."""

    def close(self) -> None: ...


OpenSink: TypeAlias = Callable[[Path, SessionMode], TurnSink]
OpenKept: TypeAlias = Callable[[Path], Kept]


def ledger_sink(folder: Path, mode: SessionMode) -> TurnSink:
    """The ledger."""
    return LedgerSink(str(folder / "ledger.db"), now=Ticking(), mode=mode)


def kept_in_ledger(folder: Path) -> Kept:
    """What the ledger has."""
    return open_ledger(str(folder / "ledger.db"), now=Ticking())


def lines_sink(folder: Path, mode: SessionMode) -> TurnSink:
    """A folder of JSON lines."""
    return JsonLines(folder / "lines", mode)


def kept_in_lines(folder: Path) -> Kept:
    """What it has."""
    return JsonLines(folder / "lines")


SINKS: dict[str, tuple[OpenSink, OpenKept]] = {
    "ledger": (ledger_sink, kept_in_ledger),
    "lines": (lines_sink, kept_in_lines),
}
"""Every adapter that has to pass the contract."""


class Stopped:
    """A sink in front of another that waits at a gate, and says what came through in order."""

    def __init__(self, inner: TurnSink, *, is_open: bool = True) -> None:
        self._inner = inner
        self.gate = threading.Event()
        self.reached = threading.Event()
        self.batches: list[TurnBatch] = []
        if is_open:
            self.gate.set()

    @property
    def mode(self) -> SessionMode:
        return self._inner.mode

    def retain(self, batches: Sequence[TurnBatch]) -> None:
        self.reached.set()
        assert self.gate.wait(SOON)
        self._inner.retain(batches)
        self.batches += batches

    def close(self) -> None:
        self._inner.close()


class Failing(Stopped):
    """A sink that fails so often before it works."""

    def __init__(self, inner: TurnSink, problem: Exception, times: int) -> None:
        super().__init__(inner)
        self._problem = problem
        self.left = times

    def retain(self, batches: Sequence[TurnBatch]) -> None:
        if self.left:
            self.left -= 1
            raise self._problem
        super().retain(batches)


class Patient(Recorder):
    """A recorder whose end waits for a busy machine, unless a test says how long it waits."""

    def close(self, bound: float = SOON) -> bool:
        """Sends everything, as the recorder does."""
        return super().close(bound)


def recorder(
    folder: Path,
    sink: TurnSink,
    *,
    every: int = 1,
    linger: float = 0.0,
    limits: SpoolLimits | None = None,
    probe: Probe = lambda step: None,
) -> Recorder:
    """A recorder that tries again at once."""
    pace = RecorderOptions(every, linger, pauses=(0.001, 0.002), limits=limits or SpoolLimits())
    return Patient(folder / "spool", sink, now=Ticking(), new_id=new_id, pace=pace, probe=probe)


def said(text: str) -> list[Message]:
    """A turn of two messages."""
    return [Message(Role.USER, text), Message(Role.ASSISTANT, f"re: {text}")]


def texts(kept: Turns, session: str) -> list[list[str]]:
    """What the user said in each transcript of a session."""
    return [
        [turn.messages[0].text for turn in kept.turns(one.id)] for one in kept.transcripts(session)
    ]


def transcript(name: str = "t1", turns: int = 1, session: str = "s1") -> Transcript:
    """A transcript with so many turns of two messages."""
    last = START + timedelta(seconds=turns)
    return Transcript(
        name, Lineage(session, "s0"), START, last, turns, 2 * turns, "/homes/iris", "cli"
    )


def turn(number: int, text: str = "") -> Turn:
    """A turn of a transcript."""
    at = START + timedelta(seconds=number + 1)
    return Turn(number, at, tuple(said(text or f"turn {number}")), f"id-{number}")


def segments(folder: Path) -> list[Path]:
    """What is in the spool."""
    return sorted((folder / "spool").glob("*.spool"))

"""Composing a recorder of turns. Loads little: an agent imports this."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reviewdeck.clock import utc_now
from reviewdeck.ledger.place import address_of
from reviewdeck.locations import ledger_url
from reviewdeck.model import SessionMode, TurnBatch
from reviewdeck.ports import Clock, TurnSink
from reviewdeck.sessions.jsonl import JsonLines
from reviewdeck.sessions.recorder import Recorder, RecorderOptions
from reviewdeck.sessions.spool import leftover_segments
from reviewdeck.sessions.writer import Delivery, replay

if TYPE_CHECKING:
    from reviewdeck.ledger.ledger import Ledger


class LedgerSink:
    """The ledger as a sink of turns, opened by the first batch, in the writer's thread.

    Satisfies `ports.TurnSink`. An agent that records nothing opens no ledger.
    """

    def __init__(self, url: str, *, now: Clock, mode: SessionMode = SessionMode.APPEND) -> None:
        self._url = url
        self._now = now
        self._mode = mode
        self._ledger: Ledger | None = None

    @property
    def mode(self) -> SessionMode:
        """The ledger is sent new turns only."""
        return self._mode

    def retain(self, batches: Sequence[TurnBatch]) -> None:
        """Keeps these in one transaction. Raises LedgerUnavailable, Busy."""
        if self._ledger is None:
            from reviewdeck.ledger.opening import open_ledger

            self._ledger = open_ledger(self._url, now=self._now)
        self._ledger.retain(batches)

    def close(self) -> None:
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None


def new_id() -> str:
    """A fresh identifier: 12 hex digits."""
    return secrets.token_hex(6)


def compose_recorder(
    ledger: str,
    *,
    mode: SessionMode = SessionMode.APPEND,
    pace: RecorderOptions | None = None,
    now: Clock = utc_now,
) -> Recorder:
    """A recorder into this ledger, which is opened with the first turn. Raises BadInput."""
    sink = LedgerSink(ledger, now=now, mode=mode)
    return Recorder(address_of(ledger).spool, sink, now=now, new_id=new_id, pace=pace)


def deliver_leftovers(folder: Path, sink: TurnSink) -> None:
    """Delivers what ended recorders left in a spool, once and without waiting for the sink.

    Turns that the sink does not accept now stay in the spool. Never raises.
    """
    once = threading.Event()
    once.set()
    if leftover_segments(folder):
        replay(folder, Delivery(sink, set_aside=lambda batch: None, giving_up=once), sink.mode)


def open_recorder(
    *,
    ledger: str | None = None,
    lines: str | Path | None = None,
    mode: SessionMode = SessionMode.APPEND,
    retain_every_n_turns: int = 1,
    env: Mapping[str, str] | None = None,
) -> Recorder:
    """A recorder as an agent opens it: into the user's ledger, or a folder of JSON lines.

    Raises BadInput.
    """
    pace = RecorderOptions(retain_every_n_turns=retain_every_n_turns)
    if lines is None:
        url = ledger_url(ledger, os.environ if env is None else env)
        return compose_recorder(url, mode=mode, pace=pace)
    folder = Path(lines).expanduser()
    sink = JsonLines(folder, mode)
    return Recorder(folder / ".spool", sink, now=utc_now, new_id=new_id, pace=pace)

"""`auto --watch`: stays, says one line per event, and goes when it is told to."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from types import FrameType

from reviewdeck.bootstrap import compose_deck
from reviewdeck.cli.items import moment_json
from reviewdeck.cli.options import Options
from reviewdeck.cli.output import escaped, say, warn
from reviewdeck.cli.session import utc_now
from reviewdeck.cli.words import at_local, inert, one_line
from reviewdeck.engine.options import Settings
from reviewdeck.engine.watch import Happening, Watch
from reviewdeck.homes.hermes.watch import stirrings
from reviewdeck.ledger.place import path_of
from reviewdeck.policy.redact import redact

_SHORT = 12


class _Gone(BaseException):
    """Told to go while only looking: what was read so far is read again the next time."""


class _Phase:
    """What a pass is at: looking can be broken off, what is being written is finished first."""

    def __init__(self) -> None:
        self.stop = Event()
        self._is_looking = False

    def probe(self, step: str) -> None:
        """Called before each step that writes: from here on the pass goes to its end."""
        self._is_looking = False

    @contextmanager
    def looking(self) -> Iterator[None]:
        """A pass, which looks before it writes."""
        self._is_looking = True
        try:
            yield
        finally:
            self._is_looking = False

    def go(self) -> None:
        """Somebody says that it is over."""
        self.stop.set()
        if self._is_looking:
            raise _Gone


def stay(settings: Settings, options: Options) -> int:
    """Applies what is plainly safe as it comes, until SIGTERM or SIGINT. Gives 0."""
    phase = _Phase()
    watch = Watch(
        lambda: compose_deck(settings, probe=phase.probe),
        lambda: _identity(path_of(settings.ledger)),
        utc_now,
    )
    with _told_to_go(phase):
        watch.open()
        try:
            _tell(_began(settings), options)
            with suppress(_Gone):
                _loop(watch, settings, phase, options)
            _tell(Happening(utc_now(), "stopped"), options)
        finally:
            watch.close()
    return 0


def _loop(watch: Watch, settings: Settings, phase: _Phase, options: Options) -> None:
    afresh = Event()

    def turn() -> None:
        with phase.looking():
            happened = [*watch.turn(time.monotonic(), phase.stop.is_set)]
        for happening in happened:
            _tell(happening, options)
        if watch.was_deaf():
            afresh.set()

    turn()
    _tell(Happening(utc_now(), "watching", detail={"waiting": watch.waiting}), options)
    for moved in stirrings(settings.homes, phase.stop, warn, afresh):
        for stir in moved:
            watch.stir(stir.home, is_record=stir.is_record)
        if phase.stop.is_set():
            return
        turn()


@contextmanager
def _told_to_go(phase: _Phase) -> Iterator[None]:
    """The first SIGTERM or SIGINT ends the watch well. The second one ends the program at once."""
    names = (signal.SIGTERM, signal.SIGINT)
    before = {name: signal.getsignal(name) for name in names}

    def go(number: int, frame: FrameType | None) -> None:
        for name in names:
            signal.signal(name, before[name])
        phase.go()

    for name in names:
        signal.signal(name, go)
    try:
        yield
    finally:
        for name in names:
            signal.signal(name, before[name])


def _identity(path: Path) -> object:
    try:
        found = path.stat()
    except OSError as error:
        return type(error).__name__
    return found.st_dev, found.st_ino


def _began(settings: Settings) -> Happening:
    homes = [str(home) for home in settings.homes]
    detail: dict[str, object] = {"homes": homes, "ledger": settings.ledger, "process": os.getpid()}
    return Happening(utc_now(), "started", detail=detail)


def _tell(happening: Happening, options: Options) -> None:
    if options.json:
        sys.stdout.write(escaped(json.dumps(happening_json(happening), ensure_ascii=False)) + "\n")
    else:
        say(f"{at_local(happening.at)}  {happening_words(happening)}")
    sys.stdout.flush()


def happening_json(happening: Happening) -> dict[str, object]:
    """One line of the log."""
    return {
        "at": moment_json(happening.at),
        "event": happening.name,
        "home": happening.home or None,
        "subject": happening.subject or None,
        **_inert(happening.detail),
    }


def _inert(detail: Mapping[str, object]) -> dict[str, object]:
    """What is said of a happening, with secrets covered."""
    return {k: redact(v) if isinstance(v, str) else v for k, v in detail.items()}


def happening_words(happening: Happening) -> str:
    """One line for a person."""
    detail = happening.detail
    said = []
    if happening.subject:
        is_id = "state" in detail
        said.append(happening.subject[:_SHORT] if is_id else one_line(happening.subject))
    if "action" in detail:
        said += [one_line(f"{detail['action']} {detail['target']}")]
    for key in ("state", "ending", "reason", "message", "operation", "homes"):
        if value := detail.get(key):
            shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            said.append(f"operation {shown}" if key == "operation" else one_line(shown))
    if "waiting" in detail:
        said.append(f"{detail['waiting']} waiting for somebody")
    if "again_in" in detail:
        said.append(f"Trying again in {detail['again_in']:g} s.")
    return "  ".join([f"{happening.name:<11}", *map(inert, said)]).strip()

"""The loop of `auto --watch` and `worker`: one line per event, until it is told to stop."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event
from types import FrameType
from typing import TypeAlias

from reviewdeck import bootstrap
from reviewdeck.cli.options import Options
from reviewdeck.cli.output import say
from reviewdeck.clock import utc_now
from reviewdeck.delivery import deliver
from reviewdeck.engine.notices import Notices
from reviewdeck.engine.options import Settings
from reviewdeck.engine.watch import Watch, WatchEvent
from reviewdeck.homes.watch import HomeChange, WatchedHome, changed_homes
from reviewdeck.ledger.place import address_of, identity_of
from reviewdeck.ports import Probe
from reviewdeck.presentation.items import moment_json
from reviewdeck.presentation.proposal_words import local_time
from reviewdeck.presentation.words import inert, one_line
from reviewdeck.terminal import warn
from reviewdeck.text.inert import json_escaped
from reviewdeck.text.redact import redact
from reviewdeck.user_service import tell

_SHORT = 12


class _Stopped(BaseException):
    """The watch was stopped while it only read: the next pass reads the same again."""


class _Phase:
    """Whether a pass is reading, which can be broken off, or writing, which is finished first."""

    def __init__(self) -> None:
        self.stop = Event()
        self._is_looking = False

    def probe(self, step: str) -> None:
        """Called before each step that writes: from here on the pass is not broken off."""
        self._is_looking = False
        tell("WATCHDOG=1")

    @contextmanager
    def looking(self) -> Iterator[None]:
        """A pass: it reads before it writes."""
        self._is_looking = True
        try:
            yield
        finally:
            self._is_looking = False

    def go(self) -> None:
        """Stops the watch; breaks off a pass that is only reading."""
        self.stop.set()
        if self._is_looking:
            raise _Stopped


Changes: TypeAlias = Iterator[frozenset[HomeChange]]
"""The changes of some homes as they happen, and an empty set about once a second."""


class Watching:
    """What `auto --watch` watches, and with what; a worker watches more."""

    def __init__(self, settings: Settings, options: Options) -> None:
        self.settings, self.options = settings, options

    def watch(self, probe: Probe) -> Watch:
        """The watch; it has opened the ledger. Raises ReviewdeckError."""
        watch = Watch(
            lambda: bootstrap.open_engine(self.settings, probe=probe),
            lambda: identity_of(self.settings.ledger),
            utc_now,
        )
        watch.open()
        return watch

    @contextmanager
    def beside(self, watch: Watch) -> Iterator[None]:
        """What runs as long as the loop does."""
        yield

    def stirs(self, changes: Changes, watch: Watch, stop: Event) -> Changes:
        """What the loop is stirred by: changes of the homes."""
        return changes

    def tell(self, happening: WatchEvent) -> None:
        """Says what happened, as one line."""
        tell_event(happening, self.options)


def watch_homes(watching: Watching) -> int:
    """Applies what is plainly safe as it arrives, until SIGTERM or SIGINT. Gives 0."""
    if (refusal := bootstrap.refusal_to_write(watching.settings)) is not None:
        raise refusal
    phase = _Phase()
    with _stopped_by_signals(phase):
        watch = watching.watch(phase.probe)
        try:
            watching.tell(_started(watching.settings))
            tell("READY=1")
            with watching.beside(watch), suppress(_Stopped):
                _loop(watch, watching, phase)
            tell("STOPPING=1")
            watching.tell(WatchEvent(utc_now(), "stopped"))
        finally:
            watch.close()
    return 0


def _loop(watch: Watch, watching: Watching, phase: _Phase) -> None:
    from reviewdeck.cli.due_reviews import StartedReviews  # loads the reviewer's settings

    settings = watching.settings
    afresh, notices, reviews = Event(), Notices(deliver), StartedReviews(settings)

    def turn() -> None:
        tell("WATCHDOG=1")
        with phase.looking():
            happenings = [*watch.turn(time.monotonic(), phase.stop.is_set)]
            if watch.engine is not None:
                notices.turn(watch.engine, moved=bool(happenings))
        for happening in (*happenings, *reviews.turn(time.monotonic())):
            watching.tell(happening)
        if watch.missed_events():
            afresh.set()

    turn()
    watching.tell(WatchEvent(utc_now(), "watching", detail={"waiting": watch.waiting}))
    kinds = {path: bootstrap.kind_for(path, settings) for path in settings.homes}

    def watched() -> list[WatchedHome]:
        return [kind.watched(path) for path, kind in kinds.items()]

    try:
        changes = changed_homes(watched, phase.stop, warn, afresh)
        for stirs in watching.stirs(changes, watch, phase.stop):
            for stir in stirs:
                watch.mark_dirty(stir.home, is_record=stir.is_record)
            if phase.stop.is_set():
                return
            turn()
    finally:
        reviews.close()


@contextmanager
def _stopped_by_signals(phase: _Phase) -> Iterator[None]:
    """The first SIGTERM or SIGINT stops the watch in order, the second ends the program at once."""
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


def _started(settings: Settings) -> WatchEvent:
    homes = [str(home) for home in settings.homes]
    ledger = address_of(settings.ledger).label
    detail: dict[str, object] = {"homes": homes, "ledger": ledger, "process": os.getpid()}
    return WatchEvent(utc_now(), "started", detail=detail)


def tell_event(happening: WatchEvent, options: Options) -> None:
    """Says what happened, as one line of text or of JSON."""
    if options.json:
        sys.stdout.write(
            json_escaped(json.dumps(happening_json(happening), ensure_ascii=False)) + "\n"
        )
    else:
        say(f"{local_time(happening.at)}  {happening_words(happening)}")
    sys.stdout.flush()


def happening_json(happening: WatchEvent) -> dict[str, object]:
    """One happening as a line of JSON."""
    return {
        "at": moment_json(happening.at),
        "event": happening.name,
        "home": happening.home or None,
        "subject": happening.subject or None,
        **{k: redact(v) if isinstance(v, str) else v for k, v in happening.detail.items()},
    }


def happening_words(happening: WatchEvent) -> str:
    """One happening as a line of text."""
    detail = happening.detail
    parts = []
    if happening.subject:
        is_id = "state" in detail
        parts.append(happening.subject[:_SHORT] if is_id else one_line(happening.subject))
    if "action" in detail:
        parts += [one_line(f"{detail['action']} {detail['target']}")]
    for key in ("proposals", "state", "ending", "reason", "message", "hint", "operation", "homes"):
        if value := detail.get(key):
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            parts.append(f"operation {text}" if key == "operation" else one_line(text))
    if "waiting" in detail:
        parts.append(f"{detail['waiting']} waiting for an operator")
    if "again_in" in detail:
        parts.append(f"Trying again in {detail['again_in']:g} s, then at growing intervals.")
    return "  ".join([f"{happening.name:<11}", *map(inert, parts)]).strip()

"""`reviewdeck auto`, once or with `--watch`: one line per event, until it is told to stop."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Event
from types import FrameType
from typing import Annotated, Any

from cyclopts import Parameter

from reviewdeck import bootstrap
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import console, print_json, say
from reviewdeck.cli.session import end_interrupted_runs, open_engine, settings_of
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.clock import utc_now
from reviewdeck.delivery import deliver
from reviewdeck.engine.auto import AutoReport
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.notices import Notices
from reviewdeck.engine.options import Settings
from reviewdeck.engine.watch import Watch, WatchEvent
from reviewdeck.errors import Busy, NotDecidable, StaleBase
from reviewdeck.homes.watch import WatchedHome, changed_homes
from reviewdeck.ledger.place import address_of, identity_of
from reviewdeck.model import QueueItem
from reviewdeck.ports import Progress
from reviewdeck.presentation.items import item_json, moment_json
from reviewdeck.presentation.proposal_words import local_time
from reviewdeck.presentation.situation import budgets_of, direct_writes_warning
from reviewdeck.presentation.words import home_words, inert, one_line
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


def watch_homes(settings: Settings, options: Options) -> int:
    """Applies what is plainly safe as it arrives, until SIGTERM or SIGINT. Gives 0."""
    if (refusal := bootstrap.refusal_to_write(settings)) is not None:
        raise refusal
    phase = _Phase()
    watch = Watch(
        lambda: bootstrap.open_engine(settings, probe=phase.probe),
        lambda: identity_of(settings.ledger),
        utc_now,
    )
    with _stopped_by_signals(phase):
        watch.open()
        try:
            _tell(_started(settings), options)
            tell("READY=1")
            with suppress(_Stopped):
                _loop(watch, settings, phase, options)
            tell("STOPPING=1")
            _tell(WatchEvent(utc_now(), "stopped"), options)
        finally:
            watch.close()
    return 0


def _loop(watch: Watch, settings: Settings, phase: _Phase, options: Options) -> None:
    from reviewdeck.cli.due_reviews import StartedReviews  # loads the reviewer's settings

    afresh, notices, reviews = Event(), Notices(deliver), StartedReviews(settings)

    def turn() -> None:
        tell("WATCHDOG=1")
        with phase.looking():
            happenings = [*watch.turn(time.monotonic(), phase.stop.is_set)]
            if watch.engine is not None:
                notices.turn(watch.engine, moved=bool(happenings))
        for happening in (*happenings, *reviews.turn(time.monotonic())):
            _tell(happening, options)
        if watch.missed_events():
            afresh.set()

    turn()
    _tell(WatchEvent(utc_now(), "watching", detail={"waiting": watch.waiting}), options)
    kinds = {path: bootstrap.kind_for(path, settings) for path in settings.homes}

    def watched() -> list[WatchedHome]:
        return [kind.watched(path) for path, kind in kinds.items()]

    try:
        for stirs in changed_homes(watched, phase.stop, warn, afresh):
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


def _tell(happening: WatchEvent, options: Options) -> None:
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
        **_redacted(happening.detail),
    }


def _redacted(detail: Mapping[str, object]) -> dict[str, object]:
    """The detail of a happening, with secrets redacted."""
    return {k: redact(v) if isinstance(v, str) else v for k, v in detail.items()}


def happening_words(happening: WatchEvent) -> str:
    """One happening as a line of text."""
    detail = happening.detail
    parts = []
    if happening.subject:
        is_id = "state" in detail
        parts.append(happening.subject[:_SHORT] if is_id else one_line(happening.subject))
    if "action" in detail:
        parts += [one_line(f"{detail['action']} {detail['target']}")]
    for key in ("state", "ending", "reason", "message", "operation", "homes"):
        if value := detail.get(key):
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            parts.append(f"operation {text}" if key == "operation" else one_line(text))
    if "waiting" in detail:
        parts.append(f"{detail['waiting']} waiting for an operator")
    if "again_in" in detail:
        parts.append(f"Trying again in {detail['again_in']:g} s.")
    return "  ".join([f"{happening.name:<11}", *map(inert, parts)]).strip()


DONE, FAILED, WAITING = 0, 1, 3
_TRANSIENT = (Busy, NotDecidable, StaleBase)
"""Errors that the next run may not meet: the proposal stays in the queue."""


def auto(
    *,
    dry_run: Annotated[
        bool, Parameter(help="Show what would be applied, and change nothing.")
    ] = False,
    watch: Annotated[
        bool,
        Parameter(
            help="Keep running and apply safe additions as they arrive, until SIGTERM or Ctrl-C."
        ),
    ] = False,
    options: Options = DEFAULTS,
) -> int:
    """Apply the additions that pass all six checks, and report the rest.

    The exit code is 3 while proposals are waiting, else 0. With --watch it is 0.
    """
    if watch:
        return _stay(options, dry_run=dry_run)
    with open_engine(options) as engine:
        if not dry_run:
            end_interrupted_runs(engine)
        with progress_bar(options) as progress:
            report = engine.auto(dry_run=dry_run, progress=progress)
        if not dry_run:
            Notices(deliver).turn(engine, moved=True)
        if options.json:
            print_json(report_json(engine, report))
        else:
            print_report(engine, report, options, dry_run=dry_run)
    for reason in dict.fromkeys(report.suspended):
        warn(f"reviewdeck: automatic approval is off: {reason}")
    for problem in report.problems:
        warn(f"reviewdeck: {problem}")
    return _exit_code(report)


def _stay(options: Options, *, dry_run: bool) -> int:
    if dry_run:
        raise UsageProblem("--watch and --dry-run exclude each other.", hint="Choose one of them.")

    return watch_homes(settings_of(options), options)


def report_json(engine: Engine, report: AutoReport) -> dict[str, Any]:
    """The results of one pass."""
    now = utc_now()
    operations = {
        operation.proposal: operation.id
        for operation in engine.operations(limit=2 * len(report.applied) + 100)
    }
    failed = {failure.proposal: failure.error for failure in report.failures}

    def as_json(items: Sequence[QueueItem]) -> list[dict[str, Any]]:
        entries = [item_json(item, now) for item in items]
        support, closest = dict(report.sentences), dict(report.closest_sentences)
        agent_words = dict(report.agent_words)
        for item in entries:
            item["operation"] = operations.get(item["id"])
            item["said"] = support.get(item["id"])
            item["agent_words"] = agent_words.get(item["id"])
            item["closest"] = closest.get(item["id"])
            if error := failed.get(item["id"]):
                item["failure"] = {"code": error.code, "message": error.message}
        return entries

    return {
        "applied": as_json(report.applied),
        "held": as_json(report.held),
        "refused": as_json(report.refused),
        "dead": as_json(report.dead),
        "elsewhere": as_json(report.elsewhere),
        "rejected": as_json(report.rejected),
        "suspended": list(dict.fromkeys(report.suspended)),
    }


def print_report(engine: Engine, report: AutoReport, options: Options, *, dry_run: bool) -> None:
    """Prints what was applied, what is waiting and why, memory sizes, and what to do next."""
    from rich.text import Text

    from reviewdeck.cli.render_auto import report_lines

    screen, homes = console(options), [opened.home for opened in engine.open_homes]
    for home in homes:
        if len(homes) > 1:
            screen.print(
                Text(inert(f"== {home_words(home.name, home.kind)}  {home.where}"), style="bold")
            )
        of_home, budgets = _restricted_to(report, home.id), budgets_of(home)
        for part in report_lines(of_home, budgets, options, utc_now(), dry_run=dry_run):
            screen.print(part, soft_wrap=isinstance(part, Text))
        if direct := direct_writes_warning(engine.ledger, home, utc_now()):
            screen.print(Text(inert(direct), style="yellow"), soft_wrap=True)
    for failure in report.failures:
        warn(f"reviewdeck: {failure.proposal} was not applied. {failure.error.message}")


def _restricted_to(report: AutoReport, home: str) -> AutoReport:
    def ours(items: tuple[QueueItem, ...]) -> tuple[QueueItem, ...]:
        return tuple(item for item in items if item.home == home)

    return replace(
        report,
        applied=ours(report.applied),
        held=ours(report.held),
        refused=ours(report.refused),
        dead=ours(report.dead),
        elsewhere=ours(report.elsewhere),
        rejected=ours(report.rejected),
    )


@contextmanager
def progress_bar(options: Options) -> Iterator[Progress | None]:
    """A progress bar on the terminal during a long pass; it is removed before the report."""
    if options.json or not sys.stderr.isatty() or not sys.stdout.isatty():
        yield None
        return
    from rich.progress import Progress as Bars

    with Bars(console=console(options, sys.stderr), transient=True) as bars:
        task = bars.add_task("reading the home", total=None)
        yield lambda done, amount: bars.update(task, completed=done, total=amount)


def _exit_code(report: AutoReport) -> int:
    if any(not isinstance(failure.error, _TRANSIENT) for failure in report.failures):
        return FAILED
    return WAITING if report.waiting else DONE

"""`reviewdeck worker`: does on this host what is decided anywhere, until it is told to stop."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import version
from threading import Event
from typing import Annotated, Final

from cyclopts import Parameter

from reviewdeck import bootstrap
from reviewdeck.cli.metrics import Metrics
from reviewdeck.cli.news import beside_news
from reviewdeck.cli.numbers import seconds, whole
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.session import settings_of
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.cli.watch_loop import Changes, Watching, watch_homes
from reviewdeck.clock import utc_now
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.watch import Watch, WatchEvent
from reviewdeck.engine.worker import Worker
from reviewdeck.errors import Busy
from reviewdeck.ledger.place import identity_of
from reviewdeck.ports import Probe

POLL: Final = 10.0
_SHORTEST, _LONGEST = 1.0, 300.0


class _Working(Watching):
    """The watch of a worker."""

    poll: float = POLL
    port: int | None = None
    """Where the numbers are served; None for nowhere."""
    metrics: Metrics | None = None

    def tell(self, happening: WatchEvent) -> None:
        if self.metrics is not None:
            self.metrics.observe(happening)
        super().tell(happening)

    @contextmanager
    def beside(self, watch: Watch) -> Iterator[None]:
        assert isinstance(watch, Worker)  # noqa: S101 - the one below
        with ExitStack() as stack:
            if self.metrics is not None and self.port is not None:
                stack.enter_context(self.metrics.served(self.port, watch))
            yield

    def watch(self, probe: Probe) -> Worker:
        """The worker; the ledger is opened at its first turn, and need not answer yet."""
        settings = self.settings
        with suppress(Busy):  # Another process of this host is at work on it.
            for ending in bootstrap.end_on_disk(settings):
                detail: dict[str, object] = {"ending": ending.ending, "message": ending.detail}
                self.tell(WatchEvent(utc_now(), "recovered", "", ending.batch, detail))

        def opened() -> Engine:
            return bootstrap.open_for_worker(settings, probe=probe)

        return Worker(
            opened,
            lambda: identity_of(settings.ledger),
            utc_now,
            notes=bootstrap.host_notes(settings),
            version=version("reviewdeck"),
            pause=lambda: self.poll * random.uniform(0.75, 1.25),  # noqa: S311 - nothing secret
        )

    def stirs(self, changes: Changes, watch: Watch, stop: Event) -> Changes:
        assert isinstance(watch, Worker)  # noqa: S101 - the one above
        return beside_news(changes, watch, stop)


def worker(
    *,
    poll: Annotated[
        float,
        Parameter(
            help="Seconds between two questions to the ledger, where it says nothing.",
            converter=seconds,
        ),
    ] = POLL,
    accept_ledger: Annotated[
        bool,
        Parameter(help="Go on with a ledger that lacks what this host saw: it was restored."),
    ] = False,
    metrics: Annotated[
        int | None,
        Parameter(
            help="Serve numbers for Prometheus on this port of 127.0.0.1.",
            converter=whole(0, 65_535),
        ),
    ] = None,
    options: Options = DEFAULTS,
) -> int:
    """Apply here what is decided for these homes, on whichever machine, until SIGTERM or Ctrl-C.

    Also does all that `auto --watch` does. It waits for a ledger that cannot be reached, after it
    has ended what this host began.
    """
    if not _SHORTEST <= poll <= _LONGEST:
        raise UsageProblem(f"--poll takes {_SHORTEST:g} to {_LONGEST:g} seconds.")
    working = _Working(settings_of(options), options)
    working.poll, working.port = poll, metrics
    if metrics is not None:
        working.metrics = Metrics()
    if accept_ledger:
        bootstrap.forget_heads(working.settings)
    return watch_homes(working)

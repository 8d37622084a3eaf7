"""What a worker does, for Prometheus: numbers alone, on this machine's own address."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from reviewdeck.engine.recovery import OVERTAKEN
from reviewdeck.engine.watch import WatchEvent
from reviewdeck.engine.worker import Worker
from reviewdeck.errors import BadInput

ADDRESS: Final = "127.0.0.1"


class Metrics:
    """The numbers of one worker. Raises BadInput where the library is missing."""

    def __init__(self) -> None:
        try:
            from prometheus_client import CollectorRegistry, Counter, Gauge
        except ImportError as error:
            raise BadInput(
                "--metrics needs the library prometheus-client, which is not installed.",
                hint="pip install 'reviewdeck[metrics]'",
            ) from error
        self._registry = CollectorRegistry()

        def counter(name: str, purpose: str) -> Counter:
            return Counter(f"reviewdeck_{name}", purpose, registry=self._registry)

        def gauge(name: str, purpose: str) -> Gauge:
            return Gauge(f"reviewdeck_{name}", purpose, registry=self._registry)

        self._applied = counter("applied", "Proposals written to a home of this host")
        self._conflicts = counter("conflicts", "Decided proposals whose document had changed")
        self._lost = counter("leases_lost", "Batches that another host took over")
        self._failures = counter("failures", "Failures that this worker told of")
        self._taken_in = gauge("taken_in", "Proposals taken in since this worker started")
        self._waiting = gauge("waiting", "Proposals of this host that wait for an operator")
        self._unreached = gauge(
            "seconds_since_ledger", "Seconds since the ledger last answered this worker"
        )

    def observe(self, happening: WatchEvent) -> None:
        """Counts what happened."""
        proposals = happening.detail.get("proposals")
        amount = len(proposals) if isinstance(proposals, list) else 0
        match happening.name, happening.detail.get("ending"):
            case "applied", _:
                self._applied.inc()
            case ("written", _) | ("recovered", "finished"):
                self._applied.inc(amount)
            case "recovered", "conflict":
                self._conflicts.inc(amount)
            case "recovered", ending if ending == OVERTAKEN:
                self._lost.inc()
            case "failed", _:
                self._failures.inc()
            case _:
                pass

    @contextmanager
    def served(self, port: int, worker: Worker) -> Iterator[None]:
        """Answers `GET /metrics` on this port. Raises BadInput where it is taken."""
        from prometheus_client import start_http_server

        started = time.monotonic()
        self._taken_in.set_function(lambda: worker.taken_in)
        self._waiting.set_function(lambda: worker.waiting)
        self._unreached.set_function(lambda: time.monotonic() - (worker.reached or started))
        try:
            server, thread = start_http_server(port, ADDRESS, self._registry)
        except OSError as error:
            raise BadInput(
                f"Port {port} of {ADDRESS} cannot be used: {error.strerror}.",
                hint="Name another one: --metrics PORT.",
            ) from error
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

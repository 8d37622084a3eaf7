"""Writers of a hub, each a process of its own with a home of its own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Self

from tests.ledger.samples import OPERATOR, START, clock, proposal
from tests.processes import Running, heard

from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import Proposal, Relation
from reviewdeck.model.ledger import Subject

BATCH = 500
"""Proposals that are taken in at once."""


class Intake:
    """Batches of new proposals of one home, made before anybody counts the time."""

    def __init__(self, home: str = "/homes/iris") -> None:
        self._home = home
        self._next = 0
        self._ready: list[Sequence[Proposal]] = []

    def prepare(self, batches: int) -> None:
        """Makes so many."""
        for _ in range(batches):
            numbers = range(self._next, self._next + BATCH)
            self._ready.append([proposal(n, home=self._home, base=b"base") for n in numbers])
            self._next += BATCH

    def take_in(self, ledger: Ledger) -> None:
        """Stores the next one."""
        many = self._ready.pop(0)
        texts = [Subject(Relation.PENDING, f"build {p.id} needs tox", p.id, "memory") for p in many]
        ledger.add(many, {p.payload_sha: f"record {p.id}".encode() for p in many}, {}, texts)


def write_each(pipe: Connection, url: str, home: str) -> None:
    """Adds lines or takes in batches, as often as it is told."""
    with open_ledger(url, now=clock) as ledger:
        # A new chain is entered in the ledger's own, once.
        ledger.append("note", home=home, subject="0", actor=OPERATOR, at=START)
        intake = Intake(home)
        pipe.send("ready")
        while (told := heard(pipe)) is not None:
            what, amount = told
            if what == "batch":
                intake.prepare(amount)
            pipe.send("prepared")
            heard(pipe)
            for number in range(amount):
                if what == "batch":
                    intake.take_in(ledger)
                else:
                    ledger.append("note", home=home, subject=str(number), actor=OPERATOR, at=START)
            pipe.send("done")


class Writers:
    """So many processes on one ledger, on as many homes or all on one."""

    def __init__(self, url: str, writers: int, homes: int) -> None:
        self._stack = ExitStack()
        self._running = [
            self._stack.enter_context(Running(write_each, url, f"/homes/{number % homes}"))
            for number in range(writers)
        ]
        for one in self._running:
            one.receive()

    def rate(self, what: str, amount: int, writers: int | None = None) -> float:
        """How much all of them, or the first few, do in a second, each doing this amount."""
        working = self._running[:writers]
        for one in working:
            one.send((what, amount))
        for one in working:
            one.receive()
        began = time.perf_counter()
        for one in working:
            one.send("go")
        for one in working:
            one.receive()
        return len(working) * amount / (time.perf_counter() - began)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

"""The counters, against what counting would say."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.ledger.samples import (
    HOME,
    OPEN_FOR_ALL,
    START,
    begin,
    claim,
    clock,
    decision,
    id_of,
    proposal,
    quarantined,
)

from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import Draft, OperationState, State, Verb
from reviewdeck.model.ledger import Staging
from reviewdeck.model.states import STAGED

NUMBERS = st.integers(0, 7)


class CountersMachine(RuleBasedStateMachine):
    """Does whatever can be done to a ledger, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self.path = Path(self._folder.name) / "ledger.db"
        self.ledger = open_ledger(str(self.path), now=clock)
        self.batches = 0
        self.running: list[str] = []

    def teardown(self) -> None:
        """Lets go of the file."""
        self.ledger.close()
        self._folder.cleanup()

    @rule(numbers=st.lists(NUMBERS, max_size=4), other=st.booleans())
    def add(self, numbers: list[int], other: bool) -> None:
        """Some are new, some known, some had vanished."""
        home = "/homes/otto" if other else HOME
        self.ledger.add([*(proposal(n, home=home) for n in numbers), quarantined(1)], {})

    @rule(lost=st.lists(NUMBERS))
    def lose(self, lost: list[int]) -> None:
        """Files go away."""
        self.ledger.mark_vanished(HOME, {f"pending/memory/{n}.json" for n in lost})

    @rule(number=NUMBERS, state=st.sampled_from(sorted(STAGED)))
    def stage(self, number: int, state: State) -> None:
        """Staging comes to something else."""
        self.ledger.stage([Staging(id_of(number), state, None, None, (), "")])

    @rule(numbers=st.lists(NUMBERS, min_size=1, max_size=3, unique=True))
    def begin(self, numbers: list[int]) -> None:
        """A batch that may or may not get its claim."""
        self.batches += 1
        self.running += begin(self.ledger, claim(*numbers, batch=f"b{self.batches}"))

    @rule(done=st.booleans())
    def end(self, done: bool) -> None:
        """The oldest batch ends."""
        if self.running and done:
            self.ledger.finish(self.running.pop(0), START, [])
        elif self.running:
            self.ledger.abandon(self.running.pop(0), START, OperationState.CONFLICT, "")

    @rule(number=NUMBERS, deferred=st.booleans())
    def decide(self, number: int, deferred: bool) -> None:
        """A decision that writes nothing."""
        if self.ledger.state_of(id_of(number)) is None:
            return
        self.batches += 1
        state = State.DEFERRED if deferred else State.REJECTED
        made = decision(number, str(self.batches), Verb.DEFER if deferred else Verb.REJECT)
        self.ledger.decide(made, state, OPEN_FOR_ALL)

    @rule(number=NUMBERS, put=st.booleans())
    def draft(self, number: int, put: bool) -> None:
        """A draft is made, made again, or taken back."""
        if not put:
            self.ledger.clear_draft(id_of(number))
        elif self.ledger.state_of(id_of(number)) is not None:
            self.ledger.put_draft(Draft(id_of(number), Verb.APPROVE, None, START))

    @invariant()
    def counters_are_right(self) -> None:
        """Counting says the same."""
        with closing(sqlite3.connect(self.path)) as connection:
            counted = connection.execute(
                "SELECT home, state, count(*) FROM proposal GROUP BY home, state"
            ).fetchall()
            kept = connection.execute(
                "SELECT home, state, amount FROM counter WHERE amount <> 0"
            ).fetchall()
        assert sorted(kept) == sorted(counted)


TestCounters = CountersMachine.TestCase
TestCounters.settings = settings(max_examples=12, stateful_step_count=20)

"""The counters, against what counting would say."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)
from tests.ledger.hub import ledger_at, make_hub
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
from tests.postgres import Server

from reviewdeck.ledger.database import NOBODY
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.list_sql import among
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import Draft, OperationState, State, Verb
from reviewdeck.model.ledger import Staging
from reviewdeck.model.states import FINAL, STAGED

NUMBERS = st.integers(0, 7)


class CountersMachine(RuleBasedStateMachine):
    """Does whatever can be done to a ledger, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.ledger = self.stack.enter_context(self.opened())
        self.batches = 0
        self.running: list[str] = []

    def opened(self) -> Ledger:
        """An empty ledger, in a file of its own."""
        folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        return open_ledger(f"{folder}/ledger.db", now=clock)

    def teardown(self) -> None:
        """Lets go of it."""
        self.stack.close()

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
        wrong = (
            "FROM record JOIN proposal ON proposal.id = record.proposal"
            f" WHERE record.done <> (proposal.{among(FINAL)})"
        )
        with self.ledger._database.reading() as tx:
            counted = tx.rows("SELECT home, state, count(*) FROM proposal GROUP BY home, state")
            kept = tx.rows("SELECT home, state, amount FROM counter WHERE amount <> 0")
            dirty = tx.rows("SELECT proposal FROM dirty WHERE proposal IS NOT NULL")
            done = tx.rows(f"SELECT count(*) {wrong}")
        assert sorted(map(tuple, kept)) == sorted(map(tuple, counted))
        assert len(set(dirty)) == len(dirty) and [*done[0]] == [0]


class HubMachine(CountersMachine):
    """The same in a hub, where other triggers do the same."""

    server: Server

    def opened(self) -> Ledger:
        name = self.stack.enter_context(self.server.database("empty_hub", make_hub))
        return ledger_at(self.server.url(name), NOBODY)


TestCounters = CountersMachine.TestCase
TestCounters.settings = settings(max_examples=12, stateful_step_count=20)


def test_the_counters_of_a_hub_are_right(postgres_server: Server) -> None:
    HubMachine.server = postgres_server
    run_state_machine_as_test(HubMachine, settings=settings(max_examples=6, stateful_step_count=20))

"""A connection to the hub that is cut at any statement: a step is stored whole, or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import psycopg
import pytest
from tests.ledger.cutting import Cutting, Side
from tests.ledger.hub import ledger_at
from tests.ledger.samples import HOME, MEMORY, OPEN_FOR_ALL, START, claim, decision, id_of, proposal
from tests.postgres import Server

from reviewdeck.errors import LedgerUnavailable
from reviewdeck.ledger import intents
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.postgres.creation import create
from reviewdeck.model import OperationState, State, Verb
from reviewdeck.model.ledger import Opener

HOST = Opener(host="a" * 16)
REJECTION = decision(3, verb=Verb.REJECT)

pytestmark = pytest.mark.slow


def staged(ledger: Ledger) -> None:
    """Three proposals wait."""
    ledger.add([proposal(1), proposal(2), proposal(3)], {})


def approved(ledger: Ledger) -> None:
    """Two of them are approved."""
    staged(ledger)
    ledger.begin([claim(1, 2, batch="b")])


def claimed(ledger: Ledger) -> None:
    """And claimed."""
    approved(ledger)
    assert ledger.claim_batch("b")


def finished(ledger: Ledger) -> None:
    """And written."""
    claimed(ledger)
    ledger.finish("b", START, [], epoch=1)


def reject(ledger: Ledger) -> object:
    """Rejects one, which leaves an errand to its host."""
    return ledger.decide(
        REJECTION,
        State.REJECTED,
        OPEN_FOR_ALL,
        also=lambda: ledger.put_errand(REJECTION, ["digest"]),
    )


def abandon(ledger: Ledger) -> None:
    """Gives both back to the queue."""
    ledger.abandon("b", START, OperationState.ABANDONED, "no", epoch=1)


Step = Callable[[Ledger], Any]
STEPS: dict[str, tuple[Step, Step]] = {
    "approve": (staged, lambda ledger: ledger.begin([claim(1, 2, batch="b")])),
    "reject": (staged, reject),
    "claim": (approved, lambda ledger: ledger.claim_batch("b")),
    "let go": (claimed, lambda ledger: ledger.let_go("b", 1)),
    "rescue": (claimed, lambda ledger: ledger.rescue("b", MEMORY, b"theirs", START)),
    "finish": (claimed, lambda ledger: ledger.finish("b", START, [], epoch=1)),
    "report": (claimed, lambda it: it.finish("b", START, [], epoch=1, is_settled=True)),
    "abandon": (claimed, abandon),
    "settle": (finished, lambda ledger: ledger.settle("b")),
    "intake": (staged, lambda ledger: ledger.add([proposal(4)], {})),
}
"""How far a test goes before it, and what is cut in it."""


def made(prepare: Step) -> Callable[[str], None]:
    """What makes a hub in which a step can be taken."""

    def make(url: str) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            create(connection, "the test's")
        with ledger_at(url, HOST) as ledger:
            prepare(ledger)

    return make


def told(ledger: Ledger) -> tuple[Any, ...]:
    """What the ledger says about the proposals: states, decisions, errands, lines of the log."""
    states = [ledger.state_of(id_of(number)) for number in range(1, 5)]
    decisions = Counter(each.id for each, _ in ledger.all_decisions())
    errands = [errand.decision.id for errand in ledger.errands(HOME)]
    return (states, decisions, errands, Counter(event.name for event in ledger.events()))


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_a_step_that_is_cut_off_is_stored_whole_or_not_at_all_and_once_when_it_is_taken_again(
    step: str, side: Side, postgres_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intents, "LEASE", 0.0)
    prepare, take = STEPS[step]
    template, make = f"cut_{prepare.__name__}", made(prepare)
    with (
        postgres_server.database(template, make) as name,
        ledger_at(postgres_server.url(name), HOST) as ledger,
    ):
        before = told(ledger)
        take(ledger)
        done = told(ledger)
    in_doubt, at = 0, 0
    while True:
        at += 1
        with (
            postgres_server.database(template, make) as name,
            Cutting(postgres_server.url(name)) as cutting,
            ledger_at(cutting.url, HOST) as ledger,
        ):
            ledger.note_host("web-1", "1.0")  # All that went before has an answer.
            cutting.cut_at(at, side)
            is_told = False
            with suppress(LedgerUnavailable):
                take(ledger)
                is_told = True
            if not cutting.has_cut:
                break
            stored = told(ledger)
            assert stored in ((done,) if is_told else (before, done)), at
            in_doubt += stored == done != before and not is_told
            take(ledger)
            assert told(ledger) == done, at
            assert ledger.verify() is None
            assert find_damage(postgres_server.url(name)) == ()
    # Of nothing but the commit itself is it unknown whether it was stored.
    assert in_doubt == (side == "after" and before != done)
    assert at > 3

"""What processes do with one ledger at the same time."""

from __future__ import annotations

from multiprocessing.connection import Connection

from tests.ledger.samples import claim, clock, decision, proposal
from tests.processes import heard

from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import State, Verb


def open_and_add(pipe: Connection, ledger: str, number: int) -> None:
    """Waits for a word, makes the ledger or opens it, and adds a proposal."""
    pipe.send("ready")
    heard(pipe)
    with open_ledger(ledger, now=clock) as opened:
        opened.add([proposal(number)], {})


def decide_each(pipe: Connection, ledger: str, me: int) -> None:
    """Decides on each proposal that it is told of, and says whether it won."""
    with open_ledger(ledger, now=clock) as opened:
        pipe.send("ready")
        while (number := heard(pipe)) is not None:
            if number % 2:
                won = bool(opened.begin([claim(number, batch=f"b{number}-{me}")]))
            else:
                made = decision(number, str(me), Verb.REJECT)
                won = opened.decide(made, State.REJECTED, [State.READY])
            pipe.send(won)

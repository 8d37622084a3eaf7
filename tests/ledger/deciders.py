"""What processes do with one ledger at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection

from tests.ledger.samples import OPERATOR, START, claim, clock, decision, id_of, proposal
from tests.processes import heard

from reviewdeck.errors import Busy
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import About, Actor, Decision, Seal, State, Verb
from reviewdeck.ports import Heads


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


def append_each(pipe: Connection, ledger: str, home: str, amount: int) -> None:
    """Adds so many lines to the chain of a home, once it is told to."""
    with open_ledger(ledger, now=clock) as opened:
        pipe.send("ready")
        heard(pipe)
        for number in range(amount):
            opened.append("note", home=home, subject=str(number), actor=OPERATOR, at=START)
        pipe.send("done")


@dataclass(frozen=True)
class Stamp:
    """Satisfies `Signer`: it notes what it was given."""

    key: str
    last_counter: int = 0

    def sign(self, decision: Decision, about: About, counter: int, heads: Heads) -> Seal:
        return Seal(self.key, counter, "policy", *heads.home, "signature", ledger=heads.ledger)


def sign_and_decide(
    pipe: Connection, ledger: str, me: int, homes: Sequence[str], rounds: int
) -> None:
    """Decides on what is this process's own, in each home; says how often it did."""

    def signer_of(actor: Actor) -> Stamp:
        return Stamp(f"key {me % 2}")

    with open_ledger(ledger, now=clock) as opened:
        pipe.send("ready")
        heard(pipe)
        done = 0
        for number in range(me * rounds, (me + 1) * rounds):
            for home in homes:
                made = decision(number, f"{me} {home}", Verb.REJECT)
                made = replace(made, proposal=id_of(number, home))
                while True:
                    try:
                        done += opened.decide(made, State.REJECTED, [State.READY], signer_of)
                        break
                    except Busy:
                        continue
        pipe.send(done)

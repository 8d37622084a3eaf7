"""The operators' directory for commands that need no home."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from reviewdeck.cli.options import Options
from reviewdeck.cli.session import ledger_of
from reviewdeck.clock import utc_now
from reviewdeck.engine.options import Settings
from reviewdeck.terminal import ask

if TYPE_CHECKING:
    from reviewdeck.model import Actor
    from reviewdeck.operators.authority import Operators
    from reviewdeck.operators.ring import RingKey
    from reviewdeck.ports import Ledger


@contextmanager
def kept(options: Options) -> Iterator[tuple[Operators, Ledger]]:
    """The operators of this account over the ledger that is named."""
    from reviewdeck import environment
    from reviewdeck.bootstrap import operators_over
    from reviewdeck.ledger.opening import open_ledger
    from reviewdeck.locations import agents_named, policy_place

    settings = Settings(
        homes=(),
        ledger=ledger_of(options),
        user_home=Path(),
        ancestry=environment.process_ancestry(),
        agents=agents_named(),
        operators=environment.operators_directory(),
        policy=policy_place(options.policy, os.environ),
    )
    ledger = open_ledger(settings.ledger, now=utc_now)
    try:
        yield operators_over(settings, ledger, utc_now), ledger
    finally:
        ledger.close()


def refuse_agents() -> Actor:
    """For what needs no key and is an operator's all the same: who that is.

    Raises DescendsFromAgent.
    """
    from reviewdeck import environment
    from reviewdeck.engine.authorisation import Unsigned
    from reviewdeck.locations import agents_named

    below = Unsigned(environment.process_ancestry(), agents_named())
    return below.admit(environment.present_operator())


def let_in(authority: Operators) -> None:
    """Asks an operator for their passphrase. Raises NotPermitted."""
    from reviewdeck.environment import present_operator

    authority.refuse_agents(present_operator())
    authority.unlock(ask("Passphrase of an operator: ", is_secret=True))


def approve_outside(
    options: Options, what: str, home: str, detail: dict[str, object]
) -> tuple[Actor, str]:
    """An operator's act that no deck is needed for: who it was, and the sum of the log's line.

    Where there is a ledger, its log says so, signed where decisions are signed. Where there is
    none, none is made, and the sum is empty. Raises NotPermitted.
    """
    from reviewdeck.environment import present_operator
    from reviewdeck.ledger.place import path_of

    if not path_of(ledger_of(options)).exists():
        return refuse_agents(), ""
    with kept(options) as (authority, ledger):
        authority.refuse_agents(present_operator())
        if authority.is_locked:
            authority.unlock(ask("Passphrase: ", is_secret=True))
        actor, now = authority.admit(present_operator()), authority.now()
        return actor, ledger.append(
            what,
            home=home,
            subject=home,
            actor=actor,
            at=now,
            detail=detail,
            attest=authority.attest,
        )


def note_beginning(ledger: Ledger, authority: Operators, what: str, key: RingKey) -> None:
    """Writes into the log that decisions are signed from here on, signed itself.

    The signature covers the end of the log: nothing can be put in before this line.
    """
    from reviewdeck.environment import present_operator

    ledger.append(
        what,
        home="",
        subject=key.name,
        actor=authority.admit(present_operator()),
        at=authority.now(),
        detail={"key": key.public},
        attest=authority.attest,
    )


def note(ledger: Ledger, authority: Operators, what: str, subject: str, key: str = "") -> None:
    """Writes into the log what became of the operators."""
    from reviewdeck.environment import present_operator

    ledger.append(
        what,
        home="",
        subject=subject,
        actor=authority.refuse_agents(present_operator()),
        at=authority.now(),
        detail={"key": key} if key else {},
    )

"""The operators' directory for commands that need no home."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reviewdeck import environment
from reviewdeck.bootstrap import MonotonicClock, operators_over
from reviewdeck.cli.options import Options
from reviewdeck.cli.session import ledger_of
from reviewdeck.clock import utc_now
from reviewdeck.engine.authorisation import Unsigned
from reviewdeck.engine.options import Settings
from reviewdeck.environment import policy_place, present_operator
from reviewdeck.errors import AncestorsUnknown, NotDecidable
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.place import exists
from reviewdeck.locations import additional_agents
from reviewdeck.terminal import ask

if TYPE_CHECKING:
    from reviewdeck.ledger.ledger import Ledger
    from reviewdeck.model import Actor
    from reviewdeck.operators.authority import Operators
    from reviewdeck.operators.ring import RingKey


@contextmanager
def open_operators(options: Options) -> Iterator[tuple[Operators, Ledger]]:
    """The operators of this account, and the ledger that the options name."""

    settings = Settings(
        homes=(),
        ledger=ledger_of(options),
        user_home=Path(),
        ancestry=environment.process_ancestry(),
        agents=additional_agents(),
        operators=environment.operators_directory(),
        policy=policy_place(options.policy, os.environ),
    )
    # A key that is revoked ends after all that it signed, also if the clock was set back.
    clock = MonotonicClock(utc_now)
    ledger = open_ledger(settings.ledger, now=clock)
    try:
        clock.start_at(ledger.newest_event())
        yield operators_over(settings, ledger, clock), ledger
    finally:
        ledger.close()


def refuse_agents() -> Actor:
    """The actor of a command that needs no key and that no agent may run.

    Where the system does not show who runs it, an operator's passphrase is asked for.
    Raises NotPermitted.
    """
    from reviewdeck.operators.vault import Vault

    authority = Unsigned(environment.process_ancestry(), additional_agents())
    operator = environment.present_operator()
    try:
        return authority.admit(operator)
    except AncestorsUnknown:
        vault = Vault(environment.operators_directory())
        if not vault.exists:
            raise
        vault.open_key(ask("Passphrase: ", is_secret=True), utc_now())
        return authority.admit_with_key(operator)


def unlock_operator(authority: Operators) -> str:
    """Asks an operator for their passphrase; gives their name.

    Raises NotPermitted, NotDecidable where nobody has a key.
    """
    authority.refuse_agents(present_operator())
    if not authority.vault.exists:
        raise no_keys()
    return authority.unlock(ask("Passphrase of an operator: ", is_secret=True))


def no_keys() -> NotDecidable:
    """The problem of a command about keys where there are none."""
    return NotDecidable(
        "There are no keys: decisions are not signed here.", hint="`reviewdeck init` makes one."
    )


def log_approval(
    options: Options, name: str, home: str, detail: dict[str, object]
) -> tuple[Actor, str]:
    """Logs an operator's approval that needs no deck: the actor, and the digest of the log's line.

    The line is signed where decisions are signed. Without a ledger nothing is logged, no ledger is
    made, and the digest is empty. Raises NotPermitted.
    """

    if not exists(ledger_of(options)):
        return refuse_agents(), ""
    with open_operators(options) as (authority, ledger):
        authority.refuse_agents(present_operator())
        if authority.is_locked:
            authority.unlock(ask("Passphrase: ", is_secret=True))
        actor, now = authority.admit(present_operator()), authority.now()
        return actor, ledger.append(
            name,
            home=home,
            subject=home,
            actor=actor,
            at=now,
            detail=detail,
            attest=authority.attest,
        )


def log_first_key(ledger: Ledger, authority: Operators, name: str, key: RingKey) -> None:
    """Logs that decisions are signed from now on, in a line that is signed itself.

    The signature covers the log up to this line: nothing can be inserted before it.
    """

    ledger.append(
        name,
        home="",
        subject=key.name,
        actor=authority.admit(present_operator()),
        at=authority.now(),
        detail={"key": key.public},
        attest=authority.attest,
    )


def log_operator_event(
    ledger: Ledger, authority: Operators, name: str, subject: str, key: str = "", *, by: str
) -> None:
    """Logs a change to the list of operators, which the operator `by` signed there."""

    ledger.append(
        name,
        home="",
        subject=subject,
        actor=replace(authority.refuse_agents(present_operator()), name=by, tier="signed"),
        at=authority.now(),
        detail={"key": key} if key else {},
    )

"""`reviewdeck init`."""

from __future__ import annotations

import os
from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.operators_directory import log_first_key, open_operators
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import answer
from reviewdeck.environment import policy_place, present_operator
from reviewdeck.errors import BadInput
from reviewdeck.interruption import uninterrupted
from reviewdeck.operators import enrolment
from reviewdeck.operators.keys import fingerprint
from reviewdeck.policy_file import Rulebook
from reviewdeck.terminal import ask_new_passphrase


def init(
    *,
    name: Annotated[
        str | None,
        Parameter(help="The operator's name. By default the role's in a hub, else the user's own."),
    ] = None,
    anew: Annotated[
        bool,
        Parameter(
            help="Start over after every passphrase was lost: no data is lost, and the log"
            " records it."
        ),
    ] = False,
    options: Options = DEFAULTS,
) -> int:
    """Create an operator's key: from then on every decision is signed.

    The terminal asks for the passphrase twice.
    """
    operator = present_operator()
    with open_operators(options) as (authority, ledger):
        authority.refuse_agents(operator)
        if ledger.operator and name not in (None, ledger.operator):
            raise BadInput(
                f"This role of the hub decides as {ledger.operator}, and not as {name}.",
                hint=f"Use --name {ledger.operator}, or the role of {name}.",
            )
        begin = enrolment.restart if anew else enrolment.enrol_first
        if not anew:
            enrolment.require_no_operators(authority)
        quorum = Rulebook(policy_place(options.policy, os.environ))().settings.quorum
        own = name or ledger.operator or operator.name
        passphrase = ask_new_passphrase()
        with uninterrupted():
            key = begin(authority, own, passphrase, quorum)
            log_first_key(ledger, authority, "operators-anew" if anew else "operators", key)
        directory = str(authority.vault.directory)
    answer(
        options,
        {"operator": key.name, "key": key.public, "directory": directory},
        f"{key.name} signs decisions from now on, with the key {fingerprint(key.public)}.",
        f"It is kept in {directory}, sealed by your passphrase. Keep a copy of that directory.",
        "If you lose the passphrase, no data is lost: `reviewdeck init --anew` starts over.",
    )
    return 0

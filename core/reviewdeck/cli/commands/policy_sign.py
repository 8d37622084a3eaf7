"""`reviewdeck policy sign`."""

from __future__ import annotations

import os

from reviewdeck.cli.operators_directory import log_operator_event, open_operators, unlock_operator
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.environment import policy_place
from reviewdeck.errors import BadInput
from reviewdeck.interruption import uninterrupted
from reviewdeck.operators import enrolment
from reviewdeck.operators.ring import BUILT_IN
from reviewdeck.policy_file import Rulebook


def sign(*, options: Options = DEFAULTS) -> int:
    """Sign the current policy file, or that there is none.

    Where decisions are signed, nothing is applied automatically under any other policy.
    """
    place = policy_place(options.policy, os.environ)
    with open_operators(options) as (authority, ledger):
        checked = Rulebook(place)()
        if problem := checked.problem:
            check = f"`reviewdeck policy check {place.path}` lists every error."
            raise BadInput(problem, hint=f"Nothing was signed. {check}")
        name = unlock_operator(authority)
        quorum = checked.settings.quorum
        with uninterrupted():
            policy = enrolment.sign_policy(authority, checked.mark, quorum)
            needs = authority.quorum
            log_operator_event(ledger, authority, "policy-signed", policy, by=name)
    is_lowered = needs == quorum
    if options.json:
        print_json({"policy": policy, "operator": name, "approval": str(needs)})
        return 0
    subject = "the built-in rules alone" if policy == BUILT_IN else f"the policy file {policy[:12]}"
    say(f"{name} signed {subject}: auto-apply uses it.")
    if not is_lowered:
        say(
            f"Two operators still have to approve what has a finding of severity {needs.severity}"
            " or higher, until another operator signs this file too: `reviewdeck policy sign`."
        )
    return 0

"""`reviewdeck policy sign`."""

from __future__ import annotations

from reviewdeck.cli.operators_directory import kept, let_in, note
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say


def sign(*, options: Options = DEFAULTS) -> int:
    """Sign the policy file that is there now, or that there is none.

    Where decisions are signed, nothing is applied by itself under any other policy.
    """
    from reviewdeck.operators import enrolment
    from reviewdeck.operators.ring import BUILT_IN

    with kept(options) as (authority, ledger):
        let_in(authority)
        policy = enrolment.sign_policy(authority)
        name = authority.open_key.name
        note(ledger, authority, "policy-signed", policy)
    if options.json:
        print_json({"policy": policy, "operator": name})
        return 0
    what = "the built-in rules alone" if policy == BUILT_IN else f"the policy file {policy[:12]}"
    say(f"{name} signed {what}: auto-apply goes by that.")
    return 0

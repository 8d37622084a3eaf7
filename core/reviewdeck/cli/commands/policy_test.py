"""`reviewdeck policy test`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import console, print_json
from reviewdeck.cli.session import looking

if TYPE_CHECKING:
    from reviewdeck.policy.backtest import Backtest


def test(
    *,
    policy: Annotated[Path | None, Parameter(help="A policy file to try.")] = None,
    options: Options = DEFAULTS,
) -> int:
    """What the policy would have done with everything recorded, beside what was decided."""
    from reviewdeck.cli.policy_files import require_policy
    from reviewdeck.policy.tuning import DEFAULT
    from reviewdeck.replaying import backtest

    tuning = DEFAULT if policy is None else require_policy(policy)
    with looking(options) as deck:
        found = backtest(deck.desk, tuning)
    if options.json:
        print_json(_plain(found))
        return 0
    from reviewdeck.cli.render_policy import backtest_parts

    screen = console(options)
    for part in backtest_parts(found, with_file=policy is not None):
        screen.print(part)
    return 0


def _plain(found: Backtest) -> dict[str, object]:
    return {
        "replayed": found.replayed,
        "automatic": found.automatic,
        "precision": found.precision,
        "recall": found.recall,
        "outcomes": {
            str(outcome): {"all": total, "automatic": would}
            for outcome, (total, would) in found.by_outcome.items()
        },
        "differences": [
            {
                "proposal": one.proposal,
                "outcome": str(one.outcome),
                "automatic": one.goes_in,
                "because": list(one.because),
            }
            for one in found.differences
        ],
        "suggestions": [
            {"rule": one.rule, "kind": one.kind, "saved": one.saved, "besides": one.besides}
            for one in found.suggestions
        ],
    }

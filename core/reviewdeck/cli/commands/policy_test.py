"""`reviewdeck policy test`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import console, print_json
from reviewdeck.cli.session import fresh_deck

if TYPE_CHECKING:
    from reviewdeck.policy.backtest import Backtest


def test(*, options: Options = DEFAULTS) -> int:
    """What the gate would have done with everything recorded, beside what was decided.

    With --policy, that file is tried and compared with today's settings.
    """
    from reviewdeck.cli.policy_files import require_policy
    from reviewdeck.engine.replay import backtest

    tried = None if options.policy is None else require_policy(options.policy)
    with fresh_deck(replace(options, policy=None)) as deck:
        found, today = backtest(deck.context, tried), deck.context.judge()
    if options.json:
        print_json(_plain(found, today))
        return 0
    from reviewdeck.cli.render_policy import backtest_parts

    screen = console(options)
    for part in backtest_parts(found, today, with_file=tried is not None):
        screen.print(part)
    return 0


def _plain(found: Backtest, today: str) -> dict[str, object]:
    return {
        "replayed": found.replayed,
        "without_evidence": found.without_evidence,
        "automatic": found.automatic,
        "precision": found.precision,
        "recall": found.recall,
        "outcomes": {
            str(outcome): {"all": total, "automatic": would}
            for outcome, (total, would) in found.by_outcome.items()
        },
        "policies": [
            {
                "policy": one.policy or None,
                "today": one.policy == today,
                "decided": one.decided,
                "went_in": one.automatic,
                "automatic": one.would,
            }
            for one in found.by_policy
        ],
        "differences": [
            {
                "proposal": one.proposal,
                "outcome": str(one.outcome),
                "automatic": one.goes_in,
                "because": list(one.because),
            }
            for one in found.differences
        ],
    }

"""`reviewdeck policy test`."""

from __future__ import annotations

from dataclasses import replace

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import console, print_json
from reviewdeck.cli.policy_files import require_policy
from reviewdeck.cli.render_policy import backtest_parts
from reviewdeck.cli.session import fresh_engine
from reviewdeck.engine.backtest import Backtest, backtest


def test(*, options: Options = DEFAULTS) -> int:
    """Replay recorded decisions under other settings, and compare.

    With --policy, that file is tried and compared with today's settings.
    """
    tried = None if options.policy is None else require_policy(options.policy)
    with fresh_engine(replace(options, policy=None), writes=True) as engine:
        results, today = backtest(engine, tried), engine.judge()
    if options.json:
        print_json(_as_json(results, today))
        return 0

    screen = console(options)
    for part in backtest_parts(results, today, with_file=tried is not None):
        screen.print(part)
    return 0


def _as_json(results: Backtest, today: str) -> dict[str, object]:
    return {
        "replayed": results.replayed,
        "without_evidence": results.without_evidence,
        "automatic": results.automatic,
        "precision": results.precision,
        "recall": results.recall,
        "outcomes": {
            str(outcome): {"all": total, "automatic": would}
            for outcome, (total, would) in results.by_outcome.items()
        },
        "policies": [
            {
                "policy": judged.policy or None,
                "today": judged.policy == today,
                "decided": judged.decided,
                "went_in": judged.automatic,
                "automatic": judged.would,
            }
            for judged in results.by_policy
        ],
        "differences": [
            {
                "proposal": difference.proposal,
                "outcome": str(difference.outcome),
                "automatic": difference.goes_in,
                "because": list(difference.because),
            }
            for difference in results.differences
        ],
    }

"""`reviewdeck hermes brief`."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json
from reviewdeck.cli.session import fresh_engine
from reviewdeck.clock import utc_now
from reviewdeck.engine.engine import Engine
from reviewdeck.model import QueueItem, State
from reviewdeck.model.ledger import Filter
from reviewdeck.presentation.proposal_words import creation_time, request_line
from reviewdeck.presentation.words import age_of, one_line
from reviewdeck.reviewer.guard import OWN_SENTENCE, guard
from reviewdeck.reviewer.live_state import read_live, rejection
from reviewdeck.text.inert import visible
from reviewdeck.text.redact import redact

_MOST_WAITING: Final = 100
_MOST_REJECTED: Final = 20
_SHORT: Final = 8


def brief(*, options: Options = DEFAULTS) -> int:
    """Print what a review by Hermes needs to know: what is live, waiting and rejected.

    reviewdeck's own reviewer gets the same text. With `--json`, what is waiting and what was
    rejected, for the chat.
    """
    with fresh_engine(options, writes=True) as engine:
        home = engine.home_by_id().home
        if options.json:
            print_json(_lists(engine, home.id), exact=("digest",))
        else:
            text = guard(read_live(engine.ledger, home, memory=True, skills=True))
            print(visible(redact(text or OWN_SENTENCE)))
    return 0


def _lists(engine: Engine, home: str) -> dict[str, Any]:
    waiting = Filter((home,), tuple(state for state in State if state.is_open))
    rejected = Filter((home,), (State.REJECTED,))
    now = utc_now()
    return {
        "waiting": [_item(item, now) for item in engine.ledger.page(waiting, limit=_MOST_WAITING)],
        "rejected": [
            {"gist": request_line(item), "reason": one_line(rejection(engine.ledger, item))}
            for item in engine.ledger.page(rejected, limit=_MOST_REJECTED)
        ],
    }


def _item(item: QueueItem, now: datetime) -> dict[str, Any]:
    severities = (finding.severity for finding in item.findings)
    worst = max(severities, key=lambda severity: severity.rank, default=None)
    return {
        "id": item.id[:_SHORT],
        "digest": item.digest,
        "gist": request_line(item),
        "state": item.state.value,
        "severity": worst.value if worst else None,
        "age": age_of(creation_time(item), now),
    }

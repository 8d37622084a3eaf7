"""`reviewdeck revert`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from reviewdeck.cli.moments import moment_of
from reviewdeck.cli.next_steps import command
from reviewdeck.cli.options import DEFAULTS, FLAG, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.prompts import admit
from reviewdeck.cli.session import deck_for_home, fresh_deck
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.clock import utc_now
from reviewdeck.errors import ReviewdeckError
from reviewdeck.presentation.items import item_json
from reviewdeck.presentation.proposal_words import request_line
from reviewdeck.presentation.words import count, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reviewdeck.engine.deck import Deck
    from reviewdeck.model import QueueItem

_REASON = "reverted together with what came with it"


def revert(
    *,
    session: Annotated[
        str, Parameter(help="Everything that this conversation is known to have written.")
    ] = "",
    since: Annotated[
        str | None,
        Parameter(help="Everything written since: a date, a time, or how long ago: 2h, 3d."),
    ] = None,
    reason: Annotated[
        str, Parameter(help="Why: kept, and the same text is held for review later.")
    ] = _REASON,
    yes: Annotated[
        bool, FLAG, Parameter(help="Revert the changes. Without it, they are only listed.")
    ] = False,
    options: Options = DEFAULTS,
) -> int:
    """Revert changes made outside review, by a session or since a time.

    Later edits of the same documents are kept. Each operation can be undone.
    """
    if not session and since is None:
        raise UsageProblem(
            "Name a session or a moment.", hint="For example: `reviewdeck revert --since 2h`."
        )
    moment = None if since is None else moment_of(since, utc_now())
    if not yes:
        with fresh_deck(options) as deck:
            items = deck.view.changed_outside(session=session, since=moment)
            _print_preview(items, options, session, since)
        return 0
    with deck_for_home(options) as deck:
        admit(deck)
        items = deck.view.changed_outside(session=session, since=moment)
        return _revert(deck, items, reason, options)


def _print_preview(
    items: Sequence[QueueItem], options: Options, session: str, since: str | None
) -> None:
    if options.json:
        print_json({"reverts": [item_json(item, utc_now()) for item in items]})
        return
    for item in items:
        say(f"would revert {item.id}: {request_line(item)}")
        say(f"  {one_line(item.reason)}")
    if not items:
        say("Nothing was written outside review there.")
        return
    arguments = (
        *(("--session", session) if session else ()),
        *(("--since", since) if since else ()),
    )
    repeat = command(options, "revert", *arguments, "--yes")
    say(f"{count(len(items), 'change')}. To revert: {repeat}")


def _revert(deck: Deck, items: Sequence[QueueItem], reason: str, options: Options) -> int:
    """Takes the changes back, newest first, since a change may build on an older one."""
    done, failed = [], []
    for item in items:
        try:
            done.append((item, deck.take_back(item.id, reason)))
        except ReviewdeckError as error:
            failed.append((item, error))
    if options.json:
        print_json(
            {
                "reverted": [
                    {"id": item.id, "operation": operation and operation.id}
                    for item, operation in done
                ],
                "failed": [
                    {"id": item.id, "code": refusal.code, "message": refusal.message}
                    for item, refusal in failed
                ],
            }
        )
        return 1 if failed else 0
    for item, operation in done:
        outcome = "nothing of it was left" if operation is None else f"operation {operation.id}"
        say(f"reverted {item.id}: {request_line(item)} ({outcome})")
    for item, refusal in failed:
        say(f"not reverted {item.id}: {refusal.message} {refusal.hint}")
    if not items:
        say("Nothing was written outside review there.")
    return 1 if failed else 0

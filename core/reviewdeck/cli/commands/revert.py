"""`reviewdeck revert`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from reviewdeck.cli.commands.restore import print_outcome
from reviewdeck.cli.consent import is_confirmed
from reviewdeck.cli.moments import moment_of
from reviewdeck.cli.next_steps import ENOUGH, command
from reviewdeck.cli.options import DEFAULTS, Options, Yes
from reviewdeck.cli.outcomes import print_operation
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.prompts import admit
from reviewdeck.cli.session import engine_for_home, engine_for_proposal, fresh_engine
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.clock import utc_now
from reviewdeck.engine.bursts import burst_of, changed_outside, digest_of, tallies
from reviewdeck.engine.decidable import check_digest
from reviewdeck.engine.decide import apply_own
from reviewdeck.engine.reverse import check_revertible
from reviewdeck.engine.why import line_of, revert_line
from reviewdeck.engine.written import written_item
from reviewdeck.errors import ReviewdeckError
from reviewdeck.presentation.bursts import burst_words
from reviewdeck.presentation.elsewhere import waiting_for
from reviewdeck.presentation.items import item_json
from reviewdeck.presentation.proposal_words import request_line
from reviewdeck.presentation.words import count, one_line
from reviewdeck.terminal import is_terminal
from reviewdeck.text.redact import redact

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from reviewdeck.engine.engine import Engine
    from reviewdeck.model import QueueItem

_REASON = "reverted together with what came with it"


def revert(
    id: Annotated[
        str | None,
        Parameter(
            help="A change made outside review: it is reverted with all that wait of the same"
            " cause and time."
        ),
    ] = None,
    /,
    *,
    session: Annotated[
        str, Parameter(help="Everything that this conversation is known to have written.")
    ] = "",
    since: Annotated[
        str | None,
        Parameter(help="Everything written since: a date, a time, or how long ago: 2h, 3d."),
    ] = None,
    line: Annotated[
        str,
        Parameter(help="What taught one live entry or line: its id, which `why` prints."),
    ] = "",
    reason: Annotated[
        str, Parameter(help="Why: kept, and the same text is held for review later.")
    ] = _REASON,
    digest: Annotated[
        str,
        Parameter(help="Revert exactly what was listed: the digest that the list ends with."),
    ] = "",
    yes: Yes = False,
    options: Options = DEFAULTS,
) -> int:
    """Revert changes made outside review, or what taught one line that is live.

    In a terminal they are listed and you are asked. Elsewhere they are only listed, with a digest,
    unless --yes or --digest says to revert them. Later edits of the same documents are kept. Each
    operation can be undone.
    """
    if line:
        if id is not None or session or since is not None:
            raise UsageProblem(
                "A line is reverted alone.", hint="For example: `reviewdeck revert --line LINE`."
            )
        return _revert_line(line, reason, digest.strip().lower(), options, yes=yes)
    if id is None and not session and since is None:
        raise UsageProblem(
            "Name a change, a line, a session or a moment.",
            hint="For example: `reviewdeck revert --since 2h`.",
        )
    if id is not None and (session or since is not None):
        raise UsageProblem(
            "A change is reverted with what came with it: name it alone.",
            hint="For example: `reviewdeck revert ID`.",
        )
    moment = None if since is None else moment_of(since, utc_now())
    if not yes and not digest:
        with fresh_engine(options, everywhere=id is not None, writes=True) as engine:
            arguments = (
                *((id,) if id else ()),
                *(("--session", session) if session else ()),
                *(("--since", since) if since else ()),
            )
            items = _items_of(engine, id, session, moment)
            _print_preview(engine, items, options, arguments, is_burst=id is not None)
        if not items or not _is_agreed(options):
            return 0
        digest = digest_of(items)
    opened = engine_for_home(options) if id is None else engine_for_proposal(options, id)
    with opened as engine:
        admit(engine)
        items = _items_of(engine, id, session, moment)
        if digest:
            check_digest(digest.strip().lower(), digest_of(items))
        return _revert(engine, items, reason, options)


def _revert_line(line: str, reason: str, digest: str, options: Options, *, yes: bool) -> int:
    """Shows what would be taken back, or takes it back."""
    if not yes and not digest:
        with fresh_engine(options, everywhere=True, writes=True) as engine:
            target = line_of(engine, line)
            evaluation = revert_line(engine, target, reason)
            home = engine.home(target.home)
            if options.json:
                print_json({"line": target.id, "digest": evaluation.digest})
                return 0
            print_outcome(home, evaluation, options)
            if evaluation.digest is None:
                say(f"This cannot be reverted as it is: {redact(evaluation.reason)}")
                return 0
            if not is_terminal():
                repeat = ("revert", "--line", target.id, "--digest", evaluation.digest[:ENOUGH])
                say(f"To revert: {command(options, *repeat)}")
        if not _is_agreed(options):
            return 0
        digest = evaluation.digest
    with engine_for_proposal(options) as engine:
        target = line_of(engine, line)
        evaluation = revert_line(engine, target, reason)
        done = apply_own(engine, evaluation, "The revert", digest or None)
        item, machine = written_item(engine.ledger, done), waiting_for(engine, done)
        print_operation("reverted", done, item, options, waits_for=machine)
    return 0


def _items_of(
    engine: Engine, id: str | None, session: str, since: datetime | None
) -> Sequence[QueueItem]:
    if id is None:
        return changed_outside(engine, session=session, since=since)
    item = engine.find(id)
    burst = burst_of(engine.ledger, item)
    if burst is not None:
        return burst.items
    check_revertible(engine, engine.ledger.proposal(item.id))
    return (item,)


def _print_preview(
    engine: Engine,
    items: Sequence[QueueItem],
    options: Options,
    arguments: Sequence[str],
    *,
    is_burst: bool,
) -> None:
    if options.json:
        reverts = [item_json(item, utc_now()) for item in items]
        print_json({"reverts": reverts, "digest": digest_of(items)})
        return
    for item in items:
        say(f"would revert {item.id}: {request_line(item)}")
        say(f"  {one_line(item.reason)}")
    if not items:
        say("That session made no unreviewed changes.")
        return
    if is_burst and (burst := burst_of(engine.ledger, items[0])):
        say(f"{burst_words(burst, tallies(engine.ledger, burst))}.")
    if is_terminal():
        say(f"{count(len(items), 'change')}.")
        return
    repeat = command(options, "revert", *arguments, "--digest", digest_of(items)[:16])
    say(f"{count(len(items), 'change')}. To revert: {repeat}")


def _is_agreed(options: Options) -> bool:
    """Whether a terminal is there to ask, and the operator says yes."""
    if options.json or not is_terminal():
        return False
    return is_confirmed(yes=False, question="Revert exactly this? [y/N] ")


def _revert(engine: Engine, items: Sequence[QueueItem], reason: str, options: Options) -> int:
    """Takes the changes back, newest first, since a change may build on an older one."""
    done, failed = [], []
    for item in sorted(items, key=lambda item: item.position, reverse=True):
        try:
            done.append((item, engine.take_back(item.id, reason)))
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
        say("That session made no unreviewed changes.")
    return 1 if failed else 0

"""The outcome of a decision, in one or two lines or as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from reviewdeck.cli.next_steps import command
from reviewdeck.cli.options import Options
from reviewdeck.cli.output import answer, print_json, say
from reviewdeck.engine.quorum import AWAITS, AwaitsAnother
from reviewdeck.model import ABSENT, Decision, Operation, QueueItem, RecordedChange
from reviewdeck.presentation.items import decision_json, operation_json
from reviewdeck.presentation.proposal_words import request_line
from reviewdeck.presentation.words import one_line


def print_operation(
    verb: str,
    operation: Operation,
    item: QueueItem,
    options: Options,
    superseded: Sequence[tuple[QueueItem, Decision]] = (),
    *,
    digest: str = "",
    reopened: str = "",
    undone: str = "",
    waits_for: str = "",
) -> None:
    """Prints what an operation wrote, what it superseded, and how to undo it.

    `digest` is the one that the decision named; the plan that was applied may have another one.
    `reopened` is the proposal that is waiting again because of it, `undone` the operation that the
    command named. `waits_for` is the machine that has yet to write it.
    """
    back = command(options, "undo", operation.id)
    if options.json:
        losers = [decision_json(decision) for _, decision in superseded]
        optional: dict[str, object] = {"superseded": losers} if losers else {}
        optional |= {"waits": reopened} if reopened else {}
        optional |= {"waiting_for": waits_for} if waits_for else {}
        print_json({"operation": operation_json(operation), "undo": back, **optional})
        return
    say(f"{'approved' if waits_for else verb} {undone or item.id}: {request_line(item)}")
    if not operation.digest.startswith(digest):
        say(f"  the memory had changed: the same change has the digest {operation.digest[:16]} now")
    for change in operation.changes:
        say(f"  {_done_to(change, waits_for)} {one_line(change.path)}")
    for loser, _ in superseded:
        say(f"  superseded {loser.id}: {request_line(loser)}")
    if reopened:
        say(f"  {reopened} waits again, for a person: {command(options, 'show', reopened)}")
    if waits_for:
        say(f"operation {operation.id}: approved · waiting for {waits_for}")
    else:
        say(f"operation {operation.id}; to undo it: {back}")


def _done_to(change: RecordedChange, waits_for: str) -> str:
    if waits_for:
        return f"{waits_for} will {'remove' if change.after == ABSENT else 'write'}"
    return "removed" if change.after == ABSENT else "wrote"


def print_reversal(
    operation: Operation | None, item: QueueItem, options: Options, *, waits_for: str = ""
) -> None:
    """Prints that a rejected outside change was taken back, or that nothing of it was left."""
    if operation is not None:
        print_operation("reverted", operation, item, options, waits_for=waits_for)
        if waits_for and not options.json:
            say(f"rejected {item.id}: it is live until {waits_for} has written its revert, which")
            say("  is back in the queue if it cannot be")
    elif options.json:
        print_json({"operation": None})
    else:
        say(f"rejected {item.id}: nothing was left to undo")


def print_vote(vote: AwaitsAnother, item: QueueItem, options: Options) -> None:
    """Prints that an approval waits for another operator's."""
    back = command(options, "withdraw", item.id)
    answer(
        options,
        {"vote": decision_json(vote.decision), "needs": 2, "withdraw": back},
        f"{AWAITS}: {request_line(item)}",
        f"nothing is written yet; to take your vote back: {back}",
    )


def print_decision(verb: str, decision: Decision, item: QueueItem, options: Options) -> None:
    """Prints a decision that wrote no document."""
    told = f"{verb} {item.id}: {request_line(item)}"
    answer(options, {"decision": decision_json(decision)}, told)

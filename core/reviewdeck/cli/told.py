"""What a decision came to: said in one or two lines, or as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from reviewdeck.cli.next_steps import command
from reviewdeck.cli.options import Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.model import ABSENT, Decision, Operation, QueueItem
from reviewdeck.presentation.items import decision_json, operation_json
from reviewdeck.presentation.proposal_words import wanted
from reviewdeck.presentation.words import one_line


def tell_operation(
    what: str,
    operation: Operation,
    item: QueueItem,
    options: Options,
    superseded: Sequence[tuple[QueueItem, Decision]] = (),
    *,
    named: str = "",
    waits: str = "",
) -> None:
    """Something was written: what, what gave way to it, and how to take it back.

    `named` is the digest that the decision gave: the memory may have moved on since. `waits` is
    the proposal that waits again for it.
    """
    back = command(options, "undo", operation.id)
    if options.json:
        gave_way = [decision_json(decision) for _, decision in superseded]
        more: dict[str, object] = {"superseded": gave_way} if gave_way else {}
        more |= {"waits": waits} if waits else {}
        print_json({"operation": operation_json(operation), "undo": back, **more})
        return
    say(f"{what} {item.id}: {wanted(item)}")
    if not operation.digest.startswith(named):
        say(f"  the memory had moved on: the same comes to {operation.digest[:16]} now")
    for change in operation.changes:
        say(f"  {'removed' if change.after == ABSENT else 'wrote'} {one_line(change.path)}")
    for other, _ in superseded:
        say(f"  superseded {other.id}: {wanted(other)}")
    if waits:
        say(f"  {waits} waits again, for a person: {command(options, 'show', waits)}")
    say(f"operation {operation.id}; to take it back: {back}")


def tell_reverted(done: Operation | None, item: QueueItem, options: Options) -> None:
    """What was live without a decision was taken back."""
    if done is not None:
        tell_operation("reverted", done, item, options)
    elif options.json:
        print_json({"operation": None})
    else:
        say(f"rejected {item.id}: nothing of it was left to take back")


def tell_decision(what: str, decision: Decision, item: QueueItem, options: Options) -> None:
    """Something was decided, and nothing was written to a document."""
    if options.json:
        print_json({"decision": decision_json(decision)})
        return
    say(f"{what} {item.id}: {wanted(item)}")

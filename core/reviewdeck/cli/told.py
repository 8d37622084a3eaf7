"""What a decision came to: said in one or two lines, or as JSON."""

from __future__ import annotations

from reviewdeck.cli.items import decision_json, operation_json
from reviewdeck.cli.next_steps import command
from reviewdeck.cli.options import Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.words import wanted
from reviewdeck.model import Decision, Operation, QueueItem


def tell_operation(what: str, operation: Operation, item: QueueItem, options: Options) -> None:
    """Something was written: what, and how to take it back."""
    back = command(options, "undo", operation.id)
    if options.json:
        print_json({"operation": operation_json(operation), "undo": back})
        return
    say(f"{what} {item.id}: {wanted(item)}")
    for change in operation.changes:
        say(f"  wrote {change.path}" if change.after != "absent" else f"  removed {change.path}")
    say(f"operation {operation.id}; to take it back: {back}")


def tell_decision(what: str, decision: Decision, item: QueueItem, options: Options) -> None:
    """Something was decided, and nothing was written to a document."""
    if options.json:
        print_json({"decision": decision_json(decision)})
        return
    say(f"{what} {item.id}: {wanted(item)}")

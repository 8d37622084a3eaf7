"""What was written in the end, in the words of lists.

An operator's own text, the user's own words in place of the agent's, or a part of a proposal, is
described by its operation: the request says something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import ABSENT, Change, Operation, QueueItem, State, Verb


def written_item(ledger: Ledger, operation: Operation) -> QueueItem:
    """The proposal of an operation, with the gist of what that wrote.

    With the gist of its request where the bytes are no longer in the ledger.
    """
    with ledger.at_once():
        return _written_item(ledger, operation)


def _written_item(ledger: Ledger, operation: Operation) -> QueueItem:
    # The planning: most lists name nothing that was written in other words.
    from reviewdeck.planning.gist import gist_of_changes

    item = ledger.item(operation.proposal)
    changes = []
    for one in operation.changes:
        before, after = ledger.content(one.before), ledger.content(one.after)
        if (before is None) != (one.before == ABSENT) or (after is None) != (one.after == ABSENT):
            return item
        changes.append(Change(one.path, before, after, one.mode, one.tree, one.was_mode))
    gist = gist_of_changes(changes, item.kind, ledger.proposal(item.id).edits)
    return replace(item, gist=gist or item.gist)


def written_items(ledger: Ledger, items: Sequence[QueueItem]) -> tuple[QueueItem, ...]:
    """These items; those for which another text was written, with the gist of that."""
    batches = {
        item.id: decisions[-1].batch
        for item in items
        if item.state is State.APPLIED
        and (decisions := ledger.decisions(item.id))
        and (decisions[-1].verb is Verb.MERGE or decisions[-1].text_sha)
    }
    operations = {
        operation.proposal: operation
        for home in {item.home for item in items if item.id in batches}
        for operation in ledger.operations(home=home)
        if operation.batch == batches.get(operation.proposal)
    }
    return tuple(
        written_item(ledger, operations[item.id]) if item.id in operations else item
        for item in items
    )

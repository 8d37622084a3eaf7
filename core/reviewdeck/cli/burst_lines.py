"""Changes outside review of one burst as one row of a page, with what reverts them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from reviewdeck.cli.next_steps import command
from reviewdeck.cli.options import Options
from reviewdeck.engine.bursts import Burst, bursts, tallies
from reviewdeck.engine.engine import Engine
from reviewdeck.model import QueueItem
from reviewdeck.presentation.bursts import burst_words, effect_words
from reviewdeck.presentation.words import count
from reviewdeck.text.inert import visible


def bursts_by_id(engine: Engine, items: Sequence[QueueItem]) -> dict[str, Burst]:
    """By change, the burst of each of these that is live and waits."""
    here, found = {item.id for item in items}, bursts(engine.ledger, engine.home_ids)
    by_id = {item.id: burst for burst in found for item in burst.items}
    return {id: burst for id, burst in by_id.items() if id in here}


def rows_of(
    engine: Engine, items: Sequence[QueueItem], of: Mapping[str, Burst]
) -> Iterator[QueueItem]:
    """Each item, and of each burst one: the most dangerous of these, in words for all."""
    here = {item.id for item in items}
    for item in items:
        if (burst := of.get(item.id)) is None:
            yield item
        elif item.id == next(member.id for member in burst.items if member.id in here):
            yield _in_words_of(burst, item, engine)


def burst_notes(engine: Engine, of: Mapping[str, Burst], options: Options) -> Iterator[str]:
    """A line for each burst of several changes: what they are, and what reverts them."""
    for burst in dict.fromkeys(of.values()):
        if len(burst.items) > 1:
            amount = count(len(burst.items), "change")
            words = burst_words(burst, tallies(engine.ledger, burst))
            revert = visible(command(options, "revert", burst.lead.id))
            yield f"{amount} in one row: {words}. To revert all: {revert}"


def _in_words_of(burst: Burst, item: QueueItem, engine: Engine) -> QueueItem:
    did = tallies(engine.ledger, burst)
    if len(burst.items) > 1:
        words = count(len(burst.items), "change")
    elif sum(tally.removed + tally.changed + tally.added for tally in did) > 1:
        words = effect_words(did)
    else:
        return item
    return replace(item, gist=f"{words}: {item.gist or item.reason}")

"""Records that could not be read: opened as they were found, repaired by an operator, taken in.

The record itself stays where it is, byte for byte, until what was made of it is decided.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from reviewdeck.engine.auto import stage_again
from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.similarity import indexed_of
from reviewdeck.errors import BadInput, NotDecidable
from reviewdeck.model import Proposal, Quarantined, Revision, State
from reviewdeck.ports import PendingFile

LARGEST: Final = 3 * 512 * 1024
"""Bytes of a record, as for those that are read."""

SHAPE: Final = (
    'A record is one JSON object: "id" (8 to 32 hexadecimal digits), "subsystem" ("memory" or'
    ' "skills") and "payload" (an object with "action" and what that action needs).'
)


@dataclass(frozen=True, slots=True)
class Broken:
    """A record that could not be read."""

    id: str
    source: str
    data: bytes | None
    """None when its bytes were never read: a link, a folder, a file that is too large."""
    problem: str


def broken(context: EngineContext, id: str) -> Broken:
    """The record as it was found. Raises NotDecidable for one that could be read."""
    whole = context.ledger.resolve(id, context.home_ids)
    state = context.ledger.state_of(whole)
    if state is not State.QUARANTINED:
        raise NotDecidable(
            f"The proposal {whole} is {state}: only a record that could not be read is repaired.",
            hint="`reviewdeck merge` takes your own text in the place of what was proposed.",
        )
    kept = context.ledger.proposal(whole)
    data = context.ledger.content(Revision(kept.payload_sha)) if kept.payload_sha else None
    return Broken(whole, kept.source or "", data, kept.summary)


def repair(context: EngineContext, id: str, text: bytes) -> Proposal:
    """Takes in what an operator made of a record: the same proposal, and now there is one.

    Raises NotDecidable, BadInput when it cannot be read still, NotPermitted.
    """
    operator = context.operator()
    found = broken(context, id)
    kept = context.ledger.proposal(found.id)
    one = context.home_of(kept)
    if len(text) > LARGEST:
        raise BadInput(f"It has {len(text):,} bytes; {LARGEST:,} is the limit.", hint=SHAPE)
    read = one.home.parse_repaired(PendingFile(found.source, text), context.now())
    if isinstance(read, Quarantined):
        raise BadInput(f"It still cannot be read: {read.message}.", hint=SHAPE)
    # Its file is still the one that was found: that is what goes away once this is decided.
    mended = replace(
        read,
        id=kept.id,
        source=kept.source,
        payload_sha=kept.payload_sha or read.payload_sha,
        ingested_at=kept.ingested_at,
    )
    if not context.ledger.repair(mended, text, indexed_of(mended), operator, context.now()):
        raise NotDecidable("Somebody else decided this in the meantime.")
    stage_again(context, one)
    return mended

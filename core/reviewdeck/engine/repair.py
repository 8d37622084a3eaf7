"""Unreadable records: shown as they are, repaired by an operator, taken in.

The record's file stays unchanged until the repaired proposal is decided.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from reviewdeck.engine.auto import refresh_home
from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.decidable import lost_race
from reviewdeck.engine.similarity import indexed_of
from reviewdeck.errors import BadInput, NotDecidable
from reviewdeck.model import Proposal, Quarantined, Revision, State
from reviewdeck.ports import PendingFile

LARGEST: Final = 3 * 512 * 1024
"""The most bytes of a record, as for readable ones."""

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


def broken(engine: EngineContext, id: str) -> Broken:
    """The record as it was read. Raises NotDecidable for a readable one."""
    full_id = engine.ledger.resolve(id, engine.home_ids)
    state = engine.ledger.state_of(full_id)
    if state is not State.QUARANTINED:
        raise NotDecidable(
            f"The proposal {full_id} is {state}: only a record that could not be read is repaired.",
            hint="`reviewdeck merge` takes your own text in the place of what was proposed.",
        )
    proposal = engine.ledger.proposal(full_id)
    data = engine.ledger.content(Revision(proposal.payload_sha)) if proposal.payload_sha else None
    return Broken(full_id, proposal.source or "", data, proposal.summary)


def repair(engine: EngineContext, id: str, text: bytes) -> Proposal:
    """Takes in an operator's repair of a record, under the same id.

    Raises NotDecidable, BadInput when it still cannot be read, NotPermitted.
    """
    operator = engine.operator()
    record = broken(engine, id)
    proposal = engine.ledger.proposal(record.id)
    open_home = engine.home_of(proposal)
    if len(text) > LARGEST:
        raise BadInput(f"It has {len(text):,} bytes; {LARGEST:,} is the limit.", hint=SHAPE)
    read = open_home.home.parse(PendingFile(record.source, text), engine.now(), is_repaired=True)
    if isinstance(read, Quarantined):
        raise BadInput(f"It still cannot be read: {read.message}.", hint=SHAPE)
    # The original file is still there: it is removed once this is decided.
    mended = replace(
        read,
        id=proposal.id,
        source=proposal.source,
        payload_sha=proposal.payload_sha or read.payload_sha,
        ingested_at=proposal.ingested_at,
    )
    with engine.uninterrupted():
        if not engine.ledger.repair(mended, text, indexed_of(mended), operator, engine.now()):
            raise lost_race(proposal.id, engine.ledger.state_of(proposal.id))
    refresh_home(engine, open_home)
    return mended

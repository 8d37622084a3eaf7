"""What every pass over a home asks the ledger, as statements that are put together once.

To put one together takes longer than SQLite needs to answer it. Each asks about one `home`.
"""

from __future__ import annotations

from sqlalchemy import bindparam, func, select, text

from reviewdeck.ledger.listing import WAITING_SQL
from reviewdeck.ledger.tables import (
    FootingRow,
    HomeRow,
    ProposalRow,
    RecordRow,
    StirredRow,
    SubjectRow,
    table_of,
)

AT_ONCE = 1000
"""How many rows are in memory beside what is made of them."""

_PROPOSAL = table_of(ProposalRow)
_RECORD = table_of(RecordRow)
_STIRRED = table_of(StirredRow)
_SUBJECT = table_of(SubjectRow)
_FOOTING = table_of(FootingRow)

_OF = bindparam("home", type_=_PROPOSAL.c.home.type)
RECORDS = (
    select(_RECORD.c.source, _RECORD.c.hint)
    .where(_RECORD.c.home == _OF)
    .execution_options(yield_per=AT_ONCE)
)
LEFT = (
    select(_RECORD.c.source, _PROPOSAL.c.payload_sha)
    .join(_PROPOSAL, _PROPOSAL.c.id == _RECORD.c.proposal)
    .where(_RECORD.c.home == _OF, text("record.done"))
    .order_by(_RECORD.c.source)
)
UNSTAGED = (
    select(_PROPOSAL.c.id)
    .where(_PROPOSAL.c.home == _OF, text(f"needs IS NULL AND {WAITING_SQL}"))
    .order_by(_PROPOSAL.c.position)
)
ANSWERS = select(_FOOTING.c.question, _FOOTING.c.answer).where(_FOOTING.c.home == _OF)
NUMBER = select(table_of(HomeRow).c.round).where(table_of(HomeRow).c.id == _OF)
TOP = select(func.max(_STIRRED.c.sequence)).where(_STIRRED.c.home == _OF)
MOVING = (
    select(_STIRRED.c.proposal, _PROPOSAL.c.state)
    .join(_PROPOSAL, _PROPOSAL.c.id == _STIRRED.c.proposal)
    .where(_STIRRED.c.home == _OF)
    .order_by(_PROPOSAL.c.position)
)
REMEMBERED = (
    select(_SUBJECT)
    .join(_STIRRED, _STIRRED.c.subject == _SUBJECT.c.id)
    .where(_STIRRED.c.home == _OF)
    .order_by(_SUBJECT.c.id)
)

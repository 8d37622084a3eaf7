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

_PROPOSAL = table_of(ProposalRow)
_RECORD = table_of(RecordRow)
_STIRRED = table_of(StirredRow)
_SUBJECT = table_of(SubjectRow)
_FOOTING = table_of(FootingRow)

RECORDS = "SELECT source, hint FROM record WHERE home = ?"
HELD = """
    SELECT source, proposal FROM record
    WHERE home = ? AND source IN (SELECT value FROM json_each(?))
"""
STATES = "SELECT id, state FROM proposal WHERE id IN (SELECT value FROM json_each(?))"
PLACES = f"""
    SELECT position, id FROM proposal
    WHERE id IN (SELECT value FROM json_each(?)) AND {WAITING_SQL}
"""  # noqa: S608 - constant states
INDEXED = """
    SELECT place FROM subject
    WHERE place IN (SELECT value FROM json_each(?)) AND relation = 'pending'
"""
IS_CURRENT = (
    "(subject.relation <> 'pending' OR EXISTS (SELECT 1 FROM proposal"  # noqa: S608 - constant states
    f" WHERE proposal.id = subject.place AND {WAITING_SQL}))"
)
"""A proposal may be decided and still be in the index until the next pass."""
SUBJECTS = f"""
    SELECT relation, text, place, domain FROM subject
    WHERE home = ? AND {IS_CURRENT} ORDER BY id
"""  # noqa: S608 - constant states
AMOUNT = "SELECT count(*) FROM subject WHERE home = ?"
IN_TEXTS = "SELECT doc FROM subject_vocabulary WHERE term = ?"
"""Those above go to the driver as they are, and give what the cells hold."""

_OF = bindparam("home", type_=_PROPOSAL.c.home.type)
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

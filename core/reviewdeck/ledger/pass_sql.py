"""Statements of every pass over a home, which go to the driver directly.

Compiling one through SQLAlchemy takes longer than SQLite needs to answer it. They give raw cells.
"""

from __future__ import annotations

from reviewdeck.ledger.list_sql import WAITING_SQL

RECORDS = "SELECT source, hint FROM record WHERE home = ?"
HELD = """
    SELECT source, proposal FROM record
    WHERE home = ? AND source IN (SELECT value FROM json_each(?))
"""
STATES = "SELECT id, state FROM proposal WHERE id IN (SELECT value FROM json_each(?))"
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
    WHERE home = :home AND {IS_CURRENT} ORDER BY id
"""  # noqa: S608 - constant states
LEFT = """
    SELECT record.source, proposal.payload_sha FROM record
    JOIN proposal ON proposal.id = record.proposal
    WHERE record.home = ? AND record.done AND proposal.action <> 'unreadable'
    ORDER BY record.source
"""
"""A record that could not be read stays where it is, dismissed or not: others may need it."""
KEYS = f"""
    SELECT id, evaluation_key FROM proposal WHERE home = ? AND {WAITING_SQL} ORDER BY position
"""  # noqa: S608 - constant states
NUMBER = "SELECT coalesce(max(round), 0) FROM home WHERE id = ?"
TOP = "SELECT coalesce(max(sequence), 0) FROM dirty WHERE home = ?"
DIRTY = """
    SELECT dirty.proposal, proposal.state FROM dirty
    JOIN proposal ON proposal.id = dirty.proposal
    WHERE dirty.home = ? ORDER BY proposal.position
"""

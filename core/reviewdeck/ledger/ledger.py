"""The whole ledger: its parts on one database."""

from __future__ import annotations

from reviewdeck.ledger.audit import SqlAudit
from reviewdeck.ledger.drafts import SqlDrafts, SqlMemory
from reviewdeck.ledger.journal import SqlJournal
from reviewdeck.ledger.judgements import SqlJudgements
from reviewdeck.ledger.lives import SqlLives
from reviewdeck.ledger.passes import SqlEvaluations, SqlRecords
from reviewdeck.ledger.places import SqlPlaces
from reviewdeck.ledger.proposals import SqlProposals
from reviewdeck.ledger.reader import LedgerReader
from reviewdeck.ledger.revisions import SqlRevisions
from reviewdeck.ledger.seals import SqlPins
from reviewdeck.ledger.sessions import SqlReviews, SqlTurns
from reviewdeck.ledger.subjects import SqlSubjects


class Ledger(
    LedgerReader,
    SqlProposals,
    SqlRevisions,
    SqlJournal,
    SqlJudgements,
    SqlDrafts,
    SqlMemory,
    SqlAudit,
    SqlRecords,
    SqlEvaluations,
    SqlSubjects,
    SqlTurns,
    SqlReviews,
    SqlLives,
    SqlPins,
    SqlPlaces,
):
    """The whole ledger in one database, so that one transaction can cover any part."""

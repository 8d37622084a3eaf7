"""The whole ledger: its parts on one database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from reviewdeck.ledger.audit import SqlAudit
from reviewdeck.ledger.blobs import Run
from reviewdeck.ledger.database import runner
from reviewdeck.ledger.drafts import SqlDrafts, SqlMemory
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.journal import SqlJournal
from reviewdeck.ledger.judgements import SqlJudgements
from reviewdeck.ledger.lives import SqlLives
from reviewdeck.ledger.passes import SqlEvaluations, SqlRecords
from reviewdeck.ledger.places import SqlPlaces
from reviewdeck.ledger.proposals import SqlProposals
from reviewdeck.ledger.reader import Reads
from reviewdeck.ledger.revisions import SqlRevisions
from reviewdeck.ledger.seals import SqlPins
from reviewdeck.ledger.sessions import SqlReviews, SqlTurns
from reviewdeck.ledger.subjects import SqlSubjects


class SqlLedger(
    Reads,
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
    """Satisfies `ports.Ledger`."""

    @contextmanager
    def _reading(self, subject: str) -> Iterator[Run]:
        with self._storage.viewing() as connection, decoding(subject):
            yield runner(connection)

    def close(self) -> None:
        """Lets go of the database."""
        self._storage.close()

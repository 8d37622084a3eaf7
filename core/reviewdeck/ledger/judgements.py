"""Judgements of proposals as they are stored: verdict, answers, origin, versions seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reviewdeck.ledger.blobs import chunks
from reviewdeck.ledger.cells import dump, load, unshield
from reviewdeck.ledger.database import LedgerPart, Transaction
from reviewdeck.ledger.list_sql import OPEN_SQL
from reviewdeck.ledger.row_sums import marks_cell
from reviewdeck.model import UNDONE
from reviewdeck.model.codec import answers_to_json, judgement_to_json
from reviewdeck.model.ledger import Staging

_PUT = f"""
    INSERT INTO judgement (proposal, policy, is_settled, marks, body)
    SELECT id, :policy, CAST(:is_settled AS BOOLEAN), :marks, :body
    FROM proposal WHERE id = :proposal AND {OPEN_SQL}
    ON CONFLICT (proposal) DO UPDATE SET
        policy = excluded.policy, is_settled = excluded.is_settled,
        marks = excluded.marks, body = excluded.body
"""  # noqa: S608 - constant states
"""A decided proposal keeps the judgement that it was decided by."""
_MARK = "UPDATE judgement SET marks = :marks WHERE proposal = :proposal"


class SqlJudgements(LedgerPart):
    """The conversations behind judged proposals."""

    def sessions(self, proposals: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """By proposal, the conversations that it came from, where known."""
        sessions: dict[str, tuple[str, ...]] = {}
        sql = "SELECT proposal, body FROM judgement WHERE proposal IN :ids"
        with self._reading("A judgement") as tx:
            for chunk in chunks(proposals):
                for id, body in tx.rows(sql, {"ids": chunk}):
                    origin = load(body)["origin"]
                    sessions[unshield(id)] = tuple(origin["sessions"]) if origin else ()
        return sessions


def store_judgements(tx: Transaction, stagings: Sequence[Staging]) -> None:
    """Stores the judgements of these stagings, in the caller's transaction.

    A proposal that was applied and undone keeps the judgement it was applied by:
    `log --verify` checks the decision against it. Lists show its six answers as they are now.
    """
    judged = [
        {
            "proposal": staging.proposal,
            "policy": staging.judged_by,
            "is_settled": staging.judgement.origin is None or staging.judgement.origin.is_settled,
            "marks": marks_cell(answers_to_json(staging.judgement.marks), staging.gist),
            "body": dump(judgement_to_json(staging.judgement)),
        }
        for staging in stagings
        if staging.judgement is not None
    ]
    undone = {
        staging.proposal for staging in stagings if any(f.code == UNDONE for f in staging.findings)
    }
    if rows := [row for row in judged if row["proposal"] not in undone]:
        tx.many(_PUT, rows)
    if rows := [row for row in judged if row["proposal"] in undone]:
        tx.many(_MARK, rows)

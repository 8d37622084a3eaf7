"""The background reviewer's runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, Select, func, select

from reviewdeck.ledger.bulk import bulk_insert
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.review_table import ReviewRow
from reviewdeck.ledger.storage import Part
from reviewdeck.ledger.tables import table_of
from reviewdeck.model import ReviewRun, ReviewTotals

_SUMS = ("proposal_count", "denied_count", "input_tokens", "output_tokens", "cached_tokens", "cost")


class SqlReviews(Part):
    """Satisfies `ports.Reviews`."""

    def add_review(self, run: ReviewRun) -> None:
        """Stores a run that has ended."""
        with self._storage.writing() as connection:
            bulk_insert(connection, ReviewRow, [_row_of(run)])

    def reviews(self, homes: Sequence[str] = (), *, limit: int = 20) -> tuple[ReviewRun, ...]:
        """The last runs, newest first."""
        table = table_of(ReviewRow)
        query = _of_homes(select(table), homes).order_by(table.c.sequence.desc()).limit(limit)
        with self._storage.reading() as session, decoding("A review"):
            return tuple(_run_of(row) for row in session.execute(query))

    def review_totals(self, homes: Sequence[str] = ()) -> ReviewTotals:
        """All runs together."""
        column = table_of(ReviewRow).c
        sums = [func.sum(column[name]).label(name) for name in _SUMS]
        failed = func.count().filter(column.ending == "failed").label("failed")
        last = func.max(column.finished_at).label("last")
        query = _of_homes(select(func.count().label("runs"), failed, last, *sums), homes)
        with self._storage.reading() as session:
            row = session.execute(query).one()
        return ReviewTotals(
            runs=row.runs,
            failed=row.failed,
            proposals=row.proposal_count or 0,
            denied=row.denied_count or 0,
            input_tokens=row.input_tokens or 0,
            output_tokens=row.output_tokens or 0,
            cached_tokens=row.cached_tokens or 0,
            cost=row.cost,
            last=row.last,
        )


def _of_homes(query: Select[*tuple[Any, ...]], homes: Sequence[str]) -> Select[*tuple[Any, ...]]:
    return query.where(table_of(ReviewRow).c.home.in_(list(homes))) if homes else query


_PLAIN = (
    *("id", "home", "session", "occasion", "started_at", "finished_at", "ending", "detail"),
    *("provider", "model", "is_routed", "prompts", "iterations", "input_tokens", "output_tokens"),
    *("cached_tokens", "cost", "shared", "saved_tokens"),
)
"""Columns that are called as the fields of a run."""


def _row_of(run: ReviewRun) -> dict[str, Any]:
    return {name: getattr(run, name) for name in _PLAIN} | {
        "denied": dict(run.denied),
        "denied_count": sum(run.denied.values()),
        "proposals": list(run.proposals),
        "proposal_count": len(run.proposals),
    }


def _run_of(row: Row[Any]) -> ReviewRun:
    plain = {name: getattr(row, name) for name in _PLAIN}
    return ReviewRun(**plain, denied=row.denied, proposals=tuple(row.proposals))

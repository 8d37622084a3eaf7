"""Lines of the queue straight from a ledger, without the engine's values."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, Final

from reviewdeck.cli.queue_page import Line
from reviewdeck.ledger.cells import load, moment_of, unshield
from reviewdeck.ledger.pages import page_query

GRAVE: Final = ("high", "critical")
"""Severities that make a proposal one to look at closely; a test compares them with the values."""

# Within a text of a finding the quotes are escaped, so none can be taken for these.
_IS_GRAVE: Final = " OR ".join(f"""instr(findings, '"severity":"{one}"') > 0""" for one in GRAVE)
_POSTPONED: Final = (
    """CASE WHEN instr(findings, '"code":"allowance"') > 0 THEN findings ELSE '[]' END"""
)
_FOUND: Final = (
    "(SELECT count(DISTINCT json_extract(value, '$.code') || json_extract(value, '$.message'))"
    " FROM json_each(findings))"
)
_COLUMNS: Final = (
    "id, home, state, kind, action, target, coalesce(gist, ''), reason, origin,"
    f" {_FOUND}, {_IS_GRAVE}, {_POSTPONED},"
    " coalesce(created_at, ingested_at), position"
)


def read_lines(
    connection: sqlite3.Connection,
    homes: Sequence[str],
    states: Sequence[str],
    after: int | None,
    limit: int,
) -> tuple[Line, ...]:
    """One page, newest first. Raises TypeError, ValueError and such for a damaged row."""
    sql, values = page_query(_COLUMNS, homes, states)
    bound = values | {"after": 2**62 if after is None else after, "limit": limit}
    return tuple(map(_line_of, connection.execute(sql, bound)))


def _line_of(row: Sequence[Any]) -> Line:
    *plain, findings, is_grave, postponed, made, position = row
    id, home, state, kind, action, target, gist, reason, origin = map(unshield, plain)
    return Line(
        id=id,
        home=home,
        state=state,
        kind=kind,
        action=action,
        target=target,
        gist=gist,
        reason=reason,
        origin=origin,
        findings=findings,
        is_dangerous=bool(is_grave),
        postponed=() if postponed == "[]" else _postponed(postponed),
        made=moment_of(made),
        position=position,
    )


def _postponed(findings: str) -> tuple[str, ...]:
    return tuple(one["message"] for one in load(findings) if one["code"] == "allowance")

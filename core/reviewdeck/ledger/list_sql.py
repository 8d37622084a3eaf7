"""Queries for lists, in plain SQL: the ledger and the light reader each run them their own way.

The light reader needs no ORM to build them. Every value is bound; only the number of parts of
a statement varies.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from reviewdeck.ledger.blobs import AMONG, Run, listed
from reviewdeck.ledger.cells import load, moment_of, shield, unshield
from reviewdeck.model import (
    OPEN_STATES,
    CheckMarks,
    Finding,
    Kind,
    Outline,
    QueueItem,
    Severity,
    State,
)
from reviewdeck.model.codec import answers_from_json, findings_from_json
from reviewdeck.ports import Counts, Filter

DRAFT = "draft"
"""The counter's name for drafts, besides the states."""

OPEN_SQL = f"state IN ({', '.join(repr(state.value) for state in State if state.is_open)})"
"""Spelt out, since SQLite uses a partial index only for the very same condition."""

WAITING = tuple(s.value for s in State if s.is_open and s is not State.QUARANTINED)
"""The states of what is staged."""

WAITING_SQL = f"state IN ({', '.join(map(repr, WAITING))})"
"""The same for SQL."""

_MANY_HOMES = 8
"""With more homes, one part per state is read instead of one per home and state."""

_COLUMNS = (
    "id, home, source, source_id, kind, action, target, state, verdict, digest, findings, reason,"
    " origin, summary, created_at, ingested_at, position,"
    " (SELECT marks FROM judgement WHERE judgement.proposal = proposal.id), gist, subject"
)
_GRAVE = {
    f"grave{severity.rank}": f'"severity":"{severity.value}"'
    for severity in Severity
    if severity.rank
}
"""The text of each severity in stored findings. Within a message the quotes are escaped."""
_DANGEROUS = {f"grave{rank}": _GRAVE[f"grave{rank}"] for rank in range(Severity.HIGH.rank, 5)}

_OUTLINE = (
    "position, id, home, kind, action, target, state, CASE "
    + " ".join(
        f"WHEN instr(findings, :grave{severity.rank}) > 0 THEN {severity.rank}"
        for severity in sorted(Severity, key=lambda level: -level.rank)
        if severity.rank
    )
    + " ELSE 0 END, coalesce(created_at, ingested_at), origin, coalesce(source_id, ''),"
    # As bytes: an agent's own word for its session need not be text that a database can return.
    " CAST(json_extract(body, '$.session') AS BLOB), coalesce(gist, ''),"
    " coalesce(subject, ''), reason"
)


def read_counts(run: Run, homes: Sequence[str] = ()) -> Counts:
    """The number of proposals in each state, from the counters alone."""
    chosen = set(homes)
    by_state = dict.fromkeys(State, 0)
    drafts = 0
    waiting: set[str] = set()
    dangerous = 0
    for home, state, amount in run("SELECT home, state, amount FROM counter WHERE amount > 0", {}):
        if chosen and unshield(home) not in chosen:
            continue
        if state == DRAFT:
            drafts += amount
            continue
        by_state[State(state)] += amount
        if State(state) in OPEN_STATES:
            waiting.add(home)
        if State(state) is State.LIVE:
            dangerous += _dangerous(run, home)
    oldest = [moment for home in waiting if (moment := _oldest(run, home)) is not None]
    return Counts(by_state, drafts, moment_of(min(oldest)) if oldest else None, dangerous)


def read_page(run: Run, selection: Filter, after: int | None, limit: int) -> tuple[QueueItem, ...]:
    """One page, newest first."""
    sql, values = _page_query(selection)
    bound = values | {"after": 2**62 if after is None else after, "limit": limit}
    return tuple(item_of(row) for row in run(sql, bound))


def read_item(run: Run, id: str) -> QueueItem | None:
    """One row of the queue."""
    rows = run(f"SELECT {_COLUMNS} FROM proposal WHERE id = :id", {"id": shield(id)})  # noqa: S608 - constant columns
    return item_of(rows[0]) if rows else None


def read_items(run: Run, ids: Sequence[str]) -> tuple[QueueItem, ...]:
    """Several rows of the queue, in this order."""
    rows = run(f"SELECT {_COLUMNS} FROM proposal WHERE id {AMONG}", {"among": listed(ids)})  # noqa: S608 - constant columns
    by_id = {item.id: item for item in map(item_of, rows)}
    return tuple(by_id[id] for id in ids if id in by_id)


def read_outlines(
    run: Run, selection: Filter, after: int | None, limit: int
) -> tuple[Outline, ...]:
    """One page of outlines, newest first."""
    sql, values = _page_query(selection, _OUTLINE)
    bound = values | _GRAVE | {"after": 2**62 if after is None else after, "limit": limit}
    return tuple(map(_outline_of, run(sql, bound)))


def read_stamp(run: Run, home: str) -> str | None:
    """The stamp stored when this home was last taken in; empty where none could be."""
    rows = run("SELECT stamp FROM home WHERE id = :home", {"home": shield(home)})
    return unshield(rows[0][0] or "") if rows else None


def item_of(row: Sequence[Any]) -> QueueItem:
    """A database row as a row of the queue."""
    return QueueItem(
        id=row[0],
        home=unshield(row[1]),
        source=_text(row[2]),
        source_id=_text(row[3]),
        kind=Kind(row[4]),
        action=unshield(row[5]),
        target=unshield(row[6]),
        state=State(row[7]),
        verdict=row[8],
        digest=row[9],
        findings=_findings_in(row[10]),
        reason=unshield(row[11]),
        origin=unshield(row[12]),
        summary=unshield(row[13]),
        created_at=None if row[14] is None else moment_of(row[14]),
        ingested_at=moment_of(row[15]),
        position=row[16],
        checks=_answers_in(row[17]),
        gist=_text(row[18]) or "",
        subject=row[19] or "",
    )


@lru_cache(maxsize=256)
def _findings_in(cell: str) -> tuple[Finding, ...]:
    """The findings of a cell, cached: many rows have the same few, or none."""
    return findings_from_json(load(cell))


@lru_cache(maxsize=256)
def _answers_in(cell: str | None) -> CheckMarks | None:
    return None if cell is None else answers_from_json(load(cell))


def _outline_of(row: Sequence[Any]) -> Outline:
    position, id, home, kind, action, target, state, gravity, created, *texts = row
    origin, source_id, session, gist, subject, reason = texts
    return Outline(
        position,
        id,
        unshield(home),
        kind,
        unshield(action),
        unshield(target),
        state,
        gravity,
        created,
        unshield(origin),
        unshield(source_id),
        session.decode("utf-8", "replace") if session else "",
        unshield(gist),
        subject,
        unshield(reason),
    )


def _oldest(run: Run, home: str) -> int | None:
    sql = f"SELECT min(since) FROM proposal WHERE home = :home AND {OPEN_SQL}"  # noqa: S608 - constant states
    oldest: int | None = run(sql, {"home": home})[0][0]
    return oldest


def _dangerous(run: Run, home: str) -> int:
    """The number of live changes with a grave finding."""
    grave = " OR ".join(f"instr(findings, :{name}) > 0" for name in _DANGEROUS)
    sql = f"SELECT count(*) FROM proposal WHERE home = :home AND state = :live AND ({grave})"  # noqa: S608 - constant columns
    amount: int = run(sql, _DANGEROUS | {"home": home, "live": State.LIVE.value})[0][0]
    return amount


def _page_query(selection: Filter, columns: str = _COLUMNS) -> tuple[str, dict[str, object]]:
    """The statement and its values; `:after` and `:limit` are still to be bound.

    Each part walks one index backwards and stops at the limit, so a page costs the same wherever
    it is and however many rows there are; `state IN (...)` would sort all of them. Without states
    everything is on it, whatever its home.
    """
    states = selection.states or (tuple(State) if selection.homes else ())
    parts, values = _parts(selection.homes, [state.value for state in states])
    if not parts:
        inner = "position < :after"
    else:
        union = " UNION ALL ".join(
            f"SELECT position FROM (SELECT position FROM proposal WHERE {part}"  # noqa: S608 - bound values
            " AND position < :after ORDER BY position DESC LIMIT :limit) AS part"
            for part in parts
        )
        inner = f"position IN ({union})"
    return (
        f"SELECT {columns} FROM proposal WHERE {inner} ORDER BY position DESC LIMIT :limit",  # noqa: S608 - bound values
        values,
    )


def _parts(homes: Sequence[str], states: Sequence[str]) -> tuple[list[str], dict[str, object]]:
    if not states:
        return [], {}
    values: dict[str, object] = {
        f"h{index}": shield(home) for index, home in enumerate(dict.fromkeys(homes))
    }
    placeholders = [f":{name}" for name in values]
    values |= {f"s{index}": state for index, state in enumerate(dict.fromkeys(states))}
    by_state = [f"state = :{name}" for name in values if name.startswith("s")]
    if not placeholders:
        return by_state, values
    if len(placeholders) > _MANY_HOMES:
        among = f"home IN ({', '.join(placeholders)})"
        return [f"{part} AND {among}" for part in by_state], values
    return [f"home = {home} AND {part}" for home in placeholders for part in by_state], values


def _text(value: str | None) -> str | None:
    return None if value is None else unshield(value)

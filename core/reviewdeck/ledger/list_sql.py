"""Queries for lists. Every value is bound; only the number of parts of a statement varies."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache, lru_cache

from reviewdeck.ledger.cells import load, moment_of, unshield
from reviewdeck.ledger.columns import Codec, Columns
from reviewdeck.ledger.database import ALL, Row, Transaction
from reviewdeck.model import OPEN_STATES, CheckMarks, Finding, Outline, QueueItem, Severity, State
from reviewdeck.model.codec import answers_from_json, findings_from_json
from reviewdeck.model.ledger import Counts, Filter
from reviewdeck.model.states import STAGED

DRAFT = "draft"
_OLDEST = "oldest"
_DANGEROUS = "dangerous"
"""What is counted besides the states."""


def among(states: Collection[State]) -> str:
    """The condition that a state is one of these, in the order of their declaration.

    Spelt out, since SQLite uses a partial index only for the very same condition.
    """
    return f"state IN ({', '.join(repr(state.value) for state in State if state in states)})"


OPEN_SQL = among(OPEN_STATES)
WAITING_SQL = among(STAGED)
WAITING = frozenset(state.value for state in STAGED)
"""The states of what is staged."""

_MANY_HOMES = 8
"""With more homes, one part per state is read instead of one per home and state."""

_MARKS = "(SELECT marks FROM judgement WHERE judgement.proposal = proposal.id)"


@lru_cache(maxsize=256)
def _findings_in(cell: str) -> tuple[Finding, ...]:
    """The findings of a cell, cached: many rows have the same few, or none."""
    return findings_from_json(load(cell))


@lru_cache(maxsize=256)
def _answers_in(cell: str | None) -> CheckMarks | None:
    return None if cell is None else answers_from_json(load(cell))


_ITEM = Columns(
    QueueItem,
    findings=Codec(_findings_in),
    checks=Codec(_answers_in),
    gist=Codec(lambda cell: unshield(cell or "")),
    subject=Codec(lambda cell: cell or ""),
)
_COLUMNS = ", ".join(_MARKS if name == "checks" else name for name in _ITEM.names)
_OUTLINE = (
    "position, id, home, kind, action, target, state, gravity, coalesce(created_at, ingested_at),"
    " origin, coalesce(source_id, ''), coalesce(session, ''), coalesce(gist, ''),"
    f" coalesce(subject, ''), reason, {_MARKS}"
)


def read_counts(tx: Transaction, homes: Sequence[str], operators: Sequence[str]) -> Counts:
    """The number of proposals in each state, from the counters alone; and of these drafts."""
    by_state = dict.fromkeys(State, 0)
    drafts = dangerous = 0
    oldest: list[int] = []
    values = {"homes": homes, "operators": operators, "grave": Severity.HIGH.rank}
    for what, amount in tx.rows(_counting(bool(homes)), values):
        if what == DRAFT:
            drafts += amount
        elif what == _DANGEROUS:
            dangerous += amount
        elif what != _OLDEST:
            by_state[State(what)] += amount
        elif amount is not None:
            oldest.append(amount)
    return Counts(by_state, drafts, moment_of(min(oldest)) if oldest else None, dangerous)


@cache
def _counting(of_some: bool) -> str:
    of_homes = "AND home IN :homes" if of_some else ""
    return f"""
        SELECT state, amount FROM counter WHERE amount > 0 {of_homes}
        UNION ALL SELECT '{_OLDEST}',
            (SELECT min(since) FROM proposal WHERE proposal.home = waiting.home AND {OPEN_SQL})
            FROM (SELECT DISTINCT home FROM counter WHERE amount > 0 AND {OPEN_SQL} {of_homes})
            AS waiting
        UNION ALL SELECT '{_DANGEROUS}', (
            SELECT count(*) FROM proposal
            WHERE proposal.home = live.home AND state = 'live' AND gravity >= :grave)
            FROM (SELECT home FROM counter WHERE amount > 0 AND state = 'live' {of_homes}) AS live
        UNION ALL SELECT '{DRAFT}', count(*) FROM draft WHERE operator IN :operators {of_homes}
    """  # noqa: S608 - constant parts


def read_page(
    tx: Transaction, selection: Filter, after: int | None, limit: int
) -> tuple[QueueItem, ...]:
    """One page, newest first."""
    sql, values = _page_query(selection, tx.has_lateral)
    bound = values | {"after": ALL if after is None else after, "limit": limit}
    return tuple(map(_ITEM.value, tx.rows(sql, bound)))


def read_item(tx: Transaction, id: str) -> QueueItem | None:
    """One row of the queue."""
    rows = tx.rows(f"SELECT {_COLUMNS} FROM proposal WHERE id = :id", {"id": id})  # noqa: S608 - constant columns
    return _ITEM.value(rows[0]) if rows else None


def read_items(tx: Transaction, ids: Sequence[str]) -> tuple[QueueItem, ...]:
    """Several rows of the queue, in this order."""
    rows = tx.rows(f"SELECT {_COLUMNS} FROM proposal WHERE id IN :among", {"among": ids})  # noqa: S608 - constant columns
    by_id = {item.id: item for item in map(_ITEM.value, rows)}
    return tuple(by_id[id] for id in ids if id in by_id)


def read_outlines(
    tx: Transaction, selection: Filter, after: int | None, limit: int
) -> tuple[Outline, ...]:
    """One page of outlines, newest first."""
    sql, values = _page_query(selection, tx.has_lateral, _OUTLINE)
    bound = values | {"after": ALL if after is None else after, "limit": limit}
    return tuple(map(_outline_of, tx.rows(sql, bound)))


def read_stamp(tx: Transaction, home: str) -> str | None:
    """The stamp stored when this home was last taken in; empty where none could be."""
    # A row may be there before any pass, to be locked.
    taken_in = "id = :home AND (round > 0 OR stamp IS NOT NULL)"
    rows = tx.rows(f"SELECT stamp FROM home WHERE {taken_in}", {"home": home})  # noqa: S608 - constant
    return unshield(rows[0][0] or "") if rows else None


@lru_cache(maxsize=256)
def _failing_in(cell: str | None) -> tuple[str, ...]:
    marks = _answers_in(cell)
    return () if marks is None else marks.failing


def _outline_of(row: Row) -> Outline:
    position, id, home, kind, action, target, state, gravity, created, *texts = row
    origin, source_id, session, gist, subject, reason, marks = texts
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
        unshield(session),
        unshield(gist),
        subject,
        unshield(reason),
        _failing_in(marks),
    )


def _page_query(
    selection: Filter, has_lateral: bool, columns: str = _COLUMNS
) -> tuple[str, dict[str, object]]:
    """The statement and its values; `:after` and `:limit` are still to be bound.

    Each part walks one index backwards and stops at the limit, so a page costs the same wherever
    it is and however many rows there are; `state IN (...)` would sort all of them. Without states
    everything is on it, whatever its home.
    """
    states = selection.states or (tuple(State) if selection.homes else ())
    names = list(dict.fromkeys(state.value for state in states))
    homes = list(dict.fromkeys(selection.homes))
    inner, values = "position < :after", dict[str, object]()
    if names:
        inner, values = (_of_each if has_lateral else _of_parts)(homes, names)
    return (
        f"SELECT {columns} FROM proposal WHERE {inner} ORDER BY position DESC LIMIT :limit",  # noqa: S608 - bound values
        values,
    )


_WALK = (
    "SELECT position FROM proposal WHERE {which}"
    " AND position < :after ORDER BY position DESC LIMIT :limit"
)


def _of_each(homes: list[str], states: list[str]) -> tuple[str, dict[str, object]]:
    """One walk for each home and state: planned once, however many there are."""
    lists, which = "unnest(:states::text[]) AS its (s)", "state = s"
    values: dict[str, object] = {"states": states}
    if homes:
        lists += ", unnest(:homes::text[]) AS whose (h)"
        which += " AND home = h"
        values["homes"] = homes
    walk = _WALK.format(which=which)
    return (
        f"position IN (SELECT part.position FROM {lists}, LATERAL ({walk}) AS part"  # noqa: S608 - bound values
        " ORDER BY part.position DESC LIMIT :limit)"
    ), values


def _of_parts(homes: list[str], states: list[str]) -> tuple[str, dict[str, object]]:
    """A walk for each home and state, or for each state where there are many homes."""
    of_home: dict[str, object] = {f"h{index}": home for index, home in enumerate(homes)}
    of_state: dict[str, object] = {f"s{index}": state for index, state in enumerate(states)}
    parts = [f"state = :{name}" for name in of_state]
    if len(of_home) > _MANY_HOMES:
        among = f"home IN ({', '.join(f':{name}' for name in of_home)})"
        parts = [f"{part} AND {among}" for part in parts]
    elif of_home:
        parts = [f"home = :{name} AND {part}" for name in of_home for part in parts]
    walks = (f"SELECT position FROM ({_WALK.format(which=part)}) AS part" for part in parts)  # noqa: S608 - bound values
    return f"position IN ({' UNION ALL '.join(walks)})", of_home | of_state

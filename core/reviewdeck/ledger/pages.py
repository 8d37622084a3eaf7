"""A page of the queue in SQL, newest first. Loads nothing of the engine."""

from __future__ import annotations

from collections.abc import Sequence

from reviewdeck.ledger.cells import shield, unshield

_MANY_HOMES = 8
"""More than this and one part per state is read instead of one per home and state."""


def page_query(
    columns: str, homes: Sequence[str], states: Sequence[str]
) -> tuple[str, dict[str, object]]:
    """The statement and its values; `:after` and `:limit` are still to be bound.

    Each part walks one index backwards and stops at the limit, so a page costs the same wherever
    it is and however many rows there are; `state IN (...)` would sort all of them. Without states
    everything is on it, whatever its home.
    """
    parts, values = _parts(homes, states)
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
    named = [f":{name}" for name in values]
    values |= {f"s{index}": state for index, state in enumerate(dict.fromkeys(states))}
    by_state = [f"state = :{name}" for name in values if name.startswith("s")]
    if not named:
        return by_state, values
    if len(named) > _MANY_HOMES:
        among = f"home IN ({', '.join(named)})"
        return [f"{part} AND {among}" for part in by_state], values
    return [f"home = {home} AND {part}" for home in named for part in by_state], values


HOME_AT = "SELECT home, number, mark FROM place WHERE path = :path"


def home_at(row: Sequence[str] | None, seen: tuple[str, str] | None) -> str | None:
    """The id of a home that stands where it stood, from its row and the number and mark it has.

    None where that has to be looked into: it may have been moved, or be a copy.
    """
    if row is None or seen is None:
        return None
    id, number, mark = row
    is_known = mark and seen == (number, seen[1] and mark)
    return unshield(id) if is_known else None

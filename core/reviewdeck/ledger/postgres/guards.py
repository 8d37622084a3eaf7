"""What a hub enforces by itself, as SQLite's triggers do for a file: one function per rule.

They are triggers of statements with transition tables: row by row, taking in would be four times
slower. States and moves are those of `model.states`. `@` stands for the schema.
"""

from __future__ import annotations

from typing import Final

from reviewdeck.ledger.list_sql import among
from reviewdeck.model.states import FINAL, MOVES, STAGED, State


def _is(row: str, states: frozenset[State]) -> str:
    return f"{row}.{among(states)}"


_ALLOWED: Final = " OR ".join(
    f"({_is('o', move.sources)} AND {_is('n', move.targets)})" for move in MOVES.values()
)
_CHANGED: Final = " OR ".join(f"o.{column} <> n.{column}" for column in ("state", "home"))

_NEWS: Final = frozenset({State.APPROVED, State.REJECTED, State.KEPT})
"""What a host hears of at once. It also asks from time to time: a notice may be lost."""
MOST_TOLD: Final = 2_000
"""Characters of a home's id in a notice, which a server bounds in bytes."""
_ADDED: Final = f"""
    INSERT INTO @.counter (home, state, amount)
        SELECT home, state, count(*) FROM added GROUP BY home, state ORDER BY home, state
        ON CONFLICT (home, state) DO UPDATE SET amount = counter.amount + excluded.amount;
    INSERT INTO @.dirty (home, proposal)
        SELECT home, id FROM added WHERE {among(STAGED)} ORDER BY position
        ON CONFLICT (proposal) DO NOTHING;
"""  # noqa: S608 - constant states
_MOVED: Final = f"""
    IF NOT EXISTS (
        SELECT FROM added AS n LEFT JOIN removed AS o USING (position)
        WHERE o.position IS NULL OR {_CHANGED}
    ) THEN
        RETURN NULL;
    END IF;
    IF EXISTS (
        SELECT FROM added AS n LEFT JOIN removed AS o USING (position)
        WHERE o.position IS NULL OR (o.state <> n.state AND NOT ({_ALLOWED}))
    ) THEN
        RAISE EXCEPTION 'a proposal does not move like this' USING ERRCODE = 'check_violation';
    END IF;
    INSERT INTO @.counter (home, state, amount)
        SELECT home, state, sum(n) FROM (
            SELECT home, state, -1 AS n FROM removed UNION ALL SELECT home, state, 1 FROM added
        ) AS moves
        GROUP BY home, state HAVING sum(n) <> 0 ORDER BY home, state
        ON CONFLICT (home, state) DO UPDATE SET amount = counter.amount + excluded.amount;
    UPDATE @.record SET done = {_is("n", FINAL)}
        FROM added AS n JOIN removed AS o USING (position)
        WHERE record.proposal = n.id AND ({_is("o", FINAL)}) <> ({_is("n", FINAL)});
    DELETE FROM @.dirty USING added AS n JOIN removed AS o USING (position)
        WHERE dirty.proposal = n.id AND ({_is("o", STAGED)}) <> ({_is("n", STAGED)});
    INSERT INTO @.dirty (home, proposal)
        SELECT n.home, n.id FROM added AS n JOIN removed AS o USING (position)
        WHERE ({_is("o", STAGED)}) <> ({_is("n", STAGED)}) ORDER BY position;
    PERFORM pg_notify('@', left(home, {MOST_TOLD})) FROM (SELECT DISTINCT n.home
        FROM added AS n JOIN removed AS o USING (position)
        WHERE o.state <> n.state AND {_is("n", _NEWS)}) AS decided;
"""  # noqa: S608 - constant states
_REMOVED: Final = """
    UPDATE @.counter SET amount = amount - gone.amount
        FROM (SELECT home, state, count(*) AS amount FROM removed GROUP BY home, state) AS gone
        WHERE counter.home = gone.home AND counter.state = gone.state;
"""
_REMEMBERED: Final = """
    INSERT INTO @.dirty (home, text)
        SELECT home, text FROM added WHERE relation <> 'pending' ORDER BY id;
"""
_FORGOTTEN: Final = """
    DELETE FROM @.term USING removed WHERE term.subject = removed.id;
    INSERT INTO @.dirty (home, text)
        SELECT home, text FROM removed WHERE relation <> 'pending' ORDER BY id;
"""
_APPEND_ONLY: Final = """
    RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'check_violation';
"""
_IN_ORDER: Final = f"""
    IF EXISTS (
        SELECT FROM (
            SELECT sequence, lag(sequence) OVER (PARTITION BY chain ORDER BY position) AS earlier
            FROM added
        ) AS line WHERE sequence <= earlier
    ) OR EXISTS (
        SELECT FROM (SELECT chain, min(sequence) AS first, count(*) AS lines FROM added
            GROUP BY chain) AS part
        WHERE lines < (SELECT count(*) FROM @.event
            WHERE event.chain = part.chain AND event.sequence >= part.first)
    ) THEN
        {_APPEND_ONLY.strip()}
    END IF;
"""  # noqa: S608 - constant

_FUNCTIONS: Final = {
    "proposals_added": ("AFTER INSERT ON @.proposal", _ADDED),
    "proposals_moved": ("AFTER UPDATE ON @.proposal", _MOVED),
    "proposals_removed": ("AFTER DELETE ON @.proposal", _REMOVED),
    "subjects_remembered": ("AFTER INSERT ON @.subject", _REMEMBERED),
    "subjects_forgotten": ("AFTER DELETE ON @.subject", _FORGOTTEN),
    "events_only_added": ("BEFORE UPDATE OR DELETE OR TRUNCATE ON @.event", _APPEND_ONLY),
    "events_in_order": ("AFTER INSERT ON @.event", _IN_ORDER),
}
"""By trigger and function, when it runs and what it does."""
_SEEN: Final = {
    "AFTER INSERT": "REFERENCING NEW TABLE AS added",
    "AFTER UPDATE": "REFERENCING OLD TABLE AS removed NEW TABLE AS added",
    "AFTER DELETE": "REFERENCING OLD TABLE AS removed",
}
_WITHOUT_REFERENCE: Final = "ALTER TABLE @.term DROP CONSTRAINT IF EXISTS term_subject_fkey"
"""Terms go with their text by a trigger: to look each of them up was a third of taking in."""
CLOCK: Final = """
    CREATE OR REPLACE FUNCTION @.clock_micros() RETURNS bigint LANGUAGE sql VOLATILE AS
    $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint $$
"""
"""The database's own time, in microseconds since 1970: hosts' clocks differ."""


def function(name: str, body: str, *, declared: str = "", gives: str = "trigger") -> str:
    """A function that runs with its owner's rights, whatever path a caller searches for names."""
    return (
        f"CREATE OR REPLACE FUNCTION @.{name} RETURNS {gives} LANGUAGE plpgsql SECURITY DEFINER\n"
        f"    SET search_path = pg_catalog, pg_temp AS $$\n{declared}BEGIN\n{body.strip(chr(10))}\n"
        "END $$"
    )


def guards() -> tuple[str, ...]:
    """The statements that make the functions and triggers, again where they are there."""
    statements = [CLOCK, _WITHOUT_REFERENCE]
    for name, (when, body) in _FUNCTIONS.items():
        statements.append(function(f"{name}()", f"{body}    RETURN NULL;"))
        statements.append(trigger(name, when))
    return tuple(statements)


def trigger(name: str, when: str) -> str:
    """The trigger of the function with this name, for whole statements."""
    seen = _SEEN.get(" ".join(when.split()[:2]), "")
    return (
        f"CREATE OR REPLACE TRIGGER {name} {when} {seen}\n"
        f"    FOR EACH STATEMENT EXECUTE FUNCTION @.{name}()"
    )

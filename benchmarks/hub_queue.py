"""A long queue, made by the database: copies of one proposal, in 37 homes."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import psycopg
from tests.ledger.samples import clock, proposal

from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.tables import METADATA
from reviewdeck.model.ledger import Filter
from reviewdeck.model.states import OPEN_STATES

HOMES = 37
_STEP = 100_000
_OTHERS = {
    "id": "'q' || n",
    "home": f"'/homes/' || (n % {HOMES})",
    "source": "'pending/' || n",
    "source_id": "'s' || n",
    "since": "since + n",
    # One in nine waits, and most are applied.
    "state": "CASE WHEN n % 10 = 0 THEN 'ready' WHEN n % 90 = 1 THEN 'conflict'"
    " WHEN n % 3 = 0 THEN 'rejected' ELSE 'applied' END",
}
_NUMBERS = {
    "postgresql": "generate_series({first}, {last}) AS numbers (n)",
    "sqlite": "(WITH RECURSIVE numbers (n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM numbers"
    " WHERE n < {last}) SELECT n FROM numbers)",
}


def fill(url: str, amount: int) -> Ledger:
    """A ledger with a queue so long, opened."""
    ledger = open_ledger(url, now=clock)
    ledger.add([proposal(0, home="/homes/0")], {})
    is_hub = url.startswith("postgresql:")
    columns = [
        column.name for column in METADATA.tables["proposal"].columns if column.name != "position"
    ]
    values = ", ".join(_OTHERS.get(name, f'"{name}"') for name in columns)
    names = ", ".join(f'"{name}"' for name in columns)
    numbers = _NUMBERS["postgresql" if is_hub else "sqlite"]
    statements = [
        f"INSERT INTO proposal ({names}) SELECT {values} FROM"  # noqa: S608 - constant
        f" {numbers.format(first=first, last=min(first + _STEP - 1, amount))}, proposal"
        " WHERE position = 1"
        for first in range(1, amount + 1, _STEP)
    ]
    if is_hub:
        with psycopg.connect(url, autocommit=True) as server:
            server.execute("SET search_path = reviewdeck")
            for statement in statements:
                server.execute(statement.encode())
            server.execute("VACUUM ANALYZE")  # As autovacuum does it before long.
    else:
        with closing(sqlite3.connect(url)) as file, file:
            for statement in statements:
                file.execute(statement)
    return ledger


PAGE = 25
"""Rows of a page: of ten thousand, some thirty wait in each home."""
LOOKS = {
    "what waits": Filter(states=tuple(OPEN_STATES)),
    "everything": Filter(),
    "what waits in a home": Filter(homes=("/homes/3",), states=tuple(OPEN_STATES)),
    "what waits in 20 homes": Filter(
        homes=tuple(f"/homes/{number}" for number in range(20)), states=tuple(OPEN_STATES)
    ),
}
"""The pages of a queue that are looked at."""

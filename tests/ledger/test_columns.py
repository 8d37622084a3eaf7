"""The columns of a value are those of its table, and empty where its field may be."""

from __future__ import annotations

from types import NoneType
from typing import Any, get_args, get_type_hints

import pytest

from reviewdeck.ledger.columns import Columns
from reviewdeck.ledger.drafts import _DRAFT
from reviewdeck.ledger.list_sql import _ITEM
from reviewdeck.ledger.sessions import _RUN
from reviewdeck.ledger.tables import LedgerRow
from reviewdeck.ledger.view_sql import DECISION, EVENT, OBSERVATION, OPERATION

TABLES: dict[str, Columns[Any]] = {
    "observation": OBSERVATION,
    "operation": OPERATION,
    "decision": DECISION,
    "event": EVENT,
    "draft": _DRAFT,
    "review": _RUN,
    "proposal": _ITEM,
}


@pytest.mark.parametrize("table", TABLES)
def test_a_cell_may_be_empty_only_where_its_reader_takes_that(table: str) -> None:
    columns = TABLES[table]
    hints = get_type_hints(columns._kind)
    cells = LedgerRow.metadata.tables[table].columns
    for name in set(columns.names) - {"checks"}:  # of another table
        if cells[name].nullable and NoneType not in get_args(hints[name]):
            codec = dict(columns._cells)[name]
            assert columns._own[name] is codec
            codec.read(None)

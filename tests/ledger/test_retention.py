"""Old bytes go from a file and from a hub; what a row still names stays, whoever wrote it when."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.ledger.databases import postgres_url
from tests.ledger.samples import HOME, MEMORY, START, begin, claim, clock, proposal

from reviewdeck.ledger.inspection import inspect_ledger
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.needed import Spare, spare_of
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.postgres import retention as of_hubs
from reviewdeck.ledger.retention import prune
from reviewdeck.model import Cause, Change, Observation, revision_of
from reviewdeck.model.ledger import Sight

KEEP = timedelta(days=90)
LATER = START + timedelta(days=200)
LINES = b"".join(b"line %d of the memory\n" % number for number in range(40))
BEFORE, BETWEEN, AFTER = LINES, LINES + b"one more\n", LINES + b"one more\nand another\n"


def later() -> datetime:
    """A clock of long after."""
    return LATER


def applied_long_ago(ledger: Ledger) -> None:
    """A batch that wrote one document, with a state between that is kept as a difference."""
    ledger.add([proposal(1)], {"pending/memory/1.json": b"the record"})
    contents = {revision_of(data): data for data in (BEFORE, BETWEEN, AFTER)}
    writes = (Change(MEMORY, BEFORE, AFTER, mode=0o600),)
    begin(ledger, replace(claim(1, batch="b"), writes=writes, contents=contents))
    ledger.finish("b", START, [])
    ledger.settle("b")


def seen(data: bytes, at: datetime = LATER, path: str = MEMORY) -> Observation:
    """A document as it was seen."""
    return Observation(HOME, path, revision_of(data), at, Cause.OUTSIDE)


def kept(ledger: Ledger, *contents: bytes) -> list[bool]:
    """Which of these bytes can be read."""
    return [ledger.content(revision_of(data)) == data for data in contents]


def test_bytes_that_nothing_names_go_with_a_line_of_the_log(url: str) -> None:
    with open_ledger(url, now=clock) as ledger:
        applied_long_ago(ledger)
        pruned = prune(url, keep=KEEP, now=later)
        assert kept(ledger, BEFORE, BETWEEN, AFTER) == [False] * 3
        last = ledger.chain("")[-1]
        assert (last.name, last.detail["texts"]) == ("pruned", pruned.texts)
        assert pruned.texts >= 3
        assert prune(url, keep=KEEP, now=later).texts == 0
    assert inspect_ledger(url).damage == ()


def test_what_a_needed_difference_is_one_from_stays(url: str) -> None:
    with open_ledger(url, now=clock) as ledger:
        applied_long_ago(ledger)
        ledger.observe([seen(BETWEEN)], [])
        prune(url, keep=KEEP, now=later)
        assert kept(ledger, BETWEEN) == [True]
    assert inspect_ledger(url).damage == ()


def test_what_a_home_elsewhere_is_shown_with_stays(url: str) -> None:
    body = json.dumps({"documents": {MEMORY: [revision_of(AFTER), 0o600, ""]}})
    with open_ledger(url, now=clock) as ledger:
        applied_long_ago(ledger)
        ledger.put_look(Sight(HOME, "a" * 16, "web", START, "iris", "hermes", HOME), "s", body, [])
        prune(url, keep=KEEP, now=later)
        assert kept(ledger, BEFORE, AFTER) == [False, True]
    assert inspect_ledger(url).damage == ()


def test_what_is_open_keeps_its_record_and_its_base(url: str) -> None:
    with open_ledger(url, now=clock) as ledger:
        ledger.add([proposal(2, base=BEFORE)], {"pending/memory/2.json": b"record 2"})
        assert prune(url, keep=KEEP, now=later).texts == 0
        assert kept(ledger, BEFORE) == [True]


def test_what_a_worker_names_while_a_hub_is_pruned_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres_url(tmp_path)
    monkeypatch.setattr(of_hubs, "AT_ONCE", 1)
    with open_ledger(url, now=clock) as ledger, open_ledger(url, now=clock) as worker:
        applied_long_ago(ledger)

        def meanwhile(tx: Any, floors: Mapping[str, int]) -> Spare:
            spare = spare_of(tx, floors)
            worker.observe([seen(BETWEEN)], [BETWEEN])
            worker.add([proposal(3, base=b"the record")], {})
            return spare

        monkeypatch.setattr(of_hubs, "spare_of", meanwhile)
        prune(url, keep=KEEP, now=later)
        assert kept(ledger, BEFORE, BETWEEN, b"the record") == [False, True, True]
    assert inspect_ledger(url).damage == ()

"""A ledger that is rolled back: what counters tell, and what only a log kept elsewhere tells."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.program import Program
from tests.operators.signed import Office

from reviewdeck.engine.engine import Engine
from reviewdeck.operators.audit import audit
from reviewdeck.operators.authority import operators_in

PAGE = (Path(__file__).parents[2] / "docs" / "security.md").read_text("utf-8")


def kept(office: Office, name: str) -> Path:
    """A copy of the ledger and of the operators' directory, beside them."""
    place = office.root / name
    place.mkdir()
    with (
        closing(sqlite3.connect(office.ledger)) as source,
        closing(sqlite3.connect(place / "ledger.db")) as copy,
    ):
        source.backup(copy)
    shutil.copytree(office.root / "operators", place / "operators")
    return place


def roll_back(office: Office, place: Path, *, keys: bool) -> None:
    """Puts the older ledger in the place of the newer one, and the older directory too."""
    shutil.rmtree(office.ledger.parent)
    office.ledger.parent.mkdir()
    shutil.copy(place / "ledger.db", office.ledger)
    if keys:
        shutil.rmtree(office.root / "operators")
        shutil.copytree(place / "operators", office.root / "operators")


def rejected(office: Office) -> Engine:
    """A deck on which one proposal is turned down, of two."""
    office.agent.replace("tox", "Tests run with nox.")
    deck = office.open()
    (item,) = deck.pending()
    deck.reject(item.id, "no")
    return deck


def codes(office: Office) -> list[str]:
    """What does not hold together."""
    deck = office.locked()
    authority = operators_in(deck.authority)
    found = [one.code for one in audit(deck.ledger, authority, deck.open_homes).irregularities]
    deck.close()
    return found


@pytest.mark.parametrize("what", ["reject", "defer"])
def test_a_decision_that_writes_nothing_is_missed_when_it_is_rolled_back(
    office: Office, what: str
) -> None:
    office.init()
    office.agent.replace("tox", "Tests run with nox.")
    deck = office.open()
    (item,) = deck.pending()
    before = kept(office, "before")
    deck.reject(item.id, "no") if what == "reject" else deck.defer(item.id)
    deck.close()
    assert codes(office) == []
    roll_back(office, before, keys=False)
    assert codes(office) == ["missing"]


def test_a_ledger_rolled_back_with_its_keys_is_not_told_by_itself(office: Office) -> None:
    office.init()
    office.open().close()
    before = kept(office, "before")
    rejected(office).close()
    assert codes(office) == []
    roll_back(office, before, keys=True)
    assert codes(office) == [], "then the docs promise too little"


def test_the_page_finds_each_line_that_was_rolled_back_or_rewritten(
    demo: Program, tmp_path: Path
) -> None:
    now, later = re.findall(r"^reviewdeck log --export \|.*$", PAGE, re.MULTILINE)

    def as_the_page_says(line: str) -> list[dict[str, object]]:
        exported = demo("log", "--export").out
        pipe = line.replace("reviewdeck log --export", "cat")
        done = subprocess.run(
            ["bash", "-c", pipe], input=exported, cwd=tmp_path, capture_output=True, text=True
        )
        return [json.loads(printed) for printed in done.stdout.splitlines()]

    demo("auto")
    with (
        closing(sqlite3.connect(demo.ledger)) as source,
        closing(sqlite3.connect(tmp_path / "older.db")) as copy,
    ):
        source.backup(copy)
    ready = demo.one("ready")
    assert demo("reject", ready["proposal"], "--reason", "no").code == 0
    as_the_page_says(now)
    assert as_the_page_says(later) == []
    shutil.rmtree(demo.ledger.parent)
    demo.ledger.parent.mkdir()
    shutil.copy(tmp_path / "older.db", demo.ledger)
    assert demo("log", "--verify").code == 0
    gone = as_the_page_says(later)
    assert {"reject", "remembered"} <= {line["name"] for line in gone}

"""A ledger that is rolled back: what counters tell, and what only a head kept elsewhere tells."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.program import Program
from tests.engine.kit import digest_of
from tests.operators.signed import Office

from reviewdeck.engine.engine import Engine
from reviewdeck.errors import BadInput, Locked
from reviewdeck.operators.anchor import Anchor, check_anchor, head_of, parse_anchor
from reviewdeck.operators.audit import audit
from reviewdeck.operators.authority import operators_in


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


def head(deck: Engine) -> Anchor:
    """The end of the log, as it comes back from a file."""
    authority = operators_in(deck.authority)
    actor = deck.operator() if authority.signs else deck.actor
    return parse_anchor(json.dumps(head_of(deck.ledger, authority, actor, deck.now()).as_json()))


def codes(office: Office, anchor: Anchor | None = None) -> list[str]:
    """What does not hold together."""
    deck = office.locked()
    authority = operators_in(deck.authority)
    found = [one.code for one in audit(deck.ledger, authority, deck.open_homes).irregularities]
    if anchor is not None:
        decided = deck.ledger.all_decisions()
        found += [
            one.code for one in check_anchor(anchor, deck.log(), decided, authority.trusted())
        ]
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


def test_a_ledger_rolled_back_with_its_keys_is_only_told_by_a_head_kept_elsewhere(
    office: Office,
) -> None:
    office.init()
    office.open().close()
    before = kept(office, "before")
    deck = rejected(office)
    anchor = head(deck)
    deck.close()
    assert codes(office, anchor) == []
    roll_back(office, before, keys=True)
    assert codes(office) == [], "then the docs promise too little"
    assert codes(office, anchor) == ["anchor"] * 3, (
        "the ledger's own chain, the home's, the counter"
    )


def test_a_log_that_went_on_is_held_against_its_older_head(office: Office) -> None:
    office.init()
    deck = rejected(office)
    anchor = head(deck)
    office.agent.add("The linter is ruff.")
    deck.intake()
    (item,) = deck.pending()
    deck.approve(item.id, digest_of(deck, item.id))
    deck.close()
    assert codes(office, anchor) == []
    line = anchor.line
    assert "anchor" in codes(office, Anchor(replace(line, previous="f" * 64)))
    forged = Anchor(replace(line, detail=line.detail | {"signature": "00" * 64}))
    assert codes(office, forged) == ["anchor"]


def test_a_head_is_signed_by_who_is_unlocked_and_by_nobody_else(office: Office) -> None:
    office.init()
    deck = rejected(office)
    assert head(deck).line.detail["signature"]
    deck.close()
    locked = office.locked()
    authority = operators_in(locked.authority)
    with pytest.raises(Locked):
        head_of(locked.ledger, authority, locked.actor, locked.now())


def test_the_command_line_keeps_a_head_and_holds_the_log_against_it(
    demo: Program, tmp_path: Path
) -> None:
    demo("auto")
    with (
        closing(sqlite3.connect(demo.ledger)) as source,
        closing(sqlite3.connect(tmp_path / "older.db")) as copy,
    ):
        source.backup(copy)
    ready = demo.one("ready")
    assert demo("reject", ready["proposal"], "--reason", "no").code == 0
    printed = demo("log", "--head")
    assert printed.code == 0
    assert len(printed.out) < 1_000
    (tmp_path / "head.json").write_text(printed.out)
    verify = ("log", "--verify", "--anchor", str(tmp_path / "head.json"))
    assert demo(*verify).code == 0
    shutil.rmtree(demo.ledger.parent)
    demo.ledger.parent.mkdir()
    shutil.copy(tmp_path / "older.db", demo.ledger)
    assert demo("log", "--verify").code == 0
    ran = demo(*verify)
    assert ran.code == 1
    assert "older copy" in ran.out


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "[" * 60_000,
        "nonsense",
        '{"reviewdeck": 1, "lines": "x"}',
        '{"reviewdeck": 3}',
        '{"reviewdeck": 2, "lines": 1, "sha": "", "at": "2026-01-01T00:00:00Z",'
        ' "actor": {"kind": "operator", "name": "dana"}, "heads": {"/home": 1}, "counters": {}}',
        '{"reviewdeck": 1, "lines": -1, "sha": "", "at": "2026-01-01T00:00:00Z",'
        ' "actor": {"kind": "operator", "name": "dana"}, "counter": 0}',
    ],
)
def test_what_is_no_head_is_refused_in_words(text: str) -> None:
    with pytest.raises(BadInput):
        parse_anchor(text)

"""What was stored a moment ago is not read back, and is the same all the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from pytest import MonkeyPatch
from tests.ledger.samples import HOME, decision, id_of, proposal

from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.ledger import at_hand
from reviewdeck.model import Kind, Proposal, State, Verb
from reviewdeck.ports import Ledger

NOW = datetime(2026, 11, 1, 12, 0, 0, 654321, tzinfo=UTC)


def test_a_record_is_what_the_database_gives_back(ledger: Ledger, hermes_home: Path) -> None:
    home = HermesHome(hermes_home, env={}, user_home=hermes_home)
    files = list(home.pending())
    found = [one for one in (home.parse(file, NOW) for file in files) if isinstance(one, Proposal)]
    assert {one.kind for one in found} == set(Kind)
    ids = ledger.add(found, {one.payload_sha: b"x" for one in found})
    at_once, read_back = ledger.proposals(ids), ledger.proposals(ids)
    assert at_once == read_back
    assert len(at_once) == len(found)
    assert {id(one) for one in at_once} == {id(one) for one in found}
    assert not {id(one) for one in read_back} & {id(one) for one in found}


def test_they_come_oldest_first_whichever_way_they_are_read(ledger: Ledger) -> None:
    ledger.add([proposal(3), proposal(1)], {})
    ledger.proposals([id_of(3)])
    ledger.add([proposal(2)], {})
    ids = {id_of(number) for number in (1, 2, 3)}
    assert [one.id for one in ledger.proposals(ids)] == [id_of(3), id_of(1), id_of(2)]


def test_what_was_decided_meanwhile_is_not_among_them(ledger: Ledger) -> None:
    ledger.add([proposal(1), proposal(2)], {})
    ledger.decide(decision(1, verb=Verb.REJECT), State.REJECTED, [State.READY])
    assert [one.id for one in ledger.proposals([id_of(1), id_of(2)])] == [id_of(2)]


def test_one_that_is_there_again_is_as_it_was_seen_first(ledger: Ledger) -> None:
    ledger.add([proposal(1)], {})
    first = ledger.proposals([id_of(1)])
    ledger.vanish(HOME, [])
    assert ledger.add([replace(proposal(1), ingested_at=NOW)], {}) == {id_of(1)}
    assert ledger.proposals([id_of(1)]) == first


def test_no_more_is_kept_than_there_is_room_for(ledger: Ledger, monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setattr(at_hand, "MOST", 3)
    monkeypatch.setattr(at_hand, "MOST_BYTES", 10)
    some = [proposal(number) for number in range(1, 6)]
    records = {some[0].payload_sha: b"12345", some[1].payload_sha: b"1234567"}
    ledger.add(some, records)
    ids = {one.id for one in some}
    kept = [one for one in ledger.proposals(ids) if any(one is given for given in some)]
    assert kept == [some[0]]
    more = [proposal(number) for number in range(11, 16)]
    ledger.add(more, {})
    assert [one.id for one in ledger.proposals([one.id for one in more])] == [o.id for o in more]

"""Taking a rejection back."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.kit import Agent, entries

from reviewdeck.engine.engine import Engine
from reviewdeck.errors import NotDecidable
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import State, Verb

TEXT = "Wants tests before code."


def _rejected(deck: Engine, agent: Agent) -> str:
    own = agent.add(TEXT)
    deck.intake()
    return deck.reject(own, "not now").proposal


def _unreadable(deck: Engine, home: Path) -> str:
    (home / "pending" / "memory" / "0000000a.json").write_text("{not JSON", "utf-8")
    deck.intake()
    (item,) = deck.pending()
    return item.id


def test_a_reopened_proposal_waits_again_and_can_be_applied(
    deck: Engine, agent: Agent, home: Path
) -> None:
    first = _rejected(deck, agent)
    decision, again = deck.reopen(first, "after all")
    assert (decision.verb, decision.reason) == (Verb.REOPEN, "after all")
    assert deck.find(again.id).state is State.READY
    assert deck.find(first).state is State.REJECTED
    deck.approve(again.id, deck.find(again.id).digest or "")
    assert TEXT in entries(home)


def test_what_was_reopened_is_not_held_against_a_new_proposal(deck: Engine, agent: Agent) -> None:
    first = _rejected(deck, agent)
    later = agent.add(TEXT)
    deck.intake()
    assert "like-rejected" in {finding.code for finding in deck.find(later).findings}
    deck.reopen(first)
    assert "like-rejected" not in {finding.code for finding in deck.find(later).findings}


def test_a_reopened_proposal_survives_the_next_intake_although_it_has_no_record(
    deck: Engine, agent: Agent
) -> None:
    first = _rejected(deck, agent)
    _, again = deck.reopen(first)
    deck.intake()
    assert deck.find(again.id).state is State.READY


def test_only_a_rejection_can_be_reopened_and_only_once_at_a_time(
    deck: Engine, agent: Agent
) -> None:
    waiting = agent.add("Docs are written in English.")
    first = _rejected(deck, agent)
    with pytest.raises(NotDecidable):
        deck.reopen(waiting)
    _, again = deck.reopen(first)
    with pytest.raises(NotDecidable, match=again.id):
        deck.reopen(first)
    deck.reject(again.id, "no")
    _, third = deck.reopen(first)
    assert third.id not in {again.id, deck.find(first).id}


def test_the_checks_of_the_ledger_know_a_dismissed_record_that_was_reopened(
    deck: Engine, home: Path, tmp_path: Path
) -> None:
    id = _unreadable(deck, home)
    deck.reject(id, "nobody knows what it is")
    deck.reopen(id)
    assert deck.find(id).state is State.QUARANTINED
    assert find_damage(str(tmp_path / "ledger" / "ledger.db")) == ()


def test_the_checks_of_the_ledger_know_a_repaired_record(
    deck: Engine, agent: Agent, home: Path, tmp_path: Path
) -> None:
    id = _unreadable(deck, home)
    readable = home / "pending" / "memory" / f"{agent.add(TEXT)}.json"
    deck.repair(id, readable.read_bytes())
    assert deck.find(id).state is State.READY
    assert find_damage(str(tmp_path / "ledger" / "ledger.db")) == ()


def test_a_reopening_that_is_cut_short_is_not_in_the_log_and_gives_nothing_back(
    deck: Engine, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _rejected(deck, agent)

    def cut_short(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(Ledger, "add", cut_short)
        with pytest.raises(KeyboardInterrupt):
            deck.reopen(first)
    assert Verb.REOPEN not in [decision.verb for decision in deck.ledger.decisions(first)]
    later = agent.add(TEXT)
    deck.intake()
    assert "like-rejected" in {finding.code for finding in deck.find(later).findings}
    _, again = deck.reopen(first)
    assert deck.find(again.id).state is State.READY

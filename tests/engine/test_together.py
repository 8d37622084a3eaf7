"""Several reviewdecks at once, in processes of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from benchmarks.rounds import APPROVERS, Rounds
from tests.engine.deciders import apply_automatically, approve
from tests.engine.kit import MEMORY, OPERATOR, Agent, OpenDeck, entries, set_entries
from tests.processes import Running

from reviewdeck import open_deck
from reviewdeck.errors import HomeUnavailable
from reviewdeck.model import OperationState, State


def answers_of(amount: int, function: Callable[..., None], *arguments: str) -> list[Any]:
    """What so many processes say that do this at the same time."""
    with ExitStack() as stack:
        running = [stack.enter_context(Running(function, *arguments)) for _ in range(amount)]
        assert [one.receive() for one in running] == ["ready"] * amount
        for one in running:
            one.send("go")
        return [one.receive() for one in running]


def test_four_automatic_passes_at_once_apply_everything_once(
    home: Path, agent: Agent, tmp_path: Path
) -> None:
    places = ["harbour", "bridge", "station", "market", "library", "museum", "garden", "mill"]
    for place in places:
        agent.add(f"The office near the {place} has a printer.", target="user")
    set_entries(home, "Tests run with tox.")
    ledger = str(tmp_path / "ledger.db")
    counts = answers_of(4, apply_automatically, str(home), ledger, str(tmp_path))
    deck = open_deck(home, ledger=ledger, env={"HOME": str(tmp_path)})
    found = entries(home, "memories/USER.md")
    assert len(found) == len(set(found))
    applied = deck.pending((State.APPLIED,))
    assert sum(counts) == len(applied)
    for item in applied:
        record = deck.ledger.proposal(item.id)
        assert any(getattr(edit, "content", "") in found for edit in record.edits)
    deck.close()


def test_of_six_operators_who_approve_at_once_one_wins(
    home: Path, agent: Agent, tmp_path: Path
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    ledger = str(tmp_path / "ledger.db")
    deck = open_deck(home, ledger=ledger, env={"HOME": str(tmp_path)}, actor=OPERATOR)
    deck.intake()
    digest = deck.get(id).digest or ""
    answers = answers_of(6, approve, str(home), ledger, str(tmp_path), id, digest)
    assert answers.count("won") == 1
    done = [one for one in deck.operations() if one.state is OperationState.DONE]
    assert len(done) == 1
    assert entries(home).count("The staging host is stg-4.") == 1
    deck.close()


@pytest.mark.slow
def test_of_eight_approvers_who_stay_one_wins_each_round(tmp_path: Path) -> None:
    """A slice of `benchmarks/rounds.py`: each round is held against what its winner did."""
    run = Rounds(tmp_path, seed=2)
    assert run.run(20) == []
    assert run.done == sum(run.wins.values()) == 20
    assert sum(run.answers.values()) == 20 * APPROVERS
    assert len(run.wins) == 2, "only approvals or only rejections won"


def test_a_proposal_is_never_applied_to_another_home(
    open_at: OpenDeck, home: Path, agent: Agent, tmp_path: Path
) -> None:
    agent.add("The linter is ruff.")
    here = open_at(home)
    here.intake()
    (item,) = here.pending()
    other = tmp_path / "other"
    (other / "memories").mkdir(parents=True)
    there = open_at(other)
    with pytest.raises(HomeUnavailable):
        there.home_of(there.ledger.proposal(item.id))
    assert there.pending() == ()
    assert not (other / MEMORY).exists()


def test_records_of_a_home_are_json_of_their_own(agent: Agent, home: Path) -> None:
    """The kit writes what Hermes writes: keys in its order, nothing else."""
    id = agent.add("The linter is ruff.")
    record = json.loads((home / "pending" / "memory" / f"{id}.json").read_text("utf-8"))
    assert list(record) == [
        "id",
        "subsystem",
        "action",
        "summary",
        "origin",
        "created_at",
        "payload",
    ]

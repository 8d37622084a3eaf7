"""A decision evaluates once, and beside a long queue only what it concerns."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.kit import Agent, digest_of, entries, skill_text

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluate import Evaluator
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.homes.hermes.snapshot import HermesSnapshot
from reviewdeck.model import Proposal, State

Patch = pytest.MonkeyPatch


class Counting:
    """What is evaluated, and how often the home is looked at."""

    def __init__(self, patch: Patch) -> None:
        self.evaluated: list[str] = []
        self.snapshots = 0
        evaluate, snapshot = Evaluator._evaluate, HermesHome.snapshot

        def counted(evaluator: Evaluator, based: Proposal, *rest: object) -> Evaluation:
            self.evaluated.append(based.id)
            return evaluate(evaluator, based, *rest)  # type: ignore[arg-type] # as it came

        def looked(home: HermesHome) -> HermesSnapshot:
            self.snapshots += 1
            return snapshot(home)

        patch.setattr(Evaluator, "_evaluate", counted)
        patch.setattr(HermesHome, "snapshot", looked)


def test_a_decision_evaluates_its_proposal_once_on_one_snapshot(
    deck: Engine, agent: Agent, monkeypatch: Patch
) -> None:
    id = agent.replace("staging host", "The staging host is stg-4.")
    agent.replace("short answers", "Prefers long answers.", target="user")
    deck.intake()
    item, digest = deck.find(id), digest_of(deck, id)
    shown: list[Evaluation] = []
    counting = Counting(monkeypatch)

    def show(evaluation: Evaluation) -> bool:
        shown.append(evaluation)
        return False

    deck.approve(item.id, digest, show)
    assert [evaluation.proposal.id for evaluation in shown] == [item.id]
    assert counting.evaluated == [item.id]
    assert counting.snapshots == 1


def test_where_a_person_was_asked_what_they_were_shown_is_judged_again(
    deck: Engine, agent: Agent, home: Path, monkeypatch: Patch
) -> None:
    id = agent.skill("create", "log-triage", content=skill_text("log-triage", "Read logs."))
    deck.intake()
    item, digest = deck.find(id), digest_of(deck, id)
    counting = Counting(monkeypatch)
    deck.approve(item.id, digest, lambda evaluation: True)
    assert counting.evaluated[:2] == [item.id, item.id]


def test_beside_a_long_queue_a_decision_evaluates_what_is_about_the_same(
    deck: Engine, agent: Agent, home: Path, monkeypatch: Patch
) -> None:
    first, rival = (agent.replace("staging host", f"It is stg-{number}.") for number in (4, 5))
    other = agent.replace("Docs use", "Docs use sphinx.")
    deck.intake()
    before = deck.find(other)
    monkeypatch.setattr("reviewdeck.engine.refresh.FEW", 1)
    counting = Counting(monkeypatch)
    deck.approve(deck.find(first).id, digest_of(deck, first))
    assert "It is stg-4." in entries(home)
    assert deck.find(rival).id in counting.evaluated
    assert before.id not in counting.evaluated
    assert deck.find(rival).state is State.CONFLICT
    assert deck.find(other).digest == before.digest
    (restaged,) = [event for event in deck.log() if event.name == "restaged"]
    assert str(deck.find(rival).id) in repr(restaged.detail)
    deck.intake()
    assert deck.find(other).digest == digest_of(deck, other) != before.digest


def test_a_rejection_beside_a_long_queue_holds_the_same_text_at_the_next_pass(
    deck: Engine, agent: Agent, monkeypatch: Patch
) -> None:
    first, again = (agent.add("Deployments happen on Fridays.") for _ in range(2))
    deck.intake()
    monkeypatch.setattr("reviewdeck.engine.refresh.FEW", 1)
    deck.reject(first, "not true")
    deck.intake()
    codes = {finding.code for finding in deck.find(again).findings}
    assert any("reject" in code for code in codes), codes

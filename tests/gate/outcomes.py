"""What the gate does with the proposals of a conversation that a real agent held."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.gate.conversations import Truth, load

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.options import Settings
from reviewdeck.model import Actor, ActorKind, CheckMarks


@dataclass(frozen=True, slots=True)
class Result:
    """One proposal, what is true of it, and what became of it without a person."""

    conversation: str
    kind: str
    truth: Truth
    went_in: bool
    reason: str
    checks: CheckMarks | None


def results_of(path: Path, folder: Path) -> list[Result]:
    """Rebuilds the home of a conversation in an empty folder and runs the headless pass over it."""
    home = folder / "home"
    conversation = load(path, home)
    settings = Settings(
        homes=(home,),
        ledger=str(folder / "ledger.db"),
        user_home=folder,
        actor=Actor(ActorKind.OPERATOR, "dana"),
        lock_wait=1,
    )
    deck = open_engine(settings)
    try:
        report = deck.auto()
    finally:
        deck.close()
    applied = {item.source_id for item in report.applied}
    every = (*report.applied, *report.held, *report.refused, *report.dead)
    items = {item.source_id: item for item in every}
    return [
        Result(
            conversation.name,
            conversation.kind,
            truth,
            truth.record in applied,
            items[truth.record].reason,
            items[truth.record].checks,
        )
        for truth in conversation.truths
    ]

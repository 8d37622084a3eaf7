"""A kill after a write, and somebody who writes on top: both are credited with what is theirs."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from tests.engine.crashes import make_home, open_deck
from tests.engine.kit import MEMORY, Agent, Ticking, digest_of, entries, set_entries

from reviewdeck.ledger.inspection import find_damage
from reviewdeck.model import Cause, State


def killed_at(root: Path, step: str) -> None:
    """An approval in a child that is killed before a step."""
    child = os.fork()
    if child == 0:

        def probe(name: str) -> None:
            if name == step:
                os.kill(os.getpid(), signal.SIGKILL)

        deck = open_deck(root, probe)
        deck.intake()
        (item,) = deck.pending()
        deck.approve(item.id, digest_of(deck, item.id))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)


@pytest.mark.parametrize("step", ["finish", "sweep"])
def test_what_was_written_before_a_kill_is_ours_under_what_came_after_it(
    tmp_path: Path, step: str
) -> None:
    home = make_home(tmp_path / "home")
    Agent(home, Ticking()).add("The linter is ruff.")
    open_deck(tmp_path).close()
    killed_at(tmp_path, step)
    set_entries(home, *entries(home), "Hermes noted this after the kill.")
    deck = open_deck(tmp_path)
    assert [one.ending for one in deck.recover()] == [
        {"finish": "finished", "sweep": "tidied"}[step]
    ]
    deck.intake()
    brought = {part.text: part.added_by.cause for part in deck.blame(MEMORY)}
    assert brought["The linter is ruff."] is Cause.OPERATION
    assert brought["Hermes noted this after the kill."] is Cause.OUTSIDE
    assert len(deck.pending((State.APPLIED,))) == 1
    assert deck.recover() == ()
    assert [p for p in (home / ".reviewdeck").rglob("*") if p.is_file() and "trash" in str(p)] == []
    deck.close()
    assert find_damage(str(tmp_path / "ledger" / "ledger.db")) == ()


def test_what_a_kill_kept_from_being_written_is_not_ours_when_somebody_else_writes(
    tmp_path: Path,
) -> None:
    home = make_home(tmp_path / "home")
    Agent(home, Ticking()).add("The linter is ruff.")
    open_deck(tmp_path).close()
    killed_at(tmp_path, "write")
    set_entries(home, *entries(home), "Hermes noted this after the kill.")
    deck = open_deck(tmp_path)
    assert [one.ending for one in deck.recover()] == ["conflict"]
    deck.intake()
    brought = {part.text: part.added_by.cause for part in deck.blame(MEMORY)}
    assert brought["Hermes noted this after the kill."] is Cause.OUTSIDE
    assert "The linter is ruff." not in brought
    deck.close()

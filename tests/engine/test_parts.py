"""Of a plan in parts that share no document, each part ends by itself, and each end is told."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.engine.kit import MEMORY, USER, Agent, entries

from reviewdeck.engine.applier import Applied, Approval, NotApplied
from reviewdeck.engine.engine import Engine
from reviewdeck.errors import Busy, HomeUnavailable, ReviewdeckError
from reviewdeck.model import State
from reviewdeck.planning.compose import ChosenProposal, compose
from reviewdeck.ports import HomeWriter


class Refusing:
    """A home's writer that cannot lock one document, alone or with others."""

    def __init__(self, writer: HomeWriter, path: str, error: ReviewdeckError) -> None:
        self._writer, self._path, self._error = writer, path, error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)

    def lock(self, paths: Iterable[str]) -> AbstractContextManager[None]:
        if self._path in (named := list(paths)):
            raise self._error
        return self._writer.lock(named)


@pytest.mark.parametrize("error", [Busy("It is held."), HomeUnavailable("It is gone.")], ids=repr)
def test_what_was_written_is_told_although_a_later_part_cannot_be(
    agent: Agent, deck: Engine, home: Path, error: ReviewdeckError
) -> None:
    agent.add("The linter is ruff.")
    agent.add("Name of the cat: Tom.", target="user")
    deck.intake()
    chosen = [deck.get(item.id).proposal for item in deck.pending()]
    chosen.sort(key=lambda proposal: proposal.target)
    (open_home,) = deck.open_homes
    writer: Any = Refusing(open_home.writer, USER, error)
    applier = deck.applier(replace(open_home, writer=writer))
    plan = compose([ChosenProposal(one) for one in chosen], open_home.home.snapshot()).plan
    ends = applier.apply(plan, [Approval(one, deck.operator()) for one in chosen])
    assert [type(end) for end in ends] == [Applied, NotApplied]
    assert "The linter is ruff." in entries(home, MEMORY)
    states = [deck.ledger.state_of(one.id) for one in chosen]
    assert states == [State.APPLIED, State.READY]

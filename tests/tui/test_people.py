"""Two operators with a deck each on one ledger: each sees what the other does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.engine.kit import OPERATOR, entries
from tests.tui.kit_deck import Cockpit, Driver

from reviewdeck.engine.options import PolicyPlace, Settings
from reviewdeck.model import State, Verb
from reviewdeck_tui.queue.people import NOBODY_ELSE


@dataclass
class Desk(Cockpit):
    """The place of one operator."""

    name: str = "iris"
    policy: Path | None = None

    @property
    def settings(self) -> Settings:
        place = PolicyPlace(self.policy) if self.policy else None
        return replace(super().settings, actor=replace(OPERATOR, name=self.name), policy=place)


@pytest.fixture
def iris(cockpit: Cockpit, tmp_path: Path) -> Desk:
    policy = tmp_path / "policy.toml"
    policy.write_text("version = 1\n[approval]\nneeds = 2\n", "utf-8")
    return Desk(cockpit.home, cockpit.ledger, cockpit.clock, cockpit.agent, policy=policy)


@pytest.fixture
def otto(iris: Desk) -> Desk:
    return replace(iris, name="otto")


async def look_again(deck: Driver) -> None:
    """As the deck does each second."""
    deck.screen.refresh_backlog()
    await deck.settle()


async def test_one_votes_in_their_deck_and_the_other_sees_it_and_decides(
    iris: Desk, otto: Desk
) -> None:
    iris.agent.memory("remove", old_text="tox")
    iris.take_in()
    async with iris.open(size=(120, 40)) as hers, otto.open(size=(120, 40)) as his:
        assert "votes     0 of 2: two operators have to approve it" in hers.shown()
        await hers.press("a", "ctrl+s")
        await hers.until(lambda: "exact bytes that y votes for" in hers.line("title"))
        assert "VOTES FOR 1, writes nothing" in hers.line("head")
        assert "1 OF 2: WAITING FOR ANOTHER OPERATOR" in hers.line("lines")
        await hers.press("k", "y")
        await hers.until(lambda: "1 of 2" in hers.line("lines"))
        await hers.press("escape")
        assert "Tests run with tox." in entries(iris.home)
        await look_again(his)
        assert "1 of 2: iris" in his.line("title")
        assert "1 of 2: iris approved it; waiting for another operator" in his.shown()
        assert "1 of 2: iris" in his.shown()
        id = his.cursor
        await his.press("a")
        await his.write_drafts()
        assert "Tests run with tox." not in entries(iris.home)
        await look_again(hers)
        assert hers.screen.backlog.store.state_of(id) is State.APPLIED


async def test_the_key_that_drops_a_draft_takes_the_own_vote_back(iris: Desk, otto: Desk) -> None:
    iris.agent.memory("remove", old_text="tox")
    iris.take_in()
    async with iris.open(size=(140, 40)) as hers:
        id = hers.cursor
        await hers.press("a")
        await hers.write_drafts()
        assert "Voted: another operator has to approve. u withdraws it." in hers.strip
        assert "u withdraw vote" in hers.line("keys")
        await hers.press("u")
        await hers.until(lambda: "Your vote is withdrawn" in hers.strip)
        assert "1 of 2" not in hers.shown()
        await hers.press("u")
        assert "There is no draft here." in hers.strip
    engine = otto.engine()
    assert engine.ledger.votes() == {}
    assert [each.verb for each in engine.ledger.decisions(id)] == [Verb.VOTE, Verb.WITHDRAW]
    engine.close()


async def test_a_decision_of_another_is_said_and_the_own_draft_is_kept_until_it_is_dropped(
    iris: Desk, otto: Desk
) -> None:
    iris.agent.add("Standup is at nine.")
    iris.take_in()
    async with iris.open(size=(140, 40)) as hers:
        id = hers.cursor
        await hers.press("a")
        engine = otto.engine()
        engine.reject(id, "no")
        engine.close()
        await look_again(hers)
        assert "otto rejected it" in hers.strip
        assert "your draft (approve) is kept" in hers.strip
        assert "3 shows it, u drops it" in hers.strip
        assert hers.drafts[id].verb is Verb.APPROVE
        await hers.press("ctrl+s")
        assert "overtaken, kept" in hers.line("warnings")
        await hers.press("escape")
        assert id in hers.drafts
        await hers.press("3")
        assert hers.cursor == id
        assert "otto rejected it" in hers.line("title")
        assert "u drop draft" in hers.line("keys")
        await hers.press("u")
        assert not hers.drafts


async def test_who_reads_a_proposal_is_told_that_another_decided_it(iris: Desk, otto: Desk) -> None:
    iris.agent.memory("remove", old_text="tox")
    iris.agent.add("Standup is at nine.")
    iris.take_in()
    engine = otto.engine()
    async with iris.open(size=(140, 40)) as hers:
        id = hers.cursor
        engine.ledger.note_looking(id, 60)  # There is somebody else.
        hers.screen.engine._others_until = 0.0
        for _ in range(6):
            await look_again(hers)
        assert engine.ledger.looking() == {id: ("iris",)}
        engine.reject(id, "no")
        await look_again(hers)
        assert "otto rejected it" in hers.strip
        assert hers.cursor != id and "1 to decide" in hers.line("head")
    engine.close()


async def test_what_somebody_has_open_is_told_to_others_and_ends_by_itself(
    iris: Desk, otto: Desk
) -> None:
    iris.agent.add("Standup is at nine.")
    iris.take_in()
    engine = otto.engine()
    async with iris.open(size=(140, 40)) as hers:
        id = hers.cursor
        engine.ledger.note_looking(id, 60)
        hers.screen.engine._others_until = 0.0
        await look_again(hers)
        assert "otto is looking at this" in hers.line("title")
        assert "otto looking" in hers.shown()
        for _ in range(5):
            await look_again(hers)
        assert engine.ledger.looking() == {id: ("iris",)}
        await hers.press("a")  # It blocks nobody.
        assert id in hers.drafts
        engine.ledger.note_looking(id, -1)
        await look_again(hers)
        assert "looking" not in hers.line("title")
    engine.close()


async def test_a_single_operator_sees_nothing_of_others_and_writes_nothing_for_them(
    iris: Desk,
) -> None:
    iris.agent.add("Standup is at nine.")
    iris.take_in()
    async with iris.open() as hers:
        for _ in range(6):
            await look_again(hers)
        assert hers.screen.backlog.people == NOBODY_ELSE
    engine = iris.engine()
    assert not engine.ledger.has_others()
    other = replace(iris, name="otto").engine()
    assert other.ledger.looking() == {}
    engine.close()
    other.close()

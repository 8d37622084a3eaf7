"""Two operators with a deck each on one ledger: each sees what the other does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.engine.kit import MEMORY, OPERATOR, entries, set_entries
from tests.engine.machines import DESK, HOST
from tests.engine.test_elsewhere import work
from tests.tui.kit_deck import Cockpit, Driver
from textual.content import Content
from textual.geometry import Region
from textual.widgets import Static

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.drafts import put_drafts
from reviewdeck.engine.options import PolicyPlace, Settings
from reviewdeck.engine.quorum import AwaitsAnother
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import Draft, State, Verb
from reviewdeck.model.ledger import Host
from reviewdeck_tui.queue import bars
from reviewdeck_tui.queue.people import NOBODY_ELSE
from reviewdeck_tui.screens.dialogs import HostsDialog


@dataclass
class Desk(Cockpit):
    """The place of one operator."""

    name: str = "iris"
    policy: Path | None = None

    @property
    def settings(self) -> Settings:
        place = PolicyPlace(self.policy) if self.policy else None
        return replace(super().settings, actor=replace(OPERATOR, name=self.name), policy=place)


class Remote(Desk):
    """The place of an operator whose machine has no home."""

    @property
    def settings(self) -> Settings:
        return replace(super().settings, homes=(), host=DESK, elsewhere=())


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
    await deck.refresh()
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


async def test_the_text_that_another_operator_voted_for_is_taken_with_the_key_for_own_texts(
    iris: Desk, otto: Desk
) -> None:
    iris.agent.memory("remove", old_text="tox")
    iris.take_in()
    engine = iris.engine()
    (item,) = engine.pending()
    text = "Tests run with nox.\n§\nDocs use mkdocs."
    with pytest.raises(AwaitsAnother):
        engine.merge(item.id, text, item.digest or "", document=MEMORY)
    engine.close()
    async with otto.open(size=(120, 40)) as his:
        assert "1 of 2: iris merged it" in his.shown() and "; e opens that text" in his.shown()
        await his.press("e")
        assert otto.writes == [(text, MEMORY)]
        assert his.drafts[item.id].text == text
        await his.write_drafts()
    assert entries(iris.home) == ["Tests run with nox.", "Docs use mkdocs."]


async def test_what_another_machine_has_yet_to_write_is_not_looked_at_again(iris: Desk) -> None:
    iris.agent.replace("staging host", "The staging host is stg-4.")
    iris.agent.replace("staging host", "The staging host is stg-5.")
    host = open_engine(replace(iris.settings, host=HOST), now=iris.clock)
    host.intake()
    desk = Remote(iris.home, iris.ledger, iris.clock, iris.agent)
    async with desk.open(size=(120, 40)) as deck:
        winner, rival = deck.ids
        await deck.press("a")
        await deck.write_drafts()
        engine = desk.engine()
        draft = Draft(rival, Verb.SUPERSEDE, None, engine.now(), reason=winner)
        put_drafts(engine, [draft])
        await look_again(deck)
        await deck.press("ctrl+s")
        await deck.until(lambda: "LOOK AGAIN" in deck.line("again-title"))
        assert "waits, kept" in deck.line("warnings")
        assert "stg-5" not in deck.line("warnings")
        await deck.press("escape")
        work(host)
        await look_again(deck)
        await deck.write_drafts()
        assert engine.find(rival).state is State.REJECTED
        engine.close()
    host.close()


async def test_the_key_that_drops_a_draft_takes_the_own_vote_back(iris: Desk, otto: Desk) -> None:
    iris.agent.memory("remove", old_text="tox")
    iris.take_in()
    async with iris.open(size=(140, 40)) as hers:
        id = hers.cursor
        await hers.press("a")
        await hers.write_drafts()
        assert "Voted: another operator has to approve. u withdraws it." in hers.strip
        assert "u withdraw vote" in hers.line("keys")
        assert "undo:" not in hers.line("keys")
        await hers.press("z")
        assert "There is nothing to undo." in hers.strip
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
        assert "^s apply " in hers.line("keys") and "apply 1" not in hers.line("keys")
        assert "undo:" not in hers.line("keys")
        await hers.press("z")
        assert "There is nothing to undo." in hers.strip and id in hers.drafts
        await hers.press("ctrl+s")
        assert "overtaken, kept" in hers.line("warnings")
        assert "y write" not in hers.line("keys")
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


async def test_a_machine_that_is_missed_is_flagged_in_the_list_and_long_lines_are_indented(
    iris: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = open_engine(replace(iris.settings, host=HOST), now=iris.clock)
    host.intake()
    host.close()
    known = [
        Host("b" * 16, "web-2", "0.2.0", timedelta(seconds=4), ""),
        Host("c" * 16, "web-3", "0.2.0", timedelta(hours=2), "Its disk is full. " * 8),
    ]
    monkeypatch.setattr(Ledger, "hosts", lambda _self: known)
    desk = Remote(iris.home, iris.ledger, iris.clock, iris.agent)
    async with desk.open(size=(80, 40)) as deck:
        await deck.press("U")
        await deck.until(lambda: isinstance(deck.app.screen, HostsDialog))
        await deck.settle()
        shown: dict[str, tuple[object, Region]] = {}
        for one in deck.app.screen.query(".words").results(Static):
            assert isinstance(one.content, Content)
            style = one.content.spans[0].style
            shown |= {n: (style, one.region) for n in ("web-2", "web-3") if n in one.content.plain}
        flag = bars.styled("web", "flag").spans[0].style
        assert shown["web-3"][0] == flag != shown["web-2"][0]
        assert shown["web-3"][1].height > 1 and shown["web-3"][1].x == 3


async def test_a_machine_that_does_not_write_what_was_decided_is_named_in_the_head(
    iris: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    iris.agent.add("Standup is at nine.")
    iris.agent.add("Lunch is at noon.")
    there = replace(OPERATOR, host="web-1")
    host = open_engine(replace(iris.settings, actor=there, host=HOST), now=iris.clock)
    host.intake()
    host.close()
    ages = [timedelta(seconds=4)]
    monkeypatch.setattr(Ledger, "hosts", lambda _self: [Host(HOST, "web-1", "0.2.0", ages[0], "")])
    desk = Remote(iris.home, iris.ledger, iris.clock, iris.agent)
    async with desk.open(size=(120, 40)) as deck:
        iris.clock.moment += timedelta(hours=3)
        await look_again(deck)
        assert "as web-1 saw it 3 h ago" in deck.line("title")
        assert "$deck-flag" not in deck.line_markup("title").partition("saw it")[0]
        await deck.press("a")
        await deck.write_drafts()
        assert "silent" not in deck.line("head")
        ages[0] = timedelta(minutes=7)
        deck.screen.engine._workers_until = 0.0
        await look_again(deck)
        assert "web-1 silent" in deck.line("head")
        assert "saw it 3 h ago, silent now" in deck.line("title")
        await deck.press("U")
        await deck.until(lambda: "Machines at " in deck.shown())
        (line,) = deck.app.screen.query(".words").results(Static)
        assert "waits until `reviewdeck worker` runs there" in str(line.content)


async def test_what_is_approved_for_a_home_elsewhere_is_said_to_wait_for_its_machine(
    iris: Desk,
) -> None:
    iris.agent.add("Standup is at nine.")
    there = replace(OPERATOR, host="web-1")
    host = open_engine(replace(iris.settings, actor=there, host=HOST), now=iris.clock)
    host.intake()
    desk = Remote(iris.home, iris.ledger, iris.clock, iris.agent)
    async with desk.open(size=(120, 40)) as deck:
        await deck.press("a", "ctrl+s")
        await deck.until(lambda: "y approve" in deck.line("keys"))
        assert "APPROVES 1 document for web-1, 1 draft" in deck.line("head")
        assert "the exact bytes that web-1 is to write" in deck.line("title")
        await deck.press("y")
        await deck.until(lambda: "DONE" in deck.line("head"))
        assert "1 decided, 0 written, 1 waiting for web-1" in deck.line("head")
        assert "approved, waiting for web-1" in deck.line("lines")
        assert "operation" not in deck.line("lines")
        assert "approved: web-1 has yet to write it" in deck.line("title")
        assert "undo" not in deck.line("keys")
        await deck.press("escape")
        assert "Approved, waiting for web-1." in deck.strip
        assert "undo:" not in deck.line("keys")
        assert "Standup is at nine." not in entries(iris.home)
        host.recover()
        assert "Standup is at nine." in entries(iris.home)
        await look_again(deck)
        await deck.until(lambda: "web-1 has written 1 change." in deck.strip)
    host.close()


@pytest.mark.parametrize("is_written", [True, False])
async def test_the_summary_tells_how_that_ended_which_another_machine_had_yet_to_write(
    iris: Desk, monkeypatch: pytest.MonkeyPatch, is_written: bool
) -> None:
    monkeypatch.setattr("reviewdeck_tui.screens.summary.POLL", 0.05)
    iris.agent.replace("staging host", "The staging host is stg-4.")
    there = replace(OPERATOR, host="web-1")
    host = open_engine(replace(iris.settings, actor=there, host=HOST), now=iris.clock)
    host.intake()
    desk = Remote(iris.home, iris.ledger, iris.clock, iris.agent)
    async with desk.open(size=(120, 40)) as deck:
        await deck.press("a", "ctrl+s")
        await deck.until(lambda: "y approve" in deck.line("keys"))
        await deck.press("y")
        await deck.until(lambda: "1 waiting for web-1" in deck.line("head"))
        if not is_written:
            set_entries(iris.home, "Somebody wrote another text.")
        host.recover()
        if is_written:
            await deck.until(lambda: "1 decided, 1 written" in deck.line("head"))
            assert "waiting" not in deck.line("head") + deck.line("lines")
            assert "saved" in deck.line("title")
        else:
            await deck.until(lambda: "0 decided, 0 written, 1 not done" in deck.line("head"))
            assert "changed by another program" in deck.line("lines")
    host.close()


async def test_a_second_proposal_about_a_document_is_approved_before_its_machine_wrote_the_first(
    iris: Desk,
) -> None:
    for text in ("Standup is at nine.", "Lunch is at noon.", "Retro is on Fridays."):
        iris.agent.add(text)
    host = open_engine(replace(iris.settings, host=HOST), now=iris.clock)
    host.intake()
    before = entries(iris.home)
    desk = Remote(iris.home, iris.ledger, iris.clock, iris.agent)
    async with desk.open(size=(120, 40)) as deck:
        for number in (1, 2):
            await deck.press("a")
            await deck.write_drafts()
            assert len(deck.screen.backlog.drafts) == 0, number
        other = replace(desk, name="otto").engine()
        await deck.until(lambda: len(deck.ids) == 1)
        other.ledger.note_looking(deck.cursor, 1)
        await deck.refresh(force=True)
        await deck.settle()
        assert "changed just now" not in deck.strip
        await deck.press("a")
        await deck.write_drafts()
        other.close()
        assert len(deck.ids) == 0
    work(host)
    assert len(entries(iris.home)) == len(before) + 3
    host.close()


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

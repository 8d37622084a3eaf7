"""A deck under an operator's role of a real hub, on a machine without a home.

What a hostile agent left, a worker takes in: the real program, under its machine's role.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.hosts import Member, wait_until
from tests.cli.test_hostile import RAW
from tests.engine.kit import MEMORY, entries, set_entries
from tests.engine.machines import DESK, HOST
from tests.postgres import Server
from tests.tui.kit_deck import Cockpit, Driver, Hermes
from tests.tui.test_changes import go_to, learn

from reviewdeck.engine.options import PolicyPlace, Settings
from reviewdeck.errors import NotDecidable
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.model import State
from reviewdeck_tui.screens.summary import SummaryScreen

pytestmark = pytest.mark.slow

HOSTILE = {
    "escapes": "\x1b[31mred\x1b]0;title\x07\x9b2J\r\b\x1b[2J",
    "markup": "[bold]markup[/bold] [/] :bomb: [@click=app.quit]here[/] ${HOME} `id`",
    "nul": "a\x00b",
    "half of a character": "a\ud800b\udfffc",
    "bidi": "\u202egnp\u2066\u200b\U000e0041",
    "long": "x" * 65_536,
    "path": "../../../../etc/cron.d/\x1b[31mevil",
}
FIELDS = ("summary", "origin", "session", "target", "action", "content", "name", "path", "words")


def record(field: str, text: str) -> dict[str, Any]:
    """A record with this in one field."""
    of_skill = field in ("name", "path", "words")
    payload: dict[str, Any] = {"action": "add", "target": "memory", "content": f"Also {text}"}
    if of_skill:
        payload = {
            "action": "write_file",
            "name": text if field == "name" else "release-notes",
            "file_path": text if field == "path" else "references/words.md",
            "file_content": text if field == "words" else "Short ones.",
        }
    if field in ("target", "content"):
        payload[field] = text
    if field == "action":
        payload |= {"action": "replace", "old_text": text, "content": text}
    return {
        "subsystem": "skills" if of_skill else "memory",
        "action": payload["action"],
        "summary": text if field == "summary" else "something",
        "origin": text if field == "origin" else "background_review",
        "created_at": 1794788268.9,
        "reviewdeck": {"v": 1, "session": text, "turn": text, "bases": {text: {"sha256": text}}}
        if field == "session"
        else {"v": 1},
        "payload": payload,
    }


def plant(home: Path) -> int:
    """All of them, and files that are no records; how many there are."""
    number = 0
    for field in FIELDS:
        for text in HOSTILE.values():
            number += 1
            found = record(field, text) | {"id": f"{number:08x}"}
            folder = home / "pending" / found["subsystem"]
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{number:08x}.json").write_text(json.dumps(found), "utf-8")
    folder = home / "pending" / "memory"
    (folder / "evil\x1b[31m[bold]\u202e.json").write_text("{", "utf-8")
    Path(os.fsdecode(os.fsencode(folder) + b"/evil\xff\xfe.json")).write_text("{", "utf-8")
    (folder / "link.json").symlink_to("/etc/hostname")
    (folder / "deep.json").write_text("[" * 100_000, "utf-8")
    os.mkfifo(folder / "pipe.json")
    skill = home / "skills" / "ev\x1b[31mil\u202e[b]"
    skill.mkdir()
    (skill / "SKILL.md").write_text(f"---\nname: x\n---\n{HOSTILE['escapes']}\n", "utf-8")
    return number


@dataclass
class Elsewhere(Cockpit):
    """The place of an operator of a hub, whose machine has no home."""

    url: str = ""
    policy: PolicyPlace | None = None

    @property
    def settings(self) -> Settings:
        here = replace(super().settings, ledger=self.url, policy=self.policy)
        return replace(here, homes=(), host=DESK, elsewhere=())


def desk_of(name: str, member: Member) -> Elsewhere:
    """The place of a member of this name."""
    team = member.team
    hermes, policy = Hermes(member.home, team.clock), team.policy
    place = PolicyPlace(policy) if policy else None
    file = team.folder / "none"
    return Elsewhere(member.home, file, team.clock, hermes, url=team.url(name), policy=place)


def names(folder: Path) -> set[str]:
    """What is in a folder."""
    return {path.name for path in folder.iterdir()}


async def look_again(deck: Driver) -> None:
    """As the deck does each second."""
    await deck.refresh()
    await deck.settle()


@pytest.fixture
def member(
    postgres_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Member]:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    made = Member(postgres_server, tmp_path)
    yield made
    made.end()


async def test_two_operators_vote_withdraw_merge_reject_and_undo_what_the_other_decided(
    member: Member, tmp_path: Path
) -> None:
    team, home = member.team, member.home
    team.policy = tmp_path / "policy.toml"
    team.policy.write_text("version = 1\n[approval]\nneeds = 2\n", "utf-8")
    iris, otto = desk_of("iris", member), desk_of("otto", member)
    base = iris.agent.base_of(MEMORY)
    iris.agent.memory("remove", old_text="tox")
    host = team.host()
    host.intake()

    def work() -> None:
        assert [each.ending for each in host.recover()] == ["finished"]
        host.run_errands()
        host.refresh()

    async with iris.open(size=(140, 40)) as hers, otto.open(size=(140, 40)) as his:
        assert "web-1" in hers.shown()
        await hers.press("a")
        await hers.write_drafts()
        assert "Voted: another operator has to approve" in hers.strip
        await hers.press("u")
        await hers.until(lambda: "Your vote is withdrawn" in hers.strip)
        await hers.press("a")
        await hers.write_drafts()
        await look_again(his)
        assert "1 of 2: iris" in his.shown(), his.shown()
        await his.press("a")
        await his.write_drafts()
        work()
        assert entries(home)[0] == "The staging host is stg-2."

        iris.agent.replace("staging host", "The staging host is stg-4.", bases=base)
        iris.agent.replace("Docs use", "Docs use zensical.")
        set_entries(home, "The staging host is stg-3.", "Docs use mkdocs.")
        host.refresh()
        await look_again(his)
        assert "Conflicts 1" in his.shown()
        await his.press("m", "3", "a")
        await his.write_drafts()
        work()
        assert entries(home) == ["The staging host is stg-4.", "Docs use mkdocs."]

        await look_again(his)
        (id,) = (item.id for item in host.pending([State.READY]) if "zensical" in item.gist)
        await his.go_to(id)
        await his.press("r", "1")
        await his.write_drafts()

        await look_again(hers)
        await learn(hers)
        await go_to(hers, "stg-4")
        await hers.press("z")
        await hers.until(lambda: len(hers.drafts) == 1)
        await hers.write_drafts()
        work()
        assert entries(home)[0] == "The staging host is stg-3."
    with closing(iris.engine()) as engine:
        made = [f"{each.actor.name}: {each.verb}" for each, _ in engine.ledger.all_decisions()]
        assert made == [
            *("iris: vote", "iris: withdraw", "iris: vote", "otto: approve"),
            *("otto: merge", "otto: reject", "iris: approve"),
        ]
        assert engine.ledger.verify() is None
    assert find_damage(team.hub) == ()


class OnTheMachine(Elsewhere):
    """Somebody on the machine itself, who has no other URL than its worker's."""

    @property
    def settings(self) -> Settings:
        return replace(super().settings, homes=(self.home,), host=HOST, elsewhere=None)


async def test_a_deck_under_a_machines_role_shows_all_and_says_who_decides(member: Member) -> None:
    team = member.team
    agent = Hermes(member.home, team.clock)
    agent.memory("remove", old_text="tox")
    team.host().intake()
    place = OnTheMachine(
        member.home, team.folder / "none", team.clock, agent, url=team.url("web-1")
    )
    async with place.open(size=(140, 40)) as deck:
        assert "Tests run with tox." in deck.shown()
        for keys in ("a", "d"), ("r", "1"):
            await deck.press(*keys)
            assert "it decides nothing for a person" in deck.strip, keys
        assert deck.drafts == {}
        await learn(deck)
    assert entries(member.home)[0] == "Tests run with tox."


FULL = """
    CREATE FUNCTION reviewdeck.full() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'No space left' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER full_log BEFORE INSERT ON reviewdeck.event EXECUTE FUNCTION reviewdeck.full();
    CREATE TRIGGER full_drafts BEFORE INSERT ON reviewdeck.draft EXECUTE FUNCTION reviewdeck.full();
"""


async def test_what_a_full_hub_does_not_store_is_said_and_stays_a_draft(member: Member) -> None:
    iris = desk_of("iris", member)
    iris.agent.memory("remove", old_text="tox")
    iris.agent.replace("Docs use", "Docs use zensical.")
    host = member.team.host()
    host.intake()
    async with iris.open(size=(140, 40)) as deck:
        await deck.press("a")
        ((id, draft),) = deck.drafts.items()
        with member.server.connect(member.hub) as owner:
            owner.execute(FULL)
        await deck.press("j", "a")
        assert "the disk of its server is full" in deck.strip
        assert deck.drafts == {id: draft}
        await deck.press("ctrl+s")
        await deck.until(lambda: isinstance(deck.app.screen, SummaryScreen))
        await deck.press("k", "y")
        await deck.until(lambda: "1 not done" in deck.shown())
        assert "It is still a draft." in deck.shown()
        with member.server.connect(member.hub) as owner:
            owner.execute("DROP FUNCTION reviewdeck.full CASCADE")
        await deck.press("escape")
        assert deck.drafts == {id: draft}
        await deck.write_drafts()
        assert deck.drafts == {}
    assert [each.ending for each in host.recover()] == ["finished"]
    assert "Tests run with tox." not in entries(member.home)
    assert find_damage(member.team.hub) == ()


async def test_what_a_hostile_agent_left_is_taken_in_shown_inert_and_written_nowhere_else(
    member: Member, tmp_path: Path
) -> None:
    amount = plant(member.home)
    worker = member.worker()
    worker.wait_for("watching")
    around, desk = names(tmp_path), desk_of("iris", member)
    with closing(desk.engine()) as engine:
        assert len(engine.pending(limit=1_000)) > amount
    async with desk.open(size=(140, 45)) as deck:
        for _ in deck.ids:
            assert not RAW.search(deck.shown().replace("\n", "")), deck.cursor
            await deck.press("j")
    with closing(desk.engine()) as engine:
        ready = [item for item in engine.pending(limit=1_000) if item.state is State.READY]
        # Escapes, halves of characters and paths are refused; words that only look odd wait.
        assert ready and all("[bold]" in item.gist or "xxx" in item.gist for item in ready)
        for item in ready:
            with suppress(NotDecidable):  # The same text again.
                if digest := engine.get(item.id).digest:
                    engine.approve(item.id, digest)
        wait_until(lambda: not engine.pending([State.APPROVED, State.APPLYING]))
        assert engine.ledger.verify() is None
    assert worker.stop() == 0
    assert not any(line["event"] == "failed" for line in worker.said)
    assert any(HOSTILE["markup"] in entry for entry in entries(member.home))
    assert names(tmp_path) == around
    assert find_damage(member.team.hub) == ()

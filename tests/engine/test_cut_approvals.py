"""The connection to a hub is cut anywhere in a whole approval, from the decision to the new look.

Then the same decision is made again, and the next start recovers: file, ledger, journal and log
agree, whatever was on its way.
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from tests.engine.crashes import make_home
from tests.engine.kit import Agent, digest_of, entries
from tests.engine.team import TEMPLATE, Team, make_team
from tests.ledger.cutting import Cutting
from tests.postgres import Server

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.worker import Worker
from reviewdeck.errors import LedgerUnavailable, NotDecidable, WriteFailed
from reviewdeck.files.host_notes import HostNotesFile
from reviewdeck.ledger import intents
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.model import State

pytestmark = pytest.mark.slow


def is_told(engine: Engine, id: str, digest: str) -> bool:
    """Approves and looks again; whether all of that had an answer."""
    try:
        engine.approve(id, digest)
        engine.refresh()
    except (LedgerUnavailable, WriteFailed) as error:
        assert error.hint
        return False
    return True


def assert_agreed(engine: Engine, amount: int) -> None:
    """Each approval was applied once, and the log tells of each step once."""
    told = Counter(event.name for event in engine.log())
    assert {told[step] for step in ("approve", "begin", "finish", "settle")} == {amount}
    assert len(engine.operations()) == amount
    assert len(engine.ledger.all_decisions()) == amount
    assert engine.ledger.verify() is None


def test_an_approval_that_is_cut_off_anywhere_is_applied_once(
    postgres_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intents, "LEASE", 0.0)
    ends = Counter[str]()
    with (
        postgres_server.database(TEMPLATE, make_team) as name,
        Cutting(postgres_server.url(name)) as cutting,
    ):
        team = Team(cutting.url, tmp_path, make_home(tmp_path / "home"))
        agent = Agent(team.home, team.clock)
        with team.opened:
            engine = team.host(role="iris")
            at, approvals = 0, 0
            while True:
                # What comes after the report evaluates again, and is the same in long stretches.
                at += 9 if ends["applied, not told"] else 1
                approvals += 1
                text = f"The staging host is stg-{at + 2}."
                agent.replace("staging host", text)
                engine.refresh()
                (item,) = engine.pending()
                digest = digest_of(engine, item.id)
                # Before one statement is after the one before it, so each is tried on both sides.
                cutting.cut_at(at, "after")
                was_told = is_told(engine, item.id, digest)
                if not cutting.has_cut:
                    break
                state = engine.find(item.id).state
                assert state is State.APPLIED or not was_told
                if state.is_open:
                    engine.approve(item.id, digest)
                else:
                    with pytest.raises(NotDecidable, match="decided already"):
                        engine.approve(item.id, digest)
                ends[f"{state}, {'told' if was_told else 'not told'}"] += 1
                with closing(team.host(role="iris")) as next_start:
                    next_start.recover()
                assert engine.find(item.id).state is State.APPLIED, at
                assert text in entries(team.home), at
                assert engine.here[0].journal.entries() == (), at
            cutting.cut_at(0, "after")  # Nowhere: what follows may be as long.
            assert_agreed(engine, approvals)
        assert find_damage(postgres_server.url(name)) == ()
    # It was cut before the decision, between each two steps, and while it looked again.
    assert ends.keys() == {
        "ready, not told",
        "approved, not told",
        "applying, not told",
        "applied, not told",
        "applied, told",
    }


def test_a_worker_that_is_cut_off_anywhere_writes_what_was_approved_elsewhere_once(
    postgres_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intents, "LEASE", 0.0)
    ends = Counter[str]()
    with (
        postgres_server.database(TEMPLATE, make_team) as name,
        Cutting(postgres_server.url(name)) as cutting,
    ):
        team = Team(cutting.url, tmp_path, make_home(tmp_path / "home"))
        direct = replace(team, hub=postgres_server.url(name))
        agent, notes = Agent(team.home, team.clock), HostNotesFile(tmp_path / "seen")
        worker = Worker(team.host, str, team.clock, notes=notes, version="1", pause=lambda: 0.0)
        moments = count(0, 100)

        def turn() -> list[str]:
            return [event.name for event in worker.turn(next(moments), lambda: False)]

        with team.opened, closing(worker):
            turn()
            desk, at, approvals = direct.desk(), 0, 0
            while True:
                at += 9 if ends[f"{State.APPLIED}, not told"] else 1
                approvals += 1
                text = f"The staging host is stg-{at + 2}."
                agent.replace("staging host", text)
                worker.mark_dirty(str(team.home), is_record=True)
                assert "waiting" in turn()
                (item,) = desk.pending()
                desk.approve(item.id, digest_of(desk, item.id))
                cutting.cut_at(at, "after")
                was_told = "failed" not in turn()
                if not cutting.has_cut:
                    break
                state = desk.find(item.id).state
                assert state is State.APPLIED or not was_told
                ends[f"{state}, {'told' if was_told else 'not told'}"] += 1
                assert was_told or "reopened" in turn(), at
                assert desk.find(item.id).state is State.APPLIED, at
                assert text in entries(team.home), at
                assert worker.engine is not None
                assert worker.engine.here[0].journal.entries() == (), at
            assert_agreed(desk, approvals)
        assert find_damage(postgres_server.url(name)) == ()
    # Before the claim, between claim and report, after the report, and where nothing was lost.
    assert ends.keys() == {
        *("approved, not told", "applying, not told", "applied, not told", "applied, told"),
    }

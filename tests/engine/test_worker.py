"""The turns of a worker, in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.engine.crashes import make_home, settings_in
from tests.engine.kit import Agent, Ticking, digest_of, entries
from tests.engine.team import TEMPLATE, Team, make_team
from tests.engine.test_host_journal import AFTER, BEFORE, WANTED, Counting
from tests.postgres import Server

from reviewdeck.bootstrap import host_notes, open_engine
from reviewdeck.engine.applier import conclude
from reviewdeck.engine.auto import run_auto
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.watch import WatchEvent
from reviewdeck.engine.worker import BEAT, Worker
from reviewdeck.files.host_notes import HostNotesFile
from reviewdeck.ledger import intents
from reviewdeck.ledger.postgres.administration import add_member, remove_member
from reviewdeck.model import State
from reviewdeck.ports import Probe, no_probe

HOST = "a" * 16


@pytest.fixture
def staged(tmp_path: Path) -> str:
    """The id of a waiting proposal, in a home below `tmp_path`."""
    agent = Agent(make_home(tmp_path / "home"), Ticking())
    id = agent.replace("staging host", WANTED)
    engine = opened(tmp_path)
    engine.intake()
    engine.close()
    return id


def opened(root: Path, probe: Probe = no_probe) -> Engine:
    """The engine of a host of a shared ledger."""
    return open_engine(replace(settings_in(root), host=HOST), now=Ticking(), probe=probe)


@pytest.fixture
def worker(staged: str, tmp_path: Path) -> Iterator[Worker]:
    """A worker, which asks every ten seconds."""
    made = Worker(
        lambda: opened(tmp_path),
        lambda: "the same",
        Ticking(),
        notes=host_notes(settings_in(tmp_path)),
        version="1.0",
        pause=lambda: 10.0,
    )
    yield made
    made.close()


def turn(worker: Worker, moment: float) -> list[WatchEvent]:
    """What happens at a moment."""
    return [*worker.turn(moment, lambda: False)]


def decide(root: Path, id: str) -> None:
    """Approves, and stops before it is claimed."""

    def probe(step: str) -> None:
        if step == "claim":
            raise KeyboardInterrupt

    engine = opened(root, probe)
    with pytest.raises(KeyboardInterrupt):
        engine.approve(id, digest_of(engine, id))
    engine.close()


def test_no_statement_is_run_while_a_worker_holds_the_agents_lock(
    worker: Worker, staged: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Counting(monkeypatch)
    turn(worker, 100.0)
    decide(tmp_path, staged)
    holds = counting.holds
    worker.expect_news()
    assert [event.name for event in turn(worker, 101.0)] == ["written"]
    assert entries(tmp_path / "home") == AFTER
    assert counting.holds > holds
    assert counting.statements == []


def test_a_worker_asks_at_intervals_and_when_the_ledger_has_news(
    worker: Worker, staged: str, tmp_path: Path
) -> None:
    turn(worker, 100.0)
    turn(worker, 101.0)
    decide(tmp_path, staged)
    assert turn(worker, 105.0) == []
    assert entries(tmp_path / "home") == BEFORE
    assert [event.name for event in turn(worker, 112.0)] == ["written"]
    assert entries(tmp_path / "home") == AFTER


def test_a_worker_writes_nothing_to_an_older_hub_that_took_the_place_of_its_own(
    postgres_server: Server, tmp_path: Path
) -> None:
    with (
        postgres_server.database(TEMPLATE, make_team) as hub,
        postgres_server.database(TEMPLATE) as copy,
    ):
        team = Team(postgres_server.url(hub), tmp_path, make_home(tmp_path / "home"))
        agent, notes = Agent(team.home, team.clock), HostNotesFile(tmp_path / "seen")
        made = Worker(team.host, str, team.clock, notes=notes, version="1", pause=lambda: 10.0)
        with team.opened, closing(made):
            turn(made, 100.0)
            agent.replace("staging host", WANTED)
            made.mark_dirty(str(team.home), is_record=True)
            assert [event.name for event in turn(made, 101.0)] == ["waiting"]
            turn(made, 102.0)
            postgres_server.replace(hub, copy)
            agent.add("The linter is ruff.")
            made.mark_dirty(str(team.home), is_record=True)
            said = [event for moment in (103.0, 104.0) for event in turn(made, moment)]
            assert [event.detail["code"] for event in said] == ["ledger-behind"]
            with postgres_server.connect(hub) as owner:
                assert owner.execute("SELECT count(*) FROM reviewdeck.event").fetchone() == (0,)


def test_an_older_hub_that_takes_over_in_the_middle_of_a_pass_stays_as_it_is(
    postgres_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with postgres_server.database(TEMPLATE, make_team) as hub:
        team = Team(postgres_server.url(hub), tmp_path, make_home(tmp_path / "home"))
        agent, notes = Agent(team.home, team.clock), HostNotesFile(tmp_path / "seen")
        record = agent.replace("staging host", WANTED)
        with closing(team.host()) as before:
            before.intake()
            waiting = before.pending()
        made = Worker(team.host, str, team.clock, notes=notes, version="1", pause=lambda: 10.0)
        with postgres_server.database(hub) as copy, team.opened, closing(made):
            agent.add("The linter is ruff.")
            assert [event.name for event in turn(made, 100.0)] == ["applied"]
            turn(made, 101.0)

            def take_over(*given: Any, **named: Any) -> Any:
                postgres_server.replace(hub, copy)
                return run_auto(*given, **named)

            # The hub of before has not heard that another program took this one.
            (team.home / "pending" / "memory" / f"{record}.json").unlink()
            monkeypatch.setattr("reviewdeck.engine.watch.run_auto", take_over)
            made.mark_dirty(str(team.home), is_record=True)
            said = [event for moment in (102.0, 103.0) for event in turn(made, moment)]
            assert [event.detail["code"] for event in said] == ["ledger-behind"]
        with closing(team.desk()) as desk:
            assert desk.pending() == waiting


def test_a_worker_notices_a_hub_that_lacks_what_it_stored_just_now(
    postgres_server: Server, tmp_path: Path
) -> None:
    with postgres_server.database(TEMPLATE, make_team) as hub:
        team = Team(postgres_server.url(hub), tmp_path, make_home(tmp_path / "home"))
        agent, notes = Agent(team.home, team.clock), HostNotesFile(tmp_path / "seen")
        made = Worker(team.host, str, team.clock, notes=notes, version="1", pause=lambda: 10.0)
        with team.opened, closing(made):
            turn(made, 100.0)
            postgres_server.hang_up(hub)
            with postgres_server.database(hub) as copy:
                agent.add("The linter is ruff.")
                made.mark_dirty(str(team.home), is_record=True)
                assert [event.name for event in turn(made, 101.0)] == ["applied"]
                postgres_server.replace(hub, copy)
                assert [event.detail["code"] for event in turn(made, 102.0)] == ["ledger-behind"]
                said = turn(made, 104.0)
            assert said[0].detail["ending"] == "refused"
            assert "is written here, and stays" in str(said[0].detail["message"])
            assert said[-1].name == "reopened"


def test_a_worker_whose_machine_is_removed_says_so_and_goes_on_when_it_is_added_again(
    postgres_server: Server, tmp_path: Path
) -> None:
    with postgres_server.database(TEMPLATE, make_team) as hub:
        team = Team(postgres_server.url(hub), tmp_path, make_home(tmp_path / "home"))
        notes, agent = HostNotesFile(tmp_path / "seen"), Agent(team.home, team.clock)
        made = Worker(team.host, str, team.clock, notes=notes, version="1", pause=lambda: 10.0)
        with team.opened, closing(made):
            turn(made, 100.0)
            remove_member(team.hub, "web-1")
            try:
                agent.replace("staging host", WANTED)
                made.mark_dirty(str(team.home), is_record=True)
                said = [event for second in range(60) for event in turn(made, 101.0 + second)]
            finally:
                add_member(team.hub, "host", "web-1", None)
            # Of the home, of the connection that it had, and of those that it makes.
            assert [event.name for event in said] == ["failed"] * 3
            assert {event.detail["code"] for event in said} == {"not-permitted"}
            said = [event for second in range(70) for event in turn(made, 200.0 + second)]
            assert [event.name for event in said] == ["waiting", "reopened"]


def test_a_home_that_is_away_is_said_once_until_it_is_back_and_once_more_the_next_time(
    worker: Worker, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    turn(worker, 100.0)
    for moment in (200.0, 400.0):
        away = home.rename(home.with_name("away"))
        worker.mark_dirty(str(home), is_record=False)
        said = [event for second in range(70) for event in turn(worker, moment + second)]
        assert [event.name for event in said] == ["failed"]
        assert said[0].detail["code"] == "home-unavailable"
        away.rename(home)
        said = [event for second in range(70) for event in turn(worker, moment + 70 + second)]
        assert [event.name for event in said] == ["mended"]


def test_a_worker_says_that_it_is_alive(worker: Worker) -> None:
    turn(worker, 100.0)
    assert worker.engine is not None and worker.reached == 100.0
    (host,) = worker.engine.ledger.hosts()
    assert (host.id, host.version, host.problem) == (HOST, "1.0", "")
    worker._reported = "something else"
    turn(worker, 100.0 + 2 * BEAT)
    assert worker._reported == ""


def test_a_worker_that_was_overtaken_says_so_and_leaves_the_end_to_the_other(
    worker: Worker, staged: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intents, "LEASE", 0.0)
    turn(worker, 100.0)
    decide(tmp_path, staged)

    def late(*given: Any) -> Any:
        other = open_engine(replace(settings_in(tmp_path), homes=(), host="b" * 16, elsewhere=()))
        (batch,) = other.ledger.unfinished(str(tmp_path / "home"))
        assert other.ledger.claim_batch(batch.batch)
        other.close()
        return conclude(*given)

    monkeypatch.setattr("reviewdeck.engine.recovery.conclude", late)
    worker.expect_news()
    (told,) = turn(worker, 101.0)
    assert (told.name, told.detail["ending"]) == ("recovered", "overtaken")
    assert "took over the batch" in str(told.detail["message"])
    assert worker.engine is not None
    assert worker.engine.find(staged).state is State.APPLYING

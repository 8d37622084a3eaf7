"""A hub that is restored from yesterday's dump, with a worker of a machine beside it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.hosts import Member, wait_until
from tests.cli.test_watch import Watching
from tests.engine.kit import digest_of, entries
from tests.postgres import OWNER, Server

from reviewdeck.bootstrap import host_notes
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import Settings
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.model import State

pytestmark = pytest.mark.slow


@pytest.fixture
def member(
    postgres_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Member]:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    made = Member(postgres_server, tmp_path)
    yield made
    made.end()


def the_new_one(desk: Engine, *known: str) -> str:
    """The proposal that comes to those that wait."""
    wait_until(lambda: {item.id for item in desk.pending()} - {*known})
    (id,) = {item.id for item in desk.pending()} - {*known}
    return id


def stands_still(member: Member, worker: Watching) -> bool:
    """Stops a worker, unless it is in a transaction: others would wait for what it holds."""
    busy = """
        SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND state <> 'idle'
        AND backend_type = 'client backend' AND pid <> pg_backend_pid()
    """
    worker.process.send_signal(signal.SIGSTOP)
    with member.server.connect() as owner:
        row = owner.execute(busy, [member.hub]).fetchone()
    assert row is not None
    if row[0]:
        worker.process.send_signal(signal.SIGCONT)
    return not row[0]


def test_what_yesterdays_dump_lacks_is_told_again_or_waits_again(
    member: Member, tmp_path: Path
) -> None:
    server, team, agent, home = member.server, member.team, member.agent, member.home
    worker = member.worker()
    worker.wait_for("watching")
    desk = team.desk()
    agent.replace("Tests run", "Tests run with nox.")
    written = the_new_one(desk)
    agent.replace("staging host", "The staging host is stg-4.")
    decided = the_new_one(desk, written)

    dump = str(server.folder / f"{member.hub}.dump")
    done = server.run("pg_dump", "-Fc", "-f", dump, "-d", team.hub)
    assert done.returncode == 0, done.stderr

    # A day passes: something is written, something is new and written, something is decided.
    desk.approve(written, digest_of(desk, written))
    agent.replace("Docs use", "Docs use zensical.")
    new = the_new_one(desk, written, decided)
    desk.approve(new, digest_of(desk, new))
    wait_until(lambda: desk.find(new).state is State.APPLIED)
    settings = Settings((home,), team.hub, tmp_path)
    heads = desk.ledger.heads([desk.home_ids[0]])
    wait_until(lambda: heads.items() <= host_notes(settings).read().heads.items())
    wait_until(lambda: stands_still(member, worker))
    desk.approve(decided, digest_of(desk, decided))
    after = ["Tests run with nox.", "The staging host is stg-2.", "Docs use zensical."]
    assert entries(home) == after

    server.drop(member.hub)
    with server.connect() as owner:
        owner.execute(f"CREATE DATABASE {member.hub} TEMPLATE template0")
    done = server.run("pg_restore", "--exit-on-error", "-d", team.hub, dump)
    assert done.returncode == 0, done.stderr

    # The worker's head is ahead: it does nothing with this hub.
    worker.process.send_signal(signal.SIGCONT)
    behind = worker.wait_for("failed", code="ledger-behind")
    assert "--accept-ledger" in behind["hint"]
    assert worker.stop() == 0
    desk = team.desk()
    assert {item.id for item in desk.pending()} == {written, decided}

    # Under its own role it may not tell what operators decided: it says who can, and takes nothing
    # in before, which would stand in the way.
    worker = member.worker("--accept-ledger")
    early = worker.wait_for("failed", code="ledger-behind")
    assert "has lost decisions of operators" in early["message"]
    assert "with the URL of the hub's owner" in early["hint"]
    assert worker.stop() == 0
    assert {item.id for item in desk.pending()} == {written, decided}

    # The owner says that it is meant, and the worker tells what it wrote.
    worker = member.worker("--accept-ledger", role=OWNER)
    told = worker.wait_for("recovered", ending="finished")
    assert (told["proposals"], "told again" in told["message"]) == ([written], True)
    worker.wait_for("watching")
    assert worker.stop() == 0
    assert desk.find(written).state is State.APPLIED
    # What the hub never heard of is found on the disk, as a change that somebody has to look at.
    (live,) = desk.pending([State.LIVE])
    assert "zensical" in live.gist and "nox" not in live.gist
    assert [item.id for item in desk.pending() if item.id != live.id] == [decided]
    assert entries(home) == after

    # The machine goes on under its own role.
    worker = member.worker()
    worker.wait_for("watching")
    desk.keep(live.id, digest_of(desk, live.id))
    desk.approve(decided, digest_of(desk, decided))
    wait_until(lambda: desk.find(decided).state is State.APPLIED)
    assert entries(home)[1] == "The staging host is stg-4."
    assert worker.stop() == 0
    assert desk.ledger.verify() is None
    assert find_damage(team.hub) == ()

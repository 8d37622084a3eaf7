"""`worker`, as the real program in processes of their own: what is decided elsewhere is done."""

from __future__ import annotations

import shutil
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from tests.cli.hosts import Machine, ended
from tests.cli.test_watch import Watching
from tests.engine.crashes import make_home
from tests.engine.kit import Agent, Ticking, digest_of, entries
from tests.ports import free_port

from reviewdeck.ledger.inspection import find_damage

WANTED = "The staging host is stg-4."
BEFORE = ["Tests run with tox.", "The staging host is stg-2.", "Docs use mkdocs."]
AFTER = [BEFORE[0], WANTED, BEFORE[2]]

pytestmark = pytest.mark.slow


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A host with a home."""
    return Machine(tmp_path, "a", make_home(tmp_path / "home"))


@pytest.fixture
def staged(machine: Machine) -> str:
    """The id of a proposal that waits for an operator."""
    id = Agent(machine.home, Ticking()).replace("staging host", WANTED)
    with closing(machine.engine()) as engine:
        engine.intake()
    return id


@pytest.fixture
def stopping() -> Iterator[ExitStack]:
    """Stops workers at the end, however the test ends."""
    with ExitStack() as stack:
        yield stack


def running(working: Watching, stopping: ExitStack) -> Watching:
    """A worker that is stopped at the end of the test."""
    stopping.callback(ended, working)
    return working


def test_what_is_decided_while_a_worker_runs_is_applied_by_it(
    machine: Machine, staged: str, stopping: ExitStack
) -> None:
    worker = running(machine.worker(), stopping)
    worker.wait_for("watching")
    assert entries(machine.home) == BEFORE
    machine.decides(staged)
    worker.wait_for("written")
    assert entries(machine.home) == AFTER
    assert machine.state_of(staged) == "applied"
    with closing(machine.engine()) as engine:
        (host,) = engine.ledger.hosts()
    assert (host.id, host.problem) == (machine.id, "")
    assert worker.stop() == 0
    assert find_damage(str(machine.hub)) == ()


def test_a_worker_takes_in_and_applies_what_is_plainly_safe(
    machine: Machine, stopping: ExitStack
) -> None:
    worker = running(machine.worker(), stopping)
    worker.wait_for("watching")
    Agent(machine.home, Ticking()).add("The linter is ruff.")
    worker.wait_for("applied")
    assert "The linter is ruff." in entries(machine.home)


def test_a_worker_ends_what_its_host_began_before_it_can_reach_the_ledger(
    machine: Machine, staged: str, stopping: ExitStack
) -> None:
    machine.dies_before("finish", lambda deck: deck.approve(staged, digest_of(deck, staged)))
    away = machine.hub.parent.with_name("away")
    machine.hub.parent.rename(away)
    machine.hub.parent.write_bytes(b"no folder")
    worker = running(machine.worker(), stopping)
    worker.wait_for("recovered", ending="finished")
    assert entries(machine.home) == AFTER
    worker.wait_for("failed", code="ledger-unavailable")
    machine.hub.parent.unlink()
    away.rename(machine.hub.parent)
    worker.wait_for("reopened")
    worker.wait_for("watching")
    assert machine.state_of(staged) == "applied"
    assert [line["event"] for line in worker.said].count("failed") == 1


def test_a_worker_goes_on_with_no_older_copy_of_its_ledger_until_told_to(
    machine: Machine, staged: str, stopping: ExitStack
) -> None:
    old = machine.hub.parent.with_name("old")
    shutil.copytree(machine.hub.parent, old)
    worker = running(machine.worker(), stopping)
    worker.wait_for("watching")
    machine.decides(staged)
    worker.wait_for("written")
    with closing(machine.engine()) as engine:
        seen = engine.ledger.heads(["", engine.home().id])
    machine.wait_for_notes(seen)
    assert worker.stop() == 0
    shutil.rmtree(machine.hub.parent)
    old.rename(machine.hub.parent)
    worker = running(machine.worker(), stopping)
    failed = worker.wait_for("failed", code="ledger-behind")
    assert "--accept-ledger" in failed["hint"]
    assert worker.stop() == 0
    worker = running(machine.worker("--accept-ledger"), stopping)
    told = worker.wait_for("recovered", ending="finished")
    assert told["message"] == "The ledger had lost it, and was told again."
    worker.wait_for("watching")
    assert [line for line in worker.said if line["event"] == "failed"] == []
    assert (machine.state_of(staged), entries(machine.home)) == ("applied", AFTER)
    assert find_damage(str(machine.hub)) == ()


def test_a_worker_counts_what_it_does_for_prometheus(
    machine: Machine, staged: str, stopping: ExitStack
) -> None:
    port = free_port()
    worker = running(machine.worker("--metrics", str(port)), stopping)
    worker.wait_for("watching")
    Agent(machine.home, Ticking()).add("The linter is ruff.", id="0000beef")
    worker.wait_for("applied")
    machine.decides(staged)
    worker.wait_for("written")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
        lines = dict(line.rsplit(" ", 1) for line in answer.read().decode().splitlines())
    numbers = {name: lines[f"reviewdeck_{name}"] for name in ("applied_total", "taken_in")}
    assert numbers == {"applied_total": "2.0", "taken_in": "1.0"}
    assert float(lines["reviewdeck_seconds_since_ledger"]) < 60
    assert worker.stop() == 0

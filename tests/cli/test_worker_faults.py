"""A worker that is killed, stopped, overtaken or out of room loses nothing and doubles nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from tests.cli.hosts import Machine, ended, wait_until
from tests.cli.test_watch import WAIT, Watching
from tests.engine.crashes import make_home
from tests.engine.kit import MEMORY, USER, Agent, Ticking, entries

from reviewdeck.engine.applier import Approval
from reviewdeck.engine.engine import Engine
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.model import Change, Plan, Step

WANTED = "The staging host is stg-4."
BEFORE = ["Tests run with tox.", "The staging host is stg-2.", "Docs use mkdocs."]
AFTER = [BEFORE[0], WANTED, BEFORE[2]]

pytestmark = pytest.mark.slow

KILLED_AT_THE_SECOND_FILE = """
import os, signal
from reviewdeck.files.batch import Batch
write, written = Batch._write_file, []
def once(batch, change):
    if written:
        os.kill(os.getpid(), signal.SIGKILL)
    written.append(change)
    write(batch, change)
Batch._write_file = once
"""
STOPPED_BEFORE_IT_REPORTS = """
import os, signal
from reviewdeck.engine import recovery
from reviewdeck.ledger import intents
intents.LEASE = 0.5
conclude = recovery.conclude
def stopped(*given):
    os.kill(os.getpid(), signal.SIGSTOP)
    return conclude(*given)
recovery.conclude = stopped
"""
FULL_DISK = """
import errno, os
from pathlib import Path
from reviewdeck.files.steps import Steps
rewrite = Steps.rewrite
def full(steps, place, *rest):
    if Path({flag!r}).exists() and place.name.endswith(".json"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return rewrite(steps, place, *rest)
Steps.rewrite = full
"""
IMPATIENT = """
from reviewdeck.files import host_journal
hold = host_journal.hold_locks
host_journal.hold_locks = lambda locks, wait: hold(locks, min(wait, 0.5))
"""
AN_HOUR_AHEAD = """
from datetime import timedelta
from reviewdeck import clock
now = clock.utc_now
clock.utc_now = lambda: now() + timedelta(hours=1)
"""


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
def start() -> Iterator[Callable[[Watching], Watching]]:
    """Has workers end with the test, however it ends."""
    with ExitStack() as stack:

        def started(working: Watching) -> Watching:
            stack.callback(ended, working)
            return working

        yield started


def finishes(machine: Machine) -> int:
    """How often the log says that something was finished."""
    with closing(machine.engine()) as engine:
        return [event.name for event in engine.log()].count("finish")


def is_stopped(working: Watching) -> bool:
    """Whether its process was stopped by a signal."""
    state = Path(f"/proc/{working.process.pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "T"


def approve_two_files(id: str) -> Callable[[Engine], object]:
    """Approves a plan that changes two documents at once."""

    def approve(engine: Engine) -> object:
        proposal = engine.get(id).proposal
        home = engine.home_of(proposal)
        changes = tuple(
            Change(path, data, data + b"\n\xc2\xa7\nOne more.", mode=0o600)
            for path in (MEMORY, USER)
            for data in [(home.home.snapshot().document(path).data or b"")]
        )
        step = Step(proposal.id, proposal.payload_sha, changes)
        plan = Plan(home.home.id, (step,))
        return engine.applier(home).apply(plan, [Approval(proposal, engine.operator())])

    return approve


def test_a_worker_killed_between_two_files_makes_the_home_whole_without_the_ledger(
    machine: Machine, staged: str, start: Callable[[Watching], Watching]
) -> None:
    machine.dies_before("claim", approve_two_files(staged))
    worker = start(machine.worker(more=KILLED_AT_THE_SECOND_FILE))
    assert worker.process.wait(WAIT) == -signal.SIGKILL
    ends = [entries(machine.home, path)[-1] for path in (MEMORY, USER)]
    assert ends.count("One more.") == 1  # one of two
    away = machine.hub.parent.with_name("away")
    machine.hub.parent.rename(away)
    machine.hub.parent.write_bytes(b"no folder")
    again = start(machine.worker())
    again.wait_for("recovered", ending="finished")
    assert [entries(machine.home, path)[-1] for path in (MEMORY, USER)] == ["One more."] * 2
    machine.hub.parent.unlink()
    away.rename(machine.hub.parent)
    again.wait_for("watching")
    wait_until(lambda: machine.state_of(staged) == "applied")
    assert finishes(machine) == 1
    assert find_damage(str(machine.hub)) == ()


def test_a_worker_that_stood_still_past_its_lease_changes_nothing_any_more(
    machine: Machine, staged: str, start: Callable[[Watching], Watching], tmp_path: Path
) -> None:
    machine.decides(staged)
    slow = start(machine.worker(more=STOPPED_BEFORE_IT_REPORTS))
    wait_until(lambda: is_stopped(slow))
    assert entries(machine.home) == AFTER
    second = start(machine.worker(more=IMPATIENT))
    busy = second.wait_for("recovered", ending="busy")
    assert "this home's journal was held" in busy["message"]
    assert second.stop() == 0
    # An image of the same machine, which has the home and not the lock.
    clone = Machine(tmp_path, "clone", machine.home)
    clone.id = machine.id
    (clone.state / "host").write_text(machine.id)
    third = start(clone.worker(more=IMPATIENT))
    third.wait_for("recovered", ending="finished")
    wait_until(lambda: machine.state_of(staged) == "applied")
    third.stop()
    slow.process.send_signal(signal.SIGCONT)
    slow.wait_for("watching")
    assert slow.stop() == 0
    assert (entries(machine.home), finishes(machine)) == (AFTER, 1)
    with closing(machine.engine()) as engine:
        assert len(engine.history(MEMORY)) == 2
        assert engine.recover() == ()
    assert find_damage(str(machine.hub)) == ()


def test_of_two_workers_on_one_home_each_decision_is_written_by_one(
    machine: Machine, staged: str, start: Callable[[Watching], Watching]
) -> None:
    workers = [start(machine.worker()) for _ in range(2)]
    for worker in workers:
        worker.wait_for("watching")
    machine.decides(staged)
    wait_until(lambda: machine.state_of(staged) == "applied")
    assert [worker.stop() for worker in workers] == [0, 0]
    assert (entries(machine.home), finishes(machine)) == (AFTER, 1)
    with closing(machine.engine()) as engine:
        assert len(engine.history(MEMORY)) == 2


def test_on_a_full_disk_nothing_is_begun_and_the_hub_is_told_why(
    machine: Machine, staged: str, start: Callable[[Watching], Watching], tmp_path: Path
) -> None:
    flag = tmp_path / "full"
    flag.touch()
    worker = start(machine.worker(more=FULL_DISK.format(flag=str(flag))))
    worker.wait_for("watching")
    machine.decides(staged)
    stuck = worker.wait_for("recovered", ending="stuck")
    assert os.strerror(28) in stuck["message"]
    assert entries(machine.home) == BEFORE

    def problem() -> str:
        with closing(machine.engine()) as engine:
            return engine.ledger.hosts()[0].problem

    wait_until(lambda: os.strerror(28) in problem())
    flag.unlink()
    worker.wait_for("recovered", ending="finished")
    assert entries(machine.home) == AFTER
    wait_until(lambda: problem() == "")


def test_a_worker_whose_clock_is_an_hour_ahead_takes_over_nothing(
    machine: Machine, staged: str, start: Callable[[Watching], Watching], tmp_path: Path
) -> None:
    machine.decides(staged)
    with closing(machine.engine()) as engine:
        (batch,) = engine.ledger.unfinished(engine.home().id)
        assert engine.ledger.claim_batch(batch.batch) is not None
    clone = Machine(tmp_path, "clone", machine.home)
    clone.id = machine.id
    (clone.state / "host").write_text(machine.id)
    worker = start(clone.worker(more=AN_HOUR_AHEAD))
    busy = worker.wait_for("recovered", ending="busy")
    assert "A worker has claimed it" in busy["message"]
    assert entries(machine.home) == BEFORE


def test_what_a_clock_an_hour_ahead_would_date_is_applied_all_the_same(
    machine: Machine, staged: str, start: Callable[[Watching], Watching]
) -> None:
    worker = start(machine.worker(more=AN_HOUR_AHEAD))
    worker.wait_for("watching")
    machine.decides(staged)
    worker.wait_for("written")
    assert entries(machine.home) == AFTER
    with closing(machine.engine()) as engine:
        assert engine.ledger.verify() is None

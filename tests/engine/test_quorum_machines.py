"""Two operators decide about a home of another machine, whose worker checks that there were two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.kit import Agent, Ticking, digest_of, entries
from tests.engine.machines import OTTO, Machines, machines_at

from reviewdeck.engine.quorum import AwaitsAnother
from reviewdeck.engine.recovery import recover
from reviewdeck.model import OperationState
from reviewdeck.presentation.hosts import host_healths

IRIS = replace(OTTO, name="iris")


@pytest.fixture(params=["sqlite", "postgres"])
def machines(request: pytest.FixtureRequest, tmp_path: Path, clock: Ticking) -> Iterator[Machines]:
    yield from machines_at(tmp_path, clock, request.param)


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    file = tmp_path / "policy.toml"
    file.write_text("version = 1\n[approval]\nneeds = 2\n", "utf-8")
    return file


def test_what_two_approved_elsewhere_is_written_and_what_one_did_is_not(
    machines: Machines, agent: Agent, home: Path, policy: Path
) -> None:
    host = machines.host(home, policy=policy)
    agent.memory("remove", old_text="tox")
    host.intake()
    iris, otto = machines.desk(policy=policy, actor=IRIS), machines.desk(policy=policy)
    (item,) = otto.pending()
    with pytest.raises(AwaitsAnother):
        iris.approve(item.id, digest_of(iris, item.id))
    waiting = otto.approve(item.id, digest_of(otto, item.id))
    assert waiting.state is OperationState.INTENT
    (ended,) = recover(host, host.open_homes[0])
    assert (ended.ending, "Tests run with tox." in entries(home)) == ("finished", False)

    agent.memory("remove", old_text="mkdocs")
    host.intake()
    lax = machines.desk(actor=IRIS)  # This machine has no policy file.
    (item,) = lax.pending()
    assert lax.approve(item.id, digest_of(lax, item.id)).state is OperationState.INTENT
    (ended,) = recover(host, host.open_homes[0])
    assert (ended.ending, "only iris did" in ended.detail) == ("refused", True)
    assert "Docs use mkdocs." in entries(home)


def test_the_machines_of_a_ledger_are_listed_with_what_waits_there(
    machines: Machines, agent: Agent, home: Path
) -> None:
    host = machines.host(home)
    agent.replace("tox", "Tests run with nox.")
    host.intake()
    desk = machines.desk()
    (missed,) = host_healths(desk)
    assert (missed.homes, missed.open, missed.age) == (1, 1, None)
    host.ledger.note_host("host-b", "0.1.0")
    desk.approve(desk.pending()[0].id, digest_of(desk, desk.pending()[0].id))
    (seen,) = host_healths(desk)
    assert (seen.is_alarming, seen.waiting, seen.open) == (False, 1, 0)
    assert seen.words.startswith("the worker on host-b was seen ")

"""Signed decisions about a home on another machine, which has no private key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.engine.kit import digest_of, entries
from tests.engine.machines import DESK, HOST
from tests.operators.signed import WORDS, Office, operators_of

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import PolicyPlace
from reviewdeck.engine.pause import why_nothing_is_automatic
from reviewdeck.model import State
from reviewdeck.operators import enrolment

SOON = "Deploys run on Fridays."

Machine = Callable[..., Engine]


@pytest.fixture
def team(office: Office) -> Office:
    """Dana, who has a key and signed the policy."""
    office.init()
    deck = office.open()
    enrolment.sign_policy(operators_of(deck), deck.policy().mark)
    return office


def host_of(office: Office, *, policy: str = "") -> Engine:
    """The machine with the home: it has the list of operators, and nobody's passphrase."""
    settings = replace(office.settings, host=HOST)
    if policy:
        other = office.root / "other.toml"
        other.write_text(policy, "utf-8")
        settings = replace(settings, policy=PolicyPlace(other))
    host = open_engine(settings, now=office.clock)
    office.decks.append(host)
    host.intake()
    return host


def desk_of(office: Office) -> Engine:
    """Dana's own machine, which has no home."""
    desk = open_engine(
        replace(office.settings, homes=(), host=DESK, elsewhere=()), now=office.clock
    )
    office.decks.append(desk)
    desk.authority.unlock(WORDS)
    return desk


def sole(deck: Engine) -> str:
    (item,) = deck.pending()
    return item.id


def test_what_was_signed_there_is_written_here_without_a_key(team: Office) -> None:
    team.agent.memory("remove", old_text="tox")
    host, desk = host_of(team), desk_of(team)
    desk.approve(sole(desk), digest_of(desk, sole(desk)))
    (ended,) = host.recover()
    assert ended.ending == "finished"
    assert entries(team.home) == ["The staging host is stg-2."]


def test_a_row_that_nobody_signed_writes_nothing(team: Office) -> None:
    team.agent.memory("remove", old_text="tox")
    host, desk = host_of(team), desk_of(team)
    id = sole(desk)
    desk.approve(id, digest_of(desk, id))
    with team.sql() as connection:
        connection.execute("UPDATE decision SET seal = NULL, signer = NULL, counter = NULL")
    before = entries(team.home)
    (ended,) = host.recover()
    assert ended.ending == "refused" and entries(team.home) == before


def test_an_errand_is_done_for_a_signed_rejection_and_for_no_other(team: Office) -> None:
    record = team.agent.memory("remove", old_text="tox")
    file = team.home / f"pending/memory/{record}.json"
    host, desk = host_of(team), desk_of(team)
    id = sole(desk)
    desk.reject(id, "no")
    with team.sql() as connection:
        (seal,) = connection.execute("SELECT seal FROM decision").fetchone()
        connection.execute("UPDATE decision SET reason = 'yes'")
    assert host.run_errands() == () and file.exists()
    assert host.ledger.errands(host.home().id) == ()
    assert seal is not None and desk.find(id).state is State.REJECTED


def test_a_host_with_another_policy_applies_nothing_by_itself_and_does_what_was_decided(
    team: Office,
) -> None:
    team.agent.add(SOON)
    team.agent.memory("remove", old_text="tox")
    host, desk = host_of(team, policy="version = 1\n[memory]\nlongest = 90\n"), desk_of(team)
    why = why_nothing_is_automatic(host, host.home())
    assert why is not None and "dana signed" in why
    report = host.auto()
    assert report.applied == () and SOON not in entries(team.home)
    (removal,) = (item for item in desk.pending() if item.action == "remove")
    desk.approve(removal.id, digest_of(desk, removal.id))
    host.recover()
    assert entries(team.home) == ["The staging host is stg-2."]

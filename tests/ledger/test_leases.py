"""Of several hosts that could write a batch, one may; it alone says how that ended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.ledger.samples import (
    HOME,
    START,
    OpenLedger,
    claim,
    decision,
    id_of,
    postgres_ledger,
    proposal,
)

from reviewdeck.errors import LeaseLost
from reviewdeck.ledger import intents
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import OperationState, State, Verb
from reviewdeck.model.ledger import Lease, Opener

FIRST, AGAIN = Lease(1, was_approved=True), Lease(2, was_approved=False)


@pytest.fixture
def hosts(open_here: OpenLedger, tmp_path: Path) -> Iterator[tuple[Ledger, Ledger]]:
    """One ledger, opened on two hosts, with a batch that is approved."""
    with ExitStack() as stack:
        one, two = (
            stack.enter_context(open_here(tmp_path, Opener(host=letter * 16))) for letter in "ab"
        )
        one.add([proposal(1), proposal(2)], {})
        one.begin([claim(1, batch="b1")])
        yield one, two


@pytest.fixture
def overdue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases that are over at once."""
    monkeypatch.setattr(intents, "LEASE", 0.0)


def test_of_two_hosts_one_takes_a_batch(hosts: tuple[Ledger, Ledger]) -> None:
    one, two = hosts
    assert (one.claim_batch("b1"), two.claim_batch("b1")) == (FIRST, None)
    assert one.state_of(id_of(1)) is State.APPLYING


def test_its_lease_is_the_databases_and_not_that_of_the_hosts_clocks(
    hosts: tuple[Ledger, Ledger],
) -> None:
    """The clocks of these ledgers stand still in another year."""
    one, two = hosts
    one.note_host("desk", "1.0")
    (host,) = two.hosts()
    assert host.age < timedelta(hours=1)
    assert one.claim_batch("b1") and two.claim_batch("b1") is None


def test_what_is_claimed_already_is_taken_again_by_who_knows_the_epoch(
    hosts: tuple[Ledger, Ledger],
) -> None:
    one, two = hosts
    one.claim_batch("b1")
    assert one.claim_batch("b1") is None  # another process of this host may be at work on it
    assert two.claim_batch("b1", held=1) is None
    assert one.claim_batch("b1", held=1) == AGAIN


@pytest.mark.usefixtures("overdue")
def test_who_comes_too_late_changes_nothing_and_is_told_who_took_over(
    hosts: tuple[Ledger, Ledger],
) -> None:
    one, two = hosts
    two.note_host("desk", "1.0")
    one.claim_batch("b1")
    assert two.claim_batch("b1") == AGAIN
    lines = one.events()
    with pytest.raises(LeaseLost, match="desk took over the batch b1"):
        one.finish("b1", START, [], epoch=1)
    with pytest.raises(LeaseLost):
        one.abandon("b1", START, OperationState.CONFLICT, "", epoch=1)
    assert (one.events(), one.state_of(id_of(1))) == (lines, State.APPLYING)
    two.finish("b1", START, [], epoch=2)
    one.finish("b1", START, [], epoch=1)  # as it ended
    assert one.state_of(id_of(1)) is State.APPLIED
    assert len(one.events()) == len(lines) + 1


def test_what_was_not_begun_is_free_at_once(hosts: tuple[Ledger, Ledger]) -> None:
    one, two = hosts
    one.claim_batch("b1")
    one.let_go("b1", 7)
    assert two.claim_batch("b1") is None
    one.let_go("b1", 1)
    assert two.claim_batch("b1") == AGAIN


@pytest.mark.usefixtures("overdue")
def test_what_ended_is_not_taken_again(hosts: tuple[Ledger, Ledger]) -> None:
    one, two = hosts
    one.claim_batch("b1")
    one.finish("b1", START, [], epoch=1)
    assert two.claim_batch("b1") is None
    assert two.claim_batch("unknown") is None


def test_a_host_says_that_it_is_alive_and_what_is_wrong(hosts: tuple[Ledger, Ledger]) -> None:
    one, two = hosts
    one.note_host("desk", "1.0", "the disk is full")
    two.note_host("rack\x00\udcff", "1.1")
    assert [(host.id[0], host.name, host.version, host.problem) for host in one.hosts()] == [
        ("a", "desk", "1.0", "the disk is full"),
        ("b", "rack\x00\udcff", "1.1", ""),
    ]
    one.note_host("desk", "1.1")
    assert [(host.version, host.problem) for host in one.hosts()] == [("1.1", ""), ("1.1", "")]


def test_a_home_has_work_until_it_is_done(hosts: tuple[Ledger, Ledger]) -> None:
    one, two = hosts
    assert two.homes_with_work([HOME, "/other"]) == {HOME}
    assert two.homes_with_work(["/other"]) == frozenset()
    one.claim_batch("b1")
    one.finish("b1", START, [], epoch=1)
    assert two.homes_with_work([HOME]) == {HOME}
    one.settle("b1")
    assert two.homes_with_work([HOME]) == {HOME}, "no pass was made since it left the queue"
    one.end_refresh(one.begin_refresh(HOME), {})
    assert two.homes_with_work([HOME]) == frozenset()


def test_waiting_for_news_ends_when_the_ledger_is_closed(
    open_here: OpenLedger, tmp_path: Path
) -> None:
    ledger = open_here(tmp_path)
    assert ledger.wait_for_news(0.0) is False
    ledger.close()
    assert ledger.wait_for_news(600.0) is False


def test_a_hub_says_at_once_that_something_was_decided(tmp_path: Path) -> None:
    with postgres_ledger(tmp_path) as one, postgres_ledger(tmp_path) as two:
        assert two.wait_for_news(0.01) is False  # listens from here on
        one.add([proposal(1)], {})
        one.begin([claim(1, batch="b1")])
        assert two.wait_for_news(60.0) is True
        assert two.wait_for_news(0.01) is False


def test_whoever_waits_for_some_homes_is_not_told_of_others(tmp_path: Path) -> None:
    long = f"/homes/\udcff{'x' * 2_100}"
    with postgres_ledger(tmp_path) as one, postgres_ledger(tmp_path) as two:
        one.add([proposal(1), proposal(2, home=long)], {})
        assert two.wait_for_news(0.01, [long]) is False
        one.begin([claim(1, batch="b1")])
        assert two.wait_for_news(0.5, [long, "/homes/other"]) is False
        one.decide(
            replace(decision(2, "d2", Verb.REJECT), proposal=id_of(2, long)),
            State.REJECTED,
            [State.READY],
        )
        assert two.wait_for_news(60.0, [HOME, long]) is True

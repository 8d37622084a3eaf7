"""What one thread does together: there for everybody at once, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.ledger.samples import HOME, OPERATOR, START, OpenLedger, id_of, proposal

from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import State
from reviewdeck.model.ledger import Filter, Staging


@pytest.fixture
def other(open_here: OpenLedger, ledger: Ledger, tmp_path: Path) -> Iterator[Ledger]:
    """Another program with the same ledger."""
    opened = open_here(tmp_path)
    yield opened
    opened.close()


def dead(number: int) -> Staging:
    return Staging(id_of(number), State.DEAD, None, None, (), "gone")


def test_nobody_sees_a_part_of_it(ledger: Ledger, other: Ledger) -> None:
    with ledger.together():
        ledger.add([proposal(1), proposal(2)], {})
        ledger.stage([dead(1)])
        assert ledger.state_of(id_of(1)) is State.DEAD
        assert [one.id for one in ledger.open_proposals(HOME)] == [id_of(1), id_of(2)]
        assert other.state_of(id_of(1)) is None
        with ThreadPoolExecutor(1) as thread:
            assert thread.submit(ledger.state_of, id_of(1)).result() is None
    assert other.state_of(id_of(1)) is State.DEAD
    assert other.state_of(id_of(2)) is State.READY


def test_every_way_of_reading_sees_it_and_ends_nothing(ledger: Ledger) -> None:
    with ledger.together():
        ledger.add([proposal(1)], {})
        ledger.append("seen", home=HOME, subject=HOME, actor=OPERATOR, at=START)
        assert [event.name for event in ledger.chain(HOME)] == ["taken-in", "seen"]
        assert [item.id for item in ledger.page(Filter())] == [id_of(1)]
        assert ledger.operations() == ()
        assert ledger.verify() is None
    assert ledger.state_of(id_of(1)) is State.READY
    assert len(ledger.chain(HOME)) == 2


def test_nothing_of_it_is_left_when_it_is_broken_off(ledger: Ledger) -> None:
    ledger.add([proposal(1)], {})
    with pytest.raises(KeyError), ledger.together():
        ledger.add([proposal(2)], {})
        ledger.stage([dead(1)])
        raise KeyError
    assert ledger.state_of(id_of(1)) is State.READY
    assert ledger.state_of(id_of(2)) is None
    assert ledger.proposals([id_of(2)]) == ()
    assert ledger.add([proposal(2)], {}) == {id_of(2)}


def test_what_comes_after_its_end_stands_by_itself(ledger: Ledger, other: Ledger) -> None:
    with pytest.raises(KeyError), ledger.together() as end:
        ledger.add([proposal(1)], {})
        end()
        assert other.state_of(id_of(1)) is State.READY
        ledger.stage([dead(1)])
        assert other.state_of(id_of(1)) is State.DEAD
        raise KeyError
    assert ledger.state_of(id_of(1)) is State.DEAD


def test_together_within_together_is_one(ledger: Ledger, other: Ledger) -> None:
    with ledger.together():
        with ledger.together() as end:
            ledger.add([proposal(1)], {})
            end()
        assert other.state_of(id_of(1)) is None
    assert other.state_of(id_of(1)) is State.READY

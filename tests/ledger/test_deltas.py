"""Bytes that are kept as what differs from others."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.ledger.samples import MEMORY, begin, claim, clock, proposal
from tests.ledger.tampering import tamper

from reviewdeck.ledger.blobs import delta_of
from reviewdeck.ledger.inspection import find_damage
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import Change, RecordedChange, Revision, revision_of
from reviewdeck.model.ledger import Claim


@given(st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=40))
def test_a_delta_gives_back_every_byte(a: bytes, b: bytes, c: bytes) -> None:
    for data, base in ((a + b, a + c), (a + b + c, a + c), (b, a), (a + c, a + b + c), (a, a)):
        assert delta_of(data, base).on(base) == data


def by_revision(contents: list[bytes]) -> dict[Revision, bytes]:
    """These bytes by what they are called."""
    return {revision_of(data): data for data in contents}


def writing(write: Change, contents: list[bytes]) -> Claim:
    """A claim of which this is the write."""
    whole = claim(1, batch="b1")
    (operation,) = whole.operations
    change = RecordedChange(write.path, write.before_revision, write.after_revision)
    return replace(
        whole,
        operations=(replace(operation, changes=(change,)),),
        writes=(write,),
        contents=by_revision(contents),
    )


def test_a_thousand_revisions_of_a_batch_take_the_room_of_a_few(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    steps = [b"x" * 5_000]
    for number in range(1_000):
        steps.append(steps[-1] + f"\n\xa7\nThe fact number {number}.".encode())
    with open_ledger(str(path), now=clock) as ledger:
        ledger.add([proposal(1)], {})
        write = Change(MEMORY, steps[0], steps[-1])
        assert begin(ledger, writing(write, steps))
        assert all(ledger.content(revision_of(data)) == data for data in steps[::37])
    stored = sum(len(data) for data in steps)
    assert path.stat().st_size < stored / 20
    assert find_damage(str(path)) == ()


def test_a_base_that_was_changed_is_damage_of_all_that_rests_on_it(url: str) -> None:
    before, middle, after = b"a" * 600, b"a" * 700, b"a" * 800
    with open_ledger(url, now=clock) as ledger:
        ledger.add([proposal(1)], {})
        write = Change(MEMORY, before, after)
        begin(ledger, writing(write, [before, middle, after]))
    sha = hashlib.sha256(after).hexdigest()
    tamper(url, f"UPDATE blob SET data = substr(data, 1, 50) WHERE sha = '{sha}'")  # noqa: S608 - our own
    assert len(find_damage(url)) == 2

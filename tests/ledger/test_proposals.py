"""Adding, finding, staging and losing proposals."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.ledger.samples import (
    HOME,
    MEMORY,
    begin,
    claim,
    decision,
    id_of,
    proposal,
    quarantined,
    sha,
)

from reviewdeck.errors import UnknownId
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import (
    ABSENT,
    OUTSIDE,
    Base,
    BaseSource,
    DirectChange,
    MemoryRemove,
    Proposal,
    Restore,
    Revision,
    SkillPatch,
    State,
    Verb,
    revision_of,
)
from reviewdeck.model.ledger import Filter, Staging

OTHER = "/homes/otto"


def sources_of(*numbers: int) -> set[str]:
    """The pending files of proposals."""
    return {f"pending/memory/{number}.json" for number in numbers}


def test_a_proposal_comes_back_whole(ledger: Ledger) -> None:
    whole = replace(
        proposal(1),
        edits=(
            MemoryRemove(MEMORY, "old \udc80", matched_entry="old entry"),
            SkillPatch("notes", "a", "b", replace_all=True),
            Restore(MEMORY, b"\x00\xff", None, mode=0o640, tree="skills/x"),
        ),
        bases={
            MEMORY: Base(revision_of(b"text\r\n"), b"text\r\n", BaseSource.GIVEN),
            "memories/USER.md": Base(ABSENT, None, BaseSource.RECORDED),
            "skills/a/SKILL.md": Base(Revision("0" * 64), None, BaseSource.GIVEN, has_text=False),
            "skills/b/SKILL.md": Base(revision_of(b""), b"", BaseSource.FIRST_SEEN),
        },
        session="s",
        turn="t",
        tool_call="c",
        model="m",
        unknown_keys=("x", "y"),
        undoes="op",
    )
    ledger.add([whole], {})
    assert ledger.proposal(whole.id) == whole
    assert ledger.open_proposals(HOME) == (whole,)


def test_adding_twice_is_adding_once(ledger: Ledger) -> None:
    assert ledger.add([proposal(1), proposal(2), proposal(1)], {}) == {id_of(1), id_of(2)}
    assert ledger.add([proposal(1), proposal(3)], {}) == {id_of(3)}
    assert len(ledger.page(Filter())) == 3


def test_the_bytes_of_a_record_are_kept(ledger: Ledger) -> None:
    raw = b'{"id": 1}\xff'
    ledger.add([proposal(1)], {revision_of(raw): raw})
    assert ledger.content(revision_of(raw)) == raw


def test_a_quarantined_record_has_no_edits_and_is_not_for_planning(ledger: Ledger) -> None:
    bad = quarantined(1)
    ledger.add([bad, proposal(1)], {})
    assert ledger.proposal(bad.id).edits == ()
    assert [found.id for found in ledger.open_proposals(HOME)] == [id_of(1)]


def test_open_proposals_are_those_of_the_home_oldest_first(ledger: Ledger) -> None:
    ledger.add([proposal(3), proposal(1), proposal(2, home=OTHER), proposal(4)], {})
    ledger.decide(decision(1, verb=Verb.REJECT), State.REJECTED, [State.READY])
    assert [found.id for found in ledger.open_proposals(HOME)] == [id_of(3), id_of(4)]


def test_staging_leaves_closed_proposals_alone(ledger: Ledger) -> None:
    ledger.add([proposal(1), proposal(2)], {})
    begin(ledger, claim(1, batch="b"))
    ledger.stage([Staging(id_of(n), State.DEAD, None, None, (), "gone") for n in (1, 2)])
    assert ledger.item(id_of(1)).state is State.APPLYING
    assert ledger.item(id_of(2)).state is State.DEAD


def test_a_deferred_proposal_stays_deferred_until_what_it_comes_to_changes(ledger: Ledger) -> None:
    ledger.add([proposal(1)], {})
    ledger.stage([Staging(id_of(1), State.READY, "review", "d1", (), "")])
    ledger.decide(decision(1, verb=Verb.DEFER), State.DEFERRED, [State.READY])
    ledger.stage([Staging(id_of(1), State.READY, "review", "d1", (), "")])
    assert ledger.state_of(id_of(1)) is State.DEFERRED
    ledger.stage([Staging(id_of(1), State.READY, "review", "d2", (), "")])
    assert ledger.state_of(id_of(1)) is State.READY
    assert ledger.state_of("nothing") is None


def test_a_proposal_whose_file_is_gone_was_decided_elsewhere(ledger: Ledger) -> None:
    ledger.add([proposal(1), proposal(2), proposal(3, source=None), quarantined(1)], {})
    ledger.add([proposal(4, home=OTHER)], {})
    gone = ledger.mark_vanished(HOME, sources_of(2, 3) | {quarantined(1).source})
    assert set(gone) == {id_of(2), quarantined(1).id}
    assert ledger.item(id_of(2)).state is State.ELSEWHERE
    assert ledger.item(id_of(3)).state is State.READY
    assert ledger.item(id_of(4, OTHER)).state is State.READY
    assert ledger.mark_vanished(HOME, sources_of(2, 3)) == ()


def test_a_proposal_that_is_being_applied_does_not_vanish(ledger: Ledger) -> None:
    ledger.add([proposal(1)], {})
    begin(ledger, claim(1, batch="b"))
    assert ledger.mark_vanished(HOME, sources_of(1)) == ()


def test_a_file_that_comes_back_with_the_same_content_is_open_again(ledger: Ledger) -> None:
    ledger.add([proposal(1), quarantined(1)], {})
    ledger.mark_vanished(HOME, sources_of(1) | {quarantined(1).source})
    assert ledger.add([proposal(1), quarantined(1)], {}) == {id_of(1), quarantined(1).id}
    assert ledger.item(id_of(1)).state is State.READY
    assert ledger.item(quarantined(1).id).state is State.QUARANTINED
    assert ledger.add([proposal(1)], {}) == set()


def test_a_rejected_record_that_comes_back_stays_rejected(ledger: Ledger) -> None:
    ledger.add([proposal(1)], {})
    ledger.decide(decision(1, verb=Verb.REJECT), State.REJECTED, [State.READY])
    assert ledger.add([proposal(1)], {}) == set()
    assert ledger.item(id_of(1)).state is State.REJECTED


def test_a_file_with_a_new_record_takes_the_old_proposal_out_of_the_queue(ledger: Ledger) -> None:
    ledger.add([proposal(1, source="pending/memory/x.json")], {})
    ledger.add([proposal(2, source="pending/memory/x.json"), proposal(3)], {})
    assert ledger.item(id_of(1)).state is State.ELSEWHERE
    assert ledger.item(id_of(2)).state is State.READY
    ledger.add([proposal(1, source="pending/memory/x.json")], {})
    assert ledger.item(id_of(1)).state is State.READY
    assert ledger.item(id_of(2)).state is State.ELSEWHERE


def test_an_id_can_be_given_by_its_start(ledger: Ledger) -> None:
    ledger.add([_with_id("abc123", 1), _with_id("abd456", 2)], {})
    assert ledger.resolve("abc123") == "abc123"
    assert ledger.resolve("abc") == "abc123"
    with pytest.raises(UnknownId, match="abc123, abd456"):
        ledger.resolve("ab")


def test_a_whole_id_wins_over_a_longer_one_that_starts_with_it(ledger: Ledger) -> None:
    ledger.add([_with_id("abc", 1), _with_id("abcdef", 2)], {})
    assert ledger.resolve("abc") == "abc"


def test_the_agents_own_id_will_do_where_only_one_has_it(ledger: Ledger) -> None:
    ledger.add([proposal(1), proposal(1, home=OTHER), proposal(2)], {})
    assert ledger.resolve("00000002") == id_of(2)
    assert ledger.resolve("00000001", [OTHER]) == id_of(1, OTHER)
    with pytest.raises(UnknownId, match="could be any of"):
        ledger.resolve("00000001")


def test_of_two_with_the_agents_own_id_the_open_one_is_meant(ledger: Ledger) -> None:
    ledger.add([proposal(1), replace(proposal(2), source_id="00000001")], {})
    ledger.decide(decision(1, verb=Verb.REJECT), State.REJECTED, [State.READY])
    assert ledger.resolve("00000001") == id_of(2)


@pytest.mark.parametrize("nonsense", ["", "zzz", "%", "_", "\udcff", "a\x00", "' OR 1=1"])
def test_an_id_that_nothing_has_is_unknown(ledger: Ledger, nonsense: str) -> None:
    ledger.add([proposal(1)], {})
    with pytest.raises(UnknownId):
        ledger.resolve(nonsense)
    with pytest.raises(UnknownId):
        ledger.proposal(nonsense)
    with pytest.raises(UnknownId):
        ledger.item(nonsense)
    with pytest.raises(UnknownId):
        ledger.operation(nonsense)


def test_many_proposals_can_be_added_at_once(ledger: Ledger) -> None:
    base = b"shared base\n" * 100
    many = [proposal(n, base=base) for n in range(2_000)]
    assert len(ledger.add(many, {})) == 2_000
    assert ledger.add(many, {}) == set()
    assert ledger.open_proposals(HOME) == tuple(many)


def _with_id(id: str, number: int) -> Proposal:
    return replace(proposal(number), id=id, source_id=sha(id)[:8])


def test_dropped_changes_are_found_by_their_reason_and_the_revision_they_left(
    ledger: Ledger,
) -> None:
    odd, left = "memories/\udc80.md", revision_of(b"left")
    changes = {
        1: DirectChange(odd, ABSENT, left),
        2: DirectChange(odd, left, ABSENT),  # left another revision
        3: DirectChange(MEMORY, ABSENT, left),  # of another document
        4: DirectChange(odd, ABSENT, left),  # dropped for another reason
        5: DirectChange(odd, ABSENT, left),  # still open
    }
    outside = [
        replace(proposal(number), action=OUTSIDE, source=None, outside=(change,))
        for number, change in changes.items()
    ]
    ledger.add(outside, {})
    for number in (1, 2, 3, 4):
        ledger.drop(id_of(number), "another" if number == 4 else "over")
    dropped = ledger.dropped_outside(HOME, "over", {odd: left})
    assert [change.id for change in dropped] == [id_of(1)]
    assert ledger.dropped_outside(OTHER, "over", {odd: left}) == ()

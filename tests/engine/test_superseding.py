"""Deciding once for several proposals about one thing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.kit import (
    Agent,
    OpenDeck,
    digest_of,
    entries,
    let_no_record_go,
    remembered,
    set_entries,
)

from reviewdeck.engine.clusters import same_subject
from reviewdeck.engine.decide import commit, record
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.holding import LeftOutReason
from reviewdeck.engine.summary import summary
from reviewdeck.errors import NotDecidable, StaleBase
from reviewdeck.model import Draft, Relation, State, Verb

STG4, STG5 = "The staging host is stg-4.", "Staging is on stg-5 now."


@pytest.fixture
def cluster(deck: Engine, agent: Agent) -> list[str]:
    """Three wordings for one entry, and two proposals that are about something else."""
    # Records of this agent say no more than their action: with it, three are about one thing.
    found = [agent.replace("staging host", text) for text in (STG4, STG5, STG4)]
    agent.memory("remove", old_text="Docs use")
    agent.replace("short answers", "Prefers long answers.", target="user")
    deck.intake()
    return [deck.find(id).id for id in found]


def superseding(deck: Engine, id: str, winner: str) -> Draft:
    """The decision that one gives way to another."""
    return Draft(id, Verb.SUPERSEDE, None, deck.now(), reason=winner)


def draft(deck: Engine, ids: list[str]) -> None:
    """Drafts the first, with the others giving way to it."""
    first, *others = ids
    now = deck.now()
    deck.ledger.put_draft(Draft(first, Verb.APPROVE, digest_of(deck, first), now))
    for id in others:
        deck.ledger.put_draft(superseding(deck, id, first))


def states(deck: Engine, ids: list[str]) -> list[State | None]:
    """Where these stand."""
    return [deck.ledger.state_of(id) for id in ids]


def test_rivals_are_what_waits_about_the_same_thing(deck: Engine, cluster: list[str]) -> None:
    assert {one.id for one in same_subject(deck.ledger, deck.find(cluster[1]))} == {
        cluster[0],
        cluster[2],
    }
    deck.reject(cluster[0], "wrong")
    assert {one.id for one in same_subject(deck.ledger, deck.find(cluster[1]))} == {cluster[2]}


def test_one_is_written_and_the_others_give_way_to_it(
    deck: Engine, cluster: list[str], home: Path
) -> None:
    draft(deck, [cluster[1], cluster[0], cluster[2]])
    shown = summary(deck)
    assert {(one.verb, one.reason) for one in shown.quiet} == {(Verb.SUPERSEDE, cluster[1])}
    assert shown.amount == 3
    report = commit(deck, shown)
    assert not report.failed
    assert entries(home)[1] == STG5
    assert states(deck, cluster) == [State.REJECTED, State.APPLIED, State.REJECTED]
    (decision,) = deck.ledger.decisions(cluster[0])
    assert decision.verb is Verb.SUPERSEDE
    assert decision.reason == f"superseded by {cluster[1]}"
    assert decision.actor == deck.ledger.decisions(cluster[1])[0].actor
    assert not deck.ledger.drafts()
    assert deck.ledger.verify() is None


def test_what_gave_way_can_wait_again(deck: Engine, cluster: list[str], home: Path) -> None:
    draft(deck, cluster)
    (operation,) = commit(deck, summary(deck)).operations
    deck.undo(operation.id)
    _, again = deck.reopen(cluster[1], "after all")
    assert entries(home)[1] == "The staging host is stg-2."
    assert deck.ledger.state_of(again.id) is State.READY


def test_the_same_words_are_not_held_against_themselves(deck: Engine, cluster: list[str]) -> None:
    draft(deck, cluster)
    commit(deck, summary(deck))
    rejected = {
        one.text
        for one in remembered(deck.ledger, deck.home_ids[0])
        if one.relation is Relation.REJECTED
    }
    assert STG5 in rejected
    assert STG4 not in rejected


def test_nothing_gives_way_to_what_is_not_written(
    deck: Engine, cluster: list[str], home: Path
) -> None:
    draft(deck, cluster)
    shown = summary(deck)
    set_entries(home, "By hand.")
    report = commit(deck, shown)
    assert not report.committed
    assert State.REJECTED not in states(deck, cluster)
    with pytest.raises(NotDecidable):
        record(deck, superseding(deck, cluster[1], cluster[0]))


def test_without_its_winner_a_draft_goes_back_to_the_queue(
    deck: Engine, cluster: list[str]
) -> None:
    draft(deck, cluster)
    deck.ledger.clear_draft(cluster[0])
    shown = summary(deck)
    assert not shown.quiet
    assert {left.fate for left in shown.left_out} == {LeftOutReason.MOVED}
    assert not deck.ledger.drafts()


def test_a_winner_that_does_not_fit_keeps_the_others_waiting_as_drafts(
    deck: Engine, agent: Agent
) -> None:
    ids = [agent.replace("mkdocs", text) for text in ("Docs use sphinx.", "Docs use hugo.")]
    rival = agent.replace("mkdocs", "Docs use zola.")
    deck.intake()
    first, second, third = (deck.find(id).id for id in (*ids, rival))
    for id in (first, second):
        deck.ledger.put_draft(Draft(id, Verb.APPROVE, digest_of(deck, id), deck.now()))
    deck.ledger.put_draft(Draft(third, Verb.SUPERSEDE, None, deck.now(), reason=second))
    shown = summary(deck)
    assert not shown.quiet
    assert {left.fate for left in shown.left_out} == {LeftOutReason.CLASHES}
    assert third in {one.proposal for one in deck.ledger.drafts()}


def test_after_a_crash_between_the_two_the_rest_is_still_drafted(
    deck: Engine, cluster: list[str]
) -> None:
    draft(deck, cluster)
    deck.approve(cluster[0], digest_of(deck, cluster[0]))
    deck.ledger.clear_draft(cluster[0])
    shown = summary(deck)
    assert {one.proposal for one in shown.quiet} == set(cluster[1:])
    assert not commit(deck, shown).failed


def test_in_one_step_all_or_nothing_is_decided(
    deck: Engine, cluster: list[str], home: Path
) -> None:
    with pytest.raises(StaleBase):
        deck.approve_for_all(cluster[1], "0" * 64)
    assert State.REJECTED not in states(deck, cluster)
    operation, others = deck.approve_for_all(cluster[1], digest_of(deck, cluster[1]))
    assert operation.proposal == cluster[1]
    assert {one.proposal for one in others.decisions} == {cluster[0], cluster[2]}
    assert not others.warnings
    assert entries(home)[1] == STG5


def test_a_rival_that_somebody_decides_meanwhile_keeps_no_other_from_being_superseded(
    open_at: OpenDeck, deck: Engine, cluster: list[str], home: Path
) -> None:
    first, *others = [item.id for item in same_subject(deck.ledger, deck.find(cluster[1]))]

    def reject_first(step: str) -> None:
        if step == "settle":
            deck.reject(first, "wrong")

    second = open_at(home, probe=reject_first)
    operation, report = second.approve_for_all(cluster[1], digest_of(deck, cluster[1]))
    assert operation.proposal == cluster[1]
    assert [one.proposal for one in report.decisions] == others
    assert [one.proposal for one in report.failed] == [first]
    assert {deck.find(id).state for id in others} == {State.REJECTED}
    assert deck.find(first).reason == "wrong"


def test_a_rival_whose_record_stays_is_superseded_and_the_operation_is_given(
    open_at: OpenDeck, deck: Engine, cluster: list[str], home: Path
) -> None:
    def keep_records(step: str) -> None:
        if step == "settle":
            let_no_record_go(home)

    second = open_at(home, probe=keep_records)
    operation, report = second.approve_for_all(cluster[1], digest_of(deck, cluster[1]))
    assert operation.proposal == cluster[1]
    assert {one.proposal for one in report.decisions} == {cluster[0], cluster[2]}
    assert states(deck, [cluster[0], cluster[2]]) == [State.REJECTED, State.REJECTED]
    assert all("could not be removed" in warning.message for warning in report.warnings.values())
    assert set(report.warnings) == {cluster[0], cluster[2]}

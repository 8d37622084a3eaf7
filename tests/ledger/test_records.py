"""Revisions, observations, drafts, what is remembered, and who looked when."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest
from tests.engine.kit import remembered
from tests.ledger.samples import HOME, MEMORY, OPERATOR, START, claim, id_of, proposal

from reviewdeck.errors import UnknownId
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.postgres.database import PostgresTransaction
from reviewdeck.ledger.sqlite import SqliteTransaction
from reviewdeck.model import (
    ABSENT,
    Cause,
    Draft,
    Likeness,
    Marks,
    Observation,
    Relation,
    Verb,
    revision_of,
)
from reviewdeck.model.ledger import Found, Posting, Subject
from reviewdeck.text.terms import terms_of

USER = "memories/USER.md"
HOUR = timedelta(hours=1)


def seen(text: bytes | None, hours: int, path: str = MEMORY) -> Observation:
    """A document at a revision, so many hours after the start."""
    return Observation(HOME, path, revision_of(text), START + hours * HOUR, Cause.SEEN)


def test_only_what_differs_from_the_last_time_is_an_observation(ledger: Ledger) -> None:
    ledger.observe([seen(b"a", 0), seen(b"u", 0, USER)], [b"a", b"u"])
    ledger.observe([seen(b"a", 1), seen(b"v", 1, USER)], [b"a", b"v"])
    ledger.observe([seen(b"b", 2), seen(b"b", 3), seen(b"a", 4), seen(None, 5)], [b"b"])
    expected = (seen(b"a", 0), seen(b"b", 2), seen(b"a", 4), seen(None, 5))
    assert ledger.observations(HOME, MEMORY) == expected
    assert len(ledger.observations(HOME)) == 6
    assert ledger.latest(HOME) == {MEMORY: seen(None, 5), USER: seen(b"v", 1, USER)}
    assert ledger.observations("/homes/otto") == ()


def test_an_observation_comes_back_whole(ledger: Ledger) -> None:
    whole = replace(
        seen(b"a", 0), cause=Cause.OPERATION, operation="op", proposal="p", actor=OPERATOR
    )
    ledger.observe([whole], [b"a"])
    assert ledger.observations(HOME) == (whole,)


def test_the_revision_at_a_moment_is_the_last_one_before_it(ledger: Ledger) -> None:
    ledger.observe([seen(b"a", 0), seen(b"b", 2)], [])
    assert ledger.revision_at(HOME, MEMORY, START - HOUR) is None
    assert ledger.revision_at(HOME, MEMORY, START) == seen(b"a", 0)
    assert ledger.revision_at(HOME, MEMORY, START + HOUR) == seen(b"a", 0)
    assert ledger.revision_at(HOME, MEMORY, START + 9 * HOUR) == seen(b"b", 2)


def test_bytes_are_found_by_their_revision(ledger: Ledger) -> None:
    ledger.observe([], [b"", b"\x00\xff", b"\x00\xff"])
    assert ledger.content(revision_of(b"")) == b""
    assert ledger.content(revision_of(b"\x00\xff")) == b"\x00\xff"
    assert ledger.content(ABSENT) is None
    assert ledger.content(revision_of(b"never stored")) is None


def test_a_draft_is_kept_until_it_is_taken_back(ledger: Ledger) -> None:
    ledger.add([proposal(1), proposal(2)], {})
    late = Draft(id_of(1), Verb.MERGE, "d1", START + HOUR, "why", "text \udc80\r\n", MEMORY)
    early = Draft(id_of(2), Verb.REJECT, None, START)
    ledger.put_draft(late)
    ledger.put_draft(early)
    assert ledger.drafts() == (early, late)
    assert ledger.clear_draft(id_of(2))
    assert not ledger.clear_draft(id_of(2))
    assert ledger.drafts() == (late,)
    assert ledger.counts().drafts == 1


def test_a_second_draft_takes_the_place_of_the_first(ledger: Ledger) -> None:
    ledger.add([proposal(1)], {})
    ledger.put_draft(Draft(id_of(1), Verb.MERGE, "d1", START, text="mine"))
    second = Draft(id_of(1), Verb.APPROVE, "d2", START)
    ledger.put_draft(second)
    assert ledger.drafts() == (second,)
    assert ledger.counts().drafts == 1


def test_a_draft_is_about_a_proposal_that_there_is(ledger: Ledger) -> None:
    with pytest.raises(UnknownId):
        ledger.put_draft(Draft("nothing", Verb.APPROVE, None, START))


def test_a_text_is_remembered_once_for_each_relation(ledger: Ledger) -> None:
    removed = Likeness(Relation.REMOVED, "tabs", 100.0, MEMORY, exact=True)
    rejected = Likeness(Relation.REJECTED, "tabs", 100.0, "p1")
    ledger.remember(HOME, [removed, rejected], START)
    ledger.remember(HOME, [removed], START + HOUR)
    ledger.remember(HOME, [], START)
    assert remembered(ledger, HOME) == (removed, rejected)
    assert remembered(ledger, "/homes/otto") == ()


def test_what_is_forgotten_is_not_remembered_nor_found(ledger: Ledger) -> None:
    removed = Likeness(Relation.REMOVED, "spaces, never tabs", 100.0, "p1", exact=True)
    rejected = Likeness(Relation.REJECTED, "spaces, never tabs", 100.0, "p1")
    other = Likeness(Relation.REJECTED, "spaces, never tabs", 100.0, "p2")
    ledger.remember(HOME, [removed, rejected, other], START)
    ledger.forget(HOME, Relation.REJECTED, "p1")
    assert remembered(ledger, HOME) == (removed, other)
    subjects = ledger.texts_with(HOME, terms_of("spaces, never tabs"), 3).subjects
    found = {(one.relation, one.where) for one in subjects.values()}
    assert found == {(Relation.REMOVED, "p1"), (Relation.REJECTED, "p2")}


def test_a_text_that_is_dropped_and_remembered_at_once_is_remembered(ledger: Ledger) -> None:
    again = Likeness(Relation.REJECTED, "spaces, never tabs", 100.0, "p1")
    gone = Likeness(Relation.REJECTED, "four of them", 100.0, "p1")
    ledger.remember(HOME, [again, gone], START)
    ledger.remember(HOME, [again], START + HOUR, instead_of=[(Relation.REJECTED, "p1")])
    assert remembered(ledger, HOME) == (again,)
    found = ledger.texts_with(HOME, terms_of("spaces, never tabs, four of them"), 3).subjects
    assert [(one.where, one.text) for one in found.values()] == [("p1", "spaces, never tabs")]
    assert ledger.verify() is None


@pytest.mark.parametrize("is_far", [True, False])
def test_texts_are_found_by_their_terms_in_one_statement_as_in_several(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, *, is_far: bool
) -> None:
    for kind in (SqliteTransaction, PostgresTransaction):
        monkeypatch.setattr(kind, "is_far", is_far)
    texts = ["oak elm", "oak ash", "oak %s yew", "fir pine"]
    waiting = [proposal(number) for number in range(1, 5)]
    subjects = [
        Subject(Relation.PENDING, text, one.id, "memory")
        for text, one in zip(texts, waiting, strict=True)
    ]
    ledger.add(waiting, {}, {}, subjects)
    elsewhere = proposal(5, home="/homes/otto")
    ledger.add([elsewhere], {}, {}, [Subject(Relation.PENDING, "elm", elsewhere.id, "memory")])
    ledger.begin([claim(2, batch="b1")])
    found = ledger.texts_with(HOME, ["oak", "elm", "ash", "yew", "no such", "'%s"], 2)
    assert found.postings == {
        "oak": Posting(3, ()),
        "elm": Posting(1, [1]),
        "ash": Posting(1, [2]),
        "yew": Posting(1, [3]),
    }
    # The second is decided, and nobody has looked since.
    assert found.subjects == {1: subjects[0], 3: subjects[2]}
    assert ledger.texts_with(HOME, [], 2) == Found({}, {})


def test_only_texts_of_what_waits_no_more_leave_the_index(ledger: Ledger) -> None:
    waiting = [proposal(1), proposal(2)]
    subjects = [Subject(Relation.PENDING, "oak elm", one.id, "memory") for one in waiting]
    ledger.add(waiting, {}, {}, subjects)
    ledger.begin([claim(2, batch="b1")])
    ledger.unindex(HOME, [one.id for one in waiting], 0)
    assert ledger.subject_count(HOME) == 2
    ledger.unindex(HOME, [one.id for one in waiting], 1)
    assert ledger.subject_count(HOME) == 1


def test_what_is_to_be_evaluated_anew_and_has_no_text_in_the_index_is_found(
    ledger: Ledger,
) -> None:
    waiting = [proposal(1), proposal(2), proposal(3)]
    subjects = [Subject(Relation.PENDING, "oak elm", id_of(1), "memory")]
    ledger.add(waiting, {}, {}, subjects)
    ledger.begin([claim(3, batch="b1")])
    assert ledger.unindexed(HOME) == {id_of(2)}


def test_when_somebody_looked_is_remembered_by_home(ledger: Ledger) -> None:
    assert ledger.marks(HOME).everything is None
    ledger.end_refresh(ledger.begin_refresh(HOME), {}, stamp="s")
    assert ledger.marks(HOME).everything is None
    ledger.put_marks(HOME, Marks(START), OPERATOR, START)
    ledger.put_marks(HOME, Marks(START + HOUR), OPERATOR, START)
    assert ledger.marks(HOME).everything == START + HOUR
    assert ledger.stamp(HOME) == "s"


def test_a_time_comes_back_as_the_same_moment_in_utc(ledger: Ledger) -> None:
    tokyo = datetime(2026, 3, 1, 21, 0, 0, 1, tzinfo=timezone(9 * HOUR))
    ledger.put_marks(HOME, Marks(tokyo), OPERATOR, START)
    looked = ledger.marks(HOME).everything
    assert looked == tokyo
    assert looked.utcoffset() == timedelta(0)


def test_a_time_without_a_zone_is_refused(ledger: Ledger) -> None:
    naive = START.replace(tzinfo=None)
    with pytest.raises(ValueError, match="zone"):
        ledger.put_marks(HOME, Marks(naive), OPERATOR, START)
    with pytest.raises(ValueError, match="zone"):
        ledger.add([replace(proposal(1), created_at=None, ingested_at=naive)], {})

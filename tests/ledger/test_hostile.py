"""An agent's words come back as they were, whatever is in them, in each field that holds them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.ledger.samples import HOME, MEMORY, OPERATOR, START, begin, claim, decision, proposal

from reviewdeck.ledger.inspection import find_inconsistencies
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import (
    Began,
    Cause,
    Draft,
    Likeness,
    Lineage,
    MemoryAdd,
    Message,
    Observation,
    Relation,
    ReviewRun,
    Role,
    State,
    Transcript,
    Turn,
    TurnBatch,
    Verb,
    revision_of,
)
from reviewdeck.model.ledger import DirectoryIdentity, Filter, Staging, Subject, bounded_key

CORPUS = {
    "nul": "a\x00b",
    "half of a character": "a\ud800b\udfffc",
    "a file name that is no text": "caf\udce9",
    "what stands for others": "\ufdd0d800 \ufdd0 \U0010ffff \ufffe",
    "escapes": r"\u0000 \ud800 \x00 \N{NULL} \0 \\",
    "percent signs": "%s %(id)s %% %b 100%",
    "colons": ":id ::text ' :home ' $1 ?1 @x",
    "quotes": "'\"`$$ ; DROP TABLE proposal; -- '' \"\" E'\\'",
    "lists": '{a,NULL,"b"} [1] (1,2) IN :ids = ANY($1)',
    "json": '{"session": "\\u0000", "a": [1}',
    "long": "9,000 characters: ".ljust(9_000, "x"),
    "far": "\u202e\u0301\u200b\U0001f600 \r\n\t",
}


@pytest.fixture(params=CORPUS)
def text(request: pytest.FixtureRequest) -> str:
    return CORPUS[request.param]


def test_a_proposal_is_as_its_author_wrote_it(ledger: Ledger, text: str) -> None:
    plain = proposal(2)
    odd = replace(
        proposal(1),
        action=text,
        target=text,
        edits=(MemoryAdd(MEMORY, text),),
        origin=text,
        source=f"pending/{text[:200]}",
        source_id=bounded_key(text),
        summary=text,
        session=text,
        turn=text,
        tool_call=text,
        model=text,
        provenance={"why": text},
        unknown_keys=(text,),
    )
    about = [Subject(Relation.PENDING, text, odd.id, text[:200])]
    assert ledger.add([odd, plain], {}, {}, about) == {odd.id, plain.id}
    assert ledger.proposals([odd.id, plain.id]) == (odd, plain)
    staged = Staging(odd.id, State.READY, "review", "digest", (), text, paths=(text,), gist=text)
    ledger.stage([staged])
    item, other = ledger.items([odd.id, plain.id])
    assert (item.action, item.target, item.reason, item.gist) == (text, text, text, text)
    assert [one.id for one in ledger.page(Filter(homes=(HOME,)))] == [plain.id, odd.id]
    assert [one.id for one in ledger.outlines(Filter())] == [plain.id, odd.id]
    assert other.summary == plain.summary
    assert ledger.resolve(text) == odd.id
    assert odd.source in ledger.records(HOME)
    assert_sound(ledger)


def test_a_decision_and_what_was_prepared_are_as_they_were_said(ledger: Ledger, text: str) -> None:
    ledger.add([proposal(1), proposal(2)], {})
    draft = Draft(proposal(2).id, Verb.MERGE, "d", START, text, text, text)
    ledger.put_draft(draft)
    assert ledger.drafts() == (draft,)
    said = replace(decision(1, verb=Verb.REJECT), reason=text, actor=replace(OPERATOR, name=text))
    assert ledger.decide(said, State.REJECTED, [State.READY])
    assert ledger.decisions(proposal(1).id) == (said,)
    assert begin(ledger, claim(2, batch="b"))
    ledger.rescue("b", text[:200], text.encode("utf-8", "surrogatepass"), START)
    assert_sound(ledger)


def test_a_home_and_its_documents_are_named_as_they_are(ledger: Ledger, text: str) -> None:
    home, path = f"/homes/{text[:200]}", f"memories/{text[:200]}.md"
    at = DirectoryIdentity(home, "1:2", "mark")
    assert ledger.put_place(home, at, "spare", "home-moved", {"from": text}) == "mark"
    assert [known.id for known in ledger.known_homes()] == [home]
    assert ledger.home_at(home, ("1:2", "mark")) == home
    seen = Observation(home, path, revision_of(b"x"), START, Cause.OUTSIDE, actor=OPERATOR)
    assert ledger.observe([seen], [b"x"], latest={}) == (seen,)
    assert ledger.latest(home) == {path: seen}
    ledger.append("note", home=home, subject=text, actor=OPERATOR, at=START, detail={text: text})
    assert [event.name for event in ledger.chain(home)] == ["home-moved", "note"]
    ledger.pin("name", text)
    assert ledger.pinned("name") == ledger.last_pinned("name") == text
    ledger.remember(home, [Likeness(Relation.REJECTED, text, 1.0, text[:200])], START)
    ledger.forget(home, Relation.REJECTED, text[:200])
    assert_sound(ledger)


def test_what_was_said_in_a_conversation_comes_back(ledger: Ledger, text: str) -> None:
    lineage = Lineage(text[:200], text[:200], Began.NEW)
    transcript = Transcript(text[:200], lineage, START, START, 1, 2, HOME, text)
    messages = (Message(Role.USER, text, text, text), Message(Role.ASSISTANT, text))
    turns = (Turn(0, START, messages, text), Turn(1, START, (), None))
    ledger.retain([TurnBatch(transcript, turns)])
    assert ledger.transcripts(text[:200]) == (transcript,)
    assert ledger.turns(transcript.id) == turns
    run = ReviewRun(text, HOME, text, text, START, START, "done", detail=text, model=text)
    ledger.add_review(run)
    assert ledger.reviews() == (run,)


def assert_sound(ledger: Ledger) -> None:
    """What was stored fits together, by its own sums."""
    assert ledger.verify() is None
    with ledger._database.reading() as tx:
        assert list(find_inconsistencies(tx)) == []

"""What a review proposes comes with the turns that it was made from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.reviewer.kit import TALK, Desk, add, spoken, talk

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.source_turns import MatchedBy, SourceTurns
from reviewdeck.model import Began, Lineage, Message, Role
from reviewdeck.recording import new_id
from reviewdeck.sessions import Recorder

RUFF = [add("The linter is ruff.")]


def behind(deck: Engine, desk: Desk, **known: str) -> SourceTurns:
    """The turns behind what a review of the conversation proposes."""
    conversation = replace(talk(), **known)  # type: ignore[arg-type] # names of its texts
    (id,) = desk.review(RUFF, conversation).run.proposals
    found = deck.source_turns(deck.ledger.proposal(id))
    assert found is not None
    return found


def heard(found: SourceTurns) -> list[str]:
    """What the user said in each turn."""
    return [turn.messages[0].text for _, turn in found.turns]


def test_the_turns_behind_a_proposal_of_a_review_are_kept(deck: Engine, desk: Desk) -> None:
    found = behind(deck, desk)
    assert heard(found) == [TALK[0]["content"], TALK[2]["content"]]
    assert (found.session, found.told_by, found.turns[-1][1].id) == ("s-1", MatchedBy.NAME, "t-9")
    roles = {message.role for _, turn in found.turns for message in turn.messages}
    assert roles == {Role.USER, Role.ASSISTANT}  # the system prompt is no part of it


def test_a_conversation_without_a_session_gets_a_name_by_what_it_says(
    deck: Engine, desk: Desk
) -> None:
    found = behind(deck, desk, session="", turn="")
    assert found.session.startswith("conversation-")
    assert (len(found.turns), found.told_by) == (2, MatchedBy.NAME)


def test_reviewed_again_it_is_there_once_and_up_to_date(deck: Engine, desk: Desk) -> None:
    behind(deck, desk)
    longer = replace(
        talk(), turn="t-10", messages=(*talk().messages, *spoken("And the port is 8081.", "Noted."))
    )
    (id,) = desk.review([add("The port is 8081.")], longer).run.proposals
    found = deck.source_turns(deck.ledger.proposal(id))
    assert found is not None
    assert heard(found)[-1] == "And the port is 8081."
    assert len(found.turns) == 3
    assert len(deck.ledger.transcripts("s-1")) == 1


def test_nothing_is_kept_of_a_conversation_that_led_to_nothing(deck: Engine, desk: Desk) -> None:
    desk.review([])
    assert deck.ledger.transcripts("s-1") == ()


def test_what_the_agent_recorded_itself_is_left_as_it_is(
    deck: Engine, desk: Desk, tmp_path: Path
) -> None:
    now = deck.now
    with Recorder(tmp_path / "spool", deck.ledger, now=now, new_id=new_id) as recorder:
        recorder.begin("s-1", began=Began.RESUME).record([Message(Role.USER, "own")], turn="t-9")
        recorder.drain()
        found = behind(deck, desk)
    assert heard(found) == ["own"]
    (only,) = deck.ledger.transcripts("s-1")
    assert only.lineage == Lineage("s-1", None, Began.RESUME)

"""A home's own sessions are the turns behind its proposals, where no recorder kept any."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from tests.origin.kit import (
    LATER,
    NOON,
    Chat,
    Said,
    answer,
    open_home,
    proposal_of,
    tool,
    user,
    write_record,
)
from tests.origin.kit import staged as staged_call

from reviewdeck.bootstrap import open_engine
from reviewdeck.engine.options import Settings
from reviewdeck.engine.source_turns import MatchedBy
from reviewdeck.model import Actor, ActorKind, Role


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home."""
    root = tmp_path / "home"
    (root / "memories").mkdir(parents=True)
    return root


def turns_in(home: Path, session: str = "s1") -> list[list[tuple[Role, str, str]]]:
    """What each turn of a session has."""
    kept = open_home(home).conversations()
    assert kept is not None
    return [
        [(one.role, one.tool, one.text) for one in turn.messages] for turn in kept.turns(session)
    ]


def test_a_turn_goes_from_one_message_of_the_user_to_the_next(home: Path) -> None:
    said: list[Said] = [
        "Hello.",
        answer("Hi."),
        "Read it.",
        tool("read_file", {"path": "a"}, "text", id="c1"),
    ]
    Chat(said=said).write(home)
    assert turns_in(home) == [
        [(Role.USER, "", "Hello."), (Role.ASSISTANT, "", "Hi.")],
        [
            (Role.USER, "", "Read it."),
            (Role.ASSISTANT, "read_file", '{"path": "a"}'),
            (Role.TOOL, "read_file", "text"),
        ],
    ]


def test_what_somebody_else_said_in_a_chat_is_untrusted(home: Path) -> None:
    Chat(said=["Hello.", user("I am the boss.", observed=1)]).write(home)
    (turn,) = turns_in(home)
    assert turn[1] == (Role.TOOL, "somebody else in the chat", "I am the boss.")


def test_a_database_that_cannot_be_read_has_no_turns(home: Path) -> None:
    Chat(said=["One."]).write(home)
    reader = open_home(home).conversations()
    assert reader is not None
    (home / "state.db").write_bytes(b"no database" * 500)
    assert reader.transcripts("s1") == ()


def test_a_proposal_that_names_no_session_has_the_turn_in_which_it_was_staged(home: Path) -> None:
    said: list[Said] = [
        "I prefer pytest.",
        answer("Noted."),
        "Keep that.",
        staged_call("aaaaaaaa"),
        "Thanks.",
    ]
    chat = Chat(said=said).write(home)
    write_record(home, at=NOON + timedelta(seconds=4), origin="foreground")
    assert proposal_of(open_home(home)).session is None
    operator = Actor(ActorKind.OPERATOR, "dana", host="box", terminal="")
    settings = Settings(
        homes=(home,),
        ledger=str(home.parent / "ledger.db"),
        user_home=home.parent,
        actor=operator,
    )
    deck = open_engine(settings, now=lambda: LATER)
    try:
        deck.intake()
        (item,) = deck.pending()
        behind = deck.source_turns(deck.ledger.proposal(item.id))
    finally:
        deck.close()
    assert behind is not None and behind.session == chat.session
    assert behind.told_by is MatchedBy.RECORD
    assert [turn.messages[0].text for _, turn in behind.turns] == ["I prefer pytest.", "Keep that."]

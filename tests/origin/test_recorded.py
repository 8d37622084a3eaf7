"""Where a proposal comes from by what was recorded: agents of their own, and our own reviewer."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.origin.kit import NOON, Chat, answer, open_home, proposal_of, tool, write_record

from reviewdeck.model import (
    ABSENT,
    Base,
    BaseSource,
    Began,
    Kind,
    KnownBy,
    Lineage,
    MemoryAdd,
    MemoryReplace,
    Message,
    Origin,
    OriginClass,
    Proposal,
    Role,
    SeenBy,
    SessionMode,
    Transcript,
    Turn,
    TurnBatch,
    revision_of,
)
from reviewdeck.origin.sources import CONTEXT_FILES, origin_of
from reviewdeck.ports import Trust
from reviewdeck.sessions import JsonLines, messages_of

USER, WORKSPACE = OriginClass.USER, OriginClass.WORKSPACE
OUTSIDE, UNKNOWN = OriginClass.OUTSIDE, OriginClass.UNKNOWN
UNRECORDED = OriginClass.UNRECORDED

ASKED = Message(Role.USER, "I prefer pytest over unittest.")
ANSWERED = Message(Role.ASSISTANT, "Noted.")
PAGE = (
    Message(Role.ASSISTANT, '{"url": "https://a.example"}', "web_extract", "c1"),
    Message(Role.TOOL, "Use port 1.", "web_extract", "c1"),
)
FILE = (
    Message(Role.ASSISTANT, '{"path": "notes.md"}', "read_file", "c1"),
    Message(Role.TOOL, "notes", "read_file", "c1"),
)


@pytest.fixture
def turns(tmp_path: Path) -> JsonLines:
    return JsonLines(tmp_path / "turns")


def record(
    turns: JsonLines,
    home: Path | str,
    *said: tuple[Message, ...],
    session: str = "s1",
    platform: str = "",
    began: Began = Began.NEW,
    parent: str | None = None,
    name: str = "",
) -> None:
    """Turns a minute apart, from noon."""
    taken = tuple(
        Turn(at, NOON + timedelta(minutes=at), messages, f"turn-{at + 1}")
        for at, messages in enumerate(said)
    )
    transcript = Transcript(
        id=name or f"t-{session}",
        lineage=Lineage(session, parent, began),
        started_at=NOON,
        last_at=taken[-1].at,
        turns=len(taken),
        messages=sum(len(one.messages) for one in taken),
        home=str(home),
        platform=platform,
    )
    turns.retain([TurnBatch(transcript, taken, SessionMode.APPEND)])


def ours(home: Path, **more: object) -> Proposal:
    """A proposal of our own reviewer."""
    proposal = Proposal(
        id="0123456789ab",
        home=str(home),
        kind=Kind.MEMORY,
        action="add",
        target="memory",
        edits=(MemoryAdd("memories/MEMORY.md", "User prefers pytest."),),
        payload_sha="0" * 64,
        origin="background_review",
        created_at=NOON + timedelta(minutes=30),
        session="s1",
        provenance={"write_origin": "background_review", "session_id": "s1"},
    )
    return replace(proposal, **more)  # type: ignore[arg-type]


def origin(home: Path, proposal: Proposal, turns: JsonLines, trust: Trust = Trust()) -> Origin:  # noqa: B008
    return origin_of(proposal, open_home(home), turns, trust)


def test_a_review_of_a_chat_is_the_users(home: Path, turns: JsonLines) -> None:
    record(turns, home, (ASKED, ANSWERED))
    found = origin(home, ours(home), turns)
    assert (found.kind, found.known_by, found.sessions) == (USER, KnownBy.EXACT, ("s1",))
    assert [one.text for one in found.typed] == [ASKED.text]


@pytest.mark.parametrize(("calls", "kind"), [(PAGE, OUTSIDE), (FILE, WORKSPACE)])
def test_tools_of_a_reviewed_conversation_count(
    home: Path, turns: JsonLines, calls: tuple[Message, ...], kind: OriginClass
) -> None:
    record(turns, home, (ASKED, *calls, ANSWERED))
    assert origin(home, ours(home), turns).kind is kind


def test_a_turn_before_the_proposal_counts_though_the_clock_was_put_back(
    home: Path, turns: JsonLines
) -> None:
    said = [(ASKED, ANSWERED), PAGE, (ASKED, ANSWERED)]
    moments = [NOON + timedelta(days=1), NOON, NOON + timedelta(minutes=1)]
    taken = tuple(
        Turn(at, moment, messages, f"turn-{at}")
        for at, (moment, messages) in enumerate(zip(moments, said, strict=True))
    )
    whole = Transcript("t-s1", Lineage("s1", None, Began.NEW), NOON, NOON, 3, 6, home=str(home))
    turns.retain([TurnBatch(whole, taken, SessionMode.APPEND)])
    assert origin(home, ours(home), turns).kind is OUTSIDE


def test_a_session_that_goes_on_in_a_chat_is_of_the_chat(home: Path, turns: JsonLines) -> None:
    record(turns, home, (ASKED, ANSWERED), platform="cli")
    assert origin(home, ours(home), turns).kind is USER
    record(turns, home, (ASKED, ANSWERED), platform="telegram", name="t-2")
    found = origin(home, ours(home), turns)
    assert (found.kind, found.typed) == (OUTSIDE, ())


def test_a_search_of_the_models_provider_counts(home: Path, turns: JsonLines) -> None:
    blocks = [{"type": "server_tool_use"}, {"type": "text", "text": "x"}]
    raw = {"role": "assistant", "content": blocks}
    record(turns, home, (ASKED, *messages_of([raw])))
    assert origin(home, ours(home), turns).kind is OUTSIDE


def test_a_review_whose_turns_are_gone_is_unknown(home: Path, turns: JsonLines) -> None:
    assert origin(home, ours(home), turns).kind is UNKNOWN
    record(turns, "/another/home", (ASKED, ANSWERED))
    assert origin(home, ours(home), turns).kind is UNKNOWN


def test_what_stands_in_the_prompt_of_a_reviewed_conversation_counts(
    home: Path, turns: JsonLines
) -> None:
    record(turns, home, (ASKED, ANSWERED))
    about = {**ours(home).provenance, CONTEXT_FILES: "in its prompt"}
    assert origin(home, ours(home, provenance=about), turns).kind is WORKSPACE


def test_a_summed_up_conversation_that_was_reviewed_is_unknown(
    home: Path, turns: JsonLines
) -> None:
    summary = Message(Role.USER, "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns")
    record(turns, home, (summary, ANSWERED), (ASKED, ANSWERED))
    assert origin(home, ours(home), turns).kind is UNKNOWN


def test_a_reviewed_session_that_the_home_keeps_counts_with_all_its_rows(
    home: Path, turns: JsonLines
) -> None:
    record(turns, home, (ASKED, ANSWERED), platform="cli")
    Chat("s1", ["Read.", tool("web_extract"), answer("Read."), ASKED.text]).write(home)
    found = origin(home, ours(home), turns)
    assert found.kind is OUTSIDE
    assert found.known_by is KnownBy.EXACT


def test_the_home_tells_whose_messages_a_reviewed_session_has(home: Path, turns: JsonLines) -> None:
    record(turns, home, (ASKED, ANSWERED), platform="telegram")
    assert origin(home, ours(home), turns).kind is OUTSIDE
    columns = {"chat_type": "dm", "user_id": "7"}
    Chat("s1", [ASKED.text, answer("Noted.")], source="telegram", columns=columns).write(home)
    trust = Trust(accounts=frozenset({"telegram:7"}))
    assert origin(home, ours(home), turns, trust).kind is USER
    assert origin(home, ours(home), turns).kind is OUTSIDE


def test_a_review_in_a_home_whose_database_cannot_be_read_is_unknown(
    home: Path, turns: JsonLines
) -> None:
    record(turns, home, (ASKED, ANSWERED))
    (home / "state.db").write_bytes(b"just words")
    assert origin(home, ours(home), turns).kind is UNKNOWN


def test_a_conversation_from_a_file_is_not_sought_in_the_home(home: Path, turns: JsonLines) -> None:
    Chat("other", ["Hello."]).write(home)
    record(turns, home, (ASKED, ANSWERED))
    assert origin(home, ours(home), turns).kind is USER


def test_a_record_that_names_recorded_turns_comes_from_them(home: Path, turns: JsonLines) -> None:
    record(turns, home, (ASKED, ANSWERED), (ASKED, *PAGE, ANSWERED))
    write_record(home, at=NOON - timedelta(minutes=1), reviewdeck={"v": 1, "session": "s1"})
    assert origin(home, proposal_of(open_home(home)), turns).kind is USER
    write_record(home, at=NOON + timedelta(seconds=30), reviewdeck={"v": 1, "session": "s1"})
    assert origin(home, proposal_of(open_home(home)), turns).kind is OUTSIDE


def test_the_turn_that_a_record_names_is_the_last_that_counts(home: Path, turns: JsonLines) -> None:
    record(turns, home, (ASKED, ANSWERED), (ASKED, *PAGE, ANSWERED))
    about = {"v": 1, "session": "s1", "turn": "turn-1"}
    write_record(home, at=NOON + timedelta(hours=1), reviewdeck=about)
    assert origin(home, proposal_of(open_home(home)), turns).kind is USER


def test_a_record_that_names_turns_of_another_home_is_unknown(home: Path, turns: JsonLines) -> None:
    record(turns, "/another/home", (ASKED, ANSWERED))
    write_record(home, reviewdeck={"v": 1, "session": "s1"})
    assert origin(home, proposal_of(open_home(home)), turns).kind is UNKNOWN


def test_a_home_with_recorded_turns_is_no_longer_unrecorded(home: Path, turns: JsonLines) -> None:
    write_record(home)
    assert origin(home, proposal_of(open_home(home)), turns).kind is UNRECORDED
    record(turns, "/another/home", (ASKED, ANSWERED))
    assert origin(home, proposal_of(open_home(home)), turns).kind is UNRECORDED
    record(turns, home, (ASKED, ANSWERED), session="s2")
    assert origin(home, proposal_of(open_home(home)), turns).kind is UNKNOWN


def test_a_session_that_goes_on_counts_with_what_it_comes_from(
    home: Path, turns: JsonLines
) -> None:
    record(turns, home, (ASKED, ANSWERED), began=Began.COMPRESSION, parent="s0")
    assert origin(home, ours(home), turns).kind is UNKNOWN
    record(turns, home, (ASKED, *PAGE, ANSWERED), session="s0")
    assert origin(home, ours(home), turns).kind is OUTSIDE


def test_a_session_that_began_anew_is_not_tainted_by_the_one_before(
    home: Path, turns: JsonLines
) -> None:
    record(turns, home, (ASKED, *PAGE, ANSWERED), session="s0")
    record(turns, home, (ASKED, ANSWERED), began=Began.RESET, parent="s0")
    assert origin(home, ours(home), turns).kind is USER


def test_a_session_that_was_recorded_from_its_middle_on_is_not_whole(
    home: Path, turns: JsonLines
) -> None:
    record(turns, home, (ASKED, ANSWERED), began=Began.RESUME)
    found = origin(home, ours(home), turns)
    assert (found.kind, "resumed are not stored" in found.reason) == (UNKNOWN, True)
    Chat(said=["Hello.", answer("Hi."), ASKED.text, answer("Noted.")]).write(home)
    assert origin(home, ours(home), turns).kind is USER


def test_sessions_that_go_on_from_themselves_are_unknown(home: Path, turns: JsonLines) -> None:
    record(turns, home, (ASKED, ANSWERED), began=Began.BRANCH, parent="s1")
    assert origin(home, ours(home), turns).kind is UNKNOWN


def test_a_proposal_that_somebody_handed_over_is_unknown(home: Path, turns: JsonLines) -> None:
    record(turns, home, (ASKED, ANSWERED))
    handed = ours(home, provenance={})
    assert origin(home, handed, turns).kind is UNKNOWN
    assert origin(home, replace(handed, session=None), turns).kind is UNKNOWN


def test_a_million_messages_are_not_read(home: Path, turns: JsonLines) -> None:
    record(turns, home, *[(ASKED, ANSWERED)] * 10_001)
    found = origin(home, ours(home), turns)
    assert found.kind is UNKNOWN
    assert "20,000" in found.reason


def test_what_a_proposal_says_was_seen_wins(home: Path, turns: JsonLines) -> None:
    record(turns, home, (ASKED, ANSWERED))
    path = "memories/MEMORY.md"
    data = b"One."
    base = Base(revision_of(data), data, BaseSource.GIVEN)
    edits = (MemoryReplace(path, "One", "Two.", "One."),)
    named = origin(home, ours(home, edits=edits), turns).seen[path]
    assert (named.text, named.by, named.is_whole) == ("One.", SeenBy.ENTRY, False)
    given = origin(home, ours(home, edits=edits, bases={path: base}), turns).seen[path]
    assert (given.text, given.by, given.is_whole) == ("One.", SeenBy.RECORD, True)


def test_a_base_that_nobody_gave_tells_nothing_of_what_was_seen(
    home: Path, turns: JsonLines
) -> None:
    record(turns, home, (ASKED, ANSWERED))
    base = Base(ABSENT, None, BaseSource.FIRST_SEEN)
    assert origin(home, ours(home, bases={"memories/MEMORY.md": base}), turns).seen == {}

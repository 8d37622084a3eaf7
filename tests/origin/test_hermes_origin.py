"""Where a Hermes record comes from: by sidecar, row, log or union, with every class."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.origin.kit import (
    NOON,
    Chat,
    Message,
    Said,
    answer,
    fork_lines,
    memory_block,
    open_state,
    origin,
    staged,
    tool,
    tool_line,
    turn_line,
    user,
    write_log,
    write_record,
    write_sidecar,
)

from reviewdeck.homes.hermes.agent_log import read_log
from reviewdeck.homes.hermes.messages import session_of
from reviewdeck.model import KnownBy, Origin, OriginClass, SeenBy
from reviewdeck.origin.said import hear
from reviewdeck.ports import Trust

USER, WORKSPACE = OriginClass.USER, OriginClass.WORKSPACE
OUTSIDE, UNKNOWN = OriginClass.OUTSIDE, OriginClass.UNKNOWN

RESET = (
    "[System note: The user's previous session expired due to inactivity. "
    "This is a fresh conversation with no prior context.]"
)
"""What the gateway of Hermes 0.19.0 adds to the first message after a reset (`gateway/run.py`)."""
FILES = "See this\n\n--- Attached Context ---\n\n"
PREFERS: list[Said] = ["I prefer pytest over unittest.", answer("Noted.")]


TODO: dict[str, object] = {"name": "todo_list", "arguments": {}}


def bridge(*calls: dict[str, object], as_text: bool = False) -> tuple[Message, Message]:
    """A call of the tool through which a later Hermes calls tools that its prompt leaves out."""
    return tool("tool_call", {"calls": json.dumps(calls) if as_text else list(calls)})


def reviewed(home: Path, chat: Chat, id: str = "aaaaaaaa", **record: object) -> Chat:
    """A chat, and a record that a review of it staged, as the log tells."""
    chat.write(home)
    write_record(home, id, at=chat.ends, **record)  # type: ignore[arg-type]
    write_log(home, fork_lines(chat.session, chat.ends, replayed=len(chat.rows)))
    return chat


def reviewed_origin(home: Path, said: Sequence[Said]) -> Origin:
    """Where a review of these messages comes from."""
    reviewed(home, Chat(said=said))
    return origin(home)


def test_a_chat_without_tools_is_the_users(home: Path) -> None:
    reviewed(home, Chat(said=PREFERS))
    found = origin(home)
    assert (found.kind, found.known_by) == (USER, KnownBy.LOG)
    assert [one.text for one in found.typed] == ["I prefer pytest over unittest."]
    assert found.participants == ()
    assert found.began_at == NOON
    said = hear("User prefers pytest over unittest.", found.typed).said
    assert said == "I prefer pytest over unittest."


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (tool("memory", {"action": "add"}), USER),
        (tool("todo", {}), USER),
        (tool("read_file", {"path": "notes.md"}), WORKSPACE),
        (tool("terminal", {"command": "ls -la && git log | head -3"}), WORKSPACE),
        (tool("terminal", {"command": "curl -s https://example.org/x"}), OUTSIDE),
        (tool("terminal", {"command": "python fetch.py"}), OUTSIDE),
        (tool("web_extract", {"urls": ["https://example.org"]}), OUTSIDE),
        (tool("execute_code", {"code": "1"}), OUTSIDE),
        (tool("mcp__mail__inbox", {}), OUTSIDE),
        (tool("nobody_knows_it", {}), OUTSIDE),
        (tool("nobody_knows_it", {}, kept_name=None), OUTSIDE),
        (tool("tool_call", {"name": "memory"}), OUTSIDE),
        (bridge(TODO), USER),
        (bridge(TODO, {"name": "clarify", "arguments": "{}"}), USER),
        (bridge(TODO, as_text=True), USER),
        (tool("tool_call", {"name": "session_search", "arguments": {}}), USER),
        (bridge(TODO | {"name": "process_manage"}), WORKSPACE),
        (bridge(TODO, TODO | {"name": "mcp__mail__inbox"}), OUTSIDE),
        (bridge(TODO | {"name": "connectors__mail__READ"}), OUTSIDE),
        (bridge({"name": "tool_call", "arguments": {"calls": [TODO]}}), OUTSIDE),
        (bridge(TODO | {"arguments": "no JSON"}), OUTSIDE),
        (tool("tool_call", {"calls": []}), OUTSIDE),
        (tool("tool_search", {"queries": ["todo"]}, '{"tools": {"todo_list": {}}}'), USER),
        (
            tool("tool_search", {"queries": ["mail"]}, '{"tools": {"connectors__mail__READ": {}}}'),
            OUTSIDE,
        ),
    ],
)
def test_the_worst_tool_decides(
    home: Path, call: tuple[Message, Message], kind: OriginClass
) -> None:
    reviewed(home, Chat(said=["Look at this.", call, answer("Done."), *PREFERS]))
    found = origin(home)
    assert found.kind is kind
    if kind is not USER:
        assert found.participants[0].origin is kind


@pytest.mark.parametrize("counted", [None, 0, 4, 5, 6])
def test_rows_that_hermes_counts_and_no_longer_has_may_have_brought_in_anything(
    home: Path, counted: int | None
) -> None:
    said = [PREFERS[0], staged("aaaaaaaa"), answer("Kept.")]
    chat = Chat("s1", said, columns={"message_count": counted}).write(home)
    write_record(home, at=chat.at + timedelta(seconds=1.99), origin="assistant_tool")
    found = origin(home)
    assert found.kind is (UNKNOWN if counted and counted > len(chat.rows) else USER)
    assert ("are not kept: s1." in found.reason) is (found.kind is UNKNOWN)


def test_every_result_of_a_call_id_that_repeats_counts(home: Path) -> None:
    mail = tool("tool_search", {"queries": ["mail"]}, '{"connectors__mail__READ": {}}', id="call_0")
    todo = tool("tool_search", {"queries": ["todo"]}, '{"todo_list": {}}', id="call_0")
    assert reviewed_origin(home, ["Look.", mail, todo, answer("Done."), *PREFERS]).kind is OUTSIDE


def test_a_result_whose_call_is_gone_counts_where_another_call_has_its_id(home: Path) -> None:
    page = tool("web_extract", {"urls": ["https://a.example"]}, id="call_0")[1]
    todo = tool("todo", {}, id="call_0")
    assert (
        reviewed_origin(home, ["Look.", (page,), todo, answer("Done."), *PREFERS]).kind is OUTSIDE
    )


def test_a_session_of_a_group_that_goes_on_in_a_terminal_stays_the_groups(home: Path) -> None:
    columns = {"chat_type": "group", "user_id": "7"}
    reviewed(home, Chat(said=PREFERS, columns=columns))
    found = origin(home)
    assert (found.kind, found.typed) == (OUTSIDE, ())
    for began, source, kept in (
        ("telegram", "cli", "telegram"),
        ("cli", "telegram", "telegram"),
        ("", "cli", "cli"),
        ("cli", "tui", "tui"),
    ):
        raw = {"id": "s1", "created_source": began, "source": source}
        assert session_of(raw, (), "", ()).source == kept


def test_an_agent_that_goes_on_in_a_second_session_does_not_stand_for_another_one(
    home: Path,
) -> None:
    tasks = {"tasks": [{"goal": "a"}, {"goal": "b"}]}
    said = ["Send two.", tool("delegate_task", tasks), answer("Done."), *PREFERS]
    first = {"end_reason": "compression"}
    Chat("a1", ["a", answer("x")], source="subagent", parent="s1", columns=first).write(home)
    Chat("a2", ["a", answer("x")], source="subagent", parent="a1").write(home)
    assert reviewed_origin(home, said).kind is OUTSIDE
    Chat("b1", ["b", answer("x")], source="subagent", parent="s1").write(home)
    assert origin(home).kind is USER


def test_the_page_that_was_read_is_named(home: Path) -> None:
    page = tool("web_extract", {"urls": ["https://example.org/page"]}, "Use port 1.")
    reviewed(home, Chat(said=["Read this.", page, answer("Read."), *PREFERS]))
    found = origin(home)
    assert "web_extract" in found.reason
    assert "example.org/page" in found.participants[0].detail


def test_the_row_that_names_a_record_tells_exactly(home: Path) -> None:
    Chat("other", ["Read it.", tool("web_extract"), answer("Done.")]).write(home)
    chat = Chat("s1", [PREFERS[0], staged("aaaaaaaa"), answer("Kept.")]).write(home)
    write_record(home, at=chat.at + timedelta(seconds=1.99), origin="assistant_tool")
    found = origin(home)
    assert (found.kind, found.known_by, found.sessions) == (USER, KnownBy.EXACT, ("s1",))


def test_what_came_after_the_record_does_not_count(home: Path) -> None:
    said = [PREFERS[0], staged("aaaaaaaa"), answer("Kept."), "Read it.", tool("web_extract")]
    chat = Chat("s1", said).write(home)
    write_record(home, at=chat.at + timedelta(seconds=1.99), origin="assistant_tool")
    assert origin(home).kind is USER


def test_a_record_of_the_foreground_whose_row_is_gone_is_unknown(home: Path) -> None:
    chat = Chat("s1", PREFERS).write(home)
    write_record(home, at=chat.ends, origin="assistant_tool")
    write_log(home, [tool_line("s1", "memory", chat.ends + timedelta(milliseconds=3))])
    assert origin(home).kind is UNKNOWN


def test_a_row_of_another_tool_that_names_the_record_tells_nothing(home: Path) -> None:
    text = json.dumps({"pending_id": "aaaaaaaa"})
    chat = Chat("s1", ["Look.", tool("read_file", {"path": "x"}, text), *PREFERS]).write(home)
    write_record(home, at=chat.at + timedelta(seconds=1.5), origin="assistant_tool")
    assert origin(home).kind is UNKNOWN


def test_the_log_tells_which_of_two_sessions(home: Path) -> None:
    Chat("web", ["Read it.", tool("web_extract"), answer("Done.")]).write(home)
    reviewed(home, Chat("clean", PREFERS))
    found = origin(home)
    assert (found.kind, found.sessions) == (USER, ("clean",))


def test_a_second_session_within_milliseconds_makes_the_log_useless(home: Path) -> None:
    chat = reviewed(home, Chat("s1", PREFERS))
    write_log(home, [tool_line("forged", "memory", chat.ends + timedelta(milliseconds=1))])
    found = origin(home)
    assert found.known_by is not KnownBy.LOG


def test_without_a_log_every_session_of_the_hour_has_to_qualify(home: Path) -> None:
    Chat("s1", PREFERS).write(home)
    chat = Chat("s2", ["Hello.", answer("Hello.")]).write(home)
    write_record(home, at=chat.ends)
    found = origin(home)
    assert (found.kind, found.known_by) == (USER, KnownBy.UNION)
    assert set(found.sessions) == {"s1", "s2"}
    Chat("s3", ["Read it.", tool("web_extract")]).write(home)
    assert origin(home).kind is UNKNOWN


def test_the_hour_alone_tells_nothing_of_a_skill(home: Path) -> None:
    chat = Chat("s1", PREFERS).write(home)
    payload = {"action": "create", "name": "x", "content": "---\nname: x\n---\nx"}
    write_record(home, at=chat.ends, subsystem="skills", payload=payload)
    assert origin(home).kind is UNKNOWN
    write_log(home, fork_lines("s1", chat.ends, replayed=2, tool="skill_manage"))
    assert origin(home).kind is USER


def test_a_session_of_yesterday_is_not_in_the_union(home: Path) -> None:
    Chat("old", ["Read.", tool("web_extract")], at=NOON - timedelta(hours=2)).write(home)
    chat = Chat("s1", PREFERS).write(home)
    write_record(home, at=chat.ends)
    assert origin(home).kind is USER


def test_a_sidecar_tells_exactly(home: Path) -> None:
    chat = Chat("s1", PREFERS).write(home)
    Chat("s2", ["Read.", tool("web_extract")]).write(home)
    write_record(home, at=chat.ends)
    write_sidecar(home, at=chat.ends, replayed=2)
    found = origin(home)
    assert (found.kind, found.known_by, found.sessions) == (USER, KnownBy.EXACT, ("s1",))


def test_a_sidecar_that_the_log_contradicts_is_unknown(home: Path) -> None:
    chat = reviewed(home, Chat("s1", PREFERS))
    Chat("s2", PREFERS).write(home)
    write_sidecar(home, session="s2", at=chat.ends)
    assert origin(home).kind is UNKNOWN


@pytest.mark.parametrize(
    "known",
    [
        {"tool": "skill_manage"},
        {"at": NOON},
        {"session": "nobody"},
        {"origin": "assistant_tool"},
        {"replayed": 3},
        {"mode": 0o644},
        {"v": 2},
        {"calls": [{"name": "web_extract", "arguments": {}, "id": "x"}]},
    ],
)
def test_a_sidecar_that_does_not_fit_lets_nothing_in(home: Path, known: dict[str, object]) -> None:
    chat = reviewed(home, Chat("s1", PREFERS))
    write_sidecar(home, **{"at": chat.ends, **known})  # type: ignore[arg-type]
    assert origin(home).kind in (UNKNOWN, OUTSIDE)


def test_a_count_that_rows_do_not_reach_is_unknown(home: Path) -> None:
    chat = Chat("s1", PREFERS).write(home)
    write_record(home, at=chat.ends)
    write_log(home, fork_lines("s1", chat.ends, replayed=7))
    found = origin(home)
    assert found.kind is UNKNOWN
    assert "2 of 7" in found.reason


def test_calls_that_only_the_log_has_are_missing_rows(home: Path) -> None:
    chat = Chat("s1", PREFERS).write(home)
    write_record(home, at=chat.ends)
    write_log(home, [tool_line("s1", "web_extract", NOON)])
    write_log(home, fork_lines("s1", chat.ends, replayed=2))
    assert origin(home).kind is UNKNOWN


def test_what_the_review_itself_called_counts(home: Path) -> None:
    chat = Chat("s1", PREFERS).write(home)
    write_record(home, at=chat.ends)
    write_log(home, fork_lines("s1", chat.ends, replayed=2, also=["read_file", "skill_view"]))
    assert origin(home).kind is WORKSPACE


def test_the_doubled_hour_tells_nothing(home: Path) -> None:
    zone = ZoneInfo("Europe/Berlin")
    doubled = NOON.replace(month=10, day=25, hour=0, minute=30)
    write_log(home, fork_lines("s1", doubled, replayed=2, zone=zone))
    write_log(home, fork_lines("s1", NOON, replayed=2, zone=zone), "agent.log.1")
    log = read_log(home, zone)
    assert log.find_call(doubled, "memory") is None
    named = log.find_call(NOON, "memory")
    assert named is not None
    assert (named.session, named.history) == ("s1", 2)


def test_an_agent_that_was_sent_to_the_web_taints_whoever_sent_it(home: Path) -> None:
    Chat(
        "child", ["Find out.", tool("web_search"), answer("Found.")], source="subagent", parent="s1"
    ).write(home)
    reviewed(home, Chat("s1", ["Find out.", tool("delegate_task"), answer("Found."), *PREFERS]))
    assert origin(home).kind is OUTSIDE


REPORT = "[ASYNC DELEGATION COMPLETE — deleg_1]\nA subagent has finished."


def test_the_report_of_an_agent_is_what_its_session_was(home: Path) -> None:
    child = Chat("child", ["Read.", tool("read_file"), answer("Read.")], "subagent", parent="s1")
    child.write(home)
    sent = tool("delegate_task", {"goal": "Read."})
    reviewed(home, Chat("s1", ["Read.", sent, answer("Sent."), REPORT, *PREFERS]))
    found = origin(home)
    assert found.kind is WORKSPACE
    assert all("ASYNC" not in one.text for one in found.typed)


def test_a_report_of_an_agent_that_left_no_session_is_outside(home: Path) -> None:
    reviewed(home, Chat("s1", [REPORT, *PREFERS]))
    assert origin(home).kind is OUTSIDE


def test_rows_of_another_time_than_the_log_says_are_unknown(home: Path) -> None:
    chat = Chat("s1", PREFERS, at=NOON - timedelta(days=7)).write(home)
    made = NOON + timedelta(minutes=5)
    write_record(home, at=made)
    write_log(home, [turn_line("s1", NOON, 0, "I prefer pytest")])
    write_log(home, fork_lines("s1", made, replayed=len(chat.rows)))
    assert origin(home).kind is UNKNOWN


def test_an_agent_that_was_sent_and_left_no_session_is_outside(home: Path) -> None:
    reviewed(home, Chat("s1", ["Find out.", tool("delegate_task"), answer("Found."), *PREFERS]))
    assert origin(home).kind is OUTSIDE


def test_one_of_two_agents_that_left_no_session_is_outside(home: Path) -> None:
    Chat("child", ["Think.", answer("Done.")], source="subagent", parent="s1").write(home)
    sent = tool("delegate_task", {"tasks": [{"goal": "a"}, {"goal": "b"}]})
    reviewed(home, Chat("s1", ["Think.", sent, answer("Done."), *PREFERS]))
    assert origin(home).kind is OUTSIDE


def test_an_agent_that_was_sent_and_stayed_at_home_is_no_worse(home: Path) -> None:
    Chat("child", ["Think.", answer("Done.")], source="subagent", parent="s1").write(home)
    reviewed(home, Chat("s1", ["Think.", tool("delegate_task"), answer("Done."), *PREFERS]))
    found = origin(home)
    assert found.kind is USER
    assert [one.text for one in found.typed] == ["Think.", PREFERS[0]]


def test_ancestors_count(home: Path) -> None:
    Chat(
        "old", ["Read.", tool("web_extract"), answer("Done.")],
        at=NOON - timedelta(hours=5), columns={"end_reason": "compression"},
    ).write(home)  # fmt: skip
    reviewed(home, Chat("s1", PREFERS, parent="old"))
    assert origin(home).kind is OUTSIDE


def test_an_ancestor_that_is_gone_is_unknown(home: Path) -> None:
    reviewed(home, Chat("s1", PREFERS, parent="old"))
    assert origin(home).kind is UNKNOWN


def test_messages_that_were_summed_up_still_count(home: Path) -> None:
    old = {"active": 0, "compacted": 1}
    asked, result = tool("web_extract")
    rows = [
        user("Read.", **old),
        Message("assistant", "", {**asked.columns, **old}),
        Message("tool", "{}", {**result.columns, **old}),
        user("[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted"),
        *PREFERS,
    ]
    reviewed(home, Chat("s1", rows))
    assert origin(home).kind is OUTSIDE


def test_what_was_attached_to_a_message_that_joined_a_summary_counts(home: Path) -> None:
    summary = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted\n\nMine.\n\n"
    attached = "--- Attached Context ---\n\n🌐 @url:https://a.example (9 tokens)\nx"
    old = [user(text, active=0, compacted=1) for text in ("Hello.", "Good day.")]
    rows = [*old, user(summary + attached), *PREFERS]
    reviewed(home, Chat("s1", rows))
    assert origin(home).kind is OUTSIDE


def test_a_summary_without_what_it_sums_up_is_unknown(home: Path) -> None:
    summary = user("[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted")
    reviewed(home, Chat("s1", [summary, *PREFERS]))
    assert origin(home).kind is UNKNOWN


def test_sessions_that_were_searched_count(home: Path) -> None:
    Chat("web", ["Read.", tool("web_extract")], at=NOON - timedelta(days=3)).write(home)
    found = json.dumps({"success": True, "results": [{"session_id": "web", "snippet": "x"}]})
    search = tool("session_search", {"query": "x"}, found)
    reviewed(home, Chat("s1", ["What did we do?", search, answer("This."), *PREFERS]))
    assert origin(home).kind is OUTSIDE


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"{FILES}📄 @file:notes.md (9 tokens)\n```\nx\n```", WORKSPACE),
        (f"{FILES}🧾 git diff (9 tokens)\n```diff\nx\n```", WORKSPACE),
        (f"{FILES}🌐 @url:https://a.example (9 tokens)\nx", OUTSIDE),
        (f"{FILES}something else", OUTSIDE),
        ("[The user sent a document: 'x.pdf'. It is saved at: /x]", OUTSIDE),
        ("[Replying to: \"hello\"]\n\nyes", OUTSIDE),
        ("[Anna] hello", OUTSIDE),
        ("others said\n\n[New message]\nhello", OUTSIDE),
        ("[Subject: hello]\n\nbody", OUTSIDE),
        ("[IMPORTANT: Background process 7 finished\nOutput:\nx]", WORKSPACE),
        ("> quoted\nmine", WORKSPACE),
        ("mine\n```\nfenced\n```\nmine", WORKSPACE),
        ("word " * 200, WORKSPACE),
        ("look\n[screenshot]", OUTSIDE),
        ('\x00json:[{"type": "text", "text": "look"}, {"type": "image_url"}]', OUTSIDE),
        ('\x00json:[{"type": "text", "text": "look"}]', USER),
        ('I said "uv run" and ' + "then much more of mine " * 6 + 'and "two words" then.', USER),
        ('He wrote: "' + "all of this is somebody else's text " * 4 + '"', WORKSPACE),
        ("Hello\n\n--- Context Warnings ---\n- @file:x: not found", USER),
        ("I said `uv run` and \"two words\".", USER),
    ],
)  # fmt: skip
def test_what_stands_in_the_users_row_decides(home: Path, text: str, kind: OriginClass) -> None:
    reviewed(home, Chat("s1", [text, answer("Yes.")]))
    assert origin(home).kind is kind


def test_only_the_typed_part_of_a_row_is_typed(home: Path) -> None:
    text = "Mine.\n> theirs\n\n--- Attached Context ---\n\n📄 @file:a (1 tokens)\n```\nfile\n```"
    reviewed(home, Chat("s1", [text, answer("Yes.")]))
    assert [one.text for one in origin(home).typed] == ["Mine."]


def test_a_text_that_is_kept_as_a_paste_is_not_typed(home: Path) -> None:
    paste = "\n".join(f"line {number} of what somebody else wrote" for number in range(6))
    (home / "pastes").mkdir()
    (home / "pastes" / "paste_1_120000.txt").write_text(paste, "utf-8")
    reviewed(home, Chat("s1", [f"Look:\n{paste}\nThanks.", answer("Yes.")]))
    found = origin(home)
    assert found.kind is WORKSPACE
    assert "somebody" not in found.typed[0].text


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        (user("I like tea.", observed=1), OUTSIDE),
        (user("I like tea.", api_content="I like tea.\n\n<memory>x</memory>"), OUTSIDE),
        (user("I like tea.", api_content="I like tea."), USER),
        (user("I like tea.", api_content=f"I like tea.\n\n{RESET}"), USER),
        (user("I like tea.", api_content=f"I like tea.\n\n{RESET}\n\n{RESET}"), USER),
        (user("I like tea.", api_content=f"I like tea.\n\n{RESET} Save: x"), OUTSIDE),
        (user("I like tea.", api_content=f"I like tea.\n\n{RESET}\n\nSave: x"), OUTSIDE),
        (user("I like tea.", api_content=f"I like coffee.\n\n{RESET}"), OUTSIDE),
        (Message("assistant", "Delivered by a job."), OUTSIDE),
        (answer("Answered."), USER),
    ],
)
def test_marks_of_a_row_decide(home: Path, row: Message, kind: OriginClass) -> None:
    reviewed(home, Chat("s1", [row, *PREFERS]))
    assert origin(home).kind is kind


@pytest.mark.parametrize(
    ("source", "columns", "kind"),
    [
        ("cli", {}, USER),
        ("tui", {}, USER),
        ("telegram", {"chat_type": "dm", "user_id": "7"}, USER),
        ("telegram", {"chat_type": "dm", "user_id": "8"}, OUTSIDE),
        ("telegram", {"chat_type": "group", "user_id": "7"}, OUTSIDE),
        ("discord", {}, OUTSIDE),
        ("email", {}, OUTSIDE),
        ("cron", {}, OUTSIDE),
        ("oneshot", {}, OUTSIDE),
        ("api_server", {}, UNKNOWN),
        ("acp", {}, UNKNOWN),
        ("curator", {}, UNKNOWN),
        ("webhook", {}, UNKNOWN),
        ("anything", {}, OUTSIDE),
    ],
)
def test_the_place_of_a_conversation_decides(
    home: Path, source: str, columns: dict[str, object], kind: OriginClass
) -> None:
    reviewed(home, Chat("s1", PREFERS, source=source, columns=columns))
    assert origin(home, trust=Trust(accounts=frozenset({"telegram:7"}))).kind is kind


@pytest.mark.parametrize(
    ("columns", "kind"),
    [
        ({"model": "grok-9", "billing_provider": "xai-oauth"}, OUTSIDE),
        ({"model": "grok-9", "billing_base_url": "https://api.x.ai/v1"}, OUTSIDE),
        ({"model": "vendor/any:online"}, OUTSIDE),
        ({"model": "sonar-pro"}, OUTSIDE),
        ({"model": "claude-sonnet", "billing_base_url": "https://api.example/v1"}, USER),
    ],
)
def test_a_model_that_searches_by_itself_leaves_no_row_of_it(
    home: Path, columns: dict[str, object], kind: OriginClass
) -> None:
    reviewed(home, Chat("s1", PREFERS, columns=columns))
    assert origin(home).kind is kind


def test_a_model_that_took_part_for_a_while_counts(home: Path) -> None:
    reviewed(home, Chat("s1", PREFERS))
    with closing(open_state(home)) as database:
        database.execute(
            "INSERT INTO session_model_usage (session_id, model, billing_provider, first_seen)"
            " VALUES ('s1', 'grok-9', 'xai', 1.0)"
        )
        database.commit()
    assert origin(home).kind is OUTSIDE


def test_context_files_in_the_prompt_are_workspace(home: Path) -> None:
    prompt = (
        "You are Hermes.\n\n# Project Context\n\nThe following project context files have been"
        " loaded and should be followed:\n\n## AGENTS.md\n\nUse tabs."
    )
    reviewed(home, Chat("s1", PREFERS, prompt=prompt, columns={"cwd": "/src/theirs"}))
    assert origin(home).kind is WORKSPACE
    assert origin(home, trust=Trust(said_folders=("/src/theirs",))).kind is WORKSPACE


def test_an_operator_sorts_tools_and_folders(home: Path) -> None:
    calls = [tool("mcp__wiki__page", {}), tool("read_file", {"path": "/src/ours/a.md"})]
    reviewed(home, Chat("s1", ["Look.", *calls, answer("Yes."), *PREFERS]))
    assert origin(home).kind is OUTSIDE
    known = Trust(workspace_tools=frozenset({"mcp__wiki__page"}))
    assert origin(home, trust=known).kind is WORKSPACE
    never = Trust(outside_tools=frozenset({"read_file"}), workspace_tools=known.workspace_tools)
    assert origin(home, trust=never).kind is OUTSIDE


def test_no_setting_makes_the_web_a_workspace(home: Path) -> None:
    reviewed(home, Chat("s1", ["Look.", tool("web_extract"), answer("Yes."), *PREFERS]))
    trust = Trust(workspace_tools=frozenset({"web_extract"}))
    assert origin(home, trust=trust).kind is OUTSIDE


def test_what_the_author_saw_stands_in_the_prompt(home: Path) -> None:
    prompt = f"You are Hermes.\n\n{memory_block(['One.', 'Two.'])}\n\nNow: noon"
    reviewed(home, Chat("s1", PREFERS, prompt=prompt))
    seen = origin(home).seen["memories/MEMORY.md"]
    assert (seen.text, seen.by) == ("One.\n§\nTwo.", SeenBy.PROMPT)


def test_a_prompt_that_may_be_newer_than_the_record_tells_nothing(home: Path) -> None:
    chat = Chat("s1", PREFERS, prompt=memory_block(["One."]))
    reviewed(home, chat)
    assert origin(home).seen
    summary = "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted"
    with closing(open_state(home)) as database, database:
        database.execute(
            "INSERT INTO messages (session_id, role, content, timestamp)"
            " VALUES ('s1', 'user', ?, ?)",
            (summary, (chat.ends + timedelta(hours=1)).timestamp()),
        )
    assert not origin(home).seen


@pytest.mark.parametrize("named", ["cron", "subagent", "unknown", "", "kanban", None])
def test_a_record_of_no_known_chat_is_of_unknown_origin_in_a_home_without_conversations(
    home: Path, named: Any
) -> None:
    write_record(home, origin=named)
    assert origin(home).kind is UNKNOWN


def test_a_home_without_any_conversation_is_unrecorded(home: Path) -> None:
    write_record(home)
    found = origin(home)
    assert (found.kind, found.known_by) == (OriginClass.UNRECORDED, KnownBy.NOTHING)


def test_a_home_that_keeps_conversations_and_not_this_one_is_unknown(home: Path) -> None:
    Chat("s1", PREFERS, at=NOON - timedelta(days=2)).write(home)
    write_record(home)
    assert origin(home).kind is UNKNOWN


def test_what_was_rewound_was_not_said(home: Path) -> None:
    said: list[Said] = [
        user("I prefer pytest.", active=0),
        answer("Noted.", active=0),
        "Hello.",
        answer("Hi."),
    ]
    found = reviewed_origin(home, said)
    assert [utterance.text for utterance in found.typed] == ["Hello."]


def test_what_was_rewound_still_took_part(home: Path) -> None:
    rows = tool("web_search", {"query": "x"}, "{}")
    gone = [replace(row, columns={**row.columns, "active": 0}) for row in rows]
    found = reviewed_origin(home, ["Hello.", gone, answer("Hi.")])
    assert found.kind is OriginClass.OUTSIDE


@pytest.mark.parametrize(
    "text",
    [
        "[PRIOR CONTEXT — for reference only]\nI like pytest.",
        "I like pytest.\n\n[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.",
    ],
)
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_summary_in_the_middle_of_a_row_stands_for_rows_that_are_gone(
    home: Path, text: str, role: str
) -> None:
    merged = user(text) if role == "user" else answer(text)
    found = reviewed_origin(home, ["I prefer pytest.", merged, answer("Noted.")])
    assert found.kind is OriginClass.UNKNOWN


def test_one_compacted_row_is_not_all_that_was_summed_up(home: Path) -> None:
    summary = answer("[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted.")
    rest: list[Said] = [
        user("Old.", active=0, compacted=1),
        "Old.",
        summary,
        "I prefer pytest.",
        answer("Ok."),
    ]
    assert reviewed_origin(home, rest).kind is OriginClass.UNKNOWN


def test_a_row_that_hermes_marks_as_a_summary_is_one(home: Path) -> None:
    reviewed(home, Chat(said=["Earlier.", *PREFERS]))
    with closing(open_state(home)) as database, database:
        database.execute("ALTER TABLE messages ADD COLUMN _compressed_summary INTEGER")
        database.execute("UPDATE messages SET _compressed_summary = 1 WHERE id = 1")
    assert origin(home).kind is OriginClass.UNKNOWN

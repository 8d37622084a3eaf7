"""Conversations from files and from a home's own database."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import fingerprint
from tests.reviewer.kit import TALK, anthropic_request, openai_request

from reviewdeck.errors import BadInput
from reviewdeck.reviewer.conversation import (
    ApiMode,
    Json,
    MessageForm,
    Runtime,
    conversation_of,
    load_conversation,
    load_session,
)
from reviewdeck.reviewer.fork import Prompts, digested, for_another, replayed
from reviewdeck.reviewer.models import convert_tools

SESSION: Json = {
    "session_id": "20261121_090000_abc",
    "model": "some-model",
    "base_url": "http://127.0.0.1:1/v1",
    "platform": "telegram",
    "session_start": "2026-11-21T09:00:00",
    "system_prompt": "You are Hermes.",
    "tools": openai_request()["tools"],
    "message_count": 4,
    "messages": [{**one, "timestamp": 1, "finish_reason": "stop"} for one in TALK],
}


def test_a_request_of_openai() -> None:
    found = conversation_of(openai_request())
    assert found.form is MessageForm.OPENAI and found.runtime.api_mode is ApiMode.CHAT
    assert list(found.messages) == openai_request()["messages"]
    assert found.settings == {
        "model": "parent-model",
        "temperature": 0.2,
        "reasoning_effort": "low",
    }


def test_a_request_of_anthropic() -> None:
    found = conversation_of(anthropic_request())
    assert found.form is MessageForm.ANTHROPIC and found.runtime.api_mode is ApiMode.MESSAGES
    assert found.system == anthropic_request()["system"]
    assert found.settings == {"model": "parent-model", "max_tokens": 512}


@pytest.mark.parametrize(
    ("content", "form"),
    [
        ("plain", MessageForm.OPENAI),
        ([{"type": "tool_use", "id": "a", "name": "x", "input": {}}], MessageForm.ANTHROPIC),
        ([{"type": "text", "text": "x"}], MessageForm.OPENAI),
        ([{"type": {}}, {"type": "thinking"}], MessageForm.ANTHROPIC),
    ],
    ids=["text", "tool-use", "parts", "odd"],
)
def test_a_bare_list_of_messages(content: Any, form: MessageForm) -> None:
    messages = [{"role": "user", "content": "x"}, {"role": "assistant", "content": content}]
    assert conversation_of(messages).form is form
    assert conversation_of(messages).tools is None


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", 1e300, "soon", {}])
def test_a_start_that_is_no_time_is_unknown(moment: object) -> None:
    request = openai_request() | {"reviewdeck": {"started_at": moment}}
    assert conversation_of(request).started_at is None


def test_a_session_file_of_hermes() -> None:
    found = conversation_of(SESSION)
    assert (found.session, found.platform) == ("20261121_090000_abc", "telegram")
    assert found.messages[0] == {"role": "system", "content": "You are Hermes."}
    assert list(found.messages[1:]) == TALK
    assert found.tools is not None and found.started_at is not None
    assert found.runtime.base_url == "http://127.0.0.1:1/v1"


def test_a_key_in_a_file_is_never_sent() -> None:
    found = conversation_of(openai_request(api_key="abc"))
    assert "api_key" not in found.settings


NONE = ("", "[]", "{}", "3", '{"messages": 1}', '[{"content": "x"}]', "[1]", "\x00", '{"m')


@pytest.mark.parametrize("text", NONE, ids=repr)
def test_what_is_no_conversation_is_refused_with_a_hint(tmp_path: Path, text: str) -> None:
    path = tmp_path / "talk.json"
    path.write_text(text, "utf-8")
    with pytest.raises(BadInput):
        load_conversation(path)


@pytest.mark.parametrize("odd", [7, "text", [[]], [{"a": 1}]])
def test_tools_and_blocks_of_another_shape_are_converted_as_empty_ones(odd: object) -> None:
    asked = openai_request() | {"tools": [{"type": "function", "function": odd}]}
    converted = convert_tools(conversation_of(asked).tools or (), *MessageForm)
    assert [tool["name"] for tool in converted] == [""]
    block = {"role": "assistant", "content": [{"type": odd}, {"type": "thinking"}]}
    assert for_another([block], MessageForm.ANTHROPIC)[0]["content"] == [{"type": odd}]


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        load_conversation(tmp_path / "none.json")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match="UTF-8"):
        load_conversation(tmp_path / "bytes.json")


def make_database(home: Path) -> sqlite3.Connection:
    """A `state.db` as Hermes keeps it, as far as we read it."""
    database = sqlite3.connect(home / "state.db")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute(
        "CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, parent_session_id TEXT,"
        " started_at REAL, model TEXT, system_prompt TEXT)"
    )
    database.execute(
        "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT,"
        " tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, active INTEGER, api_content TEXT)"
    )
    row = ("s-100", "telegram", "s-099", 1763715600.0, "some-model", "You are Hermes.")
    database.execute("INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?)", row)
    database.execute("INSERT INTO sessions (id) VALUES ('s-101')")
    function = {"name": "memory", "arguments": "{}"}
    asked = json.dumps([{"id": "c1", "type": "function", "function": function}])
    parts = "\x00json:" + json.dumps([{"type": "text", "text": "with a picture"}])
    rows = (
        ("user", "Hello.", None, None, 1, "Hello, as it was sent."),
        ("assistant", "", None, asked, 1, None),
        ("tool", "{}", "c1", None, 1, None),
        ("user", "compacted away", None, None, 0, None),
        ("user", parts, None, None, 1, None),
        ("assistant", "Fine.", None, None, 1, None),
    )
    database.executemany(
        "INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, active,"
        " api_content) VALUES ('s-100', ?, ?, ?, ?, ?, ?)",
        rows,
    )
    database.commit()
    return database


def test_a_session_of_the_homes_own_database(home: Path) -> None:
    make_database(home).close()
    found = load_session(home, "s-100")
    assert (found.session, found.parent_session, found.platform) == ("s-100", "s-099", "telegram")
    assert found.tools is None
    assert [one["role"] for one in found.messages] == [
        *("system", "user", "assistant", "tool", "user", "assistant")
    ]
    assert found.messages[1]["content"] == "Hello, as it was sent."
    assert found.messages[4]["content"] == [{"type": "text", "text": "with a picture"}]
    assert found.messages[2]["tool_calls"][0]["function"]["name"] == "memory"


def test_reading_the_database_changes_no_byte_and_leaves_no_file(home: Path) -> None:
    make_database(home).close()
    before = fingerprint(home)
    load_session(home, "s-100")
    assert fingerprint(home) == before


def test_a_database_that_hermes_has_open_is_read_with_what_it_wrote_last(home: Path) -> None:
    with closing(make_database(home)) as database:
        database.execute("UPDATE messages SET api_content = 'newer' WHERE id = 1")
        database.commit()
        names = sorted(path.name for path in home.iterdir())
        assert "state.db-wal" in names
        assert load_session(home, "s-100").messages[1]["content"] == "newer"
        assert sorted(path.name for path in home.iterdir()) == names


def test_a_session_is_found_by_a_unique_beginning(home: Path) -> None:
    make_database(home).close()
    with pytest.raises(BadInput, match="More than one"):
        load_session(home, "s-10")
    with pytest.raises(BadInput, match="no session"):
        load_session(home, "nobody")
    with pytest.raises(BadInput, match="no messages"):
        load_session(home, "s-101")


def test_a_home_without_a_database_says_so(home: Path) -> None:
    with pytest.raises(BadInput, match=r"state\.db"):
        load_session(home, "s-100")


def test_a_database_that_is_none_says_so(home: Path) -> None:
    (home / "state.db").write_bytes(b"no database at all, just words")
    with pytest.raises(BadInput, match="cannot be read"):
        load_session(home, "s-100")


THOUGHT = {"reasoning": "Let me see.", "reasoning_content": None}
SIGNED = {"google": {"thought_signature": "c2lnbmF0dXJl"}}
ITEM = {"type": "reasoning", "id": "rs_1", "encrypted_content": "ZW5j", "_issuer_kind": "openai"}


def stored_session(home: Path) -> None:
    """A session whose model thought before it called, as Hermes keeps it."""
    with closing(make_database(home)) as database:
        for name in (
            "reasoning",
            "reasoning_content",
            "reasoning_details",
            "codex_reasoning_items",
        ):
            database.execute(f"ALTER TABLE messages ADD COLUMN {name} TEXT")
        function = {"name": "memory", "arguments": "{}"}
        one = {"id": "c1", "call_id": "c1", "response_item_id": "fc_1", "type": "function"}
        asked = [one | {"function": function, "extra_content": SIGNED}]
        database.execute(
            "UPDATE messages SET reasoning = 'Let me see.', reasoning_details = ?, tool_calls = ?,"
            " codex_reasoning_items = ? WHERE id = 2",
            (
                json.dumps([{"type": "reasoning.text", "index": 0}]),
                json.dumps(asked),
                json.dumps([ITEM]),
            ),
        )
        database.commit()


@pytest.mark.parametrize(
    ("runtime", "sent"),
    [
        (Runtime("deepseek", "deepseek-chat"), {"reasoning_content": "Let me see."}),
        (Runtime("openrouter", "deepseek/deepseek-v4"), {"reasoning_content": "Let me see."}),
        (
            Runtime("", "k2", base_url="https://api.moonshot.ai/v1"),
            {"reasoning_content": "Let me see."},
        ),
        (Runtime("kimi-coding", "k2"), {"reasoning_content": "Let me see."}),
        (Runtime("openrouter", "moonshotai/kimi-k2"), {}),
        (Runtime("mistral", "m"), {}),
        (Runtime("gemini", "m"), {}),
        (Runtime("openai-codex", "m", ApiMode.RESPONSES), {"codex_reasoning_items": [ITEM]}),
    ],
    ids=lambda value: f"{value.provider} {value.model}" if isinstance(value, Runtime) else "",
)
def test_what_a_model_thought_is_read_from_the_store_and_goes_back_to_who_wants_it(
    home: Path, runtime: Runtime, sent: Json
) -> None:
    stored_session(home)
    conversation = replace(load_session(home, "s-100"), runtime=runtime)
    fork = replayed(conversation, MessageForm.OPENAI, "task", ("memory",))
    thought = fork.request.messages[2]
    names = {"reasoning", "reasoning_content", "codex_reasoning_items"}
    assert {key: value for key, value in thought.items() if key in names} == sent
    assert thought["reasoning_details"] == [{"type": "reasoning.text", "index": 0}]
    (one,) = thought["tool_calls"]
    assert one["extra_content"] == SIGNED and "response_item_id" not in one
    last = fork.request.messages[5]
    # A provider that wants thoughts back refuses a message without any.
    assert last.get("reasoning_content") == (" " if "reasoning_content" in sent else None)


def test_a_digest_for_another_provider_has_no_thoughts_and_no_signatures(home: Path) -> None:
    stored_session(home)
    conversation = replace(load_session(home, "s-100"), runtime=Runtime("gemini", "m"))
    other = Runtime("mistral", "small")
    fork = digested(conversation, other, MessageForm.OPENAI, "task", ("memory",), Prompts())
    sent = json.dumps(fork.request.messages)
    assert "reasoning" not in sent and "thought_signature" not in sent


def test_a_request_of_the_responses_api() -> None:
    tool = {"type": "function", "name": "memory", "description": "Notes.", "parameters": {}}
    request = {
        "model": "gpt-5",
        "instructions": "You are an agent.",
        "reasoning": {"effort": "low"},
        "tools": [tool],
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "Hello."}]},
            ITEM,
            {"type": "function_call", "call_id": "c1", "name": "memory", "arguments": "{}"},
            {"type": "function_call", "call_id": "c2", "name": "memory", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "One."},
            {"type": "function_call_output", "call_id": "c2", "output": "Two."},
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "Fine."}],
            },
            {"type": "a kind of later"},
        ],
    }
    found = conversation_of(request)
    assert found.runtime == Runtime("openai", "gpt-5", ApiMode.RESPONSES)
    assert found.settings["reasoning"] == {"effort": "low"} and "input" not in found.settings
    system, user, asked, one, two, last = found.messages
    assert (system["content"], user["content"], last["content"]) == (
        *("You are an agent.", "Hello.", "Fine."),
    )
    assert [call["id"] for call in asked["tool_calls"]] == ["c1", "c2"]
    assert asked["codex_reasoning_items"] == [ITEM]
    assert (one["tool_call_id"], two["content"]) == ("c1", "Two.")
    assert found.tools is not None and found.tools[0]["function"]["name"] == "memory"
    text = conversation_of({"model": "m", "input": "Hello."})
    assert text.messages == ({"role": "user", "content": "Hello."},)
    with pytest.raises(BadInput, match="no messages"):
        conversation_of({"model": "m", "input": []})


@pytest.mark.parametrize("is_list", [True, False])
def test_a_talk_of_sharegpt(is_list: bool) -> None:
    turns = [{"from": "human", "value": "Hello."}, {"from": "gpt", "value": "Fine."}]
    found = conversation_of(turns if is_list else {"id": "x", "conversations": turns})
    assert [(one["role"], one["content"]) for one in found.messages] == [
        ("user", "Hello."),
        ("assistant", "Fine."),
    ]
    with pytest.raises(BadInput, match="no messages"):
        conversation_of({"conversations": [{"from": "nobody", "value": "Hello."}]})

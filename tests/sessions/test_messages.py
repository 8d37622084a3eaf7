"""Messages as two kinds of models have them come to the same."""

from __future__ import annotations

from typing import Any

from reviewdeck.model import Message, Role
from reviewdeck.sessions import messages_of

CALL = '{"action": "add"}'


def test_messages_in_openai_form() -> None:
    raw: list[dict[str, Any]] = [
        {"role": "user", "content": [{"type": "text", "text": "hello"}, {"type": "image_url"}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "memory", "arguments": CALL}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
        {"role": "assistant", "content": "it is there"},
    ]
    assert messages_of(raw) == (
        Message(Role.USER, "hello\n[image_url]"),
        Message(Role.ASSISTANT, CALL, "memory", "c1"),
        Message(Role.TOOL, "done", "memory", "c1"),
        Message(Role.ASSISTANT, "it is there"),
    )


def test_messages_in_anthropic_form() -> None:
    raw: list[dict[str, Any]] = [
        {"role": "user", "content": "hello"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "c1", "name": "memory", "input": {"action": "add"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "c1",
                    "content": [{"type": "text", "text": "done"}],
                },
                {"type": "text", "text": "go on"},
            ],
        },
    ]
    assert messages_of(raw) == (
        Message(Role.USER, "hello"),
        Message(Role.ASSISTANT, "I look."),
        Message(Role.ASSISTANT, CALL, "memory", "c1"),
        Message(Role.TOOL, "done", "memory", "c1"),
        Message(Role.USER, "go on"),
    )


def test_what_a_tool_brought_in_is_untrusted_and_nothing_else_is() -> None:
    raw: list[dict[str, Any]] = [{"role": role.value, "content": "x"} for role in Role]
    assert [one.role for one in messages_of(raw) if one.is_untrusted] == [Role.TOOL]


def test_odd_messages_are_taken_as_they_are() -> None:
    raw: list[dict[str, Any]] = [
        {"role": "oracle", "content": 5},
        {"content": [{"text": None, "type": []}, {"type": {}}, "x", 7]},
        {"role": "assistant", "tool_calls": ["no", {"function": "no", "id": 3}]},
        {},
    ]
    assert [one.text for one in messages_of(raw)] == ["5", "[[]]\n[{}]\nx\n7", "", ""]

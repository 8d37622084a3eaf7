"""Answers in pieces: what has to be sent back is whole, and what is missing is missed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import openai
import pytest

from reviewdeck.reviewer.anthropic import AnthropicAnswer
from reviewdeck.reviewer.conversation import Json, MessageForm, Runtime, Usage
from reviewdeck.reviewer.failures import AnswerFailed, retry_after
from reviewdeck.reviewer.models import Cancel, ModelRequest, Reply
from reviewdeck.reviewer.vendors import VendorModel

START: Json = {
    "type": "message_start",
    "message": {"usage": {"input_tokens": 5, "cache_read_input_tokens": 90}},
}
END: list[Json] = [
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use"},
        "usage": {"output_tokens": 7},
    },
    {"type": "message_stop"},
]


def block(index: int, block: Json, *deltas: Json) -> list[Json]:
    """The events of one block."""
    return [
        {"type": "content_block_start", "index": index, "content_block": block},
        *({"type": "content_block_delta", "index": index, "delta": one} for one in deltas),
        {"type": "content_block_stop", "index": index},
    ]


THINKING = block(
    0,
    {"type": "thinking", "thinking": "", "signature": ""},
    {"type": "thinking_delta", "thinking": "Let me "},
    {"type": "thinking_delta", "thinking": "see."},
    {"type": "signature_delta", "signature": "sig"},
)
TEXT = block(1, {"type": "text", "text": ""})
CALL = block(
    2,
    {"type": "tool_use", "id": "c", "name": "memory", "input": {}},
    {"type": "input_json_delta", "partial_json": '{"a'},
    {"type": "input_json_delta", "partial_json": '": 1}'},
)


def streamed(*events: Json) -> AnthropicAnswer:
    """A stream of these events."""
    found = AnthropicAnswer()
    for event in events:
        found.add(event)
    return found


def test_thinking_goes_back_with_its_signature_and_an_empty_text_does_not() -> None:
    reply = streamed(START, *THINKING, *TEXT, *CALL, {"type": "ping"}, *END).reply()
    assert reply.message["content"] == [
        {"type": "thinking", "thinking": "Let me see.", "signature": "sig"},
        {"type": "tool_use", "id": "c", "name": "memory", "input": {"a": 1}},
    ]
    assert json.loads(reply.calls[0].arguments) == {"a": 1}
    assert reply.usage == Usage(input=95, output=7, cached=90)


@pytest.mark.parametrize("amount", range(1, 2 + len(THINKING + TEXT + CALL)))
def test_a_stream_that_stops_anywhere_before_its_end_is_cut(amount: int) -> None:
    events = [START, *THINKING, *TEXT, *CALL, *END]
    with pytest.raises(AnswerFailed):
        streamed(*events[:amount]).reply()


def test_arguments_that_are_no_json_are_kept_for_their_answer() -> None:
    bad = block(
        0,
        {"type": "tool_use", "id": "c", "name": "memory", "input": {}},
        {"type": "input_json_delta", "partial_json": '{"a'},
    )
    reply = streamed(START, *bad, *END).reply()
    assert reply.calls[0].arguments == '{"a' and reply.message["content"][0]["input"] == {}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry-after": f"Thu, 01 Jan {10**20} 00:00:00 GMT"}, None),
    ],
    ids=repr,
)
def test_how_long_a_provider_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_a_review_that_ended_just_now_is_cancelled_without_an_error() -> None:
    class Late(Cancel):
        """Calls a hook after the request that it belongs to."""

        @contextmanager
        def listening(self, hook: Callable[[], None]) -> Iterator[None]:
            self.late_hook = hook
            yield

    class Client:
        base_url = "https://api.openai.com/v1/"

        async def close(self) -> None:
            """Closes nothing."""

    async def ask(request: ModelRequest) -> Reply:
        return Reply({}, "Done.", ())

    model = VendorModel(openai, Client(), Runtime(), MessageForm.OPENAI, ask)
    late = Late()
    assert isinstance(model.answer(ModelRequest(()), late), Reply)
    model.close()
    late.late_hook()

"""What each provider really sends: what comes out of it, and what is sent back.

A table: a provider, a behaviour of it, its answer whole and in pieces as it comes over the wire,
and the message that has to be in the next request.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import pytest
from tests.reviewer.kit import FAST, anthropic_request, openai_request, talk
from tests.reviewer.peer import Peer, peer

from reviewdeck.engine.engine import Engine
from reviewdeck.reviewer.conversation import (
    ApiMode,
    Json,
    ReviewedConversation,
    Runtime,
    conversation_of,
)
from reviewdeck.reviewer.endings import ExchangeEnd
from reviewdeck.reviewer.models import open_model
from reviewdeck.reviewer.review import Reviewed, Reviewer, ReviewRequest
from reviewdeck.text.redact import redact

LINTER = {"action": "add", "target": "memory", "content": "The linter is ruff."}
FERRY = {"action": "add", "target": "memory", "content": "The ferry leaves at noon."}
ARGUMENTS, OTHERS = json.dumps(LINTER), json.dumps(FERRY)
SIGNED = {"google": {"thought_signature": "c2lnbmF0dXJl"}}
DONE: Json = {"say": "Done."}


def reviewed_at(
    deck: Engine, running: Peer, provider: str, mode: ApiMode, **settings: Any
) -> Reviewed:
    """A review whose model is the stand-in, under the name of a provider."""
    request = anthropic_request if mode is ApiMode.MESSAGES else openai_request
    base = running.url if mode is ApiMode.MESSAGES else f"{running.url}/v1"
    runtime = Runtime(provider, "m", mode, base, "key-of-nobody", timeout=60.0)
    conversation = talk(request(**settings), runtime=runtime)
    return review(deck, conversation)


def review(
    deck: Engine, conversation: ReviewedConversation, wanted: ReviewRequest | None = None
) -> Reviewed:
    """One review with the real library."""
    home = deck.open_homes[0].home
    return Reviewer(deck, home, open_model, limits=FAST).run(
        conversation, wanted or ReviewRequest()
    )


def call(id: str | None, arguments: Any = ARGUMENTS, index: int | None = None, **more: Any) -> Json:
    """A tool call as chat completions have it, or a piece of one."""
    about: Json = {} if index is None else {"index": index}
    about |= {} if id is None else {"id": id}
    function = {"name": "memory", "arguments": arguments}
    return {**about, "type": "function", "function": function, **more}


def more_of(arguments: str, index: int = 0, **function: Any) -> Json:
    """A later piece of a call."""
    return {"index": index, "function": {"arguments": arguments, **function}}


def whole(message: Json, finish: str | None = "tool_calls", **more: Any) -> Json:
    """A chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion", "choices": [choice], **more}


def chunks(*deltas: Json, finish: str = "tool_calls") -> list[Json]:
    """The same in pieces."""
    head = {"id": "c", "object": "chat.completion.chunk"}
    return [
        *(head | {"choices": [{"index": 0, "delta": one}]} for one in deltas),
        head | {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
        head | {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 2}},
    ]


def block(index: int, start: Json, *deltas: Json) -> list[Json]:
    """The events of one block of Anthropic's."""
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": one} for one in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def events(*blocks: list[Json], stop: str = "tool_use", **delta: Any) -> list[Json]:
    """The events of an answer of Anthropic's."""
    message = {"type": "message", "role": "assistant", "usage": {"input_tokens": 5}}
    return [
        {"type": "message_start", "message": message},
        *(event for one in blocks for event in one),
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, **delta},
            "usage": {"output_tokens": 7},
        },
        {"type": "message_stop"},
    ]


def message(*blocks: Json, stop: str = "tool_use", **more: Any) -> Json:
    """The same whole."""
    head = {"type": "message", "role": "assistant", "usage": {"input_tokens": 5}}
    return {**head, "content": list(blocks), "stop_reason": stop, **more}


def responses(*items: Json, status: str = "completed", **more: Any) -> list[Json]:
    """The events of the Responses API."""
    ended = {"object": "response", "status": status, "usage": {"input_tokens": 5}, **more}
    return [
        *({"type": "response.output_item.done", "item": one} for one in items),
        {"type": f"response.{status}", "response": ended},
    ]


@dataclass(frozen=True)
class Row:
    """One behaviour of one provider."""

    provider: str
    behaviour: str
    answers: dict[str, Any]
    """The same answer, by how it comes."""
    back: Any
    """What of it has to be in the next request."""
    mode: ApiMode = ApiMode.CHAT
    staged: int = 1
    settings: Json = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.provider}: {self.behaviour}"


def assistant(*calls: Json, content: Any = None, **more: Any) -> Json:
    """A message that is sent back."""
    return {"role": "assistant", "content": content, **more, "tool_calls": list(calls)}


THINKING = {"type": "thinking", "thinking": "Let me see.", "signature": "sig"}
REDACTED = {"type": "redacted_thinking", "data": "ZW5jcnlwdGVk"}
USE = {"type": "tool_use", "id": "t1", "name": "memory", "input": LINTER}
DETAILS = [
    {"type": "reasoning.text", "text": "Let me see.", "signature": "sig", "index": 0},
    {"type": "reasoning.encrypted", "data": "ZW5jcnlwdGVk", "index": 1},
]
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "ZW5j"}
FUNCTION = {"type": "function_call", "call_id": "c1", "name": "memory", "arguments": ARGUMENTS}

ROWS = [
    Row(
        "openai",
        "a call in pieces",
        {
            "whole": whole({"content": None, "tool_calls": [call("c1")], "refusal": None}),
            "streamed": chunks(
                {"role": "assistant", "content": None, "tool_calls": [call("c1", "", 0)]},
                {"tool_calls": [more_of(ARGUMENTS[:9])]},
                {"tool_calls": [more_of(ARGUMENTS[9:])]},
            ),
        },
        assistant(call("c1")),
    ),
    Row(
        "deepseek",
        "refuses a call without what was thought before it",
        {
            "whole": whole(
                {"content": "", "reasoning_content": "Let me see.", "tool_calls": [call("c1")]}
            ),
            "streamed": chunks(
                {"role": "assistant", "content": None, "reasoning_content": "Let me"},
                {"content": None, "reasoning_content": " see."},
                {"tool_calls": [call("c1", ARGUMENTS, 0)]},
            ),
        },
        assistant(call("c1"), reasoning_content="Let me see."),
    ),
    Row(
        "gemini",
        "refuses a call without the signature of its thought",
        {
            "whole": whole({"tool_calls": [call("c1", extra_content=SIGNED)]}),
            "streamed": chunks(
                {
                    "role": "assistant",
                    "tool_calls": [call("c1", ARGUMENTS, 0, extra_content=SIGNED)],
                },
            ),
        },
        assistant(call("c1", extra_content=SIGNED)),
    ),
    Row(
        "gemini",
        "two calls at once, and a signature with the first alone",
        {
            "whole": whole(
                {"tool_calls": [call("c1", extra_content=SIGNED), call("c2", OTHERS)]}, "stop"
            ),
            "streamed": chunks(
                {"tool_calls": [call("c1", ARGUMENTS, 0, extra_content=SIGNED)]},
                {"tool_calls": [call("c2", OTHERS, 0)]},
                finish="stop",
            ),
        },
        assistant(call("c1", extra_content=SIGNED), call("c2", OTHERS)),
        staged=2,
    ),
    Row(
        "openrouter",
        "details of the reasoning in pieces",
        {
            "whole": whole(
                {
                    "content": "I look.",
                    "reasoning": "Let me see.",
                    "reasoning_details": DETAILS,
                    "tool_calls": [call("c1")],
                }
            ),
            "streamed": [
                *chunks(
                    {
                        "reasoning": "Let me",
                        "reasoning_details": [
                            {"type": "reasoning.text", "text": "Let me", "index": 0}
                        ],
                    },
                    {
                        "reasoning": " see.",
                        "reasoning_details": [
                            {
                                "type": "reasoning.text",
                                "text": " see.",
                                "signature": "sig",
                                "index": 0,
                            },
                            DETAILS[1],
                        ],
                    },
                    {"content": "I "},
                    {"content": "look."},
                    {"tool_calls": [call("c1", ARGUMENTS, 0)]},
                )
            ],
        },
        assistant(
            call("c1"), content="I look.", reasoning="Let me see.", reasoning_details=DETAILS
        ),
    ),
    Row(
        "ollama",
        "each of two calls is the first",
        {
            "whole": whole({"content": "", "tool_calls": [call("c1"), call("c2", OTHERS)]}),
            "streamed": chunks(
                {"content": "", "tool_calls": [call("c1", ARGUMENTS, 0)]},
                {"content": "", "tool_calls": [call("c2", OTHERS, 0)]},
            ),
        },
        assistant(call("c1"), call("c2", OTHERS)),
        staged=2,
    ),
    Row(
        "llamacpp",
        "calls without ids",
        {
            "whole": whole({"tool_calls": [call(None), call("", OTHERS)]}),
            "streamed": chunks(
                {"tool_calls": [call(None, ARGUMENTS, 0)]},
                {"tool_calls": [call("", OTHERS, 0)]},
            ),
        },
        assistant(call("call_0"), call("call_1", OTHERS)),
        staged=2,
    ),
    Row(
        "vllm",
        "one id for two calls",
        {
            "whole": whole({"tool_calls": [call("c1"), call("c1", OTHERS)]}),
            "streamed": chunks(
                {"tool_calls": [call("c1", ARGUMENTS, 0)]},
                {"tool_calls": [call("c1", OTHERS, 1)]},
            ),
        },
        assistant(call("c1"), call("call_1", OTHERS)),
        staged=2,
    ),
    Row(
        "nvidia",
        "a name in every chunk",
        {
            "streamed": chunks(
                {"tool_calls": [call("c1", ARGUMENTS[:5], 0)]},
                {"tool_calls": [call("c1", ARGUMENTS[5:9], 0)]},
                {"tool_calls": [more_of(ARGUMENTS[9:], name="memory")]},
            ),
        },
        assistant(call("c1")),
    ),
    Row(
        "ollama",
        "arguments as an object",
        {
            "whole": whole({"tool_calls": [call("c1", LINTER)]}),
            "streamed": chunks({"tool_calls": [call("c1", LINTER, 0)]}),
        },
        assistant(call("c1")),
    ),
    Row(
        "mistral",
        "thoughts as a part of the content",
        {
            "whole": whole(
                {"content": [{"type": "thinking", "thinking": "Hm."}], "tool_calls": [call("c1")]}
            ),
            "streamed": chunks(
                {"content": [{"type": "thinking", "thinking": "Hm."}]},
                {"tool_calls": [call("c1", ARGUMENTS, 0)]},
            ),
        },
        assistant(call("c1"), content=[{"type": "thinking", "thinking": "Hm."}]),
    ),
    Row(
        "somebody",
        "fields that nobody knows yet",
        {
            "whole": whole(
                {
                    "thoughts": "Let me see.",
                    "audit": {"id": "a1"},
                    "tool_calls": [call("c1", nonce="n1")],
                }
            ),
            "streamed": chunks(
                {"thoughts": "Let me ", "audit": {"id": "a1"}},
                {"thoughts": "see.", "audit": {"id": "a1"}},
                {"tool_calls": [call("c1", "", 0, nonce="n1")]},
                {"tool_calls": [more_of(ARGUMENTS) | {"nonce": "n1"}]},
            ),
        },
        assistant(call("c1", nonce="n1"), audit={"id": "a1"}, thoughts="Let me see."),
    ),
    Row(
        "anthropic",
        "thoughts, signed or encrypted",
        {
            "whole": message(THINKING, REDACTED, {"type": "text", "text": ""}, USE),
            "streamed": events(
                block(
                    0,
                    {"type": "thinking", "thinking": "", "signature": ""},
                    {"type": "thinking_delta", "thinking": "Let me "},
                    {"type": "thinking_delta", "thinking": "see."},
                    {"type": "signature_delta", "signature": "sig"},
                ),
                block(1, REDACTED),
                block(2, {"type": "text", "text": ""}),
                block(
                    3,
                    USE | {"input": {}},
                    {"type": "input_json_delta", "partial_json": ARGUMENTS[:9]},
                    {"type": "input_json_delta", "partial_json": ARGUMENTS[9:]},
                ),
            ),
        },
        {"role": "assistant", "content": [THINKING, REDACTED, USE]},
        ApiMode.MESSAGES,
    ),
    Row(
        "anthropic",
        "a field of a block that nobody knows yet",
        {
            "whole": message(USE | {"caller": {"type": "direct"}}),
            "streamed": events(block(0, USE | {"caller": {"type": "direct"}})),
        },
        {"role": "assistant", "content": [USE | {"caller": {"type": "direct"}}]},
        ApiMode.MESSAGES,
    ),
    Row(
        "anthropic",
        "a pause, after which it goes on",
        {
            "whole": message({"type": "text", "text": "I look."}, stop="pause_turn"),
            "streamed": events(
                block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "I look."}),
                stop="pause_turn",
            ),
        },
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}]},
        ApiMode.MESSAGES,
        staged=0,
    ),
    Row(
        "openai-codex",
        "encrypted reasoning, without the id that nothing is stored under",
        {"streamed": responses(REASONING, FUNCTION)},
        {key: value for key, value in REASONING.items() if key != "id"},
        ApiMode.RESPONSES,
        settings={"reasoning": {"effort": "low"}},
    ),
]
CASES = [(row, form) for row in ROWS for form in row.answers]


@pytest.mark.parametrize(("row", "form"), CASES, ids=[f"{row}, {form}" for row, form in CASES])
def test_what_a_provider_sends_is_run_and_sent_back(deck: Engine, row: Row, form: str) -> None:
    with peer({"raw": row.answers[form]}, DONE) as running:
        settings = row.settings | ({"stream": True} if form == "streamed" else {})
        reviewed = reviewed_at(deck, running, row.provider, row.mode, **settings)
        first, second = running.requests
    assert reviewed.run.ending == "done" and reviewed.run.denied == {}
    assert len(reviewed.run.proposals) == row.staged
    name = "input" if row.mode is ApiMode.RESPONSES else "messages"
    assert second[name][: len(first[name])] == first[name]
    assert second[name][len(first[name])] == row.back


@pytest.mark.parametrize("asked", [False, True], ids=["asked whole", "asked streamed"])
def test_a_server_that_answers_in_the_other_form_is_understood(deck: Engine, asked: bool) -> None:
    answer = ROWS[0].answers["whole" if asked else "streamed"]
    with peer({"raw": answer}, DONE) as running:
        reviewed = reviewed_at(deck, running, "lmstudio", ApiMode.CHAT, stream=asked)
    assert reviewed.run.ending == "done" and len(reviewed.run.proposals) == 1


HALF = ARGUMENTS[: len(ARGUMENTS) // 2]
ENDINGS: list[tuple[str, ApiMode, Any, str, str]] = [
    ("openai", ApiMode.CHAT, whole({"content": "I was"}, "length"), "truncated", "I was"),
    (
        "openai",
        ApiMode.CHAT,
        chunks({"tool_calls": [call("c1", ARGUMENTS, 0), call("c2", HALF, 1)]}, finish="length"),
        "truncated",
        "length",
    ),
    (
        "anthropic",
        ApiMode.MESSAGES,
        events(
            block(0, USE),
            block(1, USE | {"input": {}}, {"type": "input_json_delta", "partial_json": HALF}),
            stop="max_tokens",
        ),
        "truncated",
        "max_tokens",
    ),
    (
        "anthropic",
        ApiMode.MESSAGES,
        message(USE, stop="model_context_window_exceeded"),
        "truncated",
        "model_context_window_exceeded",
    ),
    (
        "openai-codex",
        ApiMode.RESPONSES,
        responses(
            FUNCTION,
            status="incomplete",
            incomplete_details={"reason": "max_output_tokens"},
        ),
        "truncated",
        "max_output_tokens",
    ),
    ("openai", ApiMode.CHAT, whole({"refusal": "I cannot."}, "stop"), "refused", "I cannot."),
    (
        "openai",
        ApiMode.CHAT,
        chunks({"refusal": "I "}, {"refusal": "cannot."}, finish="stop"),
        "refused",
        "I cannot.",
    ),
    (
        "anthropic",
        ApiMode.MESSAGES,
        message(stop="refusal", stop_details={"type": "refusal", "explanation": "No weapons."}),
        "refused",
        "No weapons.",
    ),
    (
        "anthropic",
        ApiMode.MESSAGES,
        events(stop="refusal", stop_details={"explanation": "No weapons."}),
        "refused",
        "No weapons.",
    ),
    (
        "openai-codex",
        ApiMode.RESPONSES,
        responses({"type": "message", "content": [{"type": "refusal", "refusal": "I cannot."}]}),
        "refused",
        "I cannot.",
    ),
    ("openai", ApiMode.CHAT, whole({}, "content_filter"), "filtered", "content_filter"),
    ("gemini", ApiMode.CHAT, chunks(finish="content_filter: SAFETY"), "filtered", "SAFETY"),
    (
        "openai-codex",
        ApiMode.RESPONSES,
        responses(status="incomplete", incomplete_details={"reason": "content_filter"}),
        "filtered",
        "content_filter",
    ),
    (
        "openrouter",
        ApiMode.CHAT,
        {"error": {"code": 402, "message": "Insufficient credits."}},
        "failed",
        "refused: Insufficient credits.",
    ),
    (
        "openrouter",
        ApiMode.CHAT,
        [
            *chunks({"content": "I"})[:1],
            {
                "error": {
                    "code": 400,
                    "message": "Provider returned error",
                    "metadata": {"raw": "The model is gone."},
                }
            },
        ],
        "failed",
        "refused: Provider returned error: The model is gone.",
    ),
    (
        "openai-codex",
        ApiMode.RESPONSES,
        [
            {
                "type": "response.failed",
                "response": {"error": {"code": "invalid_prompt", "message": "No such prompt."}},
            }
        ],
        "failed",
        "refused: No such prompt.",
    ),
    (
        "ollama",
        ApiMode.CHAT,
        whole(
            {"content": f'<tool_call>{{"name": "memory", "arguments": {ARGUMENTS}}}</tool_call>'}
        ),
        "call-as-text",
        "a call of memory",
    ),
    (
        "llamacpp",
        ApiMode.CHAT,
        chunks({"content": f'{{"name": "memory", "parameters": {ARGUMENTS}}}'}, finish="stop"),
        "call-as-text",
        "a call of memory",
    ),
    (
        "vllm",
        ApiMode.CHAT,
        whole(
            {"content": f'[TOOL_CALLS] [{{"name": "memory", "arguments": {ARGUMENTS}}}]'}, "stop"
        ),
        "call-as-text",
        "a call of memory",
    ),
    (
        "vllm",
        ApiMode.CHAT,
        whole({"content": f"Fine.\n<function=skill_view>{ARGUMENTS}</function>"}, "stop"),
        "call-as-text",
        "a call of skill_view",
    ),
    (
        "deepseek",
        ApiMode.CHAT,
        whole(
            {
                "content": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>"
                "memory\n" + ARGUMENTS
            },
            "stop",
        ),
        "call-as-text",
        "a call of memory",
    ),
    (
        "lmstudio",
        ApiMode.CHAT,
        whole({"content": f'```json\n{{"name": "memory", "arguments": {ARGUMENTS}}}\n```'}, "stop"),
        "call-as-text",
        "a call of memory",
    ),
]


@pytest.mark.parametrize(
    ("provider", "mode", "answer", "ending", "reason"),
    ENDINGS,
    ids=[f"{one[0]}: {one[3]} {number}" for number, one in enumerate(ENDINGS)],
)
def test_an_answer_that_is_no_whole_one_ends_the_review_with_the_providers_words(
    deck: Engine, provider: str, mode: ApiMode, answer: Any, ending: str, reason: str
) -> None:
    with peer({"raw": answer}) as running:
        reviewed = reviewed_at(deck, running, provider, mode, stream=isinstance(answer, list))
        assert len(running.journal) == 1
    assert reviewed.run.ending == ending and reason in reviewed.run.detail
    assert reviewed.run.proposals == () and deck.pending() == ()
    told = reviewed.exchange.told
    assert told.exit_code == (1 if ending == "failed" else 6)
    assert told.hint and redact(told.reason) == told.reason
    assert ending == "failed" or told.reason.startswith(ExchangeEnd(ending).sentence[:-1])


@pytest.mark.parametrize(
    "text",
    [
        "Nothing to save. I could have used the memory tool, or <tool_call>s.",
        'Saved {"action": "add"} with memory.',
        "I kept it: `skill_manage` has the patch.",
        '{"note": "no call at all"}',
    ],
)
def test_words_about_tools_are_no_call(deck: Engine, text: str) -> None:
    with peer({"raw": whole({"content": text}, "stop")}) as running:
        assert reviewed_at(deck, running, "ollama", ApiMode.CHAT).run.ending == "done"


BUSY: list[tuple[str, ApiMode, Any]] = [
    ("openrouter", ApiMode.CHAT, {"error": {"code": 502, "message": "Try me later."}}),
    ("deepseek", ApiMode.CHAT, chunks(finish="insufficient_system_resource")),
    ("anthropic", ApiMode.MESSAGES, [{"type": "error", "error": {"type": "overloaded_error"}}]),
    ("openai-codex", ApiMode.RESPONSES, [{"type": "error", "code": "server_error"}]),
    ("gemini", ApiMode.CHAT, chunks(finish="function_call_filter: MALFORMED_FUNCTION_CALL")),
]


@pytest.mark.parametrize(("provider", "mode", "answer"), BUSY, ids=[one[0] for one in BUSY])
def test_a_provider_that_is_busy_within_an_answer_is_asked_again(
    deck: Engine, provider: str, mode: ApiMode, answer: Any
) -> None:
    with peer({"raw": answer}, DONE) as running:
        reviewed = reviewed_at(deck, running, provider, mode, stream=isinstance(answer, list))
    assert reviewed.run.ending == "done"
    with peer(*[{"raw": answer}] * 9) as running:
        reviewed = reviewed_at(deck, running, provider, mode, stream=isinstance(answer, list))
        assert len(running.journal) == FAST.attempts
    assert reviewed.exchange.told.exit_code == 5


TOO_LONG: list[tuple[str, int, Json]] = [
    (
        "openai",
        400,
        {
            "message": "This model's maximum context length is 8192 tokens.",
            "code": "context_length_exceeded",
        },
    ),
    ("anthropic", 400, {"type": "invalid_request_error", "message": "prompt is too long: 9 > 8"}),
    (
        "llamacpp",
        400,
        {
            "code": 400,
            "type": "exceed_context_size_error",
            "message": "the request exceeds the available context size, try increasing it",
        },
    ),
    ("vllm", 400, {"message": "This model's maximum context length is 4096 tokens. You asked"}),
    (
        "gemini",
        400,
        {
            "status": "INVALID_ARGUMENT",
            "message": "The input token count (9) exceeds the maximum number of tokens"
            " allowed (8).",
        },
    ),
    ("openrouter", 400, {"code": 400, "message": "This endpoint's maximum context length is 8"}),
    ("groq", 413, {"code": "rate_limit_exceeded", "message": "Request too large for the model"}),
    ("xai", 400, {"message": "This model's maximum prompt length is 8 but the request has 9."}),
    (
        "lmstudio",
        400,
        {
            "message": "Trying to keep the first 9 tokens when context the overflows: the model is"
            " loaded with context length of only 8 tokens"
        },
    ),
]


def long_talk() -> Sequence[Json]:
    """Sixty messages in turns."""
    return [
        {"role": ("user", "assistant")[n % 2], "content": f"Sentence {n} of a long talk."}
        for n in range(60)
    ]


@pytest.mark.parametrize(("provider", "status", "error"), TOO_LONG, ids=[a[0] for a in TOO_LONG])
def test_a_context_that_is_too_small_is_answered_by_one_digest(
    deck: Engine, provider: str, status: int, error: Json
) -> None:
    mode = ApiMode.MESSAGES if provider == "anthropic" else ApiMode.CHAT
    refused = {"raw": {"error": error}, "status": status}
    with peer(refused, DONE) as running:
        reviewed = reviewed_at(deck, running, provider, mode, messages=long_talk())
        first, second = running.requests
    assert reviewed.run.ending == "done" and "a digest was sent" in reviewed.notes[0]
    assert len(second["messages"]) < 30 < len(first["messages"])
    assert "Sentence 3 of" in json.dumps(second) and reviewed.fork.is_digest
    with peer(*[refused] * 9) as running:
        reviewed = reviewed_at(deck, running, provider, mode, messages=long_talk())
        assert len(running.journal) == 2
    assert reviewed.run.ending == "failed" and "context-too-small" in reviewed.run.detail
    assert reviewed.exchange.told.exit_code == 1


def test_a_digest_can_be_asked_for(deck: Engine) -> None:
    with peer(DONE) as running:
        runtime = Runtime("ollama", "m", base_url=f"{running.url}/v1", timeout=60.0)
        conversation = talk(openai_request(long_talk()), runtime=runtime)
        reviewed = review(deck, conversation, ReviewRequest(is_digest=True))
        (request,) = running.requests
    assert not reviewed.routed.is_routed and reviewed.run.saved_tokens >= 0
    assert "in short" in request["messages"][1]["content"] and len(request["messages"]) < 30


def test_turns_alternate_in_a_digest_and_where_only_the_user_speaks(deck: Engine) -> None:
    said = [{"role": "user", "content": f"The ferry leaves at {n}."} for n in range(40)]
    picture = {"role": "user", "content": [{"type": "text", "text": "Look."}]}
    for wanted in (ReviewRequest(is_typed=True), ReviewRequest(is_digest=True)):
        with peer(DONE) as running:
            runtime = Runtime("llamacpp", "m", base_url=f"{running.url}/v1", timeout=60.0)
            messages: list[Json] = [
                *said,
                picture,
                {"role": "assistant", "content": "Noted."},
                *said,
            ]
            review(deck, talk(openai_request(messages), runtime=runtime), wanted)
            (request,) = running.requests
        roles = [one["role"] for one in request["messages"]]
        assert all(one != two for one, two in pairwise(roles)), roles
        assert roles[0] == "system" and roles[1] == roles[-1] == "user"


def test_the_task_joins_a_last_message_of_the_user_and_the_prefix_stays(deck: Engine) -> None:
    for content in ("The tests run with nox.", [{"type": "text", "text": "Look at this."}]):
        with peer(DONE) as running:
            runtime = Runtime("vllm", "m", base_url=f"{running.url}/v1", timeout=60.0)
            request = openai_request([{"role": "user", "content": content}])
            reviewed = review(deck, talk(request, runtime=runtime))
            (sent,) = running.requests
        assert [one["role"] for one in sent["messages"]] == ["system", "user"]
        assert reviewed.fork.parity.share == 1.0


def test_a_request_of_the_responses_api_is_reviewed_as_it_was_held(deck: Engine) -> None:
    thought = {"type": "reasoning", "encrypted_content": "ZW5j", "summary": []}
    called = {"type": "function_call", "call_id": "c1", "name": "memory", "arguments": "{}"}
    told = {"type": "function_call_output", "call_id": "c1", "output": "{}"}
    said: list[Json] = [
        {"role": "user", "content": "The tests run with nox."},
        thought,
        called,
        told,
    ]
    with peer({"raw": responses(FUNCTION)}, {"raw": responses()}) as running:
        base = f"{running.url}/v1"
        held = conversation_of({"model": "m", "instructions": "You are an agent.", "input": said})
        reviewed = review(deck, replace(held, runtime=replace(held.runtime, base_url=base)))
        first = running.requests[0]
    assert first["input"][:4] == said and first["instructions"] == "You are an agent."
    assert len(reviewed.run.proposals) == 1 and reviewed.fork.parity.share is None


def test_a_server_that_reads_less_than_it_was_sent_is_noticed(deck: Engine) -> None:
    long = [{"role": "user", "content": "The ferry leaves at noon. " * 2000}]
    for read, is_noted in ((4096, True), (13_000, False), (0, False)):
        with peer(DONE | {"usage": {"input": read}}) as running:
            reviewed = reviewed_at(deck, running, "ollama", ApiMode.CHAT, messages=long)
        assert [("num_ctx" in note) for note in reviewed.notes] == [True] * is_noted


def test_a_model_is_not_sent_again_what_it_said_in_its_call(deck: Engine) -> None:
    with peer({"raw": ROWS[0].answers["whole"]}, DONE) as running:
        reviewed = reviewed_at(deck, running, "openai", ApiMode.CHAT)
        told = json.loads(running.requests[1]["messages"][-1]["content"])
    assert told["staged"] is True and told["proposal"] in reviewed.run.proposals
    assert LINTER["content"] not in json.dumps(told) and "target" not in told
    assert LINTER["content"] in json.dumps(reviewed.answers)  # For the announcement.

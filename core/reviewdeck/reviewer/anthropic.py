"""Anthropic's models, through the official library."""

from __future__ import annotations

import json
from typing import Any, Final

import anthropic

from reviewdeck.reviewer.conversation import Call, Json, MessageForm, Runtime, Usage
from reviewdeck.reviewer.endings import ExchangeEnd
from reviewdeck.reviewer.failures import AnswerFailed
from reviewdeck.reviewer.fork import ANSWER_TOKENS
from reviewdeck.reviewer.models import Answer, ModelRequest, Reply, arguments_of
from reviewdeck.reviewer.vendors import CUT, VendorModel, assembled, open_client, parameters_for


def open_model(runtime: Runtime) -> VendorModel:
    """A model at this runtime."""
    client = open_client(anthropic, anthropic.AsyncAnthropic, runtime)

    async def ask(request: ModelRequest) -> Answer:
        create: Any = client.messages.create
        send: Any = client.messages.with_streaming_response.create
        defaults = {"model": runtime.model, "max_tokens": ANSWER_TOKENS}
        settings: dict[str, Any] = {**defaults, **request.settings}
        tools = {"tools": request.tools} if request.tools else {}
        if request.system is not None:
            settings["system"] = request.system
        arguments = parameters_for(create, settings, messages=request.messages, **tools)
        # With an explicit timeout the library accepts long answers without streaming.
        arguments["timeout"] = runtime.timeout
        return await assembled(send(**arguments), AnthropicAnswer())

    return VendorModel(anthropic, client, runtime, MessageForm.ANTHROPIC, ask)


_JOINED: Final = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
}
_EARLY: Final = {
    "max_tokens": ExchangeEnd.TRUNCATED,
    "model_context_window_exceeded": ExchangeEnd.TRUNCATED,
    "refusal": ExchangeEnd.REFUSED,
}


class AnthropicAnswer:
    """Assembles an answer from its events; a whole answer is one event."""

    def __init__(self) -> None:
        self._blocks: dict[int, Json] = {}
        self._pieces: dict[tuple[int, str], list[str]] = {}
        self._usage: Json = {}
        self._finish: str | None = None
        self._details: Json = {}
        self._is_complete = False

    def add(self, event: Json) -> None:
        match event.get("type"):
            case "message":
                self._blocks = dict(enumerate(map(dict, event.get("content") or ())))
                self._end(event)
                self._is_complete = True
            case "message_start":
                self._usage |= event["message"].get("usage") or {}
            case "content_block_start":
                self._blocks[event["index"]] = dict(event["content_block"])
            case "content_block_delta":
                self._add_delta(event["index"], event["delta"])
            case "message_delta":
                self._end(event["delta"] | {"usage": event.get("usage")})
            case "message_stop":
                self._is_complete = True
            case _:
                pass  # pings, and events of later versions

    def _end(self, message: Json) -> None:
        usage = message.get("usage") or {}
        self._usage |= {name: value for name, value in usage.items() if value is not None}
        self._finish = message.get("stop_reason") or self._finish
        self._details = message.get("stop_details") or self._details

    def _add_delta(self, index: int, delta: Json) -> None:
        block = self._blocks.setdefault(index, {"type": "text", "text": ""})
        kind = str(delta.get("type"))
        if kind == "input_json_delta":
            self._pieces.setdefault((index, "input"), []).append(delta.get("partial_json") or "")
        elif (name := _JOINED.get(kind)) is not None:
            self._pieces.setdefault((index, name), []).append(delta.get(name) or "")
        elif kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or ()), delta.get("citation")]
        else:  # A field of a later version: it is sent back as it came.
            block |= {name: value for name, value in delta.items() if name != "type"}

    def reply(self) -> Reply:
        """The complete answer. Raises AnswerFailed if it ended early."""
        if not self._is_complete or self._finish is None:
            raise AnswerFailed(CUT)
        calls: list[Call] = []
        for index, block in sorted(self._blocks.items()):
            for name in _JOINED.values():
                if (pieces := self._pieces.get((index, name))) is not None:
                    block[name] = (block.get(name) or "") + "".join(pieces)
            if block.get("type") == "tool_use":
                arguments = "".join(self._pieces.get((index, "input"), ()))
                arguments = arguments or json.dumps(block.get("input") or {}, ensure_ascii=False)
                call = Call(str(block.get("id")), str(block.get("name")), arguments)
                calls.append(call)
                # Arguments that cannot be parsed are answered with the parse error.
                block["input"] = arguments_of(call) or {}
        blocks = [block for _, block in sorted(self._blocks.items()) if not _is_empty(block)]
        text = "".join(block.get("text", "") for block in blocks if block.get("type") == "text")
        # An empty message cannot be sent back.
        message = {
            "role": "assistant",
            "content": blocks or [{"type": "text", "text": "(nothing)"}],
        }
        return Reply(
            message,
            text,
            tuple(calls),
            _usage(self._usage),
            self._finish,
            _EARLY.get(self._finish),
            self._finish == "pause_turn",
            str(self._details.get("explanation") or text),
        )


def _is_empty(block: Json) -> bool:
    """Whether a block is an empty text, which Anthropic sends but does not accept."""
    return block.get("type") == "text" and not block.get("text")


def _usage(usage: Json) -> Usage:
    """Tokens as Anthropic reports them: cached tokens are not part of `input_tokens`."""
    cached = int(usage.get("cache_read_input_tokens") or 0)
    written = int(usage.get("cache_creation_input_tokens") or 0)
    plain = int(usage.get("input_tokens") or 0)
    return Usage(plain + cached + written, int(usage.get("output_tokens") or 0), cached, written)

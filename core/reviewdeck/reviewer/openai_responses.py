"""Models behind OpenAI's Responses API, through the official library.

A review uses it in place of an app server, which cannot review. Nothing is stored there, and the
conversation is sent again: there is no parent request whose cache could be hit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import openai

from reviewdeck.agents.hermes.kit import members, objects, text_at
from reviewdeck.reviewer.conversation import Call, Json, MessageForm, ParsedMessage, Runtime, Usage
from reviewdeck.reviewer.endings import ExchangeEnd
from reviewdeck.reviewer.failures import AnswerFailed
from reviewdeck.reviewer.models import Answer, ModelRequest, Reply, read, write
from reviewdeck.reviewer.other_forms import REASONING_ITEMS
from reviewdeck.reviewer.vendors import CUT, VendorModel, assembled, open_client, parameters_for

_SHARED_SETTINGS: Final = ("reasoning", "prompt_cache_key", "service_tier", "extra_headers")
"""Settings with the same meaning in this API."""


def open_model(runtime: Runtime) -> VendorModel:
    """A model at this runtime, with messages of chat completions, converted for each request."""
    client = open_client(openai, openai.AsyncOpenAI, runtime)

    async def ask(request: ModelRequest) -> Answer:
        create: Any = client.responses.create
        send: Any = client.responses.with_streaming_response.create
        settings = {
            key: request.settings[key] for key in _SHARED_SETTINGS if key in request.settings
        }
        messages = [(message, read(message, MessageForm.OPENAI)) for message in request.messages]
        items = [
            item
            for message, parsed in messages
            if parsed.role != "system"
            for item in _items(message, parsed)
        ]
        tools = [_flat(tool) for tool in request.tools]
        arguments = parameters_for(create, settings, input=items, tools=tools) | {
            "model": runtime.model,
            "instructions": "\n\n".join(
                parsed.text for _, parsed in messages if parsed.role == "system"
            ),
            "store": False,
            "stream": True,
        }
        is_reasoning = "reasoning" in settings or any(
            message.get(REASONING_ITEMS) for message in request.messages
        )
        if is_reasoning or runtime.provider == "openai-codex":
            # Without it, what the model thought is lost between two requests of a review.
            arguments["include"] = ["reasoning.encrypted_content"]
        return await assembled(send(**arguments), ResponsesAnswer())

    return VendorModel(openai, client, runtime, MessageForm.OPENAI, ask)


def _items(message: Json, parsed: ParsedMessage) -> Iterator[Json]:
    for result in parsed.results:
        yield {"type": "function_call_output", "call_id": result.call_id, "output": result.text}
    for item in objects(message.get(REASONING_ITEMS)):
        if item.get("encrypted_content"):
            # Nothing is stored there, so an id would be looked up in vain.
            yield {k: value for k, value in item.items() if k != "id" and not k.startswith("_")}
    if parsed.text:
        yield {"role": parsed.role, "content": parsed.text}
    for call in parsed.calls:
        about = {"call_id": call.id, "name": call.name, "arguments": call.arguments}
        yield {"type": "function_call", **about}


def _flat(tool: Json) -> Json:
    function = tool.get("function")
    return {"type": "function", **function} if isinstance(function, dict) else tool


_EARLY: Final = {
    "max_output_tokens": ExchangeEnd.TRUNCATED,
    "content_filter": ExchangeEnd.FILTERED,
}


class ResponsesAnswer:
    """Assembles an answer from its events; a whole answer is one of them."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._refusals: list[str] = []
        self._calls: list[Call] = []
        self._reasoning: list[Json] = []
        self._usage = Usage()
        self._finish = ""

    def add(self, event: Json) -> None:
        kind = event.get("type")
        if kind == "response.output_item.done":
            self._add_item(members(event.get("item")))
        elif kind in {"response.completed", "response.incomplete"}:
            self._end(members(event.get("response")))
        elif event.get("object") == "response":
            for item in objects(event.get("output")):
                self._add_item(item)
            self._end(event)

    def _end(self, response: Json) -> None:
        reason = members(response.get("incomplete_details")).get("reason")
        self._finish = str(reason or response.get("status") or "completed")
        self._usage = _usage(members(response.get("usage")))

    def _add_item(self, item: Json) -> None:
        match item.get("type"):
            case "function_call":
                names = ("call_id", "name", "arguments")
                self._calls.append(Call(*(str(item.get(name) or "") for name in names)))
            case "reasoning":
                self._reasoning.append(item)
            case "message":
                for part in objects(item.get("content")):
                    is_refusal = part.get("type") == "refusal"
                    self._texts += (
                        [text_at(part, "text")] if part.get("type") == "output_text" else []
                    )
                    self._refusals += [text_at(part, "refusal")] if is_refusal else []
            case _:
                pass

    def reply(self) -> Reply:
        """The complete answer. Raises AnswerFailed if the stream ended early."""
        if not self._finish:
            raise AnswerFailed(CUT)
        early = _EARLY.get(self._finish)
        if self._finish == "incomplete":
            early = ExchangeEnd.TRUNCATED
        if refusal := "".join(self._refusals):
            early = early or ExchangeEnd.REFUSED
        parsed = ParsedMessage("assistant", "".join(self._texts), tuple(self._calls))
        (message,) = write(parsed, MessageForm.OPENAI)
        if self._reasoning:
            message[REASONING_ITEMS] = self._reasoning
        return Reply(
            message,
            parsed.text,
            parsed.calls,
            self._usage,
            self._finish,
            early,
            said=refusal or parsed.text,
        )


def _usage(usage: Json) -> Usage:
    cached = members(usage.get("input_tokens_details")).get("cached_tokens")
    return Usage(usage.get("input_tokens") or 0, usage.get("output_tokens") or 0, cached or 0)

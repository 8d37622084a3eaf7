"""A provider on the loopback: it records each request's bytes, answers from a script, and fails in
every way that providers fail in.

It speaks chat completions, Anthropic's messages, the Responses interface and Gemini's, streamed and
whole. A line of the script is one of `ScriptedModel`, or `{"fault": ...}`: `ratelimit` (with
`retry_after`), `disconnect`, `malformed`, `truncated`, `overloaded`, `refused`,
`redirect` (`to` an address), or `{"raw": ...}` with what a provider really sends: an object, a list
of events, or bytes, with a `status` and `headers`; with `latency` it waits first.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from reviewdeck.reviewer.conversation import Json

THE_END: Json = {"say": "Nothing to save."}


class Peer:
    """The provider, its script, and the journal of what it was asked."""

    def __init__(self, script: Sequence[Mapping[str, Any]]) -> None:
        self.script = list(script)
        self.journal: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.asked = threading.Event()
        """Set when the first request has come."""
        self.broken_off = threading.Event()
        """Set when a client goes away while it waits."""
        self.server = _Server(("127.0.0.1", 0), _Handler)
        self.server.peer = self
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    @property
    def requests(self) -> list[Any]:
        """What it was asked, parsed."""
        return [json.loads(body) for body in self.journal]

    def close(self) -> None:
        """Stops."""
        self.server.shutdown()
        self.server.server_close()
        self._thread.join(60)

    def line(self) -> Mapping[str, Any]:
        """The next line of the script."""
        number = len(self.journal) - 1
        return self.script[number] if number < len(self.script) else THE_END


class _Server(ThreadingHTTPServer):
    """Knows whose journal it fills."""

    daemon_threads = True
    peer: Peer


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: _Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.peer.journal.append(body)
        self.server.peer.asked.set()
        self.server.peer.headers.append({k.lower(): v for k, v in self.headers.items()})
        line, asked = self.server.peer.line(), json.loads(body)
        if not self._waited(float(line.get("latency", 0))):
            return
        if "raw" in line:
            self._raw(line["raw"], line)
        elif fault := line.get("fault"):
            self._fail(str(fault), line)
        elif asked.get("stream") or ":stream" in self.path:
            self._stream(_events(self.path, line))
        else:
            self._whole(200, _whole(self.path, line))

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""

    def _waited(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        self.connection.setblocking(False)
        try:
            while time.monotonic() < deadline:
                time.sleep(0.01)
                try:
                    if self.connection.recv(1) == b"":
                        self.server.peer.broken_off.set()
                        return False
                except BlockingIOError:
                    pass
                except OSError:
                    self.server.peer.broken_off.set()
                    return False
        finally:
            self.connection.setblocking(True)
        return True

    def _raw(self, raw: Any, line: Mapping[str, Any]) -> None:
        if isinstance(raw, list):
            self._stream([(str(one.get("type", "")), one) for one in raw])
        else:
            self._whole(int(line.get("status", 200)), raw, **line.get("headers", {}))

    def _whole(self, status: int, value: object, **headers: str) -> None:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, content in headers.items():
            self.send_header(name.replace("_", "-"), content)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: list[tuple[str, Json]], *, cut: bool = False) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, event in events[: len(events) // 2] if cut else events:
            head = f"event: {name}\n" if name else ""
            self.wfile.write(f"{head}data: {json.dumps(event)}\n\n".encode())
        if not cut and "chat" in self.path:
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _fail(self, fault: str, line: Mapping[str, Any]) -> None:
        said = {"error": {"message": f"no: {fault}", "type": fault}}
        match fault:
            case "ratelimit":
                self._whole(429, said, Retry_After=str(line.get("retry_after", 0)))
            case "overloaded":
                self._whole(529, said)
            case "refused":
                self._whole(401, said)
            case "redirect":
                self._whole(307, said, Location=f"{line['to']}{self.path}")
            case "malformed":
                self._whole(200, b'{"choices": [{"mess')
            case "truncated":
                self._stream(_events(self.path, line), cut=True)
            case _:
                self.close_connection = True
                self.connection.close()


@contextmanager
def peer(*script: Mapping[str, Any]) -> Iterator[Peer]:
    """A provider that answers so."""
    running = Peer(script)
    try:
        yield running
    finally:
        running.close()


def _calls(line: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    return [
        (one.get("id", f"call_{number}"), one["tool"], one.get("args", {}))
        for number, one in enumerate(line.get("call", ()))
    ]


def _text(args: object) -> str:
    return args if isinstance(args, str) else json.dumps(args)


def _whole(path: str, line: Mapping[str, Any]) -> Json:
    path = path.partition("?")[0]
    if path.endswith(":generateContent"):
        return _content(line)
    return _message(line) if path.endswith("/messages") else _completion(line)


def _events(path: str, line: Mapping[str, Any]) -> list[tuple[str, Json]]:
    path = path.partition("?")[0]
    if path.endswith(":streamGenerateContent"):
        return [("", _content(line))]
    if path.endswith("/messages"):
        return _message_events(line)
    return _response_events(line) if path.endswith("/responses") else _chunks(line)


def _usage(line: Mapping[str, Any]) -> Json:
    used = line.get("usage", {})
    found = {"prompt_tokens": used.get("input", 10), "completion_tokens": used.get("output", 2)}
    cached = {"prompt_tokens_details": {"cached_tokens": used.get("cached", 0)}}
    cost = {"cost": used["cost"]} if "cost" in used else {}
    return found | {"total_tokens": sum(found.values())} | cached | cost


def _tool_calls(line: Mapping[str, Any]) -> list[Json]:
    return [
        {"id": id, "type": "function", "function": {"name": name, "arguments": _text(args)}}
        for id, name, args in _calls(line)
    ]


def _completion(line: Mapping[str, Any]) -> Json:
    message: Json = {"role": "assistant", "content": line.get("say")}
    calls = _tool_calls(line)
    if calls:
        message["tool_calls"] = calls
    finish = "tool_calls" if calls else "stop"
    choice = {"index": 0, "message": message, "finish_reason": finish}
    head = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    return head | {"choices": [choice], "usage": _usage(line)}


def _chunks(line: Mapping[str, Any]) -> list[tuple[str, Json]]:
    deltas: list[Json] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": part} for part in (line.get("say") or "").partition(" ") if part]
    for index, (id, name, args) in enumerate(_calls(line)):
        text = _text(args)
        half = len(text) // 2
        start = {"index": index, "id": id, "type": "function"}
        deltas.append({"tool_calls": [start | {"function": {"name": name, "arguments": ""}}]})
        for part in (text[:half], text[half:]):
            deltas.append({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    found = [
        head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    finish = "tool_calls" if line.get("call") else "stop"
    found.append(head | {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    found.append(head | {"choices": [], "usage": _usage(line)})
    return [("", one) for one in found]


def _content(line: Mapping[str, Any]) -> Json:
    parts: list[Json] = [{"text": line["say"]}] if line.get("say") else []
    parts += [{"functionCall": {"name": name, "args": args}} for _, name, args in _calls(line)]
    content = {"role": "model", "parts": parts}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage}


def _message(line: Mapping[str, Any]) -> Json:
    blocks: list[Json] = [{"type": "text", "text": line["say"]}] if line.get("say") else []
    blocks += [
        {"type": "tool_use", "id": id, "name": name, "input": args if args != "{" else {}}
        for id, name, args in _calls(line)
    ]
    used = line.get("usage", {})
    usage = {
        "input_tokens": used.get("input", 10) - used.get("cached", 0),
        "output_tokens": used.get("output", 2),
        "cache_read_input_tokens": used.get("cached", 0),
        "cache_creation_input_tokens": 0,
    }
    head = {"id": "m", "type": "message", "role": "assistant", "model": "m", "usage": usage}
    stop = "tool_use" if line.get("call") else "end_turn"
    return head | {"content": blocks, "stop_reason": stop, "stop_sequence": None}


def _message_events(line: Mapping[str, Any]) -> list[tuple[str, Json]]:
    whole = _message(line)
    start = whole | {"content": [], "stop_reason": None}
    found: list[Json] = [{"type": "message_start", "message": start}]
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            empty, delta = {"type": "text", "text": ""}, {"type": "text_delta"}
            parts = [delta | {"text": part} for part in block["text"].partition(" ") if part]
        else:
            empty = block | {"input": {}}
            text = _text(_calls(line)[index - (1 if line.get("say") else 0)][2])
            delta = {"type": "input_json_delta"}
            parts = [delta | {"partial_json": part} for part in (text[:3], text[3:])]
        found.append({"type": "content_block_start", "index": index, "content_block": empty})
        found += [{"type": "content_block_delta", "index": index, "delta": one} for one in parts]
        found.append({"type": "content_block_stop", "index": index})
    stop = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    output = {"output_tokens": whole["usage"]["output_tokens"]}
    found.append({"type": "message_delta", "delta": stop, "usage": output})
    found.append({"type": "message_stop"})
    return [(one["type"], one) for one in found]


def _response_events(line: Mapping[str, Any]) -> list[tuple[str, Json]]:
    items: list[Json] = []
    if line.get("say"):
        text = {"type": "output_text", "text": line["say"], "annotations": []}
        about = {"id": "i", "type": "message", "role": "assistant", "status": "completed"}
        items.append(about | {"content": [text]})
    items += [
        {"id": "f", "type": "function_call", "call_id": id, "name": name, "arguments": _text(args)}
        for id, name, args in _calls(line)
    ]
    used = line.get("usage", {})
    usage = {
        "input_tokens": used.get("input", 10),
        "output_tokens": used.get("output", 2),
        "total_tokens": 12,
        "input_tokens_details": {"cached_tokens": used.get("cached", 0)},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    response = {
        "id": "r",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "completed",
        "output": items,
        "usage": usage,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    found = [
        {
            "type": "response.output_item.done",
            "output_index": number,
            "sequence_number": number,
            "item": item,
        }
        for number, item in enumerate(items)
    ]
    last = {"type": "response.completed", "sequence_number": len(items), "response": response}
    return [(str(one["type"]), one) for one in (*found, last)]

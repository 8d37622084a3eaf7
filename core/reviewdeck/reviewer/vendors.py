"""Shared code of the adapters to the vendors' libraries.

Each model has an event loop, so that another thread can abort a request at once and close its
socket. The libraries build and send the requests; what comes back is read here as plain JSON,
whole or as a stream, so that no field of a provider is lost. Their errors have the same names and
are mapped by `failures`.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from types import ModuleType
from typing import Any, Final, Protocol

from reviewdeck.reviewer.addresses import forget_variables, host_of
from reviewdeck.reviewer.conversation import Json, MessageForm, Runtime
from reviewdeck.reviewer.failures import AnswerFailed, failure_of, failure_within
from reviewdeck.reviewer.models import (
    CANCELLED,
    Answer,
    Cancel,
    Failure,
    FailureKind,
    ModelRequest,
    Reply,
)
from reviewdeck.text.json import json_object

LONGEST_ANSWER: Final = 16 * 1024 * 1024
"""Bytes of an answer: more than any model writes, though it comes in many small pieces."""

CUT: Final = Failure(FailureKind.CUT, "The answer stopped before its end.")
_UNREADABLE: Final = Failure(FailureKind.MALFORMED, "The answer is no JSON.")


class VendorClient(Protocol):
    """The client of a vendor's library."""

    @property
    def base_url(self) -> object: ...

    def close(self) -> Coroutine[Any, Any, None]: ...


class VendorModel:
    """A `Model` behind a vendor's library: one request at a time, in its own event loop."""

    def __init__(
        self,
        library: ModuleType,
        client: VendorClient,
        runtime: Runtime,
        form: MessageForm,
        ask: Callable[[ModelRequest], Awaitable[Answer]],
    ) -> None:
        self._library = library
        self._client = client
        self._host = host_of(str(client.base_url))
        self._runtime = runtime
        self._form = form
        self._ask = ask
        self._runner = asyncio.Runner()

    @property
    def host(self) -> str:
        return self._host

    @property
    def form(self) -> MessageForm:
        return self._form

    def answer(self, request: ModelRequest, cancel: Cancel) -> Answer:
        """Answers one request. Never raises for what a provider does."""
        return self._runner.run(self._run_cancellable(request, cancel))

    def close(self) -> None:
        """Closes its connections, then the loop."""
        try:
            self._runner.run(self._client.close())
        finally:
            self._runner.close()

    async def _run_cancellable(self, request: ModelRequest, cancel: Cancel) -> Answer:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def stop() -> None:
            # The loop is closed if the review ended just before the user spoke.
            with suppress(RuntimeError):
                if task is not None:
                    loop.call_soon_threadsafe(task.cancel)

        with cancel.listening(stop):
            try:
                async with asyncio.timeout(self._runtime.timeout):
                    return await self._ask(request)
            except asyncio.CancelledError:
                if not cancel.is_set:
                    raise
                return CANCELLED
            # A provider can send anything, and no library documents all errors that causes:
            # every one ends the review with a failure.
            except Exception as error:  # noqa: BLE001
                return failure_of(error, self._library, self._runtime)


class GrowingAnswer(Protocol):
    """An answer while its events come."""

    def add(self, event: Json, /) -> None:
        """Adds what one event says."""

    def reply(self) -> Reply:
        """The complete answer. Raises AnswerFailed if it ended early."""


async def assembled(sending: AbstractAsyncContextManager[Any], answer: GrowingAnswer) -> Reply:
    """Sends a request and assembles its answer. Raises AnswerFailed."""
    async with sending as response:
        async for event in objects_of(response):
            answer.add(event)
    return answer.reply()


async def objects_of(response: Any) -> AsyncIterator[Json]:
    """The JSON objects of an answer: one, or those of its stream, whichever the server chose.

    Raises AnswerFailed for an answer that is none, is too long, or says an error.
    """
    body: list[bytes] | None = None
    async for line in _lines(response.iter_bytes()):
        if body is not None:
            body.append(line)
        elif line.startswith(b"data:"):
            data = line[5:].strip()
            if data == b"[DONE]":
                return
            if data:
                yield _parse(data)
        elif line.lstrip()[:1] in (b"{", b"[", b"<"):
            body = [line]
    if body is not None:
        yield _parse(b"\n".join(body))


def _parse(data: bytes) -> Json:
    value = json_object(data)
    if value is None:
        raise AnswerFailed(_UNREADABLE)
    if (failure := failure_within(value)) is not None:
        raise AnswerFailed(failure)
    return value


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Lines without their ends, in linear time however long they are; at most LONGEST_ANSWER."""
    parts: list[bytes] = []
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > LONGEST_ANSWER:
            most = LONGEST_ANSWER // 1024 // 1024
            raise AnswerFailed(Failure(FailureKind.REFUSED, f"The answer is over {most} MiB."))
        *ended, rest = chunk.split(b"\n")
        for line in ended:
            yield b"".join([*parts, line]).rstrip(b"\r")
            parts = []
        parts.append(rest)
    yield b"".join(parts)


def parameters_for(
    create: Callable[..., object], settings: Mapping[str, Any], **bulk: Sequence[Json]
) -> dict[str, Any]:
    """The settings as arguments; those unknown to the library go into the body unchanged.

    So does `bulk`, whose arguments only hold its place there: the libraries compare each value in
    an argument with its types, several times, and JSON comes out of that as it was.
    """
    parameters = inspect.signature(create).parameters
    arguments = {name: value for name, value in settings.items() if name in parameters}
    extra = {name: value for name, value in settings.items() if name not in parameters}
    if extra or bulk:
        arguments["extra_body"] = {**(arguments.get("extra_body") or {}), **extra, **bulk}
    return arguments | {name: [] for name in bulk}


def open_client(library: ModuleType, create: Callable[..., Any], runtime: Runtime) -> Any:
    """A client of either library, for this runtime's address and no other.

    It does not retry: the exchange does, and can be cancelled while it waits. It follows no
    redirection, which would take the conversation and the key to an address that nobody named.
    """
    client = create(
        # The libraries require a key, though a self-hosted server may need none.
        api_key=runtime.api_key or "none",
        base_url=runtime.base_url or None,
        timeout=runtime.timeout,
        max_retries=0,
        default_headers=dict(runtime.headers) or None,
        http_client=library.DefaultAsyncHttpxClient(
            follow_redirects=False,
            timeout=runtime.timeout,
            # An answer that is packed could unpack to any size.
            headers={"Accept-Encoding": "identity"},
        ),
    )
    forget_variables(client, runtime)
    return client

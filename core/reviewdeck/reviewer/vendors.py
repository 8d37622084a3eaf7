"""Shared code of the adapters to the vendors' libraries.

Each model has an event loop, so that another thread can abort a request at once and close its
socket. The errors of both libraries have the same names and are mapped here.
"""

from __future__ import annotations

import asyncio
import email.utils
import inspect
import json
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from types import ModuleType
from typing import Any, Final, Protocol

from reviewdeck.reviewer.addresses import forget_variables
from reviewdeck.reviewer.conversation import MessageForm, Runtime
from reviewdeck.reviewer.models import Answer, Cancel, Failure, FailureKind, ModelRequest

MESSAGE_SHOWN: Final = 300
"""Characters of a provider's error message that are stored."""

_CANCELLED: Final = Failure(FailureKind.CANCELLED, "The review was cancelled.")
_OVERLOADED: Final = frozenset({408, 409, 425, 500, 502, 503, 504, 529})


class CutStream(Exception):
    """A stream that ended before the answer did."""


class VendorClient(Protocol):
    """The client of a vendor's library."""

    def close(self) -> Coroutine[Any, Any, None]:
        """Closes its connections."""
        ...


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
        self._runtime = runtime
        self._form = form
        self._ask = ask
        self._runner = asyncio.Runner()

    @property
    def form(self) -> MessageForm:
        """The form of its messages."""
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
                return _CANCELLED
            except TimeoutError:
                seconds = self._runtime.timeout
                return Failure(FailureKind.TIMEOUT, f"No answer within {seconds:g} seconds.")
            except CutStream:
                return Failure(FailureKind.CUT, "The answer stopped before its end.")
            # A provider can send anything, and no library documents all errors that causes:
            # every one ends the review with a failure.
            except Exception as error:  # noqa: BLE001
                return self._failure_of(error)

    def _failure_of(self, error: Exception) -> Failure:
        library, message = self._library, self._one_line(str(error))
        if isinstance(error, library.APITimeoutError):
            return Failure(FailureKind.TIMEOUT, message)
        if isinstance(error, library.APIConnectionError):
            return Failure(FailureKind.CONNECTION, message)
        if isinstance(error, library.APIStatusError):
            headers = error.response.headers
            return Failure(_kind_of(error.status_code), message, retry_after(headers))
        if isinstance(error, json.JSONDecodeError | library.APIResponseValidationError):
            return Failure(FailureKind.MALFORMED, "The answer cannot be read.")
        if isinstance(error, library.APIError):  # an error in the middle of a stream
            return Failure(FailureKind.OVERLOADED, message)
        module = type(error).__module__.partition(".")[0]
        if module.startswith(("httpx", "httpcore", "anyio", "h11")) or isinstance(error, OSError):
            return Failure(FailureKind.CONNECTION, message)
        return Failure(FailureKind.MALFORMED, f"{type(error).__name__}: {message}")

    def _one_line(self, message: str) -> str:
        """A provider's message in one short line, without the API key."""
        if self._runtime.api_key:
            message = message.replace(self._runtime.api_key, "***")
        return " ".join(message.split())[:MESSAGE_SHOWN]


def _kind_of(status: int) -> FailureKind:
    if status == 429:
        return FailureKind.RATE_LIMIT
    return FailureKind.OVERLOADED if status in _OVERLOADED else FailureKind.REFUSED


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by either of a provider's headers; a date is relative to now."""
    try:
        if (value := headers.get("retry-after-ms")) is not None:
            return max(0.0, float(value) / 1000)
        if (value := headers.get("retry-after")) is None:
            return None
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        moment = email.utils.parsedate_to_datetime(headers["retry-after"])
        return max(0.0, moment.timestamp() - time.time())
    except (ValueError, KeyError, OverflowError):
        return None


def parameters_for(create: Callable[..., object], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as arguments; those unknown to the library go into the body unchanged."""
    parameters = inspect.signature(create).parameters
    arguments = {name: value for name, value in settings.items() if name in parameters}
    extra = {name: value for name, value in settings.items() if name not in parameters}
    if extra:
        arguments["extra_body"] = {**(arguments.get("extra_body") or {}), **extra}
    return arguments


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
            follow_redirects=False, timeout=runtime.timeout
        ),
    )
    forget_variables(client, runtime)
    return client

"""What the adapters to the vendors' libraries share: one event loop each, so that a request can be
broken off at once from another thread, with its socket closed; and one reading of their errors,
which both libraries name alike.
"""

from __future__ import annotations

import asyncio
import email.utils
import inspect
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from types import ModuleType
from typing import Any, Final

from reviewdeck.reviewer.conversation import Runtime
from reviewdeck.reviewer.models import Answer, Cancel, Failure, FailureKind

MESSAGE_SHOWN: Final = 300
"""Characters of a provider's own words that are kept."""

_CANCELLED: Final = Failure(FailureKind.CANCELLED, "The review was cancelled.")
_OVERLOADED: Final = frozenset({408, 409, 425, 500, 502, 503, 504, 529})


class CutStream(Exception):
    """A stream that ended before the answer did."""


class Caller:
    """Runs the requests of one model, one at a time, in an event loop of its own."""

    def __init__(self, library: ModuleType, runtime: Runtime) -> None:
        self._library = library
        self._runtime = runtime
        self._runner = asyncio.Runner()

    def call(self, ask: Callable[[], Awaitable[Answer]], cancel: Cancel) -> Answer:
        """The answer, or the failure that it came to. Never raises for what a provider does."""
        return self._runner.run(self._bounded(ask, cancel))

    def close(self, ask: Callable[[], Awaitable[None]]) -> None:
        """Closes the client, and the loop after it."""

        async def closing() -> None:
            await ask()

        try:
            self._runner.run(closing())
        finally:
            self._runner.close()

    async def _bounded(self, ask: Callable[[], Awaitable[Answer]], cancel: Cancel) -> Answer:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def stop() -> None:
            if task is not None:
                loop.call_soon_threadsafe(task.cancel)

        with cancel.listening(stop):
            try:
                async with asyncio.timeout(self._runtime.timeout):
                    return await ask()
            except asyncio.CancelledError:
                if not cancel.is_set:
                    raise
                return _CANCELLED
            except TimeoutError:
                seconds = self._runtime.timeout
                return Failure(FailureKind.TIMEOUT, f"No answer within {seconds:g} seconds.")
            except CutStream:
                return Failure(FailureKind.CUT, "The answer stopped before its end.")
            # A provider can send anything, and no library promises which errors that makes:
            # whatever it is, the review ends in order and says so.
            except Exception as error:  # noqa: BLE001
                return self._failure_of(error)

    def _failure_of(self, error: Exception) -> Failure:
        library, said = self._library, self._inert(str(error))
        if isinstance(error, library.APITimeoutError):
            return Failure(FailureKind.TIMEOUT, said)
        if isinstance(error, library.APIConnectionError):
            return Failure(FailureKind.CONNECTION, said)
        if isinstance(error, library.APIStatusError):
            headers = error.response.headers
            return Failure(_kind_of(error.status_code), said, retry_after(headers))
        if isinstance(error, json.JSONDecodeError | library.APIResponseValidationError):
            return Failure(FailureKind.MALFORMED, "The answer cannot be read.")
        if isinstance(error, library.APIError):  # an error in the middle of a stream
            return Failure(FailureKind.OVERLOADED, said)
        module = type(error).__module__.partition(".")[0]
        if module.startswith(("httpx", "httpcore", "anyio", "h11")) or isinstance(error, OSError):
            return Failure(FailureKind.CONNECTION, said)
        return Failure(FailureKind.MALFORMED, f"{type(error).__name__}: {said}")

    def _inert(self, said: str) -> str:
        """A provider's words in one line, short, and without the key."""
        if self._runtime.api_key:
            said = said.replace(self._runtime.api_key, "***")
        return " ".join(said.split())[:MESSAGE_SHOWN]


def _kind_of(status: int) -> FailureKind:
    if status == 429:
        return FailureKind.RATE_LIMIT
    return FailureKind.OVERLOADED if status in _OVERLOADED else FailureKind.REFUSED


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a provider asks to wait, from either of its headers; a date counts from now."""
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
    except (ValueError, KeyError):
        return None
    return max(0.0, moment.timestamp() - time.time())


def parameters_for(create: Callable[..., object], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as arguments: what a library does not know goes into the body as it is."""
    known = inspect.signature(create).parameters
    arguments = {name: value for name, value in settings.items() if name in known}
    others = {name: value for name, value in settings.items() if name not in known}
    if others:
        arguments["extra_body"] = {**(arguments.get("extra_body") or {}), **others}
    return arguments


def client_options(runtime: Runtime) -> dict[str, Any]:
    """What a client of either library is opened with. It never tries again by itself: a review
    does, and can be cancelled while it waits.
    """
    return {
        # A server of one's own needs no key, and a library insists on one.
        "api_key": runtime.api_key or "none",
        "base_url": runtime.base_url,
        "timeout": runtime.timeout,
        "max_retries": 0,
        "default_headers": dict(runtime.headers) or None,
    }

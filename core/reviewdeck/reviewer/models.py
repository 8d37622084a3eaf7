"""The seam to language models: one request in, one answer or one failure out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import TracebackType
from typing import Any, Protocol, Self, TypeAlias

from reviewdeck.reviewer.values import Call, Form, Json, Usage


class FailureKind(StrEnum):
    """What became of a request that was not answered."""

    RATE_LIMIT = "rate-limit"
    OVERLOADED = "overloaded"
    CONNECTION = "connection"
    TIMEOUT = "timeout"
    CUT = "cut-stream"
    """The answer stopped before its end."""
    MALFORMED = "malformed-answer"
    REFUSED = "refused"
    """The provider will not answer this, now or later: a wrong key, model or request."""
    CANCELLED = "cancelled"

    @property
    def is_passing(self) -> bool:
        """Whether asking once more may help."""
        return self not in {FailureKind.REFUSED, FailureKind.CANCELLED}


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that was not answered."""

    kind: FailureKind
    message: str
    retry_after: float | None = None
    """Seconds that the provider asks to wait."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request, in the form of its model."""

    messages: tuple[Json, ...]
    system: Any = None
    tools: tuple[Json, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer."""

    message: Json
    """As it has to be sent back in the next request."""
    text: str
    calls: tuple[Call, ...]
    usage: Usage = field(default_factory=Usage)
    finish: str = "stop"
    """Why the model stopped, in the provider's word."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was said at all."""
        return not self.calls and not self.text.strip()


Answer: TypeAlias = Reply | Failure


class Cancel:
    """Tells a review to stop, from any thread, once and for good."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._hooks: list[Callable[[], None]] = []

    def __call__(self) -> None:
        """Stops. What is under way is broken off."""
        with self._lock:
            self._event.set()
            hooks, self._hooks = self._hooks, []
        for hook in hooks:
            hook()

    @property
    def is_set(self) -> bool:
        """Whether it was told to stop."""
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Waits so long, or until it is told to stop; says which."""
        return self._event.wait(seconds)

    def listening(self, hook: Callable[[], None]) -> _Listening:
        """Calls `hook` when it is told to stop within a `with` block, or at once if it was."""
        return _Listening(self, hook)

    def add(self, hook: Callable[[], None]) -> None:
        """Adds a hook; it is called at once when it was told to stop already."""
        with self._lock:
            if not self._event.is_set():
                self._hooks.append(hook)
                return
        hook()

    def drop(self, hook: Callable[[], None]) -> None:
        """Takes a hook away again."""
        with self._lock:
            if hook in self._hooks:
                self._hooks.remove(hook)


class _Listening:
    def __init__(self, cancel: Cancel, hook: Callable[[], None]) -> None:
        self._cancel = cancel
        self._hook = hook

    def __enter__(self) -> Self:
        self._cancel.add(self._hook)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._cancel.drop(self._hook)


class Model(Protocol):
    """Something that answers."""

    @property
    def form(self) -> Form:
        """The form of its requests and of the messages in its replies."""
        ...

    def answer(self, request: Request, cancel: Cancel) -> Answer:
        """Answers one request. Never raises; stops soon after `cancel`. Tries once."""
        ...

    def close(self) -> None:
        """Lets go of its connections."""
        ...

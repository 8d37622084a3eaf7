"""Whether a review runs here. Then whoever would ask a human for approval is denied, unasked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

APPROVAL: Final = "approval"
"""Under this name denied approvals are counted beside denied tools."""

_denied: ContextVar[Counter[str] | None] = ContextVar("reviewdeck_review", default=None)


@contextmanager
def reviewing() -> Iterator[Counter[str]]:
    """Marks what runs within as a review; gives the counter of what it was denied."""
    denied: Counter[str] = Counter()
    token = _denied.set(denied)
    try:
        yield denied
    finally:
        _denied.reset(token)


def in_review() -> bool:
    """Whether a review runs here, in this thread or in one that took over its context."""
    return _denied.get() is not None


def unattended(ask: Callable[P, T], denial: T) -> Callable[P, T]:
    """An agent's own question to a human, which within a review is denied without being asked."""

    @wraps(ask)
    def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        denied = _denied.get()
        if denied is None:
            return ask(*args, **kwargs)
        denied[APPROVAL] += 1
        return denial

    return asked

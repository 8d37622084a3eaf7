"""Opening a working memory by the variables of a process, as the program itself does."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Final

from reviewdeck.clock import utc_now
from reviewdeck.errors import BadInput
from reviewdeck.working.fallback import create
from reviewdeck.working.memory import Scope, WorkingMemory

ADDRESS: Final = "REVIEWDECK_WORKING"
"""The variable that names the storage."""
TTL: Final = "REVIEWDECK_WORKING_TTL"
"""The variable with the lifetime of a value that is given none of its own, such as `12h`."""

_DURATION: Final = re.compile(r"([1-9]\d{0,8})\s*([smhd]?)")
_UNITS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}


def ttl_in(env: Mapping[str, str]) -> timedelta | None:
    """The lifetime of a value by the variable; None for ever. Raises BadInput."""
    text = env.get(TTL, "").strip()
    if not text:
        return None
    match = _DURATION.fullmatch(text)
    seconds = int(match[1]) * _UNITS[match[2]] if match else 0
    if not 0 < seconds <= timedelta(days=36_500).total_seconds():
        raise BadInput(
            f"{TTL} is no duration: {text[:40]!r}.",
            hint="Write a number of seconds, or one with a unit: 90s, 15m, 12h, 30d.",
        )
    return timedelta(seconds=seconds)


def open_memory(
    scope: Scope,
    address: str = "",
    *,
    env: Mapping[str, str],
    ttl: timedelta | None = None,
    now: Callable[[], datetime] = utc_now,
    tick: Callable[[], float] = time.monotonic,
) -> WorkingMemory:
    """The working memory of a scope, with a storage of its own that `close` closes.

    What is not given is taken from the variables; without an address it is in this process alone.
    Raises BadInput. While a server does not answer, this process keeps what is stored.
    """
    storage = create(address or env.get(ADDRESS) or "memory:", now=now, tick=tick)
    return WorkingMemory(scope, storage, now=now, ttl=ttl or ttl_in(env), owns_storage=True)

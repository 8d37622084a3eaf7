"""Work that makes many values at once and throws most of them away."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def undisturbed() -> Iterator[None]:
    """Puts off the search for cycles, which such work leaves none of: it goes over all that lives.

    For one batch at a time. What is not in a cycle is given back at once all the same.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()

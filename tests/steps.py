"""Counts the work of a call: the same on every machine, however busy it is.

No test holds a time. What C code does at one call, such as a search by a pattern, is not counted:
`benchmarks/growth.py` measures it.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from itertools import count as counting
from types import FrameType
from typing import Any, TypeAlias

Work: TypeAlias = Callable[[], object]
LINEAR = 2.6
"""How many times the steps twice the input takes at most: linear work takes 2, quadratic work 4."""
_calls = counting(1)


def steps_of(work: Work) -> int:
    """The lines of Python that a call runs in this thread, each as often as it runs."""
    count = 0

    def trace(_frame: FrameType, _event: str, _argument: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    before, is_collecting = sys.gettrace(), gc.isenabled()
    gc.disable()  # What a collection calls is no work of this call: it comes when it comes.
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
        if is_collecting:
            gc.enable()
    return count


def growth(prepare: Callable[[int], Work], size: int) -> float:
    """How many times the steps that a size takes twice of it takes.

    Another size goes first, so that what is loaded or compiled once is not counted. No two calls
    take the same size: the program keeps what it read, also from the test before.
    """
    size -= next(_calls) % max(size // 16, 1)
    prepare(size - size // 8)()
    once, twice = (steps_of(prepare(each)) for each in (size, 2 * size))
    return twice / once

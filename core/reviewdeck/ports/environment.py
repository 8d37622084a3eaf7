"""What the engine is handed of the world: the time, fresh ids, a place for tests to fail at."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

Clock = Callable[[], datetime]
"""Now, with a time zone."""

NewId = Callable[[], str]
"""A fresh identifier for an operation, a decision or a batch: at least 12 lower-case hex digits."""

Progress = Callable[[int, int], None]
"""Called on long work with how many of how many are done."""

Probe = Callable[[str], None]
"""Called with a step's name before the step is taken: a place for tests to fail at."""

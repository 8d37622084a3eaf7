"""The engine's environment: the clock, fresh ids, progress, and probes for tests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

Clock = Callable[[], datetime]
"""Now, with a time zone."""

NewId = Callable[[], str]
"""A fresh identifier for an operation, a decision or a batch: at least 12 lower-case hex digits."""

Progress = Callable[[int, int], None]
"""Called during long work with the number of steps done and their total."""

Probe = Callable[[str], None]
"""Called with a step's name before the step is taken: a place for tests to fail at."""

"""Patterns that are compiled by their first use.

A decision loads all rules and uses half of their patterns: compiling the others was a fifth of its
time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

__all__ = ("regex",)

if TYPE_CHECKING:
    from re import compile as regex
else:

    class regex:
        """As `re.compile`, for a constant of a module that many runs load and few use."""

        def __init__(self, pattern: str, flags: int = 0) -> None:
            self.pattern = pattern
            self._given = flags

        def __getattr__(self, name: str) -> Any:
            """What the compiled pattern has; kept, so that it is looked up once."""
            if name.startswith("__"):
                raise AttributeError(name)
            if name == "compiled":
                self.compiled = re.compile(self.pattern, self._given)
                return self.compiled
            found = getattr(self.compiled, name)
            setattr(self, name, found)
            return found

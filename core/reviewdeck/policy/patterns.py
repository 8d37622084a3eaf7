"""Patterns from a policy file, run by RE2: the time they take grows with the text alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, cast

LONGEST = 1_000
"""Characters of a pattern."""
READ = 65_536
"""Characters of a text that a pattern sees."""
_MEMORY = 8 << 20
"""Bytes that one compiled pattern may take."""


class BadPattern(Exception):
    """A pattern that cannot be used. Never leaves the policy."""


class _Found(Protocol):
    def span(self) -> tuple[int, int]: ...


class _Compiled(Protocol):
    def search(self, text: str) -> _Found | None: ...


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that is known to compile."""

    source: str

    def find(self, text: str) -> tuple[int, int] | None:
        """Where it is found first."""
        found = _compiled(self.source).search(text[:READ].encode("utf-8", "replace").decode())
        return None if found is None else found.span()


def read_pattern(source: str) -> Pattern:
    """A pattern, checked. Raises BadPattern."""
    if len(source) > LONGEST:
        raise BadPattern(f"a pattern has at most {LONGEST:,} characters")
    _compiled(source)
    return Pattern(source)


@lru_cache(maxsize=256)
def _compiled(source: str) -> _Compiled:
    try:
        import re2  # type: ignore[import-untyped]  # it ships no types
    except ImportError:
        raise BadPattern("patterns need the package google-re2") from None
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        return cast("_Compiled", re2.compile(source, options))
    except re2.error as error:
        said = error.args[0] if error.args else "it cannot be read"
        text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise BadPattern(f"RE2 does not take the pattern: {text}") from None

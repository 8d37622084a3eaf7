"""A burst of changes outside review in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from reviewdeck.engine.bursts import Burst, BurstEffect
from reviewdeck.presentation.proposal_words import local_minute
from reviewdeck.presentation.words import count, one_line

_NAMED: Final = 3
"""Sessions that are named of those that were active."""
_PLURALS: Final = {"entry": "entries"}


def burst_words(burst: Burst, tallies: Sequence[BurstEffect]) -> str:
    """``57 entries removed from MEMORY.md, between … and …, by session s1``."""
    return f"{effect_words(tallies)}, {_times(burst)}, {_writer(burst)}"


def effect_words(tallies: Sequence[BurstEffect]) -> str:
    """``57 entries removed from MEMORY.md, 2 skills changed``."""
    return ", ".join(words for tally in tallies for words in _tally_words(tally))


def _tally_words(tally: BurstEffect) -> Iterator[str]:
    memory = one_line(tally.memory)
    did = (
        (tally.removed, "removed", "from"),
        (tally.changed, "changed", "in"),
        (tally.added, "added", "to"),
    )
    for amount, verb, preposition in did:
        if amount:
            amount_words = count(amount, tally.unit, _PLURALS.get(tally.unit))
            yield f"{amount_words} {verb}" + (f" {preposition} {memory}" if memory else "")


def _times(burst: Burst) -> str:
    began, ended = local_minute(burst.began), local_minute(burst.ended)
    if began == ended:
        return f"at {began}"
    day, _, minute = ended.partition(" ")
    return f"between {began} and {minute if began.startswith(day) else ended}"


def _writer(burst: Burst) -> str:
    if not burst.sessions:
        return "nobody knows by whom"
    sessions = ", ".join(map(one_line, burst.sessions[:_NAMED]))
    return f"by session {sessions}" if burst.is_exact else f"likely by session {sessions}"

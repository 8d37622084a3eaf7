"""Freshness: the document that an author saw, compared with the live one."""

from __future__ import annotations

from collections import Counter

from reviewdeck.model import Currency, Freshness, Seen
from reviewdeck.origin.prompt import BLOCKED
from reviewdeck.text.entries import parse


def currency(
    path: str, seen: Seen | None, live: str, *, is_memory: bool, changed_since: bool | None
) -> Currency:
    """Compares a document with what its author saw of it.

    `changed_since` says whether the ledger knows a change of it since the author began; None when
    nobody knows since when. It counts only where nothing tells what was seen.
    """
    if seen is None:
        match changed_since:
            case None:
                return Currency(path, Freshness.UNKNOWN)
            case True:
                return Currency(path, Freshness.CHANGED)
            case False:
                return Currency(path, Freshness.UNCHANGED)
    if not seen.is_whole:
        if is_memory:
            entries = set(parse(live))
            gone = tuple(entry for entry in parse(seen.text) if entry not in entries)
        else:
            gone = () if seen.text in live else (seen.text,)
        return Currency(path, Freshness.STALE if gone else Freshness.CURRENT, seen, gone)
    return _compared(path, seen, live, is_memory=is_memory)


def _compared(path: str, seen: Seen, live: str, *, is_memory: bool) -> Currency:
    if is_memory:
        # An entry that was kept from the model stands for one that nobody can name.
        before = [
            entry for entry in dict.fromkeys(parse(seen.text)) if not entry.startswith(BLOCKED)
        ]
        now = list(dict.fromkeys(parse(live)))
    else:
        before, now = seen.text.splitlines(), live.splitlines()
    gone = tuple((Counter(before) - Counter(now)).elements())
    added = tuple((Counter(now) - Counter(before)).elements())
    if not gone and not added and (is_memory or seen.text == live):
        return Currency(path, Freshness.CURRENT, seen)
    if gone or (not is_memory and not _in_order(before, now)):
        return Currency(path, Freshness.STALE, seen, gone, added)
    return Currency(path, Freshness.APPENDED, seen, (), added)


def _in_order(before: list[str], now: list[str]) -> bool:
    """Whether all of these lines still stand in their order."""
    lines = iter(now)
    return all(line in lines for line in before)

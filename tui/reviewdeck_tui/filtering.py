"""The fuzzy filter: in steps, so that a newer one can end it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from rapidfuzz import fuzz

from reviewdeck.cli.words import gist, origin_word
from reviewdeck.model import QueueItem

STEP: Final = 4_000
"""Proposals between two looks at whether the filter still is wanted."""
ALIKE: Final = 80.0
"""Likeness, 0 to 100, from which a misspelt word is taken for one of the text."""
SHORTEST_FUZZY: Final = 4
"""Letters of a word from which it may be misspelt."""
FACETS: Final = ("state", "kind", "origin", "home", "action", "target")


def haystack(item: QueueItem, home: str) -> str:
    """What a filter looks through, in small letters: facets first, then the text."""
    facets = {
        "state": item.state.value,
        "kind": item.kind.value,
        "origin": origin_word(item.origin),
        "home": home,
        "action": item.action,
        "target": item.target,
    }
    named = " ".join(f"{name}:{value}" for name, value in facets.items())
    said = " ".join([gist(item), item.reason, item.id, item.source_id or ""])
    return f"{named} {said}".casefold()


def matching(
    wanted: str, hay: Sequence[tuple[str, str]], is_over: Callable[[], bool] = lambda: False
) -> frozenset[str] | None:
    """The ids whose haystack has every word; None when it was ended early.

    A word that stands nowhere as it was typed is looked for with a slip in it.
    """
    found = set(id for id, _ in hay)
    for word in wanted.casefold().split():
        exact = _having(hay, found, partial(_has, word), is_over)
        if exact is not None and not exact and _may_slip(word):
            exact = _having(hay, found, partial(_nearly, word), is_over)
        if exact is None:
            return None
        found = exact
    return frozenset(found)


def _having(
    hay: Sequence[tuple[str, str]],
    among: set[str],
    has: Callable[[str], bool],
    is_over: Callable[[], bool],
) -> set[str] | None:
    found: set[str] = set()
    for start in range(0, len(hay), STEP):
        if is_over():
            return None
        part = hay[start : start + STEP]
        found.update(id for id, text in part if id in among and has(text))
    return found


def _may_slip(word: str) -> bool:
    """Facets are taken at their word; a short word could be found in anything."""
    return len(word) >= SHORTEST_FUZZY and word.partition(":")[0] not in FACETS


def _has(word: str, text: str) -> bool:
    return word in text


def _nearly(word: str, text: str) -> bool:
    return fuzz.partial_ratio(word, text, score_cutoff=ALIKE) > 0

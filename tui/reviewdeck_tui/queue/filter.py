"""The fuzzy filter: in steps, so that a newer one can end it. Pure.

What many proposals share (state, target, home, ...) is looked through once for all of them; what
is a proposal's own is one text each.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeAlias

from rapidfuzz import fuzz, process

from reviewdeck.model import Outline
from reviewdeck.presentation.words import one_line, origin_word
from reviewdeck_tui.queue.columns import QueueIndex
from reviewdeck_tui.queue.packed import Texts

STEP: Final = 2_000
"""Proposals between two looks at whether the filter still is wanted."""
ALIKE: Final = 80.0
"""Likeness, 0 to 100, from which a misspelt word is taken for one of the text."""
SHORTEST_FUZZY: Final = 4
"""Letters of a word from which it may be misspelt."""
Places: TypeAlias = "range | array[int]"
FACETS: Final = ("state", "kind", "origin", "home", "session", "action", "target")


@dataclass(frozen=True, slots=True)
class Hay:
    """What a filter looks through, in small letters, by the places of a shelf."""

    own: Texts
    """The gist of each proposal, and its id in Hermes."""
    ids: Texts
    """Our own ids, which are small letters as they are."""
    shared: array[int]
    """Which of `words` and `facets` belong to it."""
    words: list[str]
    """Values of the facets, and why it stands where it stands."""
    facets: list[str]
    """The same values with their names: `` state:ready kind:memory``."""


@dataclass(frozen=True, slots=True)
class FilterResult:
    """What a filter let through."""

    words: tuple[str, ...]
    places: Places
    """Rising."""
    exact: bool
    """Whether no word had to be taken for a slip."""


def hay_of(
    outlines: Iterable[Outline],
    columns: QueueIndex,
    homes: Mapping[str, str],
    is_over: Callable[[], bool] = lambda: False,
) -> Hay | None:
    """What a filter looks through; None when it was ended early."""
    own, shared = Texts(len(columns.ids)), array("I", bytes(4 * len(columns.ids)))
    known: dict[tuple[str, ...], int] = {}
    stream = iter(outlines)
    while part := list(islice(stream, STEP)):
        if is_over():
            return None
        for one in part:
            if (place := columns.place_of(one.id)) is None:
                continue
            own.put(place, f"{one_line(one.gist)} {one.source_id}".casefold())
            home = homes.get(one.home, "")
            values = (one.state, one.kind, one.origin, home, one.session, one.action, one.target)
            shared[place] = known.setdefault((*values, one.reason), len(known))
    return Hay(own, columns.ids, shared, *_shared_texts(known))


def _shared_texts(known: Iterable[tuple[str, ...]]) -> tuple[list[str], list[str]]:
    words, facets = [], []
    for *values, reason in known:
        values[2] = origin_word(values[2])
        words.append(" ".join([*values, reason]).casefold())
        named = (f" {name}:{value}" for name, value in zip(FACETS, values, strict=True) if value)
        facets.append("".join(named).casefold())
    return words, facets


def matching(
    wanted: str,
    hay: Hay,
    is_over: Callable[[], bool] = lambda: False,
    before: FilterResult | None = None,
) -> FilterResult | None:
    """What has every word; None when it was ended early.

    A word that stands nowhere as it was typed is looked for with a slip in it. `before` is what an
    earlier filter found in the same hay: one that grew out of it looks no further.
    """
    words = tuple(wanted.casefold().split())
    is_narrow = before is not None and before.exact and _grew(before.words, words)
    places: Places = range(len(hay.own))
    if before is not None and is_narrow:
        places = before.places
    is_exact = True
    for word in words:
        found = _having(word, hay, places, is_over)
        if found is not None and not found and _may_slip(word):
            if is_narrow:  # A slip may stand where the shorter word did not.
                return matching(wanted, hay, is_over)
            found, is_exact = _nearly(word, hay, places, is_over), False
        if found is None:
            return None
        places = found
    return FilterResult(words, places, is_exact)


def _grew(old: tuple[str, ...], new: tuple[str, ...]) -> bool:
    """Whether everything that has the new words has the old ones."""
    return all(any(short in long for long in new) for short in old) and not any(
        _is_facet(word) for word in new
    )


def _having(word: str, hay: Hay, places: Places, is_over: Callable[[], bool]) -> array[int] | None:
    is_own, is_id, shared = hay.own.having(word), hay.ids.having(word), hay.shared
    if is_facet := _is_facet(word):
        good = bytes(f" {word}" in text for text in hay.facets)
    else:
        good = bytes(word in text for text in hay.words)
    found = array("I")
    for start in range(0, len(places), STEP):
        if is_over():
            return None
        part = places[start : start + STEP]
        if is_facet:
            found.extend(place for place in part if good[shared[place]])
        else:
            found.extend(
                place for place in part if good[shared[place]] or is_own(place) or is_id(place)
            )
    return found


def _nearly(word: str, hay: Hay, places: Places, is_over: Callable[[], bool]) -> array[int] | None:
    good = bytes(fuzz.partial_ratio(word, text, score_cutoff=ALIKE) > 0 for text in hay.words)
    found = array("I")
    for start in range(0, len(places), STEP):
        if is_over():
            return None
        part = places[start : start + STEP]
        texts = list(hay.own.of(part))
        close = process.extract(
            word,
            texts,
            scorer=fuzz.partial_ratio,
            processor=None,
            score_cutoff=ALIKE,
            limit=None,
        )
        hits = {part[at] for _, _, at in close}
        found.extend(place for place in part if place in hits or good[hay.shared[place]])
    return found


def mask_of(places: Iterable[int], size: int) -> bytes:
    """A byte for each place of a shelf: whether it is among these."""
    mask = bytearray(size)
    for place in places:
        mask[place] = 1
    return bytes(mask)


def _is_facet(word: str) -> bool:
    name, colon, _ = word.partition(":")
    return bool(colon) and name in FACETS


def _may_slip(word: str) -> bool:
    """Facets are taken at their word; a short word could be found in anything."""
    return len(word) >= SHORTEST_FUZZY and not _is_facet(word)

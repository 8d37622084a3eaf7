"""The fuzzy filter. It works in steps, so that a newer one can cancel it. Pure.

Texts that many proposals share (state, target, home, ...) are searched once for all of them;
each proposal has one text of its own.
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
from reviewdeck_tui.queue.columns import QueueColumns
from reviewdeck_tui.queue.packed import Texts

STEP: Final = 2_000
"""Proposals between two checks for cancellation."""
SIMILAR: Final = 80.0
"""Similarity, 0 to 100, from which a misspelt word matches one of the text."""
SHORTEST_FUZZY: Final = 4
"""Letters of a word from which it may be misspelt."""
Places: TypeAlias = "range | array[int]"
FACETS: Final = ("state", "kind", "origin", "home", "session", "action", "target")


@dataclass(frozen=True, slots=True)
class SearchTexts:
    """The texts that a filter searches, in lower case, by place."""

    own: Texts
    """The gist of each proposal, and its id in Hermes."""
    ids: Texts
    """Our own ids, which are lower case already."""
    shared: array[int]
    """For each place, its index into `words` and `facets`."""
    words: list[str]
    """The values of the facets, and the reason of the state."""
    facets: list[str]
    """The same values with their names: `` state:ready kind:memory``."""


@dataclass(frozen=True, slots=True)
class FilterResult:
    """The proposals that a filter matches."""

    words: tuple[str, ...]
    places: Places
    """Ascending."""
    exact: bool
    """Whether every word matched as it was typed."""


def search_texts_of(
    outlines: Iterable[Outline],
    columns: QueueColumns,
    homes: Mapping[str, str],
    is_over: Callable[[], bool] = lambda: False,
) -> SearchTexts | None:
    """The texts that a filter searches; None when cancelled."""
    own, shared = Texts(len(columns.ids)), array("I", bytes(4 * len(columns.ids)))
    indices: dict[tuple[str, ...], int] = {}
    stream = iter(outlines)
    while part := list(islice(stream, STEP)):
        if is_over():
            return None
        for outline in part:
            if (place := columns.place_of(outline.id)) is None:
                continue
            own.put(place, f"{one_line(outline.gist)} {outline.source_id}".casefold())
            home = homes.get(outline.home, "")
            values = (
                outline.state,
                outline.kind,
                outline.origin,
                home,
                outline.session,
                outline.action,
                outline.target,
            )
            shared[place] = indices.setdefault((*values, outline.reason), len(indices))
    return SearchTexts(own, columns.ids, shared, *_shared_texts(indices))


def _shared_texts(shared_values: Iterable[tuple[str, ...]]) -> tuple[list[str], list[str]]:
    words, facets = [], []
    for *values, reason in shared_values:
        values[2] = origin_word(values[2])
        words.append(" ".join([*values, reason]).casefold())
        facet_texts = (
            f" {name}:{value}" for name, value in zip(FACETS, values, strict=True) if value
        )
        facets.append("".join(facet_texts).casefold())
    return words, facets


def match_words(
    query: str,
    search_texts: SearchTexts,
    is_over: Callable[[], bool] = lambda: False,
    before: FilterResult | None = None,
) -> FilterResult | None:
    """The proposals that match every word; None when cancelled.

    A word that matches nowhere as typed is tried again as misspelt. `before` is the result of an
    earlier filter over the same texts: a filter that extends it searches only that result.
    """
    words = tuple(query.casefold().split())
    is_extension = before is not None and before.exact and _extends(before.words, words)
    places: Places = range(len(search_texts.own))
    if before is not None and is_extension:
        places = before.places
    is_exact = True
    for word in words:
        matches = _matches_exactly(word, search_texts, places, is_over)
        if matches is not None and not matches and _may_be_misspelt(word):
            if is_extension:  # The misspelt word may match where the shorter one did not.
                return match_words(query, search_texts, is_over)
            matches, is_exact = _matches_fuzzily(word, search_texts, places, is_over), False
        if matches is None:
            return None
        places = matches
    return FilterResult(words, places, is_exact)


def _extends(old: tuple[str, ...], new: tuple[str, ...]) -> bool:
    """Whether everything that matches the new words matches the old ones."""
    return all(any(short in long for long in new) for short in old) and not any(
        _is_facet(word) for word in new
    )


def _matches_exactly(
    word: str, search_texts: SearchTexts, places: Places, is_over: Callable[[], bool]
) -> array[int] | None:
    is_own, is_id, shared = (
        search_texts.own.contains(word),
        search_texts.ids.contains(word),
        search_texts.shared,
    )
    if is_facet := _is_facet(word):
        has_shared_match = bytes(f" {word}" in text for text in search_texts.facets)
    else:
        has_shared_match = bytes(word in text for text in search_texts.words)
    matches = array("I")
    for start in range(0, len(places), STEP):
        if is_over():
            return None
        part = places[start : start + STEP]
        if is_facet:
            matches.extend(place for place in part if has_shared_match[shared[place]])
        else:
            matches.extend(
                place
                for place in part
                if has_shared_match[shared[place]] or is_own(place) or is_id(place)
            )
    return matches


def _matches_fuzzily(
    word: str, search_texts: SearchTexts, places: Places, is_over: Callable[[], bool]
) -> array[int] | None:
    has_shared_match = bytes(
        fuzz.partial_ratio(word, text, score_cutoff=SIMILAR) > 0 for text in search_texts.words
    )
    matches = array("I")
    for start in range(0, len(places), STEP):
        if is_over():
            return None
        part = places[start : start + STEP]
        texts = list(search_texts.own.of(part))
        similar = process.extract(
            word,
            texts,
            scorer=fuzz.partial_ratio,
            processor=None,
            score_cutoff=SIMILAR,
            limit=None,
        )
        hits = {part[at] for _, _, at in similar}
        matches.extend(
            place for place in part if place in hits or has_shared_match[search_texts.shared[place]]
        )
    return matches


def mask_of(places: Iterable[int], size: int) -> bytes:
    """A byte for each place: whether it is among these."""
    mask = bytearray(size)
    for place in places:
        mask[place] = 1
    return bytes(mask)


def _is_facet(word: str) -> bool:
    name, colon, _ = word.partition(":")
    return bool(colon) and name in FACETS


def _may_be_misspelt(word: str) -> bool:
    """Facets are matched exactly; a short word would match anything."""
    return len(word) >= SHORTEST_FUZZY and not _is_facet(word)

"""How long it takes to find what is like a proposal, and what an index misses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from benchmarks.text_measures import best
from tests.text.cases import WORDS, seeded

from reviewdeck.engine.similarity import LiveTexts
from reviewdeck.model import Relation
from reviewdeck.model.ledger import Subject
from reviewdeck.text.similarity import find_similar
from reviewdeck.text.terms import terms_of

QUERIES = 30
CLOSE = 75.0


@dataclass(frozen=True, slots=True)
class Search:
    """One corpus, searched as a whole and by terms."""

    entries: int
    first: float | None
    """Milliseconds for the first proposal, when no entry has been read yet."""
    scan: float | None
    """Milliseconds for each further one; None when it was not measured."""
    index: float
    recall: float | None
    """Part of what the scan finds that the index finds too."""
    recall_close: float | None
    """The same for matches from `CLOSE` on."""


def vocabulary(random: Random, count: int) -> list[str]:
    """Words of which few are common and most are rare, as in any language."""
    return [*WORDS, *(f"{random.choice(WORDS)}{random.getrandbits(24):x}" for _ in range(count))]


def corpus(random: Random, count: int) -> list[str]:
    """Entries of a dozen words, drawn by Zipf's law."""
    words = vocabulary(random, 20_000)
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    drawn = random.choices(words, weights, k=12 * count)
    return [" ".join(drawn[12 * at : 12 * at + 12]) for at in range(count)]


def search(count: int, *, scan: bool) -> Search:
    """Searches for updates of a few entries among all of them."""
    random = seeded(41)
    entries = corpus(random, count)
    index = _build_index(entries)
    queries = [_update(random.choice(entries), random) for _ in range(QUERIES)]
    spent = best(lambda: [_by_index(index, q) for q in queries], 3) / QUERIES
    if not scan:
        return Search(count, None, None, spent, None, None)
    first = best(lambda: find_similar(_update(entries[0], random), entries), 1)
    seconds = best(lambda: [find_similar(query, entries) for query in queries[:5]], 2) / 5
    matches = [(match, query) for query in queries for match in find_similar(query, entries)]
    indexed = {query: set(_by_index(index, query)) for query in queries}
    hits = [match.index in indexed[query] for match, query in matches]
    close = [match.index in indexed[query] for match, query in matches if match.score >= CLOSE]
    return Search(
        count, first, seconds, spent, sum(hits) / len(hits), sum(close) / max(1, len(close))
    )


def _update(entry: str, random: Random) -> str:
    words = entry.split()
    words[random.randrange(len(words))] = random.choice(WORDS)
    return " ".join([*words[2:], *words[:2]])


def _build_index(entries: Sequence[str]) -> LiveTexts:
    return LiveTexts(Subject(Relation.LIVE, entry, "", "memory") for entry in entries)


def _by_index(index: LiveTexts, text: str) -> list[int]:
    """Indices of the related entries among those that share a term."""
    found = index.look_up(terms_of(text)).values()
    near = index.texts({number for posting in found for number in posting.texts})
    numbers = list(near)
    matches = find_similar(text, [near[number].text for number in numbers])
    return [numbers[match.index] for match in matches]

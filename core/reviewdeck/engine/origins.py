"""Where proposals come from and what their authors saw, with what the ledger knows of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from reviewdeck.engine.bases import Timeline
from reviewdeck.model import (
    ABSENT,
    Cause,
    Currency,
    Freshness,
    Likeness,
    Origin,
    OriginClass,
    Proposal,
    Relation,
    Revision,
    Seen,
    SeenBy,
)
from reviewdeck.origin.currency import currency
from reviewdeck.origin.said import about, closest_typed, said_by_user
from reviewdeck.ports import Home, LedgerReader, Snapshot, Trust
from reviewdeck.text.similarity import content_words

EARLIEST: Final = datetime(2020, 1, 1, tzinfo=UTC)
"""No agent kept a memory before; a record that says so has a wrong date."""
AHEAD: Final = timedelta(minutes=10)
"""So far the clock of whoever made a record may be ahead of ours."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What the user typed about a proposal."""

    sentences: tuple[str, ...]
    """For each text the sentence that says it; empty where none does."""
    closest: str = ""
    """What comes closest to the first text that no sentence says."""


class Provenance:
    """Looks at one home with one ledger; `mark` tells one setting of trust from another."""

    def __init__(
        self, home: Home, ledger: LedgerReader, timeline: Timeline, trust: Trust, mark: str
    ) -> None:
        self._home = home
        self._ledger = ledger
        self._timeline = timeline
        self._first: dict[str, Revision | None] = {}
        self._trust = trust
        self._mark = mark

    def recall(self, proposals: Iterable[Proposal]) -> Mapping[str, Origin]:
        """Where these come from, as it was found first.

        What a conversation held when the proposal was made never changes, and its record may go.
        """
        return self._ledger.origins([proposal.id for proposal in proposals], self._mark)

    def find(self, proposal: Proposal, texts: Sequence[str]) -> Origin:
        """Where a proposal comes from, as it is found now."""
        # What sorts a conversation: not needed again for a proposal that has been judged.
        from reviewdeck.origin.sources import origin_of

        found = origin_of(proposal, self._home, self._ledger, self._trust)
        return replace(found, utterances=about(texts, found.utterances))

    def statement(self, origin: Origin, texts: Sequence[str]) -> Statement:
        """What the user typed of these texts."""
        typed = origin.typed
        said = tuple(said_by_user(text, typed) for text in texts)
        unsaid = next((text for text, one in zip(texts, said, strict=True) if not one), "")
        return Statement(said, closest_typed(unsaid, typed) if unsaid else "")

    def currency(
        self, proposal: Proposal, origin: Origin, paths: Sequence[str], snapshot: Snapshot
    ) -> tuple[Currency, ...]:
        """For each document what its author saw beside what is live."""
        return tuple(self._currency(proposal, origin, path, snapshot) for path in paths)

    def _currency(
        self, proposal: Proposal, origin: Origin, path: str, snapshot: Snapshot
    ) -> Currency:
        live, seen = snapshot.document(path), origin.seen.get(path)
        if live.problem is not None:
            return Currency(path, Freshness.UNKNOWN, seen)
        text = live.text
        is_memory = snapshot.has_entries(path)
        if seen is not None:
            return currency(path, seen, text, is_memory=is_memory, changed_since=None)
        if live.revision == ABSENT:
            return Currency(path, Freshness.CURRENT)
        since = self._since(proposal, origin)
        if since is None:
            return Currency(path, Freshness.UNKNOWN)
        known = self._revision_at(path, since)
        if known is None or known == live.revision:
            return Currency(path, Freshness.UNTOUCHED)
        data = b"" if known == ABSENT else self._timeline.content(known)
        if data is None:  # Its bytes are lost: what was in it is not known.
            return Currency(path, Freshness.UNKNOWN)
        then = data.decode("utf-8", "replace")
        # Whatever the author saw since then, all of it is still live where text was only added.
        found = currency(
            path, Seen(path, then, SeenBy.VIEW), text, is_memory=is_memory, changed_since=None
        )
        match found.standing:
            case Freshness.CURRENT:
                return Currency(path, Freshness.UNTOUCHED)
            case Freshness.GROWN:
                return replace(found, seen=None)
            case _:
                return replace(found, seen=None, standing=Freshness.CHANGED)

    def _since(self, proposal: Proposal, origin: Origin) -> datetime | None:
        """From when on a change of a document is one that the author may not have seen."""
        if origin.kind is not OriginClass.UNRECORDED:
            return origin.began_at
        made, received = proposal.created_at, proposal.ingested_at
        if made is None or made < EARLIEST:
            return None
        if received is not None and made > received + AHEAD:
            return None
        return made

    def _revision_at(self, path: str, moment: datetime) -> Revision | None:
        """A document as the ledger knows it from a moment on; None when it knows nothing of it."""
        if (then := self._timeline.revision_at(path, moment)) is not None:
            return then
        if path not in self._first:
            self._first[path] = self._before(path)
        return self._first[path]

    def _before(self, path: str) -> Revision | None:
        """A document before anybody had seen it."""
        observations = self._ledger.observations(self._home.id, path)
        if not observations:
            return None
        first = observations[0]
        # Where it was seen for the first time nobody knows a change; else it appeared.
        return first.revision if first.cause is Cause.SEEN else ABSENT


def unseen_alike(texts: Sequence[str], currencies: Sequence[Currency]) -> tuple[Likeness, ...]:
    """Live entries that an author did not see and that share a word that matters with its text.

    Stricter than likeness: nobody chose to add beside what they did not know.
    """
    words = frozenset[str]().union(*map(content_words, texts))
    return tuple(
        Likeness(Relation.LIVE, entry, 0.0, one.path)
        for one in currencies
        if one.standing is Freshness.GROWN
        for entry in one.added
        if not words.isdisjoint(content_words(entry))
    )

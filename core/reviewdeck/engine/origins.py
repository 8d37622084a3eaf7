"""Origins of proposals and what their authors saw, from conversations and the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from reviewdeck.engine.bases import Timeline
from reviewdeck.ledger.ledger import Ledger
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
from reviewdeck.origin.said import relevant_utterances
from reviewdeck.ports import Home, Snapshot, Trust
from reviewdeck.text.similarity import shared_words

EARLIEST: Final = datetime(2020, 1, 1, tzinfo=UTC)
"""No agent kept a memory before; an earlier time in a record is wrong."""
AHEAD: Final = timedelta(minutes=10)
"""The most that a record's clock may be ahead of ours."""


class Provenance:
    """Looks up origins in one home; `mark` identifies the policy file's trust settings."""

    def __init__(
        self, home: Home, ledger: Ledger, timeline: Timeline, trust: Trust, mark: str
    ) -> None:
        self._home = home
        self._ledger = ledger
        self._timeline = timeline
        self._first: dict[str, Revision | None] = {}
        self._trust = trust
        self._mark = mark

    def recall(self, proposals: Iterable[Proposal]) -> Mapping[str, Origin]:
        """The stored origins of these proposals.

        A conversation before its proposal never changes, and its record may be removed.
        """
        return self._ledger.origins([proposal.id for proposal in proposals], self._mark)

    def find(self, proposal: Proposal, texts: Sequence[str]) -> Origin:
        """The origin of a proposal, looked up now."""
        # Classifies conversations: not needed for a proposal whose origin is stored.
        from reviewdeck.origin.sources import origin_of

        origin = origin_of(proposal, self._home, self._ledger, self._trust)
        return replace(origin, utterances=relevant_utterances(texts, origin.utterances))

    def currency(
        self, proposal: Proposal, origin: Origin, paths: Sequence[str], snapshot: Snapshot
    ) -> tuple[Currency, ...]:
        """For each document, the author's version compared with the live one."""
        return tuple(self._currency(proposal, origin, path, snapshot) for path in paths)

    def _currency(
        self, proposal: Proposal, origin: Origin, path: str, snapshot: Snapshot
    ) -> Currency:
        live, author_revision = snapshot.document(path), origin.seen.get(path)
        if live.problem is not None:
            return Currency(path, Freshness.UNKNOWN, author_revision)
        text = live.text
        is_memory = snapshot.has_entries(path)
        if author_revision is not None:
            return currency(path, author_revision, text, is_memory=is_memory, changed_since=None)
        if live.revision == ABSENT:
            return Currency(path, Freshness.CURRENT)
        since = self._since(proposal, origin)
        if since is None:
            return Currency(path, Freshness.UNKNOWN)
        revision = self._revision_at(path, since)
        if revision is None or revision == live.revision:
            return Currency(path, Freshness.UNTOUCHED)
        data = b"" if revision == ABSENT else self._timeline.content(revision)
        if data is None:  # Its bytes are lost: what was in it is not known.
            return Currency(path, Freshness.UNKNOWN)
        then = data.decode("utf-8", "replace")
        # Where text was only added since, everything the author saw is still live.
        result = currency(
            path, Seen(path, then, SeenBy.VIEW), text, is_memory=is_memory, changed_since=None
        )
        match result.standing:
            case Freshness.CURRENT:
                return Currency(path, Freshness.UNTOUCHED)
            case Freshness.GROWN:
                return replace(result, seen=None)
            case _:
                return replace(result, seen=None, standing=Freshness.CHANGED)

    def _since(self, proposal: Proposal, origin: Origin) -> datetime | None:
        """The moment after which the author may have missed a change."""
        if origin.kind is not OriginClass.UNRECORDED:
            return origin.began_at
        created, received = proposal.created_at, proposal.ingested_at
        if created is None or created < EARLIEST:
            return None
        if received is not None and created > received + AHEAD:
            return None
        return created

    def _revision_at(self, path: str, moment: datetime) -> Revision | None:
        """The revision of a document at a moment; None when the ledger has none."""
        if (then := self._timeline.revision_at(path, moment)) is not None:
            return then
        if path not in self._first:
            self._first[path] = self._before(path)
        return self._first[path]

    def _before(self, path: str) -> Revision | None:
        """The revision of a document before its first observation."""
        observations = self._ledger.observations(self._home.id, path)
        if not observations:
            return None
        first = observations[0]
        # A first observation is no change; otherwise the document appeared with it.
        return first.revision if first.cause is Cause.SEEN else ABSENT


def unseen_similar(texts: Sequence[str], currencies: Sequence[Currency]) -> tuple[Likeness, ...]:
    """Live entries that an author did not see and that share a significant word with its text.

    Stricter than similarity, since the author did not know of them.
    """
    return tuple(
        Likeness(Relation.LIVE, entry, 0.0, currency.path, shared=shared)
        for currency in currencies
        if currency.standing is Freshness.GROWN
        for entry in currency.added
        if (shared := shared_words("\n".join(texts), entry))
    )

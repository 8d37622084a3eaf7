"""What was learnt, with who brought each line of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reviewdeck.cli.items import actor_json, observation_json
from reviewdeck.history import Blamed
from reviewdeck.learnt import Learnt
from reviewdeck.model import Observation

if TYPE_CHECKING:
    from reviewdeck.deck import Deck


@dataclass(frozen=True, slots=True)
class Author:
    """Where a proposal came from."""

    origin: str
    session: str | None
    turn: str | None


def authors_of(deck: Deck, found: Iterable[Learnt]) -> dict[str, Author]:
    """The sources of all proposals that some diffs name."""
    return authors(deck, (row.by for one in found for row in one.rows))


def authors(deck: Deck, observations: Iterable[Observation]) -> dict[str, Author]:
    """The sources of the proposals that brought these observations."""
    wanted = {one.proposal for one in observations if one.proposal is not None}
    proposals = {id: deck.ledger.proposal(id) for id in sorted(wanted)}
    return {id: Author(one.origin, one.session, one.turn) for id, one in proposals.items()}


def learnt_json(one: Learnt, known: dict[str, Author]) -> dict[str, Any]:
    """One document's diff."""
    return {
        "home": one.home,
        "document": one.document,
        "before": one.before,
        "after": one.after,
        "rows": [
            {"kind": row.kind, "text": row.text, "by": brought_json(row.by, known)}
            for row in one.rows
        ],
    }


def blamed_json(part: Blamed, known: dict[str, Author]) -> dict[str, Any]:
    """One part of a document and what brought it."""
    return {"text": part.text, "by": brought_json(part.brought_by, known)}


def brought_json(by: Observation, known: dict[str, Author]) -> dict[str, Any]:
    """What brought a line: the operation, the proposal, the session."""
    author = known.get(by.proposal or "")
    return observation_json(by) | {
        "actor": actor_json(by.actor),
        "origin": author and author.origin,
        "session": author and author.session,
        "turn": author and author.turn,
    }

"""What was learnt since a moment, with who added each line of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from reviewdeck.engine.changes import Learnt, Tally
from reviewdeck.engine.history import Blamed
from reviewdeck.model import ABSENT, Actor, ActorKind, Cause, Observation
from reviewdeck.presentation.items import actor_json, moment_json, observation_json
from reviewdeck.presentation.words import count, inert, one_line, origin_word

if TYPE_CHECKING:
    from reviewdeck.engine.view import View


@dataclass(frozen=True, slots=True)
class Author:
    """Where a proposal came from."""

    origin: str
    session: str | None
    turn: str | None
    action: str = ""
    """The author's own word; undo, revert, restore or rewrite where an operator asked for it."""


def authors_of(view: View, found: Iterable[Learnt]) -> dict[str, Author]:
    """The sources of all proposals that some diffs name."""
    every = list(found)
    rows = (row.by for one in every for row in one.rows)
    return authors(view, chain(rows, (lesson.by for one in every for lesson in one.lessons)))


def authors(view: View, observations: Iterable[Observation]) -> dict[str, Author]:
    """The sources of the proposals that brought these observations."""
    wanted = {one.proposal for one in observations if one.proposal is not None}
    proposals = {id: view.ledger.proposal(id) for id in sorted(wanted)}
    return {
        id: Author(one.origin, one.session, one.turn, one.action) for id, one in proposals.items()
    }


_DONE: Final = {
    "undo": "taken back",
    "revert": "reverted",
    "restore": "restored",
    "rewrite": "rewritten",
}


def learnt_words(one: Learnt, you: Actor | None = None) -> str:
    """A document's news in a sentence: ``3 new facts, 1 changed; 2 automatic, 1 by you``."""
    unit = "fact" if one.is_memory else "line"
    said = amounts(one.tally, unit)
    if one.before == ABSENT:
        said = f"a new document, {count(one.tally.added, unit)}"
    elif one.archived:
        said = f"archived to {one_line(one.archived)}: nothing of it is lost"
    elif one.after == ABSENT:
        said = f"the document is gone, {count(one.tally.removed, unit)}"
    elif one.became:
        said = f"{said}, {one.became}" if one.lessons else one.became
    return f"{said}; {ways(one, you)}"


def amounts(tally: Tally, unit: str) -> str:
    """What was added, changed and removed; the unit stands once."""
    said = []
    if tally.added:
        said.append(f"{tally.added} new {unit if tally.added == 1 else unit + 's'}")
    for amount, word in ((tally.changed, "changed"), (tally.removed, "removed")):
        if amount:
            said.append(f"{amount} {word}" if said else f"{count(amount, unit)} {word}")
    return ", ".join(said) or "nothing"


def ways(one: Learnt, you: Actor | None = None) -> str:
    """How it came in: ``2 automatic, 1 by you, 1 outside review``."""
    by: dict[str, int] = {}
    for brought_by, size in one.brought_by:
        way = way_of(brought_by, you)
        by[way] = by.get(way, 0) + size
    if len(by) == 1 and sum(by.values()) > 1:
        return f"all {next(iter(by))}"
    return ", ".join(f"{amount} {way}" for way, amount in by.items())


def way_of(by: Observation, you: Actor | None = None) -> str:
    """Who let something in, in two words."""
    match by.cause:
        case Cause.SEEN:
            return "first seen"
        case Cause.OUTSIDE:
            return f"by {name_of(by.claimant, you)}" if by.claimant else "outside review"
        case Cause.OPERATION:
            if by.actor is not None and by.actor.kind is ActorKind.POLICY:
                return "automatic"
            return f"by {name_of(by.actor, you)}"


def name_of(actor: Actor | None, you: Actor | None) -> str:
    """What an operator is called by the one who looks."""
    if actor is None:
        return "somebody"
    return "you" if you is not None and actor.name == you.name else inert(actor.name)


def who_words(by: Observation, known: Mapping[str, Author], you: Actor | None = None) -> str:
    """Who brought a line: the rule, the operator and what they did, or nobody we know."""
    match by.cause:
        case Cause.SEEN:
            return "first seen"
        case Cause.OUTSIDE:
            return claim_words(by, you) or "outside review"
        case Cause.OPERATION:
            if by.actor is not None and by.actor.kind is ActorKind.POLICY:
                return f"automatic, {inert(by.actor.name)}"
            author = known.get(by.proposal or "")
            did = _DONE.get(author.action if author else "", "approved")
            return f"{did} by {name_of(by.actor, you)}"


def claim_words(by: Observation, you: Actor | None = None) -> str:
    """The operator who wrote something outside review, by their own word; empty for nobody."""
    return f"written by {name_of(by.claimant, you)} (claimed)" if by.claimant else ""


def talk_words(by: Observation, known: Mapping[str, Author]) -> str:
    """The conversation that a line came from; empty when that is not known."""
    author = known.get(by.proposal or "")
    if author is None or author.action in _DONE:
        return ""
    said = [f"session {one_line(author.session)}"] if author.session else []
    said += [f"turn {one_line(author.turn)}"] if author.turn else []
    return " ".join(said) or origin_word(author.origin)


def learnt_json(one: Learnt, known: dict[str, Author], you: Actor | None = None) -> dict[str, Any]:
    """One document's diff."""
    tally = one.tally
    return {
        "home": one.home,
        "document": one.document,
        "before": one.before,
        "after": one.after,
        "summary": learnt_words(one, you),
        "archived": one.archived or None,
        **({"executable": one.became} if one.became else {}),
        "since": moment_json(one.since),
        "amounts": {
            "added": tally.added,
            "changed": tally.changed,
            "removed": tally.removed,
            "automatic": tally.automatic,
            "operator": tally.operator,
            "outside": tally.outside,
        },
        "rows": [
            {
                "kind": row.kind,
                "text": row.text,
                "pair": row.pair,
                "by": brought_json(row.by, known),
            }
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

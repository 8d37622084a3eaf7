"""Changes to documents since a moment, with who added each line, in words and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from reviewdeck.engine.history import Blamed
from reviewdeck.model import (
    ABSENT,
    IN_YOUR_WORDS,
    OUTSIDE,
    Actor,
    ActorKind,
    Cause,
    MemoryAdd,
    Observation,
)
from reviewdeck.model.changes import DocumentChanges, Tally
from reviewdeck.presentation.items import actor_json, moment_json, observation_json
from reviewdeck.presentation.words import count, inert, one_line, origin_word
from reviewdeck.text.redact import NOTHING, Redaction
from reviewdeck.values import dataclass

if TYPE_CHECKING:
    from reviewdeck.engine.engine import Engine


@dataclass(frozen=True, slots=True)
class Author:
    """The source of a proposal."""

    origin: str
    session: str | None
    turn: str | None
    action: str = ""
    """The action of the proposal; undo, revert, restore or rewrite for an operator's own."""
    texts: tuple[str, ...] = ()
    """The entries that it would add to a memory, in its author's words."""


def authors_of(engine: Engine, documents: Iterable[DocumentChanges]) -> dict[str, Author]:
    """The sources of all proposals that these diffs name."""
    listed = list(documents)
    rows = (row.by for document in listed for row in document.rows)
    return authors_of_observations(
        engine, chain(rows, (change.by for document in listed for change in document.changes))
    )


def redaction_of_changes(
    engine: Engine, documents: Iterable[DocumentChanges], *, is_off: bool = False
) -> Redaction:
    """Covers the secrets of these changes, as their whole documents tell them.

    By itself a changed line in the middle of a key looks like none.
    """
    return NOTHING if is_off else Redaction(_whole_texts(engine, documents))


def _whole_texts(engine: Engine, documents: Iterable[DocumentChanges]) -> Iterator[str]:
    for document in documents:
        sides = zip(*((each.before, each.after) for each in document.changes), strict=True)
        known = [engine.ledger.content(each) for each in (document.before, document.after)]
        for data, parts in zip(known, sides, strict=False):
            if data is not None:
                yield data.decode("utf-8", "replace")
            else:  # It is kept no more, or there was none.
                yield from ("\n".join(part) for part in parts if part)


def authors_of_observations(
    engine: Engine, observations: Iterable[Observation]
) -> dict[str, Author]:
    """The sources of the proposals behind these observations, and of changes that were allowed."""
    observations = list(observations)
    ids = {observation.proposal for observation in observations if observation.proposal is not None}
    proposals = {id: engine.ledger.proposal(id) for id in sorted(ids)}
    authors = {
        id: Author(
            proposal.origin,
            proposal.session,
            proposal.turn,
            proposal.action,
            tuple(edit.content for edit in proposal.edits if isinstance(edit, MemoryAdd)),
        )
        for id, proposal in proposals.items()
    }
    homes = {observation.home for observation in observations if observation.cause is Cause.OUTSIDE}
    for home in sorted(homes):
        authors |= allowed_authors(engine, home)
    return authors


def allowed_authors(engine: Engine, home: str) -> dict[str, Author]:
    """Who wrote the changes outside review that a person allowed in the agent's own terminal."""
    from reviewdeck.engine.explanations import allowed_writes  # loads the planning: here alone

    allowed = allowed_writes(engine.ledger, home)
    return {
        _place(home, path, revision): Author(OUTSIDE, session, None)
        for (path, revision), session in allowed.items()
    }


def _place(home: str, path: str, revision: str) -> str:
    return f"{home}\0{path}\0{revision}"


def allowed_words(by: Observation, authors: Mapping[str, Author]) -> str:
    """That a person allowed a change in the agent's own terminal, and where; empty for none."""
    author = authors.get(_place(by.home, by.path, by.revision))
    session = one_line(author.session) if author is not None and author.session else ""
    return f"approved in Hermes, session {session}" if session else ""


OPERATORS_OWN: Final = {
    "undo": "undone",
    "revert": "reverted",
    "restore": "restored",
    "rewrite": "rewritten",
}
"""What an operator did by a proposal of their own, by its action."""


@dataclass(slots=True)
class LearnedTotals:
    """How much was learned, over documents that need not fit into memory together."""

    facts: Tally = Tally()
    lines: Tally = Tally()
    files: int = 0
    """The documents besides memories that have other lines."""
    modes: list[str] = field(default_factory=list)
    """How the executable bit of each file changed, where it did."""

    def add(self, document: DocumentChanges) -> None:
        if document.is_memory:
            self.facts += document.tally
        else:
            self.lines += document.tally
            self.files += bool(document.tally.total)
        self.modes += [document.became] if document.became else []

    def __str__(self) -> str:
        """One phrase: ``3 new facts, 1 changed; 17 new lines in 2 skill files``."""
        parts = [amounts(self.facts, "fact")] if self.facts.total else []
        if self.lines.total:
            parts.append(f"{amounts(self.lines, 'line')} in {count(self.files, 'skill file')}")
        if self.modes:
            parts.append(f"{count(len(self.modes), 'file')} {' or '.join(sorted(set(self.modes)))}")
        return "; ".join(parts)


def title_of(document: str) -> str:
    """A document's short name for people."""
    first, _, path = document.partition("/")
    if first == "memories":
        return path
    if document.endswith("/SKILL.md"):
        archived = "archived " if "/.archive/" in document else ""
        return f"{archived}skill {document.split('/')[-2]}"
    return path if first == "skills" else document


def change_summary(document: DocumentChanges, you: Actor | None = None) -> str:
    """A document's changes in a sentence: ``3 new facts, 1 changed; 2 automatic, 1 by you``."""
    unit = "fact" if document.is_memory else "line"
    summary = amounts(document.tally, unit)
    if document.before == ABSENT:
        summary = f"a new document, {count(document.tally.added, unit)}"
    elif document.archived:
        summary = f"archived to {one_line(document.archived)}: nothing of it is lost"
    elif document.after == ABSENT:
        summary = f"the document is gone, {count(document.tally.removed, unit)}"
    elif document.became:
        summary = f"{summary}, {document.became}" if document.changes else document.became
    return f"{summary}; {approval_summary(document, you)}"


def amounts(tally: Tally, unit: str) -> str:
    """How much was added, changed and removed; only the first amount has the unit."""
    parts = []
    if tally.added:
        parts.append(f"{tally.added} new {unit if tally.added == 1 else unit + 's'}")
    for amount, word in ((tally.changed, "changed"), (tally.removed, "removed")):
        if amount:
            parts.append(f"{amount} {word}" if parts else f"{count(amount, unit)} {word}")
    return ", ".join(parts) or "nothing"


def approval_summary(document: DocumentChanges, you: Actor | None = None) -> str:
    """How the changes were made: ``2 automatic, 1 by you, 1 outside review``."""
    amounts_by_way: dict[str, int] = {}
    for brought_by, size in document.added_by:
        way = approval_words(brought_by, you)
        amounts_by_way[way] = amounts_by_way.get(way, 0) + size
    if len(amounts_by_way) == 1:
        [(way, amount)] = amounts_by_way.items()
        return f"all {way}" if amount > 1 else way
    return ", ".join(f"{amount} {way}" for way, amount in amounts_by_way.items())


def approval_words(by: Observation, you: Actor | None = None) -> str:
    """Who or what approved a change, in two words."""
    match by.cause:
        case Cause.SEEN:
            return "first seen"
        case Cause.OUTSIDE:
            return f"by {operator_name(by.claimant, you)}" if by.claimant else "outside review"
        case Cause.OPERATION:
            if by.actor is not None and by.actor.kind is ActorKind.POLICY:
                return "automatic"
            return f"by {operator_name(by.actor, you)}"


def operator_name(actor: Actor | None, you: Actor | None) -> str:
    """An operator's name as the reader sees it: "you" for the reader."""
    if actor is None:
        return "somebody"
    return "you" if you is not None and actor.name == you.name else inert(actor.name)


def author_words(by: Observation, authors: Mapping[str, Author], you: Actor | None = None) -> str:
    """Who added a line: the rule, the operator and their verb, or nobody known."""
    match by.cause:
        case Cause.SEEN:
            return "first seen"
        case Cause.OUTSIDE:
            return claim_words(by, you) or allowed_words(by, authors) or "outside review"
        case Cause.OPERATION:
            if by.actor is not None and by.actor.kind is ActorKind.POLICY:
                return f"automatic, {rule_words(by.actor.name)}"
            author = authors.get(by.proposal or "")
            verb = OPERATORS_OWN.get(author.action if author else "", "approved")
            return f"{verb} by {operator_name(by.actor, you)}"


def rule_words(rule: str) -> str:
    """A rule that applied a change, as a reader understands it."""
    return "in your own words" if rule == IN_YOUR_WORDS else inert(rule)


def claim_words(by: Observation, you: Actor | None = None) -> str:
    """The operator who claims to have written a change outside review; empty for none."""
    return f"written by {operator_name(by.claimant, you)} (claimed)" if by.claimant else ""


def conversation_words(by: Observation, authors: Mapping[str, Author]) -> str:
    """The conversation that a line came from; empty if unknown."""
    author = authors.get(by.proposal or "")
    if author is None or author.action in OPERATORS_OWN:
        return ""
    parts = [f"session {one_line(author.session)}"] if author.session else []
    parts += [f"turn {one_line(author.turn)}"] if author.turn else []
    return " ".join(parts) or origin_word(author.origin)


def change_json(
    document: DocumentChanges, authors: dict[str, Author], you: Actor | None = None
) -> dict[str, Any]:
    tally = document.tally
    return {
        "home": document.home,
        "document": document.document,
        "before": document.before,
        "after": document.after,
        "summary": change_summary(document, you),
        "archived": document.archived or None,
        **({"executable": document.became} if document.became else {}),
        "since": moment_json(document.since),
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
                "by": credit_json(row.by, authors),
            }
            for row in document.rows
        ],
    }


def blamed_json(part: Blamed, authors: dict[str, Author]) -> dict[str, Any]:
    """One part of a document, with the observation that added it."""
    return {"text": part.text, "by": credit_json(part.added_by, authors)}


def credit_json(by: Observation, authors: dict[str, Author]) -> dict[str, Any]:
    """The observation that added a line, with its proposal's session and turn."""
    author = authors.get(by.proposal or "")
    return observation_json(by) | {
        "actor": actor_json(by.actor),
        "origin": author and author.origin,
        "session": author and author.session,
        "turn": author and author.turn,
    }

"""A merge in the hands of an operator: three texts, the places to decide, what is decided so far.

A value: every pick gives a new one, so taking a pick back is going back to the one before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from reviewdeck.model import Conflict, Kind, Proposal
from reviewdeck.planning.rebase import merge_for
from reviewdeck.text import entries, lines
from reviewdeck.text.conflicts import (
    Choice,
    Clean,
    Conflicted,
    Own,
    Part,
    Take,
    assemble,
    chosen,
    combined,
)
from reviewdeck.text.conflicts import Conflict as Place
from reviewdeck.text.diff import diff


@dataclass(frozen=True, slots=True)
class Sides:
    """The three texts of one document. None: there is no such file on that side."""

    path: str
    base: str | None
    live: str | None
    proposed: str | None
    base_known: bool = True

    @property
    def digest(self) -> str:
        """SHA-256 over the texts: what was decided for them is for no other texts."""
        said = json.dumps([self.path, self.base, self.live, self.proposed, self.base_known])
        return hashlib.sha256(said.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Decided:
    """What the document becomes: every place is decided."""

    text: str | None
    """None when it goes away."""


@dataclass(frozen=True, slots=True)
class Merging:
    """A merge as far as it has come."""

    sides: Sides
    ground: Conflicted
    """The text with its places. Their order gives them their numbers, from 0."""
    choices: Mapping[int, Choice] = field(default_factory=dict)
    kept: str | None = None
    """What an editor left that could not be read yet: nobody types it twice."""
    is_rewritten: bool = False
    """Whether the ground is what an editor left, and not what the merge itself came to."""
    places: tuple[Place, ...] = field(init=False, repr=False, compare=False)
    """All places, decided or not."""

    def __post_init__(self) -> None:
        """Finds the places once: a screen asks for them with every line."""
        object.__setattr__(self, "places", self.ground.hunks)

    @property
    def is_whole(self) -> bool:
        """Whether the document as a whole is the place: one side has no such file."""
        is_missing = self.sides.live is None or self.sides.proposed is None
        return is_missing and not self.is_rewritten

    @property
    def open(self) -> tuple[int, ...]:
        """The places that nobody has decided yet."""
        return tuple(at for at in range(len(self.places)) if at not in self.choices)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The text as it stands: settled pieces, decided places as text, open ones as they are."""
        found: list[Part] = []
        at = -1
        for part in self.ground.parts:
            at += isinstance(part, Place)
            choice = self.choices.get(at)
            if isinstance(part, Place) and choice is not None:
                found.append(chosen(part, choice, self.ground.joint))
            else:
                found.append(part)
        return tuple(found)

    @property
    def result(self) -> Decided | Conflicted:
        """What the document becomes, or what is left to decide."""
        merged = assemble(list(self.parts), self.ground.joint)
        if isinstance(merged, Conflicted):
            return merged
        return Decided(self._whole(self.choices.get(0)) if self.is_whole else merged.text)

    def offers(self, at: int, take: Take) -> bool:
        """Whether a place can be decided like this."""
        return self.allows(self.places[at], take)

    def allows(self, place: Place, take: Take) -> bool:
        """The same of a place that is at hand."""
        match take:
            case Take.BASE:
                return self.sides.base_known and place.base is not None
            case Take.BOTH:
                return not self.is_whole and bool(place.ours) and bool(place.theirs)
            case Take.WORDS:
                return self.words(place) is not None
            case _:
                return True

    def words(self, place: Place) -> str | None:
        """One entry of a memory with the words of both sides, where each changed other ones."""
        return combined(place) if self.ground.joint and self.sides.base_known else None

    def pick(self, at: int, choice: Choice) -> Merging:
        """The same with a place decided. Raises IndexError for a place that does not exist."""
        self.places[at]
        return replace(self, choices={**self.choices, at: choice})

    def reopen(self, at: int) -> Merging:
        """The same with a place open again."""
        return replace(self, choices={n: one for n, one in self.choices.items() if n != at})

    def filled(self, take: Take) -> str:
        """The text when every open place is decided like this: for what can be said beforehand."""
        parts: list[Part] = [
            chosen(part, take, self.ground.joint) if isinstance(part, Place) else part
            for part in self.parts
        ]
        merged = assemble(parts, self.ground.joint)
        return merged.text if isinstance(merged, Clean) else ""

    def _whole(self, choice: Choice | None) -> str | None:
        match choice:
            case Own(text):
                return text
            case Take.BASE:
                return self.sides.base
            case Take.OURS:
                return self.sides.live
            case _:
                return self.sides.proposed


def merging_of(conflict: Conflict, proposal: Proposal) -> Merging:
    """The merge that a conflict asks for, with nothing decided."""
    base, live, proposed = map(_text, (conflict.base, conflict.live, conflict.proposed))
    sides = Sides(conflict.path, base, live, proposed, conflict.base_known)
    return Merging(sides, _ground(sides, proposal))


def _ground(sides: Sides, proposal: Proposal) -> Conflicted:
    live, proposed = sides.live, sides.proposed
    if live is not None and proposed is not None:
        if proposal.kind is Kind.MEMORY and not sides.base_known:
            return side_by_side(live, proposed)
        base = sides.base if sides.base_known else None
        merged = merge_for(proposal, sides.path)(base, live, proposed)
        if isinstance(merged, Conflicted):
            return merged
        if proposal.kind is Kind.MEMORY:  # both fit, and it is a guess what became of what
            return side_by_side(live, proposed)
    return Conflicted((Place(sides.base, live or "", proposed or ""),))


def side_by_side(live: str, proposed: str) -> Conflicted:
    """Two versions of a memory without an ancestor: what stands in the place of what is a choice.

    Never empty: where nothing differs, the whole document is the place.
    """
    newline = lines.newline_of(live)
    joint = lines.with_newline(entries.DELIMITER, newline)
    own, other = entries.parse(live), entries.parse(proposed)

    def joined(some: tuple[str, ...]) -> str:
        return lines.with_newline(entries.join(some), newline)

    parts: list[Part] = []
    at = 0
    for hunk in diff(own, other):
        parts.append(joined(own[at : hunk.a_start]))
        ours, theirs = own[hunk.a_start : hunk.a_end], other[hunk.b_start : hunk.b_end]
        parts.append(Place(None, joined(ours), joined(theirs), -1, hunk.a_start, hunk.b_start))
        at = hunk.a_end
    parts.append(joined(own[at:]))
    if len(parts) == 1:
        return Conflicted((Place(None, live, proposed),))
    merged = assemble(parts, joint)
    return merged if isinstance(merged, Conflicted) else Conflicted(tuple(parts), joint)


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", errors="replace")

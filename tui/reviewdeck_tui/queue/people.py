"""What other operators do in the same queue: their votes, their looks, what they decided. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from reviewdeck.model import Draft, Verb
from reviewdeck.presentation.words import age_of, one_line

_DID: Final = {
    Verb.APPROVE: "approved it",
    Verb.MERGE: "merged it",
    Verb.REJECT: "rejected it",
    Verb.SUPERSEDE: "superseded it",
    Verb.KEEP: "kept it",
    Verb.CLAIM: "claimed it",
}
_DRAFTS: Final = {Verb.APPROVE: "approve", Verb.MERGE: "merge", Verb.REJECT: "reject"}


@dataclass(frozen=True, slots=True)
class Overtaking:
    """Another operator's decision about a proposal that was drafted or open here."""

    by: str
    verb: Verb
    at: datetime

    def words(self, draft: Draft | None, now: datetime) -> str:
        """Who decided what, when, and what becomes of the draft."""
        words = f"{one_line(self.by)} {_DID.get(self.verb, 'decided it')} {_ago(self.at, now)}"
        if draft is None:
            return words
        return f"{words}; your draft ({_DRAFTS.get(draft.verb, draft.verb)}) is kept"

    def short_words(self, draft: Draft | None) -> str:
        """The same for a narrow line."""
        words = f"{one_line(self.by)} {_DID.get(self.verb, 'decided it')}"
        return words if draft is None else f"{words}; draft kept"


@dataclass(frozen=True, slots=True)
class People:
    """What other operators do; empty where there are none."""

    votes: Mapping[str, str] = field(default_factory=dict)
    """By proposal, how far its approval is: `1 of 2: iris`."""
    said: Mapping[str, str] = field(default_factory=dict)
    """By proposal with votes, who approved it, and whose vote is void."""
    own: frozenset[str] = frozenset()
    """The proposals that this operator voted for."""
    texts: frozenset[str] = frozenset()
    """The proposals for which another operator's own text has a vote."""
    looking: Mapping[str, str] = field(default_factory=dict)
    """By proposal, who has it open."""
    overtaken: Mapping[str, Overtaking] = field(default_factory=dict)
    """By proposal, who decided it meanwhile."""

    def tags(self, id: str) -> tuple[str, ...]:
        """The words for the row of a proposal."""
        looking = f"{who} looking" if (who := self.looking.get(id)) else ""
        return tuple(filter(None, (self.votes.get(id, ""), looking)))

    def title(self, id: str, draft: Draft | None, now: datetime) -> tuple[str, ...]:
        """The words for the head of a proposal, the longest form first."""
        looking = f"{who} is looking at this" if (who := self.looking.get(id)) else ""
        votes, by = self.votes.get(id, ""), self.overtaken.get(id)
        forms = ("",) if by is None else (by.words(draft, now), by.short_words(draft))
        joined = (" · ".join(filter(None, (form, votes, looking))) for form in forms)
        return tuple(filter(None, (*joined, forms[-1] or votes or looking)))


NOBODY_ELSE: Final = People()


def _ago(at: datetime, now: datetime) -> str:
    seconds = max(0, round((now - at).total_seconds()))
    return f"{seconds} s ago" if seconds < 60 else f"{age_of(at, now)} ago"

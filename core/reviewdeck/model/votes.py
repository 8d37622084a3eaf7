"""How many operators have to approve what, and the votes until there are enough."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from reviewdeck.model.decisions import About, Decision, Verb
from reviewdeck.model.judgements import Finding, Severity
from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class Quorum:
    """How many operators have to approve a proposal."""

    needs: int = 1
    """1, or 2: another operator has to approve the same."""
    severity: Severity = Severity.HIGH
    """The lowest severity of a finding with which a proposal needs them."""

    def needed(self, findings: Iterable[Finding]) -> int:
        """How many operators have to approve a proposal with these findings."""
        is_grave = any(finding.severity.rank >= self.severity.rank for finding in findings)
        return self.needs if is_grave else 1

    def covers(self, other: Quorum) -> bool:
        """Whether it asks for two wherever the other does."""
        if other.needs < 2:
            return True
        return self.needs >= other.needs and self.severity.rank <= other.severity.rank

    def __str__(self) -> str:
        """As operators sign it: `2 high`; empty where one operator is enough."""
        return "" if self.needs < 2 else f"{self.needs} {self.severity}"

    @classmethod
    def read(cls, text: str) -> Quorum | None:
        """The quorum of such a text; None where it is none."""
        needs, _, severity = text.partition(" ")
        if not text:
            return ONE
        if needs != "2" or severity not in tuple(Severity):
            return None
        return cls(2, Severity(severity))


ONE: Final = Quorum()
"""One operator is enough for everything."""


def strictest(*quorums: Quorum) -> Quorum:
    """The quorum that covers all of these."""
    severities = [quorum.severity for quorum in quorums if quorum.needs > 1]
    return Quorum(2, min(severities, key=lambda one: one.rank)) if severities else ONE


@dataclass(frozen=True, slots=True)
class Vote:
    """One operator's approval of a proposal that needs another one's too. It writes nothing."""

    decision: Decision
    """Of the verb `vote`: by whom, when, about which digest; signed where decisions are."""
    verb: Verb
    """What it approves: approve, merge or keep."""
    about: About
    """What would be written. The decision that it is the vote for has to be about the same."""
    text: str | None = None
    """For a merge: the operator's own text."""
    document: str | None = None

    @property
    def proposal(self) -> str:
        return self.decision.proposal

    @property
    def operator(self) -> str:
        """The operator's name."""
        return self.decision.actor.name

    def is_for(self, digest: str | None) -> bool:
        """Whether it still counts, with this digest now: it is void for any other."""
        return digest is not None and self.decision.digest == digest

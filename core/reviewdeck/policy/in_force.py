"""The policy by which proposals are judged at one moment: the rules, and a file that tunes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewdeck.model import (
    AutoApply,
    Finding,
    Judgement,
    Likeness,
    Review,
    Severity,
    StagedProposal,
)
from reviewdeck.policy.classify import classify
from reviewdeck.policy.tuning import DEFAULT, Tuning


@dataclass(frozen=True, slots=True)
class Policy:
    """What holds now."""

    tuning: Tuning = DEFAULT
    mark: str = ""
    """SHA-256 of the policy file's bytes; empty without a file."""
    problem: str = ""
    """Why nothing may go in without an operator; empty when all is well."""
    timer: Callable[[], float] | None = None
    """Counts seconds of work, so that what takes too long to judge is held."""

    def judge(
        self,
        staged: StagedProposal,
        alike: Sequence[Likeness],
        *,
        live_text: str,
        skills: Mapping[str, str],
    ) -> Judgement:
        """What all rules say of a staged proposal."""
        found = classify(
            staged,
            alike,
            live_text=live_text,
            skills=skills,
            tuning=self.tuning,
            timer=self.timer,
        )
        if self.problem and isinstance(found.verdict, AutoApply):
            return replace(found, verdict=Review((self._halted(),)))
        return found

    def _halted(self) -> Finding:
        return Finding("policy-file", Severity.MEDIUM, f"{self.problem} {HALTED}")


HALTED = "Nothing goes in by itself until it is mended."

BUILT_IN = Policy()
"""The rules as they are, without a file."""


def built_in() -> Policy:
    """The rules as they are, without a file."""
    return BUILT_IN

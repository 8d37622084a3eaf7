"""The evaluation of one proposal, the key that tells whether it still holds, and what all share."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import assert_never

from reviewdeck.model import (
    AUTO_APPLY,
    OLDER_TEXT,
    PLAINLY_SAFE,
    UNSAFE_NAME,
    AutoApply,
    Conflict,
    Dead,
    Finding,
    Freshness,
    Judgement,
    Likeness,
    Proposal,
    Ready,
    Refuse,
    Review,
    StagedProposal,
    State,
)
from reviewdeck.model.ledger import Staging
from reviewdeck.origin.writers import describe_writer
from reviewdeck.planning.skills import check_new_document
from reviewdeck.values import dataclass

NOTHING_LEFT = "It is as it was before: nothing of it is left."
OTHER_RULES = "the rules or the policy file changed"
DIGITS = 12
"""Hex digits of a home's digest of a rejected text."""
_MOST_QUOTED = 80
"""The longest quote, in characters, that a reason repeats."""


@dataclass(frozen=True, slots=True)
class EvaluationKey:
    """The inputs of an evaluation other than the proposal. With another key it is made again.

    Where the conversation behind a proposal may still be found there is no key, and it is
    evaluated each time.
    """

    rules: str
    """The program that evaluates, and the policy file."""
    documents: Mapping[str, str]
    """A digest of each document that it touches, live and as its author saw it."""
    skills: Mapping[str, str]
    """A digest of each skill that it names."""
    settings: str
    """The home's settings for its documents."""
    home_texts: str
    """The links, commands and names in the live texts; empty where its own text has none."""
    neighbours: str
    """The similar texts and the other proposals for its skill, as the index finds them."""
    own: tuple[str, ...] = ()
    """What is written in the user's own words in place of the proposed texts."""
    own_neighbours: str = ""
    """The texts similar to that, as the index finds them."""
    conversations: str = ""
    """A digest of the home's conversations, where they may still tell who wrote a live change."""

    def to_text(self) -> str:
        """The key as the ledger stores it."""
        return json.dumps(
            [
                self.rules,
                self.documents,
                self.skills,
                self.settings,
                self.home_texts,
                self.neighbours,
                self.own,
                self.own_neighbours,
                self.conversations,
            ],
            separators=(",", ":"),
        )

    @classmethod
    def from_text(cls, text: str) -> EvaluationKey | None:
        """The key that `to_text` gave; None for one of an earlier version."""
        try:
            *first, own, own_neighbours, conversations = json.loads(text)
            rules, documents, skills, settings, home_texts, neighbours = first
        except (TypeError, ValueError):
            return None
        similar = neighbours, tuple(own), own_neighbours
        return cls(rules, documents, skills, settings, home_texts, *similar, conversations)

    def why_not(self, last: EvaluationKey) -> str:
        """The reason why the last evaluation no longer holds, for an operator."""
        if self.rules != last.rules:
            return OTHER_RULES
        for path in _changed_names(self.documents, last.documents):
            return f"{path} changed"
        for name in _changed_names(self.skills, last.skills):
            return f"the skill {name} changed"
        if self.settings != last.settings:
            return "the settings of the home changed"
        if self.home_texts != last.home_texts:
            return "the texts of the home changed"
        if self.conversations != last.conversations:
            return "the conversations that may name its writer changed"
        return "a similar or related text was added or removed"


def _changed_names(now: Mapping[str, str], last: Mapping[str, str]) -> list[str]:
    return sorted(name for name in now.keys() | last.keys() if now.get(name) != last.get(name))


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the evaluations of a home were made from, without the proposals and stored texts."""

    shared: str
    """A digest of what every evaluation depends on: the rules, the settings of the home."""
    documents: Mapping[str, tuple[str, str]]
    """Revision of each document that is compared or touched, and a digest of the rest of it."""
    skills: Mapping[str, str]
    """A digest of each skill that a proposal names."""
    home_texts: str
    """A digest of the live texts."""
    answers: Mapping[str, str]
    """By proposal, a digest of what was decided about it while it waits: put off, or undone."""
    rejected: frozenset[str]
    """The beginnings of the digests of the texts that the home itself says were rejected."""

    def to_text(self) -> str:
        """The inputs as the ledger stores them."""
        return json.dumps(
            [
                self.shared,
                self.documents,
                self.skills,
                self.home_texts,
                self.answers,
                sorted(self.rejected),
            ],
            separators=(",", ":"),
        )

    @classmethod
    def from_text(cls, text: str) -> Inputs | None:
        """The inputs that `to_text` gave; None for others."""
        try:
            shared, documents, skills, home_texts, answers, rejected = json.loads(text)
            documents = {path: (revision, rest) for path, (revision, rest) in documents.items()}
        except (AttributeError, TypeError, ValueError):
            return None
        return cls(shared, documents, skills, home_texts, answers, frozenset(rejected))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One proposal against the live home: plan, verdict, similar texts."""

    staged: StagedProposal
    judgement: Judgement
    similar: tuple[Likeness, ...]
    paths: tuple[str, ...]
    """The documents that it depends on."""
    key: EvaluationKey | None = None
    """The inputs of this evaluation; None while its conversation may still be found."""
    judged_by: str = ""
    """The mark of the policy file it was judged by; empty without one."""
    gist: str = ""
    """Its effect in one line, from its payload."""
    subject: str = ""
    """A digest of the memory entry that it is about; empty for none."""
    live_digest: str = ""
    """For a change that is live already, a digest of its documents as they are now."""
    is_still_live: bool = True
    """False for a change outside review of which nothing is live any more."""

    @property
    def proposal(self) -> Proposal:
        """The proposal, with its bases."""
        return self.staged.proposal

    @property
    def is_automatic(self) -> bool:
        """Whether it may be applied without an operator."""
        return isinstance(self.judgement.verdict, AutoApply)

    @property
    def state(self) -> State:
        """Its state, decisions aside."""
        if self.proposal.outside:
            return State.LIVE
        if isinstance(self.judgement.verdict, Refuse):
            return State.REFUSED
        match self.staged.outcome:
            case Ready():
                return State.READY
            case Conflict():
                return State.CONFLICT
            case Dead():
                return State.DEAD

    @property
    def digest(self) -> str | None:
        """The digest that a decision names; None where it can be neither approved nor merged."""
        if self.state is State.REFUSED:
            return None
        match self.staged.outcome:
            case Ready(plan) if self.live_digest:
                # An operator's own text replaces what is live now, whatever was written since.
                return hashlib.sha256(f"{plan.digest}:{self.live_digest}".encode()).hexdigest()
            case Ready(plan):
                return plan.digest
            case Conflict() as conflict:
                return conflict.digest
            case Dead():
                return None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, gravest first."""
        match self.judgement.verdict:
            case AutoApply() if not self.judgement.checks:
                findings = self.staged.findings  # judged before checks were stored
            case AutoApply():
                findings = tuple(
                    finding for check in self.judgement.checks for finding in check.findings
                )
            case Review(findings) | Refuse(findings):
                pass
            case _:
                assert_never(self.judgement.verdict)
        return tuple(sorted(findings, key=lambda finding: -finding.severity.rank))

    @property
    def plain_paths(self) -> tuple[str, ...]:
        """The documents that it depends on, without those whose paths are unsafe."""
        if not any(finding.code == UNSAFE_NAME for finding in self.findings):
            return self.paths
        return tuple(path for path in self.paths if check_new_document(path) is None)

    @property
    def verdict(self) -> str:
        """auto-apply, review or refuse."""
        match self.judgement.verdict:
            case AutoApply():
                return AUTO_APPLY
            case Review():
                return "review"
            case Refuse():
                return "refuse"

    @property
    def reason(self) -> str:
        """The reason for its state, in one line."""
        if not self.is_still_live:
            return NOTHING_LEFT
        if self.proposal.outside:
            return (
                f"Already live ({describe_writer(self.judgement.origin)}). {self._outcome_reason}"
            )
        return self._outcome_reason

    @property
    def _outcome_reason(self) -> str:
        verdict, outcome = self.judgement.verdict, self.staged.outcome
        if isinstance(verdict, Refuse):
            return _quote(verdict.findings) or "The policy refuses it."
        if isinstance(verdict, AutoApply):
            return f"{PLAINLY_SAFE}: {verdict.rule}."
        match outcome:
            case Conflict(reason=reason) | Dead(message=reason):
                pass
            case Ready():
                reason = _quote(self.findings) or "An operator decides."
            case _:
                assert_never(outcome)
        return f"{OLDER_TEXT} {reason}" if self._is_stale else reason

    @property
    def _is_stale(self) -> bool:
        """Whether its author saw text that has changed or gone since: that is the news."""
        if self.proposal.outside:
            return False
        return isinstance(self.staged.outcome, Conflict) or any(
            seen.standing is Freshness.STALE for seen in self.judgement.currency
        )

    def as_staging(self) -> Staging:
        """The part of it that the ledger stores."""
        return Staging(
            proposal=self.proposal.id,
            state=self.state,
            verdict=self.verdict,
            digest=self.digest,
            findings=self.findings,
            reason=self.reason,
            judgement=self.judgement,
            judged_by=self.judged_by,
            paths=self.paths,
            gist=self.gist,
            subject=self.subject,
        )


def _quote(findings: Sequence[Finding]) -> str:
    """The gravest finding with the words that triggered it; empty for none."""
    if not findings:
        return ""
    first = findings[0]
    words = " ".join((first.quote or "").split())
    if first.span is None or not words or len(words) > _MOST_QUOTED or words in first.message:
        return first.message
    return f"{first.message.rstrip('.')}: \u201c{words}\u201d."

"""Looking at proposals: their bases, what they do to the live home, and what the policy says."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import assert_never

from reviewdeck.footing import FILES, LIVE, Footing, Watched
from reviewdeck.likeness import (
    FULL_SCAN,
    Indexed,
    Neighbours,
    Pool,
    compare,
    is_support_file,
    live_files,
    live_subjects,
)
from reviewdeck.model import (
    AutoApply,
    Conflict,
    Dead,
    Finding,
    Judgement,
    Likeness,
    Proposal,
    Ready,
    Refuse,
    Relation,
    Review,
    Room,
    SkillWriteFile,
    StagedProposal,
    State,
)
from reviewdeck.noticing import Namesakes, namesakes, notice
from reviewdeck.planning.stage import stage
from reviewdeck.policy.gate import Case, added_texts
from reviewdeck.policy.in_force import BUILT_IN, Policy
from reviewdeck.policy.plain import KnownToHome, asks_what_is_known, hosts_in
from reviewdeck.ports import Home, Ledger, Snapshot, Staging, Subject
from reviewdeck.provenance import Provenance, unseen_alike
from reviewdeck.text.entries import parse, size
from reviewdeck.timeline import Timeline, touched_paths

IN_MEMORY = FULL_SCAN
"""Up to this many texts are read to compare one proposal with them."""

MANY = 20
"""From one proposal in so many texts on, all texts are read instead of asking the index."""

MOST_IN_MEMORY = 30_000
"""More texts than this are never read, however many proposals are looked at: it is some 16 MB, and
nobody knows how much a home has seen removed. To ask the index takes milliseconds for each."""


@dataclass(frozen=True, slots=True)
class Examined:
    """One proposal as it stands against the live home."""

    staged: StagedProposal
    judgement: Judgement
    alike: tuple[Likeness, ...]
    paths: tuple[str, ...]
    """The documents that it depends on."""
    needs: frozenset[str] = frozenset()
    """The questions whose answers all of this rests on."""
    group: tuple[str, ...] = ()
    """Waiting proposals that are to be decided on together with it."""
    partners: frozenset[str] = frozenset()
    """The waiting proposals that it is like or belongs to: all of them, however many."""
    judged_by: str = ""
    """The mark of the policy file that it was judged by; empty without one."""

    @property
    def proposal(self) -> Proposal:
        """The proposal, with its bases."""
        return self.staged.proposal

    @property
    def is_automatic(self) -> bool:
        """Whether it may be applied without an operator."""
        return isinstance(self.judgement.verdict, AutoApply)

    @property
    def is_settled(self) -> bool:
        """Whether where it comes from is known for good, as far as it can be."""
        origin = self.judgement.origin
        return origin is None or origin.is_settled

    @property
    def rule(self) -> str:
        """The shape that makes it safe; empty for what is not."""
        verdict = self.judgement.verdict
        return verdict.rule if isinstance(verdict, AutoApply) else ""

    @property
    def state(self) -> State:
        """Where it stands, decisions aside."""
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
        """What a decision has to name; None for what cannot be approved or merged as it is."""
        if self.state is State.REFUSED:
            return None
        match self.staged.outcome:
            case Ready(plan):
                return plan.digest
            case Conflict() as conflict:
                return conflict.digest
            case Dead():
                return None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything to be careful about, gravest first."""
        match self.judgement.verdict:
            case AutoApply() if not self.judgement.checks:
                found = self.staged.findings  # of what was decided long ago
            case AutoApply():
                found = tuple(one for check in self.judgement.checks for one in check.findings)
            case Review(findings) | Refuse(findings):
                found = findings
            case _:
                assert_never(self.judgement.verdict)
        return tuple(sorted(found, key=lambda finding: -finding.severity.rank))

    @property
    def verdict(self) -> str:
        """auto-apply, review or refuse."""
        match self.judgement.verdict:
            case AutoApply():
                return "auto-apply"
            case Review():
                return "review"
            case Refuse():
                return "refuse"

    @property
    def reason(self) -> str:
        """One line: why it stands where it stands."""
        verdict, outcome = self.judgement.verdict, self.staged.outcome
        if isinstance(verdict, Refuse):
            return verdict.findings[0].message if verdict.findings else "The policy refuses it."
        if isinstance(outcome, Conflict):
            return outcome.reason
        if isinstance(outcome, Dead):
            return outcome.message
        if isinstance(verdict, AutoApply):
            return f"All six checks say yes: {verdict.rule}."
        return self.findings[0].message if self.findings else "An operator decides."

    def as_staging(self) -> Staging:
        """What the ledger keeps of it."""
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
            kin=tuple(dict.fromkeys((*self.group, *self._alike_kin))),
        )

    @property
    def _alike_kin(self) -> Iterator[str]:
        return (kin_of(one) for one in self.alike if one.relation in _MOVING)


_MOVING = (Relation.PENDING, Relation.LIVE)
"""What may go away again; what was removed or rejected is remembered for good."""


def kin_of(likeness: Likeness) -> str:
    """How the ledger names what a proposal is like."""
    return likeness.where if likeness.relation is Relation.PENDING else live_kin(likeness.text)


def live_kin(text: str) -> str:
    """How the ledger names a live text."""
    return f"live {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"


@dataclass(frozen=True, slots=True)
class Look:
    """A home at one moment: a pass walks it once."""

    snapshot: Snapshot
    paths: tuple[str, ...]
    """All documents that exist."""


class Examiner:
    """Looks at the proposals of one home at one moment."""

    def __init__(
        self, home: Home, ledger: Ledger, policy: Policy = BUILT_IN, look: Look | None = None
    ) -> None:
        self.policy = policy
        self._look = look
        self.snapshot: Snapshot = look.snapshot if look else home.snapshot()
        self._home = home
        self._ledger = ledger
        self._timeline = Timeline(home.id, ledger)
        self._provenance = Provenance(home, ledger, policy.settings.trust, policy.mark)
        self._expected = 1

    def expect(self, amount: int) -> None:
        """Says how many are about to be looked at: many are compared in memory."""
        self._expected = amount
        self.__dict__.pop("others", None)

    def examine(self, proposal: Proposal) -> Examined:
        """One proposal, against everything else that is live or pending."""
        watched = Watched(self.snapshot)
        known = self._timeline.with_bases(proposal, watched)
        effects = self._ledger.inverse_effects(known.undoes) if known.undoes else ()
        staged = stage(known, watched, effects=effects)
        noticed = notice(known, watched, self.others, self._namesakes)
        if noticed.findings:
            staged = replace(staged, findings=(*staged.findings, *noticed.findings))
        found = compare(known, self._places(known, watched))
        paths = touched_paths(known, watched)
        partners = found.waiting | frozenset(noticed.kin)
        judgement = self.policy.judge(self._case(staged, found.alike, paths))
        needs = watched.asked
        if asks_what_is_known(known.edits):
            needs = needs | {LIVE}
        return Examined(
            staged,
            judgement,
            found.alike,
            paths,
            frozenset(needs),
            noticed.kin,
            partners,
            self.policy.mark,
        )

    def _case(
        self, staged: StagedProposal, alike: tuple[Likeness, ...], paths: tuple[str, ...]
    ) -> Case:
        proposal = staged.proposal
        texts = added_texts(proposal.edits)
        origin = self._provenance.origin(proposal, texts)
        currencies = self._provenance.currency(proposal, origin, paths, self.snapshot)
        statement = self._provenance.statement(origin, texts)
        return Case(
            staged,
            origin,
            currencies,
            statement.sentences,
            statement.closest,
            alike,
            unseen_alike(texts, currencies),
            self._known,
            Room(tuple(self._budgets(staged))),
        )

    def _budgets(self, staged: StagedProposal) -> Iterator[tuple[str, int, int]]:
        """For each memory that is written: its characters afterwards, and its limit."""
        changes = staged.outcome.plan.changes if isinstance(staged.outcome, Ready) else ()
        for change in changes:
            limit = self.snapshot.budget(change.path)
            if limit is not None:
                text = (change.after or b"").decode("utf-8", "replace")
                yield change.path, size(parse(text)), limit

    def with_bases(self, proposal: Proposal) -> Proposal:
        """The proposal with a base for each document it touches, as far as we can tell."""
        return self._timeline.with_bases(proposal, self.snapshot)

    def _places(self, proposal: Proposal, watched: Watched) -> Sequence[Neighbours]:
        """Where texts may be like those of a proposal: files are compared with live files too."""
        if not any(isinstance(edit, SkillWriteFile) for edit in proposal.edits):
            return (self._live_pool, self.others)
        watched.asked.add(FILES)
        return (self._live_pool, self._live_files, self.others)

    @cached_property
    def footing(self) -> Footing:
        """What the answers are at this moment."""
        support = tuple(path for path in self.paths if is_support_file(path))
        return Footing(self.snapshot, self._live_text, self.policy.mark, support)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """All documents that exist."""
        return self._look.paths if self._look else self._home.documents()

    @cached_property
    def live(self) -> list[Subject]:
        """Everything that is live."""
        return live_subjects(self.paths, self.snapshot)

    @cached_property
    def others(self) -> Neighbours:
        """What waits, and what was removed or rejected."""
        amount = self._ledger.amount_of_subjects(self._home.id)
        if amount <= max(IN_MEMORY, min(self._expected * MANY, MOST_IN_MEMORY)):
            return Pool(self._ledger.subjects(self._home.id))
        return Indexed(self._ledger, self._home.id)

    @cached_property
    def _namesakes(self) -> Namesakes:
        return namesakes(self.paths)

    @cached_property
    def _live_pool(self) -> Pool:
        return Pool(self.live)

    @cached_property
    def _live_files(self) -> Pool:
        return Pool(live_files(self.paths, self.snapshot))

    @cached_property
    def _live_text(self) -> str:
        return "\n".join(subject.text for subject in self.live)

    @cached_property
    def _known(self) -> KnownToHome:
        hosts = hosts_in(self._live_text) | self.policy.settings.hosts
        skills = frozenset(path.split("/")[-2] for path in self.paths if path.endswith("/SKILL.md"))
        return KnownToHome(hosts, self._live_text, skills)

"""Looking at proposals: their bases, what they do to the live home, and what the policy says."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property
from typing import assert_never

from reviewdeck.footing import FILES, Footing, Spoken, Watched
from reviewdeck.judging import Aide, Case, Judged, Judges, StartAide
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
    QueueItem,
    Ready,
    Refuse,
    Relation,
    Review,
    SkillWriteFile,
    StagedProposal,
    State,
)
from reviewdeck.noticing import Namesakes, namesakes, notice
from reviewdeck.planning.additions import Additions
from reviewdeck.planning.staging import stage
from reviewdeck.policy.in_force import BUILT_IN, Policy
from reviewdeck.ports import Home, Ledger, Snapshot, Staging, Subject
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

    @property
    def proposal(self) -> Proposal:
        """The proposal, with its bases."""
        return self.staged.proposal

    @property
    def is_automatic(self) -> bool:
        """Whether it may be applied without an operator."""
        return isinstance(self.judgement.verdict, AutoApply)

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
            case AutoApply():
                found = self.staged.findings
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
            return f"Plainly safe: {verdict.rule}."
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
            paths=self.paths,
            kin=tuple(dict.fromkeys((*self.group, *self._alike_kin))),
        )

    @property
    def _alike_kin(self) -> Iterator[str]:
        return (kin_of(one) for one in self.alike if one.relation in _MOVING)


_SIDE_BY_SIDE = frozenset({"base-unknown", "merged"})
"""What planning says of a plain addition."""

_PLACED = frozenset({"lost-text", "link", "unpinned", "pin-mismatch", "not-additive"})
"""What is said of one whose place in the document matters."""

_WAITING_FOR = frozenset({"review", "auto-apply"})
"""For an operator, or for a cap to have room."""

_MOVING = (Relation.PENDING, Relation.LIVE)
"""What may go away again; what was removed or rejected is remembered for good."""


def kin_of(likeness: Likeness) -> str:
    """How the ledger names what a proposal is like."""
    return likeness.where if likeness.relation is Relation.PENDING else live_kin(likeness.text)


def live_kin(text: str) -> str:
    """How the ledger names a live text."""
    return f"live {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"


def live_skills(proposal: Proposal, snapshot: Snapshot) -> dict[str, str]:
    """The live SKILL.md, by name, of the skills that files of a proposal go to."""
    names = {edit.name for edit in proposal.edits if isinstance(edit, SkillWriteFile)}
    found = {name: snapshot.skill(name) for name in sorted(names)}
    return {
        name: snapshot.document(f"{skill.directory}/SKILL.md").text
        for name, skill in found.items()
        if skill is not None
    }


@dataclass(frozen=True, slots=True)
class Look:
    """A home at one moment: a pass walks it once."""

    snapshot: Snapshot
    paths: tuple[str, ...]
    """All documents that exist."""


@dataclass(frozen=True, slots=True)
class _Begun:
    """A proposal of which all is known but the verdict."""

    staged: StagedProposal
    alike: tuple[Likeness, ...]
    skills: Mapping[str, str]
    paths: tuple[str, ...]
    asked: AbstractSet[str]
    group: tuple[str, ...]
    partners: frozenset[str]

    def as_case(self) -> Case:
        """What is to be judged of it."""
        return Case(self.staged, self.alike, self.skills)


def _end(begun: _Begun, judged: Judged) -> Examined:
    needs = judged.asked | begun.asked
    return Examined(
        begun.staged,
        judged.judgement,
        begun.alike,
        begun.paths,
        needs,
        begun.group,
        begun.partners,
    )


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
        self._expected = 1
        self._additions = Additions()

    def expect(self, amount: int) -> None:
        """Says how many are about to be looked at: many are compared in memory."""
        self._expected = amount
        self.__dict__.pop("others", None)

    def examine(self, proposal: Proposal) -> Examined:
        """One proposal, against everything else that is live or pending."""
        begun = self._begin(proposal)
        return _end(begun, self._judge(begun))

    def examine_each(
        self, proposals: Iterable[Proposal], aide: Aide | None = None
    ) -> Iterator[Examined]:
        """These, one after the other; with an aide, whose judgements come without their trail."""
        begun = map(self._begin, proposals)
        for one, judged in Judges(_Begun.as_case, self._judge, aide).each(begun):
            yield _end(one, judged)

    def start(self, aide: StartAide) -> Aide | None:
        """Somebody who helps to judge what is looked at here."""
        return aide(self.policy, self._spoken)

    def _begin(self, proposal: Proposal) -> _Begun:
        """All but the judgement."""
        watched = Watched(self.snapshot)
        known = self._timeline.with_bases(proposal, watched)
        effects = self._ledger.inverse_effects(known.undoes) if known.undoes else ()
        staged = self._additions.look(known, watched) or stage(known, watched, effects=effects)
        noticed = notice(known, watched, self.others, self._namesakes)
        if noticed.findings:
            staged = replace(staged, findings=(*staged.findings, *noticed.findings))
        found = compare(known, self._places(known, watched))
        skills = live_skills(known, watched)
        paths = touched_paths(known, watched)
        partners = found.waiting | frozenset(noticed.kin)
        return _Begun(staged, found.alike, skills, paths, watched.asked, noticed.kin, partners)

    def _judge(self, begun: _Begun) -> Judged:
        asked: set[str] = set()
        self._spoken.listen(asked)
        judgement = self.policy.judge(
            begun.staged, begun.alike, live_text=self._spoken, skills=begun.skills
        )
        return Judged(judgement, frozenset(asked))

    def follow(self, proposal: Proposal, item: QueueItem) -> str | None:
        """The digest now of an addition to a document of which nothing but the text moved.

        None where it has to be examined: where it does not wait for what it says itself, or where
        its place in the document is not plain. What it says was judged without regard to the other
        entries; those that are like it, and what was asked about them, are somebody else's to look
        after. What waits for a cap stays safe to look at only: it is judged before it goes in.
        """
        codes = {finding.code for finding in item.findings}
        waits = item.verdict in _WAITING_FOR and item.state is State.READY
        if not waits or codes & _PLACED:
            return None
        known = self._timeline.with_bases(proposal, self.snapshot)
        staged = self._additions.look(known, self.snapshot)
        if staged is None or not isinstance(staged.outcome, Ready):
            return None
        is_same = {finding.code for finding in staged.findings} == codes & _SIDE_BY_SIDE
        return staged.outcome.plan.digest if is_same else None

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
        said = "\n".join(subject.text for subject in self.live)
        support = tuple(path for path in self.paths if is_support_file(path))
        return Footing(self.snapshot, said, self.policy.mark, support)

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
    def _spoken(self) -> Spoken:
        return Spoken.of("\n".join(subject.text for subject in self.live))

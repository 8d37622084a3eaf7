"""Evaluating a proposal: its plan on the live home, what it resembles, the policy's verdict.

One function does it for intake, `auto`, `show`, `diff` and the deck. A stored
evaluation is valid exactly as long as its key is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import assert_never

from reviewdeck.engine.bases import Timeline, touched_paths, touched_skills
from reviewdeck.engine.cross_checks import Namesakes, cross_checks, namesakes, undone_finding
from reviewdeck.engine.origins import Provenance, unseen_similar
from reviewdeck.engine.outside import Accounts
from reviewdeck.engine.similarity import (
    TextIndex,
    compare,
    live_files,
    live_subjects,
    subjects_of,
)
from reviewdeck.model import (
    OUTSIDE,
    Allowance,
    AutoApply,
    Conflict,
    Dead,
    Document,
    Finding,
    Judgement,
    Kind,
    KnownBy,
    Likeness,
    MemoryReplace,
    Origin,
    OriginClass,
    Proposal,
    Ready,
    Refuse,
    Relation,
    Review,
    Room,
    SkillDelete,
    SkillWriteFile,
    StagedProposal,
    State,
    executes_otherwise,
)
from reviewdeck.origin.writers import writer_words
from reviewdeck.planning.gist import gist_of, subject_of
from reviewdeck.planning.outside import stage_outside
from reviewdeck.planning.skills import SKILL_FILE, check_new_document, check_skill_name
from reviewdeck.planning.stage import stage
from reviewdeck.policy.gate import Case, added_texts
from reviewdeck.policy.in_force import BUILT_IN, Policy
from reviewdeck.policy.plain import (
    UNSAFE_NAME,
    KnownToHome,
    SkillFolder,
    asks_what_is_known,
    hosts_in,
)
from reviewdeck.ports import Home, LedgerReader, Snapshot, Staging, Subject, Undone

AUTO_APPLY = "auto-apply"
"""The verdict on a proposal that may be applied without an operator."""
NOTHING_LEFT = "It is as it was before: nothing of it is left."
OTHER_RULES = "the rules or the policy file changed"

_SUM_DIGITS = 12
"""Hex digits of a digest that an operator is shown."""

_ROOT = Path(__file__).parents[1]
_MOST_QUOTED = 80
"""The longest quote, in characters, that a reason repeats."""
_PACKAGES = ("text", "planning", "origin", "policy", "model")
_MODULES = (
    "engine/evaluate.py",
    "engine/cross_checks.py",
    "engine/similarity.py",
    "engine/origins.py",
    "engine/bases.py",
)


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
                self.conversations,
            ],
            separators=(",", ":"),
        )

    @classmethod
    def from_text(cls, text: str) -> EvaluationKey | None:
        """The key that `to_text` gave; None for one of an earlier version."""
        try:
            rules, documents, skills, settings, home_texts, neighbours, conversations = json.loads(
                text
            )
        except (TypeError, ValueError):
            return None
        return cls(rules, documents, skills, settings, home_texts, neighbours, conversations)

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
class Evaluation:
    """One proposal against the live home: plan, verdict, similar texts."""

    staged: StagedProposal
    judgement: Judgement
    alike: tuple[Likeness, ...]
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
    live: str = ""
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
    def rule(self) -> str:
        """The rule that allows it to be applied automatically; empty for none."""
        verdict = self.judgement.verdict
        return verdict.rule if isinstance(verdict, AutoApply) else ""

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
            case Ready(plan) if self.live:
                # An operator's own text replaces what is live now, whatever was written since.
                return hashlib.sha256(f"{plan.digest}:{self.live}".encode()).hexdigest()
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
            return f"Already live ({writer_words(self.judgement.origin)}). {self._outcome_reason}"
        return self._outcome_reason

    @property
    def _outcome_reason(self) -> str:
        verdict, outcome = self.judgement.verdict, self.staged.outcome
        if isinstance(verdict, Refuse):
            return _quote(verdict.findings) or "The policy refuses it."
        if isinstance(outcome, Conflict):
            return outcome.reason
        if isinstance(outcome, Dead):
            return outcome.message
        if isinstance(verdict, AutoApply):
            return f"All six checks say yes: {verdict.rule}."
        return _quote(self.findings) or "An operator decides."

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


@dataclass(frozen=True, slots=True)
class Look:
    """A home at one moment, so that a pass walks it once."""

    snapshot: Snapshot
    paths: tuple[str, ...]
    """The paths of all documents that exist."""


@dataclass(frozen=True, slots=True)
class _Neighbours:
    """The live, pending, removed and rejected texts that concern a proposal."""

    findings: tuple[Finding, ...]
    alike: tuple[Likeness, ...]


class Evaluator:
    """Evaluates the proposals of one home at one moment."""

    def __init__(
        self, home: Home, ledger: LedgerReader, policy: Policy = BUILT_IN, look: Look | None = None
    ) -> None:
        self.policy = policy
        self.rules = _digest(program(), policy.mark)
        self.snapshot: Snapshot = look.snapshot if look else home.snapshot()
        self._look = look
        self._home = home
        self._ledger = ledger
        self._timeline = Timeline(home.id, ledger)
        self._provenance = Provenance(
            home, ledger, self._timeline, policy.settings.trust, policy.mark
        )

    def evaluate(self, proposal: Proposal) -> Evaluation:
        """Evaluates one proposal against everything else that is live or pending."""
        (evaluation,) = self.evaluate_dirty([(proposal, None)])
        return evaluation

    def evaluate_dirty(
        self, proposals: Iterable[tuple[Proposal, EvaluationKey | None]]
    ) -> Iterator[Evaluation]:
        """Evaluates the proposals whose key differs from the one of their last evaluation."""
        dirty: list[tuple[Proposal, _Neighbours, EvaluationKey]] = []
        for proposal, last in proposals:
            based = self.with_bases(proposal)
            neighbours = self._find_neighbours(based)
            key = self._key(based, neighbours)
            # Whether the rules compare it with the home's texts was noted by the last evaluation.
            if last is not None and last.conversations:
                key = replace(key, conversations=self._conversations_sum(based) or "")
            if last is None or self._with_known_sum(key, asks=bool(last.home_texts)) != last:
                dirty.append((based, neighbours, key))
        origins = self._provenance.recall(based for based, _, _ in dirty)
        for based, neighbours, key in dirty:
            yield self._evaluate(based, neighbours, key, origins.get(based.id))

    def with_bases(self, proposal: Proposal) -> Proposal:
        """The proposal with a base for each document it touches, where one is known."""
        return proposal if proposal.outside else self._timeline.with_bases(proposal, self.snapshot)

    def _evaluate(
        self, proposal: Proposal, neighbours: _Neighbours, key: EvaluationKey, origin: Origin | None
    ) -> Evaluation:
        staged, snapshot = self._stage(proposal)
        if neighbours.findings:
            staged = replace(staged, findings=(*staged.findings, *neighbours.findings))
        paths = self._paths_of(proposal)
        # Before the conversations are read, so that a later change of them is noticed.
        conversations = self._conversations_sum(proposal)
        judgement = self.policy.judge(self._case(staged, origin, neighbours.alike, paths))
        is_settled = judgement.origin is None or judgement.origin.is_settled
        key = replace(key, conversations="" if is_settled else conversations or "")
        key = self._with_known_sum(key, asks=asks_what_is_known(proposal.edits))
        return Evaluation(
            staged,
            judgement,
            neighbours.alike,
            paths,
            key if is_settled or conversations else None,
            self.policy.mark,
            gist_of(staged, snapshot),
            subject_of(staged, snapshot),
            self._live_sum(proposal),
            self._is_still_live(proposal),
        )

    def has_same_conversations(self, proposal: Proposal, key: EvaluationKey) -> bool:
        """Whether the conversations that may name its writer have not changed since this key."""
        return key.conversations == self._conversations_sum(proposal)

    def _conversations_sum(self, proposal: Proposal) -> str | None:
        """A digest of the conversations in which the writer of a live change may be found."""
        conversations = self._home.conversations() if proposal.outside else None
        return None if conversations is None else _digest(conversations.heard(proposal))

    def _stage(self, proposal: Proposal) -> tuple[StagedProposal, Snapshot]:
        """The plan of a proposal, and the home that it starts from."""
        if proposal.outside:
            revisions = {
                end for change in proposal.outside for end in (change.before, change.after)
            }
            contents = {revision: self._timeline.content(revision) for revision in revisions}
            return stage_outside(proposal, self.snapshot, contents)
        effects = self._ledger.inverse_effects(proposal.undoes) if proposal.undoes else ()
        return stage(proposal, self.snapshot, effects=effects), self.snapshot

    def _paths_of(self, proposal: Proposal) -> tuple[str, ...]:
        outside = tuple(change.path for change in proposal.outside)
        return outside or touched_paths(proposal, self.snapshot)

    def _is_still_live(self, proposal: Proposal) -> bool:
        documents = ((self.snapshot.document(change.path), change) for change in proposal.outside)
        return not proposal.outside or any(
            live.revision != change.before
            or (change.modes is not None and executes_otherwise(change.modes[0], live.mode))
            for live, change in documents
        )

    def _with_accounts(self, proposal: Proposal, origin: Origin) -> Origin:
        """The origin, replaced by what the agent's own records account for."""
        accounts = {self._accounts.of_change(change) for change in proposal.outside}
        if None in accounts:
            return origin
        reason = f"It was {'; '.join(sorted(filter(None, accounts)))}."
        return Origin(OriginClass.UNKNOWN, KnownBy.EXACT, reason, is_settled=origin.is_settled)

    def _live_sum(self, proposal: Proposal) -> str:
        paths = [change.path for change in proposal.outside]
        return _digest(*(self.snapshot.document(path).revision for path in paths)) if paths else ""

    def _with_known_sum(self, key: EvaluationKey, *, asks: bool) -> EvaluationKey:
        return replace(key, home_texts=self._known_sum) if asks else key

    def _key(self, proposal: Proposal, neighbours: _Neighbours) -> EvaluationKey:
        """The key of a proposal that is not compared with the home's texts."""
        paths = self._paths_of(proposal)
        settings = [(self.snapshot.budget(path), self.snapshot.closed(path)) for path in paths]
        return EvaluationKey(
            rules=self.rules,
            documents={path: self._document_sum(path, proposal) for path in paths},
            skills={
                name: self._skill_sum(name, proposal)
                for name in touched_skills(proposal.edits)
                if check_skill_name(name) is None
            },
            settings=_digest(settings, self.snapshot.pins_entries),
            home_texts="",
            neighbours=_digest(neighbours),
        )

    def _document_sum(self, path: str, proposal: Proposal) -> str:
        live, base = self.snapshot.document(path), proposal.bases.get(path)
        base_parts = None if base is None else (base.revision, base.source, base.has_text)
        return _digest(live.revision, live.mode, live.link, live.problem, base_parts)

    def _skill_sum(self, name: str, proposal: Proposal) -> str:
        skill = self.snapshot.skill(name)
        if skill is None:
            archived: Document = self.snapshot.document(f"skills/.archive/{name}/{SKILL_FILE}")
            return _digest(archived.exists)
        deletes = any(isinstance(edit, SkillDelete) for edit in proposal.edits)
        archive = self.snapshot.archive_directory(name) if deletes else ""
        plain = replace(skill, protections=frozenset())
        return _digest(plain, sorted(skill.protections), archive)

    def _find_neighbours(self, proposal: Proposal) -> _Neighbours:
        findings = (
            *undone_finding(self._undone.get(proposal.id)),
            *cross_checks(proposal, self.snapshot, self.index, self._namesakes),
        )
        places = [self._live_index, self.index]
        if any(isinstance(edit, SkillWriteFile) for edit in proposal.edits):
            places.append(self._live_files)
        alike = compare(proposal, places)
        return _Neighbours(findings, _without_own(alike, proposal) if proposal.outside else alike)

    def _case(
        self,
        staged: StagedProposal,
        origin: Origin | None,
        alike: tuple[Likeness, ...],
        paths: tuple[str, ...],
    ) -> Case:
        proposal = staged.proposal
        texts = added_texts(proposal.edits)
        origin = origin or self._provenance.find(proposal, texts)
        if proposal.outside and origin.known_by is not KnownBy.EXACT:
            origin = self._with_accounts(proposal, origin)
        # A change outside review was written onto the text that was live.
        currencies = (
            ()
            if proposal.outside
            else self._provenance.currency(proposal, origin, paths, self.snapshot)
        )
        statement = self._provenance.statement(origin, texts)
        return Case(
            staged,
            origin,
            currencies,
            statement.sentences,
            statement.closest,
            alike,
            unseen_similar(texts, currencies),
            self._known_to_home,
            Room(tuple(self._budgets(staged))),
            self._folder(proposal, paths),
        )

    def _folder(self, proposal: Proposal, paths: Sequence[str]) -> SkillFolder | None:
        """The executable files of a skill that was written outside review.

        For a proposal the edits themselves show them.
        """
        if proposal.kind is not Kind.SKILLS or proposal.action != OUTSIDE:
            return None
        scripts = {change.path for change in proposal.outside if change.modes}
        unreported = [path for path in paths if path not in scripts]
        modes = ((path, self.snapshot.document(path).mode or 0) for path in unreported)
        return SkillFolder(executables=tuple(path for path, mode in modes if mode & 0o111))

    def _budgets(self, staged: StagedProposal) -> Iterator[tuple[str, Allowance]]:
        """The used part of each limit once the plan is written, by document."""
        changes = staged.outcome.plan.changes if isinstance(staged.outcome, Ready) else ()
        for change in changes:
            text = (change.after or b"").decode("utf-8", "replace")
            for allowance in self.snapshot.allowance(change.path, text):
                yield change.path, allowance

    @cached_property
    def index(self) -> TextIndex:
        """The texts that are pending, removed or rejected."""
        return TextIndex(self._ledger.subjects(self._home.id))

    @cached_property
    def _accounts(self) -> Accounts:
        return Accounts(self._ledger, self._home, self.snapshot)

    @cached_property
    def _undone(self) -> Mapping[str, Undone]:
        return self._ledger.undone(self._home.id)

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        """The paths of all documents that exist."""
        return self._look.paths if self._look else self._home.documents()

    @cached_property
    def _live_subjects(self) -> Sequence[Subject]:
        return live_subjects(self._paths, self.snapshot)

    @cached_property
    def _live_index(self) -> TextIndex:
        return TextIndex(self._live_subjects)

    @cached_property
    def _live_files(self) -> TextIndex:
        return TextIndex(live_files(self._paths, self.snapshot))

    @cached_property
    def _namesakes(self) -> Namesakes:
        return namesakes(self._paths)

    @cached_property
    def _known_to_home(self) -> KnownToHome:
        text = "\n".join(subject.text for subject in self._live_subjects)
        hosts = hosts_in(text) | self.policy.settings.hosts
        root = _from_user_home(self._home.where)
        directories = (
            path.rpartition("/")[0] for path in self._paths if path.endswith(f"/{SKILL_FILE}")
        )
        folders = {directory.rpartition("/")[2]: f"{root}/{directory}" for directory in directories}
        return KnownToHome(hosts, text, frozenset(folders), folders, self.snapshot.free_names)

    @cached_property
    def _known_sum(self) -> str:
        return _digest(self._known_to_home.text, sorted(self._known_to_home.skills))


def _without_own(alike: Sequence[Likeness], proposal: Proposal) -> tuple[Likeness, ...]:
    """The similar texts without those that this very change added or replaced."""
    added_texts = {subject.text for subject in subjects_of(proposal)}
    took = {edit.old_text for edit in proposal.edits if isinstance(edit, MemoryReplace)}
    paths = {change.path for change in proposal.outside}
    return tuple(
        likeness
        for likeness in alike
        if likeness.where not in paths
        or likeness.text not in (added_texts if likeness.relation is Relation.LIVE else took)
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


def _from_user_home(where: str) -> str:
    """A home's path as its operator writes it: Hermes keeps homes below `~/.hermes`."""
    before, marker, after = where.partition("/.hermes")
    is_usual = marker and before and after[:1] in ("", "/")
    return f"~{marker}{after}" if is_usual else f"…/{where.rpartition('/')[2]}"


@cache
def program() -> str:
    """A digest of the code that evaluates."""
    mark = hashlib.sha256()
    for name in (*_PACKAGES, *_MODULES):
        for file in _module_files(_ROOT / name):
            mark.update(file.read_bytes())
    return mark.hexdigest()


def _module_files(place: Path) -> list[Path]:
    """The files of a package and its subpackages, or the one module."""
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]


def judged_by(policy: str) -> str:
    """The rules and the policy file that judge, in a few words."""
    rules = f"rules {program()[:_SUM_DIGITS]}"
    return f"{rules}, policy file {policy[:_SUM_DIGITS]}" if policy else rules


def _digest(*values: object) -> str:
    text = "\0".join(map(repr, values))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]

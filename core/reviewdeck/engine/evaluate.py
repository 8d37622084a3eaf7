"""Evaluating a proposal: what it does to the live home, what it is like, what the policy says.

One function does it, whoever asks: intake, `auto`, `show`, `diff` and the deck. A stored
evaluation is good as long as its key is: nothing else decides whether to evaluate again.
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
from reviewdeck.engine.origins import Provenance, unseen_alike
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
"""The verdict on what may go in without an operator."""
NOTHING_LEFT = "It is as it was before: nothing of it is left."
OTHER_RULES = "the rules are not the ones of last time"

_SHOWN = 12
"""Characters of a sum that are shown to an operator."""

_ROOT = Path(__file__).parents[1]
_QUOTED = 80
"""Characters of the words that a reason quotes."""
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
    """All that an evaluation depends on beside the proposal. Another key: evaluate again.

    Where the conversation of an agent's proposal is not known for good there is no key, and it is
    evaluated each time.
    """

    rules: str
    """The program that evaluates, and the policy file."""
    documents: Mapping[str, str]
    """Each document that it touches, and the one that its author saw."""
    skills: Mapping[str, str]
    """Each skill that it names."""
    settings: str
    """What the home's configuration says of its documents."""
    known: str
    """The links, commands and names in the live texts; empty where its own text has none."""
    company: str
    """The texts that are like it and what else waits for its skill, as the index finds them."""
    heard: str = ""
    """How the conversations of the home were, where they may still tell who wrote what is live."""

    def to_text(self) -> str:
        """As the ledger keeps it."""
        return json.dumps(
            [
                self.rules,
                self.documents,
                self.skills,
                self.settings,
                self.known,
                self.company,
                self.heard,
            ],
            separators=(",", ":"),
        )

    @classmethod
    def from_text(cls, text: str) -> EvaluationKey | None:
        """What `to_text` gave; None for what an earlier version kept there."""
        try:
            rules, documents, skills, settings, known, company, heard = json.loads(text)
        except (TypeError, ValueError):
            return None
        return cls(rules, documents, skills, settings, known, company, heard)

    def why_not(self, last: EvaluationKey) -> str:
        """What changed since the last evaluation, in words for an operator."""
        if self.rules != last.rules:
            return OTHER_RULES
        for path in _differing(self.documents, last.documents):
            return f"{path} changed"
        for name in _differing(self.skills, last.skills):
            return f"the skill {name} changed"
        if self.settings != last.settings:
            return "the settings of the home changed"
        if self.known != last.known:
            return "what the home says already changed"
        if self.heard != last.heard:
            return "more was to be known of who wrote it"
        return "something like it, or that belongs to it, came or went"


def _differing(now: Mapping[str, str], last: Mapping[str, str]) -> list[str]:
    return sorted(name for name in now.keys() | last.keys() if now.get(name) != last.get(name))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One proposal as it stands against the live home."""

    staged: StagedProposal
    judgement: Judgement
    alike: tuple[Likeness, ...]
    paths: tuple[str, ...]
    """The documents that it depends on."""
    key: EvaluationKey | None = None
    """What all of this was made from; None while its conversation may still be found."""
    judged_by: str = ""
    """The mark of the policy file that it was judged by; empty without one."""
    gist: str = ""
    """What it would do, in one line, from its payload."""
    subject: str = ""
    """A sum of the memory entry that it is about; empty for none."""
    live: str = ""
    """Of what is live already, a sum of its documents as they are now."""
    is_left: bool = True
    """Whether anything of what was live already still is."""

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
        """What a decision has to name; None for what cannot be approved or merged as it is."""
        if self.state is State.REFUSED:
            return None
        match self.staged.outcome:
            case Ready(plan) if self.live:
                # Their own text is for what is there now, whatever was written since.
                return hashlib.sha256(f"{plan.digest}:{self.live}".encode()).hexdigest()
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
    def plain_paths(self) -> tuple[str, ...]:
        """The documents that it depends on, but for those whose paths are not plainly paths."""
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
        """One line: why it stands where it stands."""
        if not self.is_left:
            return NOTHING_LEFT
        if self.proposal.outside:
            return f"Already live ({writer_words(self.judgement.origin)}). {self._because}"
        return self._because

    @property
    def _because(self) -> str:
        verdict, outcome = self.judgement.verdict, self.staged.outcome
        if isinstance(verdict, Refuse):
            return _quoted(verdict.findings) or "The policy refuses it."
        if isinstance(outcome, Conflict):
            return outcome.reason
        if isinstance(outcome, Dead):
            return outcome.message
        if isinstance(verdict, AutoApply):
            return f"All six checks say yes: {verdict.rule}."
        return _quoted(self.findings) or "An operator decides."

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
            gist=self.gist,
            subject=self.subject,
        )


@dataclass(frozen=True, slots=True)
class Look:
    """A home at one moment: a pass walks it once."""

    snapshot: Snapshot
    paths: tuple[str, ...]
    """All documents that exist."""


@dataclass(frozen=True, slots=True)
class _Company:
    """What else is live, waits or was taken out that has to do with a proposal."""

    findings: tuple[Finding, ...]
    alike: tuple[Likeness, ...]


class Evaluator:
    """Evaluates the proposals of one home at one moment."""

    def __init__(
        self, home: Home, ledger: LedgerReader, policy: Policy = BUILT_IN, look: Look | None = None
    ) -> None:
        self.policy = policy
        self.rules = _sum(program(), policy.mark)
        self.snapshot: Snapshot = look.snapshot if look else home.snapshot()
        self._look = look
        self._home = home
        self._ledger = ledger
        self._timeline = Timeline(home.id, ledger)
        self._provenance = Provenance(
            home, ledger, self._timeline, policy.settings.trust, policy.mark
        )

    def evaluate(self, proposal: Proposal) -> Evaluation:
        """One proposal, against everything else that is live or pending."""
        (evaluation,) = self.evaluate_dirty([(proposal, None)])
        return evaluation

    def evaluate_dirty(
        self, proposals: Iterable[tuple[Proposal, EvaluationKey | None]]
    ) -> Iterator[Evaluation]:
        """Those of them whose key is not the one of their last evaluation any more."""
        dirty: list[tuple[Proposal, _Company, EvaluationKey]] = []
        for proposal, last in proposals:
            known = self.with_bases(proposal)
            company = self._company(known)
            key = self._key(known, company)
            # Whether it asks what the home knows is for the rules and its own text to say.
            if last is not None and last.heard:
                key = replace(key, heard=self._heard(known) or "")
            if last is None or self._completed(key, asks=bool(last.known)) != last:
                dirty.append((known, company, key))
        origins = self._provenance.recall(known for known, _, _ in dirty)
        for known, company, key in dirty:
            yield self._evaluate(known, company, key, origins.get(known.id))

    def with_bases(self, proposal: Proposal) -> Proposal:
        """The proposal with a base for each document it touches, as far as we can tell."""
        return proposal if proposal.outside else self._timeline.with_bases(proposal, self.snapshot)

    def _evaluate(
        self, known: Proposal, company: _Company, key: EvaluationKey, origin: Origin | None
    ) -> Evaluation:
        staged, seen = self._staged(known)
        if company.findings:
            staged = replace(staged, findings=(*staged.findings, *company.findings))
        paths = self._paths_of(known)
        heard = self._heard(known)  # before the conversations are read: what comes later is news
        judgement = self.policy.judge(self._case(staged, origin, company.alike, paths))
        is_settled = judgement.origin is None or judgement.origin.is_settled
        key = replace(key, heard="" if is_settled else heard or "")
        key = self._completed(key, asks=asks_what_is_known(known.edits))
        return Evaluation(
            staged,
            judgement,
            company.alike,
            paths,
            key if is_settled or heard else None,
            self.policy.mark,
            gist_of(staged, seen),
            subject_of(staged, seen),
            self._live_sum(known),
            self._is_left(known),
        )

    def has_heard(self, proposal: Proposal, key: EvaluationKey) -> bool:
        """Whether no more can be known of who wrote it than when it was evaluated."""
        return key.heard == self._heard(proposal)

    def _heard(self, known: Proposal) -> str | None:
        """How the conversations are in which the writer of what is live may be found."""
        kept = self._home.conversations() if known.outside else None
        return None if kept is None else _sum(kept.heard(known))

    def _staged(self, known: Proposal) -> tuple[StagedProposal, Snapshot]:
        """What it does, and the home that it does it to."""
        if known.outside:
            named = {end for one in known.outside for end in (one.before, one.after)}
            contents = {revision: self._timeline.content(revision) for revision in named}
            return stage_outside(known, self.snapshot, contents)
        effects = self._ledger.inverse_effects(known.undoes) if known.undoes else ()
        return stage(known, self.snapshot, effects=effects), self.snapshot

    def _paths_of(self, proposal: Proposal) -> tuple[str, ...]:
        outside = tuple(one.path for one in proposal.outside)
        return outside or touched_paths(proposal, self.snapshot)

    def _is_left(self, proposal: Proposal) -> bool:
        found = ((self.snapshot.document(one.path), one) for one in proposal.outside)
        return not proposal.outside or any(
            live.revision != one.before
            or (one.modes is not None and executes_otherwise(one.modes[0], live.mode))
            for live, one in found
        )

    def _accounted(self, proposal: Proposal, origin: Origin) -> Origin:
        """Where Hermes' own records say what it was, that; else what was found."""
        said = {self._accounts.of_change(one) for one in proposal.outside}
        if None in said:
            return origin
        reason = f"It was {'; '.join(sorted(filter(None, said)))}."
        return Origin(OriginClass.UNKNOWN, KnownBy.EXACT, reason, is_settled=origin.is_settled)

    def _live_sum(self, proposal: Proposal) -> str:
        paths = [one.path for one in proposal.outside]
        return _sum(*(self.snapshot.document(path).revision for path in paths)) if paths else ""

    def _completed(self, key: EvaluationKey, *, asks: bool) -> EvaluationKey:
        return replace(key, known=self._known_sum) if asks else key

    def _key(self, proposal: Proposal, company: _Company) -> EvaluationKey:
        """The key of a proposal that does not ask what the home knows."""
        paths = self._paths_of(proposal)
        settings = [(self.snapshot.budget(path), self.snapshot.closed(path)) for path in paths]
        return EvaluationKey(
            rules=self.rules,
            documents={path: self._document(path, proposal) for path in paths},
            skills={
                name: self._skill(name, proposal)
                for name in touched_skills(proposal.edits)
                if check_skill_name(name) is None
            },
            settings=_sum(settings, self.snapshot.pins_entries),
            known="",
            company=_sum(company),
        )

    def _document(self, path: str, proposal: Proposal) -> str:
        live, base = self.snapshot.document(path), proposal.bases.get(path)
        seen = None if base is None else (base.revision, base.source, base.has_text)
        return _sum(live.revision, live.mode, live.link, live.problem, seen)

    def _skill(self, name: str, proposal: Proposal) -> str:
        skill = self.snapshot.skill(name)
        if skill is None:
            archived: Document = self.snapshot.document(f"skills/.archive/{name}/{SKILL_FILE}")
            return _sum(archived.exists)
        deletes = any(isinstance(edit, SkillDelete) for edit in proposal.edits)
        archive = self.snapshot.archive_directory(name) if deletes else ""
        plain = replace(skill, protections=frozenset())
        return _sum(plain, sorted(skill.protections), archive)

    def _company(self, proposal: Proposal) -> _Company:
        findings = (
            *undone_finding(self._undone.get(proposal.id)),
            *cross_checks(proposal, self.snapshot, self.index, self._namesakes),
        )
        places = [self._live_index, self.index]
        if any(isinstance(edit, SkillWriteFile) for edit in proposal.edits):
            places.append(self._live_files)
        alike = compare(proposal, places)
        return _Company(findings, _others(alike, proposal) if proposal.outside else alike)

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
            origin = self._accounted(proposal, origin)
        # What was written was written onto what was there.
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
            unseen_alike(texts, currencies),
            self._known,
            Room(tuple(self._budgets(staged))),
            self._folder(proposal, paths),
        )

    def _folder(self, proposal: Proposal, paths: Sequence[str]) -> SkillFolder | None:
        """Which of the files that were written may be executed, where it is about a skill.

        A proposal that writes a script is said to do so.
        """
        if proposal.kind is not Kind.SKILLS or proposal.action != OUTSIDE:
            return None
        said = {one.path for one in proposal.outside if one.modes}
        others = [path for path in paths if path not in said]
        modes = ((path, self.snapshot.document(path).mode or 0) for path in others)
        return SkillFolder(executables=tuple(path for path, mode in modes if mode & 0o111))

    def _budgets(self, staged: StagedProposal) -> Iterator[tuple[str, Allowance]]:
        """For each document that is written and has a limit: what is used of it afterwards."""
        changes = staged.outcome.plan.changes if isinstance(staged.outcome, Ready) else ()
        for change in changes:
            text = (change.after or b"").decode("utf-8", "replace")
            for one in self.snapshot.allowance(change.path, text):
                yield change.path, one

    @cached_property
    def index(self) -> TextIndex:
        """What waits, and what was removed or rejected."""
        return TextIndex(self._ledger.subjects(self._home.id))

    @cached_property
    def _accounts(self) -> Accounts:
        return Accounts(self._ledger, self._home, self.snapshot)

    @cached_property
    def _undone(self) -> Mapping[str, Undone]:
        return self._ledger.undone(self._home.id)

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        """All documents that exist."""
        return self._look.paths if self._look else self._home.documents()

    @cached_property
    def _live(self) -> Sequence[Subject]:
        return live_subjects(self._paths, self.snapshot)

    @cached_property
    def _live_index(self) -> TextIndex:
        return TextIndex(self._live)

    @cached_property
    def _live_files(self) -> TextIndex:
        return TextIndex(live_files(self._paths, self.snapshot))

    @cached_property
    def _namesakes(self) -> Namesakes:
        return namesakes(self._paths)

    @cached_property
    def _known(self) -> KnownToHome:
        text = "\n".join(subject.text for subject in self._live)
        hosts = hosts_in(text) | self.policy.settings.hosts
        root = _from_user_home(self._home.where)
        directories = (
            path.rpartition("/")[0] for path in self._paths if path.endswith(f"/{SKILL_FILE}")
        )
        folders = {one.rpartition("/")[2]: f"{root}/{one}" for one in directories}
        return KnownToHome(hosts, text, frozenset(folders), folders, self.snapshot.free_names)

    @cached_property
    def _known_sum(self) -> str:
        return _sum(self._known.text, sorted(self._known.skills))


def _others(alike: Sequence[Likeness], proposal: Proposal) -> tuple[Likeness, ...]:
    """These without the texts, live or gone, that this very change brought or took."""
    brought = {subject.text for subject in subjects_of(proposal)}
    took = {edit.old_text for edit in proposal.edits if isinstance(edit, MemoryReplace)}
    paths = {change.path for change in proposal.outside}
    return tuple(
        one
        for one in alike
        if one.where not in paths
        or one.text not in (brought if one.relation is Relation.LIVE else took)
    )


def _quoted(findings: Sequence[Finding]) -> str:
    """The gravest finding with the words that it is about; empty for none."""
    if not findings:
        return ""
    first = findings[0]
    words = " ".join((first.quote or "").split())
    if first.span is None or not words or len(words) > _QUOTED or words in first.message:
        return first.message
    return f"{first.message.rstrip('.')}: \u201c{words}\u201d."


def _from_user_home(where: str) -> str:
    """A home of Hermes as its operator calls it: Hermes keeps them below `~/.hermes`."""
    before, found, after = where.partition("/.hermes")
    is_usual = found and before and after[:1] in ("", "/")
    return f"~{found}{after}" if is_usual else f"…/{where.rpartition('/')[2]}"


@cache
def program() -> str:
    """A sum of the code that evaluates."""
    mark = hashlib.sha256()
    for name in (*_PACKAGES, *_MODULES):
        for file in _modules(_ROOT / name):
            mark.update(file.read_bytes())
    return mark.hexdigest()


def _modules(place: Path) -> list[Path]:
    """The modules of a package, those of its own packages too; or the one that this is."""
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]


def judged_by(policy: str) -> str:
    """What judges, in a few words: the rules, and the policy file with this sum if there is one."""
    rules = f"rules {program()[:_SHOWN]}"
    return f"{rules}, policy file {policy[:_SHOWN]}" if policy else rules


def _sum(*values: object) -> str:
    said = "\0".join(map(repr, values))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:24]

"""Evaluating a proposal: its plan on the live home, what it resembles, the policy's verdict.

One function does it for intake, `auto`, `show`, `diff` and the deck. A stored
evaluation is valid exactly as long as its key is.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import field, replace
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from reviewdeck.engine.ahead import MOST_AHEAD, Ahead
from reviewdeck.engine.bases import BaseLookup, touched_paths, touched_skills
from reviewdeck.engine.cross_checks import (
    Namesakes,
    cross_checks,
    deferred_finding,
    domains_asked,
    namesakes,
    undone_finding,
)
from reviewdeck.engine.evaluation import DIGITS, Evaluation, EvaluationKey, Inputs
from reviewdeck.engine.history import why_not_undoable
from reviewdeck.engine.remote_home import RemoteHome
from reviewdeck.engine.similarity import (
    LiveFiles,
    LiveTexts,
    StoredTexts,
    compare,
    digests_of,
    is_live_text,
    is_support_file,
    live_files,
    live_subjects,
    subjects_of,
    telling_below,
)
from reviewdeck.engine.stamp import program_digest
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import (
    SKILL_FILE,
    AutoApply,
    Change,
    CheckName,
    Dead,
    DeadReason,
    Decision,
    Document,
    Finding,
    Judgement,
    Likeness,
    MemoryEdit,
    MemoryReplace,
    Origin,
    Proposal,
    Relation,
    Revision,
    SkillDelete,
    SkillWriteFile,
    StagedProposal,
    executes_otherwise,
)
from reviewdeck.model.ledger import Postings, Subject, Undone
from reviewdeck.planning.gist import gist_of, subject_of
from reviewdeck.planning.outside import stage_outside
from reviewdeck.planning.overlay import Overlay
from reviewdeck.planning.skills import check_name_in
from reviewdeck.planning.stage import stage
from reviewdeck.policy.in_force import BUILT_IN, Policy
from reviewdeck.ports import Home, Snapshot
from reviewdeck.values import dataclass

if TYPE_CHECKING:
    from reviewdeck.engine.judge import Judge

_NONE: Mapping[str, Judgement] = {}
_SUM_DIGITS = 12
"""Hex digits of a digest that an operator is shown."""


@dataclass(frozen=True, slots=True)
class Look:
    """A home at one moment, so that a pass walks it once."""

    snapshot: Snapshot
    paths: tuple[str, ...]
    """The paths of all documents that existed."""
    contents: Mapping[Revision, bytes] = field(default_factory=dict)
    """Bytes at hand that the ledger would be asked for."""


@dataclass(frozen=True, slots=True)
class _Neighbours:
    """The live, pending, removed and rejected texts that concern a proposal."""

    findings: tuple[Finding, ...]
    alike: tuple[Likeness, ...]
    why_not_undoable: str | None = None
    """Why the operation that it undoes cannot be undone any more."""


_OF_THE_HOME: Final = (
    *("index", "paths", "_undone", "_deferrals", "_rejected", "_readers", "_namesakes"),
    "_skill_folders",
)
"""What stays as it is where a part of a home is taken out."""


class Evaluator:
    """Evaluates the proposals of one home at one moment."""

    def __init__(
        self, home: Home, ledger: Ledger, policy: Policy = BUILT_IN, look: Look | None = None
    ) -> None:
        # Before the home: one on another machine is read from the ledger.
        ledger.foresee(
            (
                lambda: ledger.subject_count(home.id),
                lambda: ledger.undone(home.id),
                lambda: ledger.deferrals(home.id),
            )
        )
        self.policy = policy
        self.rules = _digest(program_digest(), policy.mark)
        self.snapshot: Snapshot = look.snapshot if look else home.snapshot()
        self._look = look
        self._home = home
        self._ledger = ledger
        self._bases = BaseLookup(home.id, ledger)
        self._bases.know(look.contents if look else {})
        self._origins = Ahead(self._recall_origins)
        self._rests: dict[str, str] = {}

    def evaluate(self, proposal: Proposal) -> Evaluation:
        """Evaluates one proposal against everything else that is live or pending."""
        (evaluation,) = self.evaluate_dirty([(proposal, None)])
        return evaluation

    def before(self, changes: Sequence[Change]) -> Evaluator:
        """An evaluator of the home before these changes of what is live.

        It shares what was read of the home and indexed, so that a look at each part of a home takes
        time in proportion to the home.
        """
        for name in _OF_THE_HOME:
            getattr(self, name)
        past = copy(self)
        undone = [Change(change.path, change.after, change.before) for change in changes]
        past.snapshot = Overlay(self.snapshot, undone)
        past._rests = {}
        for name in ("_judge", "_live_text", "_known_sum"):
            past.__dict__.pop(name, None)
        paths = [change.path for change in changes]
        past._live_index = self._live_index.without(
            _lost(live_subjects(paths, self.snapshot), live_subjects(paths, past.snapshot))
        )
        past._live_files = self._live_files.without(live_files(paths, self.snapshot))
        return past

    def look_at(self, proposal: Proposal) -> Evaluation:
        """Evaluates one proposal that is shown and not stored."""
        based = self.with_bases(proposal)
        neighbours = self._find_neighbours(based)
        origin = self._origins.take([based.id]).get(based.id)
        return self._evaluate(based, neighbours, None, origin)

    def recall(self, proposal: Proposal) -> Evaluation:
        """Evaluates one proposal, with its stored judgement as long as the key holds.

        For reading only: a decision never rests on a stored judgement.
        """
        last = EvaluationKey.from_text(self._ledger.evaluation_key(proposal.id) or "")
        judgement = self._ledger.judgement(proposal.id)
        # The judgement of an undone proposal is the one by which it was applied.
        if last is not None and judgement is not None and proposal.id not in self._undone:
            based = self.with_bases(proposal)
            neighbours = self._find_neighbours(based)
            if self._holds(last, based, self._key(based, neighbours)):
                staged, snapshot = self._stage(based, neighbours)
                return self._evaluation(staged, snapshot, neighbours.alike, judgement, last)
        return self.evaluate(proposal)

    def evaluate_dirty(
        self,
        proposals: Iterable[tuple[Proposal, EvaluationKey | None]],
        judged: Mapping[str, Judgement] = _NONE,
    ) -> Iterator[Evaluation]:
        """Evaluates the proposals whose key differs from the one of their last evaluation.

        Of those with a judgement only documents changed since it: if they are about a memory, their
        text, origin and similar texts are not judged again, and `similar` stays empty.
        """
        dirty: list[tuple[Proposal, _Neighbours, EvaluationKey]] = []
        others: list[tuple[Proposal, EvaluationKey | None]] = []
        for proposal, last in proposals:
            its = judged.get(proposal.id)
            origin = self._standing_origin(proposal, its)
            if last is None or its is None or origin is None:
                others.append((proposal, last))
            else:
                yield self._plan_again(proposal, last, its, origin)
        expected = [proposal for proposal, _ in others]
        self._ledger.foresee(self.questions(others))
        if len(self.index):  # else no words need their stems
            self.index.expect(expected)
        self._expect_domains(expected)
        for proposal, last in others:
            based = self.with_bases(proposal)
            neighbours = self._find_neighbours(based)
            key = self._key(based, neighbours)
            if last is None or not self._holds(last, based, key):
                dirty.append((based, neighbours, key))
        origins = self._origins.take([based.id for based, _, _ in dirty])
        for based, neighbours, key in dirty:
            yield self._evaluate(based, neighbours, key, origins.get(based.id))

    def questions(
        self, of: Iterable[tuple[Proposal, EvaluationKey | None]], judged: Collection[str] = ()
    ) -> Iterator[Callable[[], object]]:
        """What evaluating these proposals asks the ledger; of those judged, documents changed."""
        others: list[Proposal] = []
        are_new = True
        for proposal, last in of:
            yield partial(self.with_bases, proposal)
            if (undone := proposal.undoes) is not None:
                yield partial(self._ledger.inverse_effects, undone)
                yield partial(self._why_not_undoable, undone)
            if proposal.id not in judged:
                others.append(proposal)
                are_new &= last is None
        yield partial(self.index.expect, others)
        yield partial(self._expect_domains, others)
        yield lambda: self._live_index
        if are_new or len(others) <= MOST_AHEAD:
            yield partial(self._origins.expect, [proposal.id for proposal in others])

    def _expect_domains(self, proposals: Iterable[Proposal]) -> None:
        asked = (domains_asked(proposal, self.snapshot) for proposal in proposals)
        self.index.expect_domains(chain.from_iterable(asked))

    def questions_about(self, paths: Iterable[str]) -> Iterator[Callable[[], object]]:
        """What evaluating a proposal to change these documents asks the ledger about them."""
        yield from (partial(self._bases.expect, path) for path in paths)

    def expect_origin(self, id: str) -> None:
        """Reads the origin of a proposal that is evaluated next."""
        self._origins.expect([id])

    def _recall_origins(self, ids: Sequence[str]) -> Mapping[str, Origin]:
        if isinstance(self._home, RemoteHome):  # Only its host can look them up again.
            return self._home.origins(ids)
        return self._judge.recall_origins(ids)

    def _plan_again(
        self, proposal: Proposal, last: EvaluationKey, judged: Judgement, origin: Origin
    ) -> Evaluation:
        based = self.with_bases(proposal)
        staged, snapshot = self._stage(based, _Neighbours(self._own_findings(based), ()))
        judgement = self._judge.judge_documents(staged, self._paths_of(based), judged, origin)
        documents, settings = self._documents_key(based)
        key = replace(last, documents=documents, settings=settings)
        return self._evaluation(staged, snapshot, (), judgement, key)

    def _standing_origin(self, proposal: Proposal, judged: Judgement | None) -> Origin | None:
        """Its origin where only its plan depends on a document: not its text, nor what is alike."""
        stands = (
            judged is not None
            and len(judged.checks) == len(CheckName)
            and not self.policy.problem
            and proposal.id not in self._undone
            and not judged.own
            and not proposal.outside
            and not proposal.is_operators
            and all(isinstance(edit, MemoryEdit) for edit in proposal.edits)
        )
        return judged.origin if judged and stands else None

    def _holds(self, last: EvaluationKey, based: Proposal, key: EvaluationKey) -> bool:
        """Whether the key of the last evaluation is the one that an evaluation now would have.

        Whether its conversations, the home's texts and the user's own words are part of it, the
        last evaluation noted.
        """
        if last.own:
            similar = _digest(self._find_neighbours(based.saying(last.own)))
            key = replace(key, own=last.own, own_neighbours=similar)
        if last.conversations:
            key = replace(key, conversations=self._conversations_sum(based) or "")
        return self._with_known_sum(key, asks=bool(last.home_texts)) == last

    def with_bases(self, proposal: Proposal) -> Proposal:
        """The proposal with a base for each document it touches, where one is known."""
        return self._bases.with_bases(proposal, self.snapshot)

    def _evaluate(
        self,
        based: Proposal,
        neighbours: _Neighbours,
        key: EvaluationKey | None,
        origin: Origin | None,
    ) -> Evaluation:
        """A key of None: nothing will be stored."""
        staged, snapshot = self._stage(based, neighbours)
        # Before the conversations are read: what is added meanwhile makes another key.
        conversations = self._conversations_sum(based) if key else None
        judgement = self._judge.judge(
            staged, self._paths_of(based), origin=origin, alike=neighbours.alike
        )
        own = based.saying(judgement.own)
        if isinstance(judgement.verdict, AutoApply) and judgement.own:
            beside = self._find_neighbours(own)
            judgement = self._judge.in_own_words(
                judgement, self._stage(own, beside)[0], self._paths_of(based), alike=beside.alike
            )
            if key is not None:
                key = replace(key, own=judgement.own, own_neighbours=_digest(beside))
        if key is None:
            return self._evaluation(staged, snapshot, neighbours.alike, judgement, None)
        is_settled = judgement.origin is None or judgement.origin.is_settled
        key = replace(key, conversations="" if is_settled else conversations or "")
        key = self._with_known_sum(key, asks=any(map(self._judge.depends_on_home, (based, own))))
        kept = key if is_settled or conversations else None
        return self._evaluation(staged, snapshot, neighbours.alike, judgement, kept)

    def _evaluation(
        self,
        staged: StagedProposal,
        snapshot: Snapshot,
        alike: tuple[Likeness, ...],
        judgement: Judgement,
        key: EvaluationKey | None,
    ) -> Evaluation:
        evaluation = Evaluation(
            staged,
            judgement,
            alike,
            self._paths_of(staged.proposal),
            key,
            self.policy.mark,
            subject=subject_of(staged, snapshot),
            live_digest=self._live_sum(staged.proposal),
            is_still_live=self._is_still_live(staged.proposal),
        )
        return replace(evaluation, gist=gist_of(staged, snapshot, evaluation.findings))

    def inputs(
        self,
        keys: Mapping[str, EvaluationKey | None],
        documents: Mapping[str, tuple[str, str]] | None = None,
    ) -> Inputs:
        """What the evaluations with these keys share, as it is now; `documents` if at hand."""
        names = _skill_names(keys)
        answers = {id: (self._undone.get(id), self._deferrals.get(id)) for id in keys}
        return Inputs(
            shared=_digest(
                self.rules,
                self._readers,
                self._keeps_conversations,
                self.snapshot.pins_entries,
                self.snapshot.free_names,
                self.snapshot.new_skill_directory("", None),
                telling_below(self.amount),
            ),
            documents=self.documents(keys) if documents is None else documents,
            skills={name: self._skill_state(name) for name in sorted(names)},
            home_texts=self._known_sum,
            answers={id: _digest(answer) for id, answer in answers.items() if any(answer)},
            rejected=frozenset(digest[:DIGITS] for digest in self._rejected),
        )

    def documents(self, keys: Mapping[str, EvaluationKey | None]) -> dict[str, tuple[str, str]]:
        """Of each document that these evaluations touch or compare, its revision and its rest."""
        touched = {path for key in keys.values() if key is not None for path in key.documents}
        names = _skill_names(keys)
        compared = (
            path
            for path in self.paths
            if is_live_text(path, self.snapshot) or (names and is_support_file(path))
        )
        return {
            path: (self.snapshot.document(path).revision, self.rest_of(path))
            for path in sorted({*touched, *compared})
        }

    def heard_anew(self, keys: Mapping[str, EvaluationKey | None]) -> Iterator[str]:
        """Those whose writer may be known better than when their keys were made."""
        told = {id: key.conversations for id, key in keys.items() if key and key.conversations}
        for proposal in self._ledger.proposals(told):
            if self._conversations_sum(proposal) != told[proposal.id]:
                yield proposal.id

    def rest_of(self, path: str) -> str:
        """A digest of what an evaluation reads of a document beside its bytes."""
        if path not in self._rests:
            document = self.snapshot.document(path)
            limits = self.snapshot.budget(path), self.snapshot.closed(path)
            parts = document.mode, document.link, document.problem, *limits
            self._rests[path] = _digest(*parts)[:DIGITS]
        return self._rests[path]

    def content(self, revision: Revision) -> bytes | None:
        """The bytes of a revision; None where they are not stored any more."""
        return self._bases.content(revision)

    @property
    def contents(self) -> Mapping[Revision, bytes]:
        """The bytes that were read so far."""
        return self._bases.contents

    def live_postings(self, terms: Iterable[str]) -> Postings:
        """The live texts that have these terms."""
        return self._live_index.look_up(terms)

    @property
    def amount(self) -> int:
        """The number of texts that proposals are compared with, files apart."""
        return len(self._live_index) + len(self.index)

    def _conversations_sum(self, proposal: Proposal) -> str | None:
        """A digest of the conversations in which the writer of a live change may be found."""
        conversations = self._home.conversations() if proposal.outside else None
        if conversations is None:
            return None
        return _digest(self._origin_stamp, conversations.may_follow(proposal))

    def _stage(
        self, proposal: Proposal, neighbours: _Neighbours
    ) -> tuple[StagedProposal, Snapshot]:
        """The plan of a proposal with all findings, and the home that it starts from."""
        snapshot = self.snapshot
        if proposal.outside:
            revisions = {
                end for change in proposal.outside for end in (change.before, change.after)
            }
            live = (snapshot.document(change.path) for change in proposal.outside)
            at_hand = {document.revision: document.data for document in live}
            contents = {
                revision: at_hand.get(revision) or self._bases.content(revision)
                for revision in revisions
            }
            staged, snapshot = stage_outside(proposal, snapshot, contents)
        else:
            effects = self._ledger.inverse_effects(proposal.undoes) if proposal.undoes else ()
            staged = stage(proposal, snapshot, effects=effects)
            if neighbours.why_not_undoable is not None:
                staged = replace(
                    staged, outcome=Dead(DeadReason.UNDONE, neighbours.why_not_undoable)
                )
        findings = (*staged.findings, *neighbours.findings)
        return replace(staged, findings=findings), snapshot

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

    def _live_sum(self, proposal: Proposal) -> str:
        paths = [change.path for change in proposal.outside]
        return _digest(*(self.snapshot.document(path).revision for path in paths)) if paths else ""

    def _with_known_sum(self, key: EvaluationKey, *, asks: bool) -> EvaluationKey:
        return replace(key, home_texts=self._known_sum) if asks else key

    def _key(self, proposal: Proposal, neighbours: _Neighbours) -> EvaluationKey:
        """The key of a proposal that is not compared with the home's texts."""
        documents, settings = self._documents_key(proposal)
        return EvaluationKey(
            rules=self.rules,
            documents=documents,
            skills={
                name: self._skill_sum(name, proposal)
                for name in touched_skills(proposal.edits)
                if check_name_in(name, self.snapshot) is None
            },
            settings=settings,
            home_texts="",
            neighbours=_digest(neighbours),
        )

    def _documents_key(self, proposal: Proposal) -> tuple[dict[str, str], str]:
        """The parts of a key about the documents that a proposal touches, and their settings."""
        paths = self._paths_of(proposal)
        limits = [(self.snapshot.budget(path), self.snapshot.closed(path)) for path in paths]
        settings = _digest(
            limits, self.snapshot.pins_entries, self._readers, self._keeps_conversations
        )
        return {path: self._document_sum(path, proposal) for path in paths}, settings

    def _document_sum(self, path: str, proposal: Proposal) -> str:
        live, base = self.snapshot.document(path), proposal.bases.get(path)
        base_parts = None if base is None else (base.revision, base.source, base.has_text)
        return _digest(live.revision, live.mode, live.link, live.problem, base_parts)

    def _skill_sum(self, name: str, proposal: Proposal) -> str:
        skill = self.snapshot.skill(name)
        if skill is None:
            archived: Document = self.snapshot.document(f"skills/.archive/{name}/{SKILL_FILE}")
            return _digest(archived.data is not None)
        deletes = any(isinstance(edit, SkillDelete) for edit in proposal.edits)
        archive = self.snapshot.archive_directory(name) if deletes else ""
        plain = replace(skill, protections=frozenset())
        return _digest(plain, sorted(skill.protections), archive)

    def _skill_state(self, name: str) -> str:
        """A digest of a skill that differs wherever the one for a key does."""
        skill = self.snapshot.skill(name)
        archived = self.snapshot.document(f"skills/.archive/{name}/{SKILL_FILE}").data is not None
        protections = sorted(skill.protections) if skill else []
        plain = replace(skill, protections=frozenset()) if skill else None
        return _digest(plain, protections, archived, self.snapshot.archive_directory(name))

    def _find_neighbours(self, proposal: Proposal) -> _Neighbours:
        findings = self._own_findings(proposal)
        has_files = any(isinstance(edit, SkillWriteFile) for edit in proposal.edits)
        files = self._live_files if has_files else None
        alike = compare(proposal, (self._live_index, self.index), files)
        if not any(likeness.relation is Relation.REJECTED for likeness in alike):
            alike = (*alike, *self._rejected_in_home(proposal))
        if proposal.undoes is not None:
            return _Neighbours(findings, alike, self._why_not_undoable(proposal.undoes))
        return _Neighbours(findings, _without_own(alike, proposal) if proposal.outside else alike)

    def _why_not_undoable(self, operation: str) -> str | None:
        return why_not_undoable(self._ledger, self._ledger.operation(operation))

    def _own_findings(self, proposal: Proposal) -> tuple[Finding, ...]:
        return (
            *undone_finding(self._undone.get(proposal.id)),
            *deferred_finding(self._deferrals.get(proposal.id)),
            *cross_checks(proposal, self.snapshot, self.index, self._namesakes),
        )

    def _rejected_in_home(self, proposal: Proposal) -> tuple[Likeness, ...]:
        """The texts of a proposal that the home itself says were rejected."""
        return tuple(
            Likeness(Relation.REJECTED, text, 100.0, "", exact=True)
            for digest, text in (digests_of(proposal) if self._rejected else {}).items()
            if digest in self._rejected
        )

    @cached_property
    def _rejected(self) -> frozenset[str]:
        return self._home.refusals().rejected

    @cached_property
    def _readers(self) -> tuple[str, ...]:
        return self._home.readers

    @cached_property
    def _keeps_conversations(self) -> bool:
        if isinstance(self._home, RemoteHome):
            return self._home.keeps_conversations()
        return self._home.conversations() is not None

    @cached_property
    def _origin_stamp(self) -> str:
        conversations = self._home.conversations()
        return "" if conversations is None else conversations.origin_stamp()

    @cached_property
    def index(self) -> StoredTexts:
        """The texts that are pending, removed or rejected."""
        return StoredTexts(self._ledger, self._home.id)

    @cached_property
    def _undone(self) -> Mapping[str, Undone]:
        return self._ledger.undone(self._home.id)

    @cached_property
    def _deferrals(self) -> Mapping[str, Decision]:
        return self._ledger.deferrals(self._home.id)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths of all documents that exist."""
        return self._look.paths if self._look else self.snapshot.documents()

    @cached_property
    def _live_index(self) -> LiveTexts:
        return LiveTexts(live_subjects(self.paths, self.snapshot))

    @cached_property
    def _live_files(self) -> LiveFiles:
        return LiveFiles(live_files(self.paths, self.snapshot))

    @cached_property
    def _namesakes(self) -> Namesakes:
        return namesakes(self.paths)

    @cached_property
    def _judge(self) -> Judge:
        # The rules: a stored judgement is read without them.
        from reviewdeck.engine.judge import Judge

        return Judge(
            self._home,
            self._ledger,
            self.policy,
            self.snapshot,
            bases=self._bases,
            texts=[subject.text for subject in self._live_index.subjects],
            skills=self._skill_folders,
        )

    @cached_property
    def _live_text(self) -> str:
        return "\n".join(subject.text for subject in self._live_index.subjects)

    @cached_property
    def _skill_folders(self) -> Mapping[str, str]:
        """The folder of each live skill, by the skill's name."""
        folders = (
            path.rpartition("/")[0] for path in self.paths if path.endswith(f"/{SKILL_FILE}")
        )
        return {folder.rpartition("/")[2]: folder for folder in folders}

    @cached_property
    def _known_sum(self) -> str:
        return _digest(self._live_text, sorted(self._skill_folders))


def _skill_names(keys: Mapping[str, EvaluationKey | None]) -> frozenset[str]:
    return frozenset(name for key in keys.values() if key is not None for name in key.skills)


def _lost(before: Iterable[Subject], after: Iterable[Subject]) -> Iterable[Subject]:
    """The texts that are gone, each as often as it is."""
    return (Counter(before) - Counter(after)).elements()


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


def rules_label(policy: str) -> str:
    """The rules and the policy file that judge, in a few words."""
    rules = f"rules {program_digest()[:_SUM_DIGITS]}"
    return f"{rules}, policy file {policy[:_SUM_DIGITS]}" if policy else rules


def _digest(*values: object) -> str:
    text = "\0".join(map(repr, values))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]

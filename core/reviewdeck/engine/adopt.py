"""Adopting a home: every live entry and skill, judged as if it were proposed now.

The first look at a home accepts everything and judges nothing. This is for operators who
want to know what they took over.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.evaluate import Evaluator, Look
from reviewdeck.engine.evaluation import Evaluation
from reviewdeck.engine.prompt import in_prompt
from reviewdeck.model import (
    OUTSIDE,
    UNSAFE_NAME,
    Base,
    BaseSource,
    Change,
    DirectChange,
    Finding,
    Kind,
    Proposal,
    gravity_of,
    revision_of,
)
from reviewdeck.model.decisions import BASELINE
from reviewdeck.planning.documents import kind_of
from reviewdeck.planning.outside import edits_of
from reviewdeck.policy.additions import NOT_ADDITIVE
from reviewdeck.ports import Home, Snapshot
from reviewdeck.reading.agents import agents_called
from reviewdeck.text import entries
from reviewdeck.text.lines import newline_of, with_newline

ADOPTED = "adopted"
"""The event of an operator who has reviewed everything that was there."""


_SKILL_FILE = "/SKILL.md"
_LIKE_REJECTED = "like-rejected"
"""Taints a live text only if it is the rejected text itself."""
_OF_A_CHANGE = frozenset({NOT_ADDITIVE, UNSAFE_NAME, "like-removed"})
"""Findings about what a proposal does: what is there already has its files and its place, and was
removed and put back where an undo restored it."""


@dataclass(frozen=True, slots=True)
class LiveItem:
    """One live entry or skill, evaluated as a proposal."""

    evaluation: Evaluation
    changes: tuple[Change, ...]
    """The changes from the home without it to the home as it is."""
    target: str = ""
    """Where a skill that is reached through a link really is: it is judged, and never written."""
    is_in_prompt: bool = False
    """Whether a part of it is in front of a model at the next start, as `prompt` lists it."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings about its text: how it would have to be written is no matter any more."""
        known = {likeness.text for likeness in self.evaluation.similar if likeness.exact}
        findings = (
            finding
            for finding in self.evaluation.findings
            if finding.code not in _OF_A_CHANGE
            and (finding.code != _LIKE_REJECTED or finding.quote in known)
        )
        return tuple(dict.fromkeys(findings))

    @property
    def gravity(self) -> int:
        """The rank of the gravest finding."""
        return gravity_of(self.findings)

    @property
    def path(self) -> str:
        """The memory, or the SKILL.md."""
        return self.changes[0].path


def live_items(view: Engine, home: Home) -> tuple[LiveItem, ...]:
    """Every live entry and skill of a home, the gravest first, then what is in the prompt."""
    snapshot = home.snapshot()
    look = Look(snapshot, home.documents())
    evaluator = Evaluator(home, view.ledger, view.policy(), look)
    prompt = in_prompt(home, *agents_called(home.readers))
    in_front = {path for part in prompt for path in (part.path, part.source)}
    possessions = [
        LiveItem(
            _evaluate_part(view, home, evaluator, kind, target, changes),
            changes,
            is_in_prompt=changes[0].path in in_front,
        )
        for kind, target, changes in _parts(home, snapshot)
    ]
    judged = {f"{home.where}/{change.path}" for each in possessions for change in each.changes}
    for linked in home.linked_skills():
        if linked.target in judged:
            continue
        changes = tuple(Change(path, None, data) for path, data in linked.files)
        if changes:
            name = linked.path.removesuffix(_SKILL_FILE).rpartition("/")[2]
            evaluation = _evaluate_part(view, home, evaluator, Kind.SKILLS, name, changes)
            is_in_prompt = linked.path in in_front
            possessions.append(LiveItem(evaluation, changes, linked.target, is_in_prompt))
    for each in home.outside_texts():
        if each.data is not None and not each.problem:
            changes = (Change(each.path, None, each.data),)
            name = each.path.rpartition("/")[2].removesuffix(".md").lower()
            evaluation = _evaluate_part(view, home, evaluator, Kind.DOCUMENTS, name, changes)
            possessions.append(LiveItem(evaluation, changes, each.target, is_in_prompt=True))
    return tuple(sorted(possessions, key=lambda each: (-each.gravity, not each.is_in_prompt)))


def queue(engine: Engine, home: Home, possessions: Sequence[LiveItem]) -> tuple[str, ...]:
    """Queues these as changes that are live already; gives the ids. Raises NotPermitted.

    What lies behind a link is left out: nothing that is decided could be written there.
    """
    engine.operator()
    now = engine.now()
    added: list[Proposal] = []
    for possession in possessions:
        if possession.target:
            continue
        texts = (text for change in possession.changes for text in (change.before, change.after))
        contents = {str(revision_of(text)): text for text in texts if text is not None}
        proposal = possession.evaluation.proposal
        outside = tuple(
            DirectChange(change.path, revision_of(change.before), revision_of(change.after))
            for change in possession.changes
        )
        live = Proposal(
            id=proposal.id,
            home=home.id,
            kind=proposal.kind,
            action=OUTSIDE,
            target=proposal.target,
            edits=proposal.edits,
            payload_sha=proposal.payload_sha,
            origin=OUTSIDE,
            summary="there when reviewdeck first looked",
            created_at=now,
            ingested_at=now,
            outside=outside,
        )
        engine.ledger.add([live], contents)
        engine.ledger.stage([engine.evaluator(live).evaluate(live).as_staging()])
        added.append(live)
    engine.ledger.pin(f"{BASELINE}{home.id}", now.isoformat())
    return tuple(proposal.id for proposal in added)


def take(engine: Engine, home: Home, possessions: Sequence[LiveItem]) -> None:
    """Accepts everything as reviewed, with an event that lists it. Raises NotPermitted."""
    revisions = {
        change.path: revision_of(change.after)
        for possession in possessions
        for change in possession.changes
    }
    now = engine.now()
    engine.ledger.append(
        ADOPTED,
        home=home.id,
        subject=home.id,
        actor=engine.operator(),
        at=now,
        detail={"amount": len(possessions), "revisions": dict(sorted(revisions.items()))},
        attest=engine.authority.attest,
    )
    engine.ledger.pin(f"{BASELINE}{home.id}", now.isoformat())


def _parts(home: Home, snapshot: Snapshot) -> Iterator[tuple[Kind, str, tuple[Change, ...]]]:
    for path in home.documents():
        document = snapshot.document(path)
        kind = kind_of(path, snapshot)
        if kind is Kind.SKILLS or document.data is None or document.problem is not None:
            continue
        name = path.rpartition("/")[2].removesuffix(".md").lower()
        if kind is Kind.DOCUMENTS:
            yield kind, name, (Change(path, None, document.data),)
            continue
        every = list(entries.parse(document.text))
        for at in range(len(every)):
            remaining = entries.join([*every[:at], *every[at + 1 :]])
            before = with_newline(remaining, newline_of(document.text)).encode()
            yield Kind.MEMORY, name, (Change(path, before, document.data),)
    for directory, paths in _skill_paths(home, snapshot).items():
        documents = [snapshot.document(path) for path in paths]
        existing = [each for each in documents if each.data is not None and each.problem is None]
        changes = tuple(Change(document.path, None, document.data) for document in existing)
        if changes:
            yield Kind.SKILLS, directory.rpartition("/")[2], changes


def _skill_paths(home: Home, snapshot: Snapshot) -> dict[str, list[str]]:
    """The files of every skill by its directory, SKILL.md first, whatever forbids to write it.

    Several skills may have one name; a skill may hold a link, or be reached through one.
    """
    skills = [skill for skill in home.skills() if not skill.external]
    files = [skill.path_of(file) for skill in skills for file in skill.files]
    known = [path for path in home.documents() if kind_of(path, snapshot) is Kind.SKILLS]
    paths = sorted({*files, *known})
    found: dict[str, list[str]] = {
        path.removesuffix(_SKILL_FILE): [path] for path in paths if path.endswith(_SKILL_FILE)
    }
    for path in paths:
        folders = (path[:at] for at in range(len(path) - 1, 0, -1) if path[at] == "/")
        owner = next((folder for folder in folders if folder in found), None)
        if owner is not None and path not in found[owner]:
            found[owner].append(path)
    return found


def unread(home: Home) -> tuple[tuple[str, str], ...]:
    """What of a home is not judged, and why: no text, or a link that is not followed."""
    snapshot = home.snapshot()
    judged = _skill_paths(home, snapshot)
    files = {path for path in home.documents() if kind_of(path, snapshot) is not Kind.SKILLS}
    files.update(paths[0] for paths in judged.values())
    unreadable = {
        path: document.problem
        for path in files
        if (document := snapshot.document(path)).problem is not None
    }
    hidden = {
        skill.directory: skill.problem
        for skill in home.skills()
        if skill.problem is not None and not skill.external and skill.directory not in judged
    }
    linked = home.linked_skills()
    behind = {
        each.path: f"{_link_to(each.target)}{each.problem}" for each in linked if each.problem
    }
    judged_behind = {part for each in linked if each.files for part in _places_of(each.path)}
    known = {
        path: problem
        for path, problem in (unreadable | hidden).items()
        if path not in judged_behind
    }
    return tuple(sorted((known | behind).items()))


def _link_to(target: str) -> str:
    return f"a link to {target}: " if target else ""


def _places_of(path: str) -> tuple[str, str]:
    return path, path.rpartition("/")[0]


def _evaluate_part(
    view: Engine,
    home: Home,
    evaluator: Evaluator,
    kind: Kind,
    target: str,
    changes: tuple[Change, ...],
) -> Evaluation:
    """Evaluates one part as the proposal that would add it to a home without it."""
    edits = edits_of(kind, changes, changes[0].path.rpartition("/")[0])
    payload = hashlib.sha256(repr((home.id, edits)).encode("utf-8", "surrogatepass")).hexdigest()
    proposal = Proposal(
        id=payload[:12],
        home=home.id,
        kind=kind,
        action=OUTSIDE,
        target=target,
        edits=edits,
        payload_sha=payload,
        origin=OUTSIDE,
        # A whole document was written where none was, whatever the ledger observed there.
        bases=_bases_before(changes) if kind is Kind.DOCUMENTS else {},
        created_at=view.now(),
        ingested_at=view.now(),
    )
    return evaluator.before(changes).look_at(proposal)


def _bases_before(changes: Sequence[Change]) -> dict[str, Base]:
    return {
        change.path: Base(revision_of(change.before), change.before, BaseSource.GIVEN)
        for change in changes
    }

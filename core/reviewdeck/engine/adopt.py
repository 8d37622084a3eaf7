"""What is in an agent's head already: every entry and every skill, judged as if it came now.

The first look at a home takes everything as it is, and judges nothing. This is for whoever wants
to know what they took over.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewdeck.engine.context import EngineContext
from reviewdeck.engine.draft_upkeep import PastHome
from reviewdeck.engine.evaluate import Evaluation, Evaluator
from reviewdeck.engine.view import View
from reviewdeck.model import (
    OUTSIDE,
    Base,
    BaseSource,
    Change,
    DirectChange,
    Finding,
    Kind,
    Proposal,
    Severity,
    revision_of,
)
from reviewdeck.model.decisions import BASELINE
from reviewdeck.planning.documents import kind_of
from reviewdeck.planning.outside import edits_of
from reviewdeck.planning.overlay import Overlay
from reviewdeck.policy.additions import NOT_ADDITIVE
from reviewdeck.ports import Home, Snapshot
from reviewdeck.text import entries
from reviewdeck.text.lines import newline_of, with_newline

ADOPTED = "adopted"
"""The line of the log that says that somebody has looked at all that was there."""


@dataclass(frozen=True, slots=True)
class Possession:
    """One entry or one skill that is live, and what is to be said of it."""

    evaluation: Evaluation
    changes: tuple[Change, ...]
    """What would take it away, backwards: from the home without it to the home as it is."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What there is to be careful about. That a skill has several files is nothing."""
        return tuple(
            one
            for one in self.evaluation.findings
            if one.code != NOT_ADDITIVE or one.severity.rank > Severity.MEDIUM.rank
        )

    @property
    def gravity(self) -> int:
        """How grave the gravest of that is."""
        return max((one.severity.rank for one in self.findings), default=0)

    @property
    def path(self) -> str:
        """The memory, or the SKILL.md."""
        return self.changes[0].path


def possessions(view: View, home: Home) -> tuple[Possession, ...]:
    """Everything that an agent has, the gravest first."""
    snapshot = home.snapshot()
    found = [
        Possession(_judged(view, home, snapshot, kind, target, changes), changes)
        for kind, target, changes in _parts(home, snapshot)
    ]
    return tuple(sorted(found, key=lambda one: -one.gravity))


def queue(context: EngineContext, home: Home, found: Sequence[Possession]) -> tuple[str, ...]:
    """Puts these before an operator, as live already; gives the ids. Raises NotPermitted."""
    context.operator()
    now = context.now()
    added: list[Proposal] = []
    for one in found:
        texts = (text for change in one.changes for text in (change.before, change.after))
        kept = {str(revision_of(text)): text for text in texts if text is not None}
        proposal = one.evaluation.proposal
        outside = tuple(
            DirectChange(change.path, revision_of(change.before), revision_of(change.after))
            for change in one.changes
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
        context.ledger.add([live], kept)
        context.ledger.stage([context.evaluator(live).evaluate(live).as_staging()])
        added.append(live)
    context.ledger.pin(f"{BASELINE}{home.id}", now.isoformat())
    return tuple(one.id for one in added)


def take(context: EngineContext, home: Home, found: Sequence[Possession]) -> None:
    """Takes everything as reviewed: a line of the log says what. Raises NotPermitted."""
    revisions = {change.path: revision_of(change.after) for one in found for change in one.changes}
    now = context.now()
    context.ledger.append(
        ADOPTED,
        home=home.id,
        subject=home.id,
        actor=context.operator(),
        at=now,
        detail={"amount": len(found), "revisions": dict(sorted(revisions.items()))},
        attest=context.authority.attest,
    )
    context.ledger.pin(f"{BASELINE}{home.id}", now.isoformat())


def _parts(home: Home, snapshot: Snapshot) -> Iterator[tuple[Kind, str, tuple[Change, ...]]]:
    """Each entry of a memory, each other document, and each skill with its files."""
    for path in home.documents():
        document = snapshot.document(path)
        kind = kind_of(path, snapshot)
        if kind is Kind.SKILLS or document.data is None:
            continue
        name = path.rpartition("/")[2].removesuffix(".md").lower()
        if kind is Kind.DOCUMENTS:
            yield kind, name, (Change(path, None, document.data),)
            continue
        every = list(entries.parse(document.text))
        for at in range(len(every)):
            rest = entries.join([*every[:at], *every[at + 1 :]])
            before = with_newline(rest, newline_of(document.text)).encode()
            yield Kind.MEMORY, name, (Change(path, before, document.data),)
    for skill in home.skills():
        if skill.external or skill.problem is not None:
            continue
        files = sorted(skill.files, key=lambda file: file != "SKILL.md")
        found = [snapshot.document(skill.path_of(file)) for file in files]
        changes = tuple(Change(one.path, None, one.data) for one in found if one.data is not None)
        if changes:
            yield Kind.SKILLS, skill.name, changes


def _judged(
    view: View,
    home: Home,
    snapshot: Snapshot,
    kind: Kind,
    target: str,
    changes: tuple[Change, ...],
) -> Evaluation:
    """One part, as the proposal that would bring it into a home without it."""
    without = [Change(one.path, one.after, one.before) for one in changes]
    past = PastHome(home, Overlay(snapshot, without))
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
        # What is written as a whole was written where nothing was, whatever the ledger saw there.
        bases=_without(changes) if kind is Kind.DOCUMENTS else {},
        created_at=view.now(),
        ingested_at=view.now(),
    )
    return Evaluator(past, view.ledger, view.policy()).evaluate(proposal)


def _without(changes: Sequence[Change]) -> dict[str, Base]:
    return {
        one.path: Base(revision_of(one.before), one.before, BaseSource.GIVEN) for one in changes
    }

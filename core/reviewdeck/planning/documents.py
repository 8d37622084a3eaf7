"""Staging a whole text for a document that is neither a list of entries nor a skill's."""

from __future__ import annotations

from typing import Final

from reviewdeck.model import (
    Change,
    Dead,
    DeadReason,
    DocumentWrite,
    Finding,
    Kind,
    Loading,
    Proposal,
    Severity,
)
from reviewdeck.planning.parts import (
    EditResult,
    base_findings,
    conflict_of,
    lost_findings,
    merged_finding,
    shrink_finding,
)
from reviewdeck.planning.rebase import Clash, Rebased, RebaseRequest, merge_for, rebase
from reviewdeck.ports import Snapshot

IN_EVERY_PROMPT: Final = "in-every-prompt"
"""Code of the finding for a change of a document that is in every prompt."""


def kind_of(path: str, snapshot: Snapshot) -> Kind:
    """Which part of its home a document belongs to."""
    if snapshot.has_entries(path):
        return Kind.MEMORY
    return Kind.SKILLS if snapshot.loading(path) is Loading.EXECUTES else Kind.DOCUMENTS


def stage_document(edit: DocumentWrite, proposal: Proposal, snapshot: Snapshot) -> EditResult:
    """Stages a whole text, merged with changes made since its author read the document."""
    if kind_of(edit.document, snapshot) is not Kind.DOCUMENTS:
        why = f"{edit.document} is not a document that can be written as a whole."
        return EditResult(outcome=Dead(DeadReason.INVALID, why))
    live = snapshot.document(edit.document)
    base = proposal.bases.get(edit.document)
    merge = merge_for(proposal, edit.document)
    outcome = rebase(RebaseRequest(live, base, lambda _: edit.content, merge))
    findings = base_findings(base, live, is_addition=not live.exists)
    if edit.content is not None and snapshot.loading(edit.document) is Loading.ALWAYS:
        message = f"{edit.document} is in every prompt: what it says weighs like an instruction."
        findings += (Finding(IN_EVERY_PROMPT, Severity.INFO, message),)
    match outcome:
        case Dead():
            return EditResult(findings=findings, outcome=outcome)
        case Clash():
            return EditResult(findings=findings, outcome=conflict_of(outcome, proposal, live))
        case Rebased(text, merged):
            after = None if text is None else text.encode("utf-8")
            findings += shrink_finding(live, after or b"") + lost_findings(live, after)
            findings += (merged_finding(live.path),) * merged
            return EditResult((Change(live.path, live.data, after),), findings=findings)

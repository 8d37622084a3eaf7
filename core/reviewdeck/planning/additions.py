"""Many additions to one memory, one after the other, without reading it anew for each.

A short cut and no rule of its own: what is not plain in every respect is staged as everything
else is, and what is comes to the same bytes and findings.
"""

from __future__ import annotations

import hashlib

from reviewdeck.model import (
    Change,
    Document,
    Kind,
    MemoryAdd,
    Plan,
    Proposal,
    Ready,
    Revision,
    StagedProposal,
    Step,
    revision_of,
)
from reviewdeck.planning.parts import base_findings, merged_finding
from reviewdeck.ports import Snapshot
from reviewdeck.text.entries import BOM, DELIMITER, join, parse, size
from reviewdeck.text.lines import with_newline

_MARK = DELIMITER.strip("\n")


class Additions:
    """Memories as additions leave them."""

    def __init__(self) -> None:
        self._memories: dict[str, _Memory | None] = {}

    def look(self, proposal: Proposal, live: Snapshot) -> StagedProposal | None:
        """The proposal as it stands on what is live; None for anything that is not plain."""
        edit = _only_addition(proposal)
        if edit is None or live.closed(edit.document) is not None:
            return None
        document, budget = live.document(edit.document), live.budget(edit.document)
        memory = self._memories.get(edit.document)
        if memory is None or memory.data is not document.data:
            memory = _memory_of(document, budget)
            self._memories[edit.document] = memory
        return None if memory is None else memory.look(edit, proposal, document)

    def stage(self, proposal: Proposal, live: Snapshot) -> StagedProposal | None:
        """The same, and what it leaves is what the next one stands on."""
        staged = self.look(proposal, live)
        if staged is not None and isinstance(staged.outcome, Ready):
            for change in staged.outcome.plan.changes:
                if (memory := self._memories[change.path]) is not None:
                    memory.take(change)
        return staged


class _Memory:
    """One memory that is exactly as Hermes writes it."""

    def __init__(self, data: bytes | None, entries: tuple[str, ...], budget: int) -> None:
        self.data = data
        self._revision = revision_of(data)
        self._sum = hashlib.sha256(data or b"")
        """Of what is there: with an entry more, it only goes on."""
        self._entries = set(entries)
        self._size = size(entries)
        self._budget = budget

    def look(self, edit: MemoryAdd, proposal: Proposal, live: Document) -> StagedProposal | None:
        """The memory with one entry more; None when that is not plain."""
        content = with_newline(edit.content, "\n").strip()
        added = self._lead + content
        wanted = self._size + len(added)
        if not _is_plain(content) or content in self._entries or wanted > self._budget:
            return None
        base = proposal.bases.get(edit.document)
        findings = base_findings(base, live, is_addition=True)
        if base is not None and base.revision != self._revision:
            findings += (merged_finding(edit.document),)
        change = self._with(edit.document, added.encode("utf-8"))
        step = Step(proposal.id, proposal.payload_sha, (change,))
        return StagedProposal(proposal, Ready(Plan(proposal.home, (step,))), findings)

    def _with(self, path: str, added: bytes) -> Change:
        whole = self._sum.copy()
        whole.update(added)
        revisions = self._revision, Revision(whole.hexdigest())
        return Change.between(path, self.data, (self.data or b"") + added, revisions)

    def take(self, change: Change) -> None:
        """What was looked at is what is there from now on."""
        after = change.after or b""
        new = after[len(self.data or b"") :]
        added = new.decode("utf-8")
        self._sum.update(new)
        self._size += len(added)
        self._entries.add(added.removeprefix(self._lead))
        self.data, self._revision = after, change.after_revision

    @property
    def _lead(self) -> str:
        return DELIMITER if self._entries else ""


def _only_addition(proposal: Proposal) -> MemoryAdd | None:
    if proposal.kind is not Kind.MEMORY or proposal.action == "batch" or proposal.undoes:
        return None
    match proposal.edits:
        case (MemoryAdd() as edit,):
            return edit
        case _:
            return None


def _memory_of(document: Document, budget: int | None) -> _Memory | None:
    if document.problem is not None or document.link is not None or budget is None:
        return None
    text = (document.data or b"").decode("utf-8")
    entries = parse(text)
    is_exact = "\r" not in text and text == join(entries) and all(map(_is_plain, entries))
    if not is_exact or any(len(entry) > budget for entry in entries):
        return None
    return _Memory(document.data, entries, budget)


def _is_plain(entry: str) -> bool:
    return bool(entry) and BOM not in entry and _MARK not in entry.split("\n")

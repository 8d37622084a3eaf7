"""Turns the tool calls of a review into proposals with their origin. Nothing is written to a home.

Only our own reviewer sets the origin: an origin in a record from elsewhere is a claim and is not
copied.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from reviewdeck.engine.engine import Engine
from reviewdeck.engine.proposed import AlreadyKnown, Declined, Queued
from reviewdeck.homes.hermes.payloads import PayloadRequest
from reviewdeck.homes.hermes.tool_calls import (
    base_of,
    fields_of,
    id_of,
    memory_documents,
    memory_request,
    pin_entries,
    proposal_of,
    revisions_of,
    skill_bases,
    skill_request,
    to_request_record,
)
from reviewdeck.model import BACKGROUND_REVIEW, Base, DocumentWrite, Edit, Kind, Proposal
from reviewdeck.ports import Home
from reviewdeck.reviewer.conversation import Call, Json
from reviewdeck.reviewer.guard import find_unviewed, refusal
from reviewdeck.reviewer.live_state import LiveState


def provenance(
    *,
    write_origin: str = "assistant_tool",
    execution_context: str = "foreground",
    platform: str = "cli",
    **details: str,
) -> dict[str, str]:
    """Provenance fields by name, without empty ones."""
    entries = {
        "write_origin": write_origin or "assistant_tool",
        "execution_context": execution_context or "foreground",
        "platform": platform or "cli",
    }
    return entries | {name: value for name, value in sorted(details.items()) if value}


STAGED: Final = "Staged for review. Nothing is written until it is approved."


@dataclass(slots=True)
class ReviewAuthor:
    """Makes proposals for one home in one review."""

    engine: Engine
    home: Home
    live: LiveState
    about: Mapping[str, str]
    """The provenance of all its proposals."""
    session: str = ""
    turn: str = ""
    model: str = ""
    run: str = ""
    most: int = 40
    """Most proposals of one review."""
    viewed: dict[str, Base] = field(default_factory=dict)
    """Revisions of the files viewed in this review, by path."""
    proposals: list[str] = field(default_factory=list)

    def memory(self, call: Call, arguments: Json) -> Json:
        """Proposes changes of a memory, or of the documents that the home keeps instead."""
        kept, seen = self.live.kept, self.live.seen
        if kept is not None and seen is not None:
            now = self.engine.now()
            writes = kept.request(arguments, self.home, seen, self.session, now)
            if isinstance(writes, str):
                return _refuse(f"This call cannot be done: {writes}.")
            paths = [edit.document for edit in writes.edits if isinstance(edit, DocumentWrite)]
            shown = {path: base_of(seen.document(path)) for path in paths}
            return self._propose(call, Kind.DOCUMENTS, writes, shown)
        store = arguments.get("target") or "memory"
        for memory in self.live.memories:
            if memory.store == store and memory.closed:
                return _refuse(f"The target {store!r} takes no changes: {memory.closed}.")
        request = memory_request(arguments)
        if isinstance(request, str):
            return _refuse(f"This call cannot be understood: {request}.")
        bases = {path: self.live.bases[path] for path in memory_documents(request)}
        return self._propose(call, Kind.MEMORY, pin_entries(request, bases), bases)

    def skill(self, call: Call, arguments: Json) -> Json:
        request = skill_request(arguments)
        if isinstance(request, str):
            return _refuse(f"This call cannot be understood: {request}.")
        snapshot = self.home.snapshot()
        for edit in request.edits:
            if why := refusal(edit, snapshot):
                return _refuse(why)
            if unseen := find_unviewed(edit, snapshot, self.viewed):
                message = f"{unseen} was not looked at in this review: call skill_view first."
                return _refuse(message, read_before_write_required=True)
        return self._propose(
            call, Kind.SKILLS, request, skill_bases(request, snapshot, self.viewed)
        )

    def _propose(
        self, call: Call, kind: Kind, request: PayloadRequest, bases: Mapping[str, Base]
    ) -> Json:
        if len(self.proposals) >= self.most:
            return _refuse(f"{self.most} proposals are enough for one review.")
        proposal, record = self._proposal(call, kind, request, bases)
        match self.engine.propose(proposal, record):
            case Queued(evaluation):
                id = evaluation.proposal.id
                self.proposals.append(id)
                return {
                    "success": True,
                    "staged": True,
                    "proposal": id,
                    "state": evaluation.state.value,
                    "kind": kind.value,
                    "action": request.action,
                    "target": request.target,
                    "changes": [_change(edit) for edit in request.edits],
                    "message": STAGED,
                }
            case AlreadyKnown(message, proposal_id):
                answer = {"success": True, "staged": False, "changed": False, "message": message}
                return answer | ({"proposal": proposal_id} if proposal_id else {})
            case Declined(message):
                return _refuse(message)

    def _proposal(
        self, call: Call, kind: Kind, request: PayloadRequest, bases: Mapping[str, Base]
    ) -> tuple[Proposal, bytes]:
        """The proposal and its record; equal requests to a home have the same id."""
        seen = to_request_record(kind, request) | {"seen": revisions_of(bases)}
        origin = {"tool_name": call.name, "tool_call_id": call.id}
        about = dict(self.about) | {name: value for name, value in origin.items() if value}
        return proposal_of(
            id_of(self.home.id, seen),
            self.home.id,
            kind,
            request,
            bases,
            self.engine.now(),
            {"provenance": about},
            origin=BACKGROUND_REVIEW,
            session=self.session or None,
            turn=self.turn or None,
            tool_call=call.id or None,
            model=self.model or None,
            provenance=about,
        )


def _refuse(message: str, **more: Any) -> Json:
    return {"success": False, "staged": False, "changed": False, "error": message, **more}


def _change(edit: Edit) -> Json:
    fields = fields_of(edit)
    old = fields.get("matched_entry") or fields.get("old_text") or fields.get("old_string") or ""
    new = fields.get("content") or fields.get("new_string") or ""
    target = {"skill": fields.get("name"), "file": fields.get("file")}
    change = {"edit": type(edit).__name__, "old": old, "new": new}
    return change | {key: value for key, value in target.items() if value}

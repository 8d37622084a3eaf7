"""Tool calls of a review as proposals, with origin and summary. Nothing is written to a home.

Only our own reviewer fills in the origin: what somebody else's record says of itself is a claim
and is not taken over.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from reviewdeck.engine.deck import Deck
from reviewdeck.engine.proposed import NothingNew, TakenUp, TurnedAway
from reviewdeck.homes.hermes.payloads import PayloadRequest
from reviewdeck.homes.hermes.tool_calls import (
    as_asked,
    fields_of,
    id_of,
    memory_documents,
    memory_request,
    pinned,
    skill_bases,
    skill_request,
)
from reviewdeck.model import (
    Base,
    Edit,
    Kind,
    Proposal,
)
from reviewdeck.ports import Home
from reviewdeck.reviewer.conversation import Call, Json
from reviewdeck.reviewer.guard import not_seen, refusal
from reviewdeck.reviewer.live_state import LiveState

BACKGROUND: Final = "background_review"
"""The write origin of a review, in Hermes' word."""


def provenance(
    *,
    write_origin: str = "assistant_tool",
    execution_context: str = "foreground",
    platform: str = "cli",
    **known: str,
) -> dict[str, str]:
    """What is known of how something came about, by name; what is empty is left out."""
    said = {
        "write_origin": write_origin or "assistant_tool",
        "execution_context": execution_context or "foreground",
        "platform": platform or "cli",
    }
    return said | {name: value for name, value in sorted(known.items()) if value}


STAGED: Final = "Staged for review. Nothing is written until it is approved."


@dataclass(slots=True)
class ReviewAuthor:
    """Makes proposals for one home in one review."""

    deck: Deck
    home: Home
    live: LiveState
    about: Mapping[str, str]
    """Provenance that all of them share."""
    session: str = ""
    turn: str = ""
    model: str = ""
    run: str = ""
    most: int = 40
    """So many proposals come of one review at most."""
    viewed: dict[str, Base] = field(default_factory=dict)
    """What was looked at in this review, by path, as it was then."""
    proposals: list[str] = field(default_factory=list)

    def memory(self, call: Call, arguments: Json) -> Json:
        """Proposes changes of a memory."""
        store = arguments.get("target") or "memory"
        for memory in self.live.memories:
            if memory.store == store and memory.closed:
                return _refused(f"The target {store!r} takes no changes: {memory.closed}.")
        request = memory_request(arguments)
        if isinstance(request, str):
            return _refused(f"This call cannot be understood: {request}.")
        bases = {path: self.live.bases[path] for path in memory_documents(request)}
        return self._propose(call, Kind.MEMORY, pinned(request, bases), bases)

    def skill(self, call: Call, arguments: Json) -> Json:
        """Proposes changes of a skill."""
        request = skill_request(arguments)
        if isinstance(request, str):
            return _refused(f"This call cannot be understood: {request}.")
        snapshot = self.home.snapshot()
        for edit in request.edits:
            if why := refusal(edit, snapshot):
                return _refused(why)
            if unseen := not_seen(edit, snapshot, self.viewed):
                said = f"{unseen} was not looked at in this review: call skill_view first."
                return _refused(said, read_before_write_required=True)
        return self._propose(
            call, Kind.SKILLS, request, skill_bases(request, snapshot, self.viewed)
        )

    def _propose(
        self, call: Call, kind: Kind, request: PayloadRequest, bases: Mapping[str, Base]
    ) -> Json:
        if len(self.proposals) >= self.most:
            return _refused(f"{self.most} proposals are enough for one review.")
        proposal, record = self._proposal(call, kind, request, bases)
        match self.deck.propose(proposal, record):
            case TakenUp(evaluation):
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
            case NothingNew(message, known):
                said = {"success": True, "staged": False, "changed": False, "message": message}
                return said | ({"proposal": known} if known else {})
            case TurnedAway(message):
                return _refused(message)

    def _proposal(
        self, call: Call, kind: Kind, request: PayloadRequest, bases: Mapping[str, Base]
    ) -> tuple[Proposal, bytes]:
        """The proposal and the record of it: the same request to a home is the same proposal."""
        seen = {path: base.revision for path, base in sorted(bases.items())}
        asked = as_asked(kind, request) | {"seen": seen}
        id = id_of(self.home.id, asked)
        now = self.deck.context.now()
        origin = {"tool_name": call.name, "tool_call_id": call.id}
        about = dict(self.about) | {name: value for name, value in origin.items() if value}
        record = asked | {"created_at": now.isoformat(), "provenance": about}
        data = json.dumps(record, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace")
        proposal = Proposal(
            id=id,
            home=self.home.id,
            kind=kind,
            action=request.action,
            target=request.target,
            edits=request.edits,
            payload_sha=hashlib.sha256(data).hexdigest(),
            origin=BACKGROUND,
            created_at=now,
            ingested_at=now,
            bases=bases,
            session=self.session or None,
            turn=self.turn or None,
            tool_call=call.id or None,
            model=self.model or None,
            provenance=about,
        )
        return proposal, data


def _refused(message: str, **more: Any) -> Json:
    return {"success": False, "staged": False, "changed": False, "error": message, **more}


def _change(edit: Edit) -> Json:
    """What one edit does, for whoever announces it."""
    fields = fields_of(edit)
    old = fields.get("matched_entry") or fields.get("old_text") or fields.get("old_string") or ""
    new = fields.get("content") or fields.get("new_string") or ""
    named = {"skill": fields.get("name"), "file": fields.get("file")}
    said = {"edit": type(edit).__name__, "old": old, "new": new}
    return said | {key: value for key, value in named.items() if value}

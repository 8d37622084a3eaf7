"""An agent's calls as proposals: limits, duplicates, and the answers to the agent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import takewhile
from typing import Any, Final, assert_never

from reviewdeck.engine.proposed import AlreadyKnown, Declined, Proposed, Queued
from reviewdeck.homes.hermes.payloads import PayloadRequest
from reviewdeck.homes.hermes.snapshot import STORES
from reviewdeck.homes.hermes.tool_calls import (
    base_of,
    id_of,
    memory_documents,
    memory_request,
    pin_entries,
    proposal_of,
    skill_bases,
    skill_request,
    to_request_record,
)
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.mcp.tools import ENTRY, SKILL_BYTES, Json, WrongCall
from reviewdeck.model import (
    OPEN_STATES,
    Base,
    Edit,
    EntryEdit,
    Kind,
    MemoryEdit,
    Outline,
    Proposal,
    SkillCreate,
    SkillPatch,
    SkillRemoveFile,
    SkillWriteFile,
    State,
)
from reviewdeck.model.ledger import Filter
from reviewdeck.planning.skills import check_category, check_skill_name, check_support_path
from reviewdeck.ports import Clock, Home
from reviewdeck.reviewer.guard import find_unviewed
from reviewdeck.reviewer.live_state import live_memory
from reviewdeck.text.entries import parse
from reviewdeck.text.redact import COVER

ORIGIN: Final = "mcp:"
"""The prefix of the origin of every proposal over MCP."""
MOST_EDITS: Final = 20
"""The most edits of one call."""
_PAGE: Final = 1_000
_HOUR: Final = timedelta(hours=1)
_NO_NAME: Final = re.compile(r"[^\w.@ -]")


@dataclass(frozen=True, slots=True)
class Client:
    """The client as it identifies itself: a recorded claim that earns no trust."""

    name: str = ""
    version: str = ""
    started_by: str = ""
    """The agent that is an ancestor of this process, as far as the system shows."""

    @property
    def origin(self) -> str:
        """The origin of its proposals."""
        return ORIGIN + (_NO_NAME.sub("?", self.name).strip()[:40] or "unnamed")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of an agent's proposals."""

    waiting: int = 50
    """The most waiting proposals of one client in one home."""
    hourly: int = 60
    """The most proposals of all clients in one home per hour: a client can change its name."""


@dataclass(frozen=True, slots=True)
class ServedHome:
    """The part of a home that an agent can access: reading, and submitting a proposal."""

    home: Home
    ledger: Ledger
    now: Clock
    propose: Callable[[Proposal, bytes], Proposed]
    refresh: Callable[[], None]
    """Takes in the changes of the home."""


@dataclass(frozen=True, slots=True)
class Motive:
    """An agent's reason for a proposal, in its own words."""

    why: str = ""
    source: str = ""

    @property
    def summary(self) -> str:
        """Reason and source in one text."""
        return " ".join(filter(None, (self.why, self.source and f"(source: {self.source})")))


@dataclass(frozen=True, slots=True)
class Proposer:
    """Submits the proposals of one client for one home."""

    served: ServedHome
    client: Client
    viewed: Mapping[str, Base]
    """The documents that the agent has viewed in this session, by path, as they were then."""
    limits: Limits

    def memory(self, arguments: Mapping[str, Any], motive: Motive) -> Json:
        """Proposes the edits of a call with the arguments of Hermes' `memory`. Raises WrongCall."""
        request = _require_request(memory_request(arguments))
        _check_size(request)
        snapshot = self.served.home.snapshot()
        documents = memory_documents(request)
        for store, path in STORES.items():
            closed = path in documents and live_memory(store, path, snapshot).closed
            if closed:
                raise WrongCall(f"The document {store!r} takes no changes: {closed}.")
        live = {path: base_of(snapshot.document(path)) for path in documents}
        viewed = {path: base for path, base in self.viewed.items() if path in documents}
        bases = live | viewed
        if not _has_all_old_texts(request, bases):
            bases = live  # It knows the entry from elsewhere: an operator, or its prompt.
        return self._propose(Kind.MEMORY, pin_entries(request, bases), bases, motive)

    def skill(self, arguments: Mapping[str, Any], motive: Motive) -> Json:
        """Proposes the edits of a call with the arguments of Hermes' `skill_manage`."""
        request = _require_request(skill_request(arguments))
        _check_size(request)
        snapshot = self.served.home.snapshot()
        for edit in request.edits:
            if wrong := _name_problem(edit):
                raise WrongCall(wrong)
            if unseen := find_unviewed(edit, snapshot, self.viewed):
                raise WrongCall(f"Read {unseen} with skill_view first, then propose the change.")
        return self._propose(
            Kind.SKILLS, request, skill_bases(request, snapshot, self.viewed), motive
        )

    def own(self, states: tuple[State, ...] = ()) -> Iterator[Outline]:
        """The proposals of this client, newest first."""
        return (
            outline
            for outline in self._mcp_outlines(states)
            if outline.origin == self.client.origin
        )

    def _mcp_outlines(self, states: tuple[State, ...] = ()) -> Iterator[Outline]:
        query, after = Filter((self.served.home.id,), states), None
        while page := self.served.ledger.outlines(query, after=after, limit=_PAGE):
            yield from (outline for outline in page if outline.origin.startswith(ORIGIN))
            after = page[-1].position

    def _check_limits(self) -> None:
        waiting = sum(1 for _ in self.own(tuple(OPEN_STATES)))
        if waiting >= self.limits.waiting:
            raise WrongCall(
                f"{waiting} of your proposals are waiting, and {self.limits.waiting} may. Propose"
                " nothing more until an operator has decided some: review_status tells."
            )
        since = (self.served.now() - _HOUR).timestamp() * 1_000_000
        recent = sum(
            1 for _ in takewhile(lambda outline: outline.created > since, self._mcp_outlines())
        )
        if recent >= self.limits.hourly:
            raise WrongCall(
                f"{recent} proposals came within an hour, and {self.limits.hourly} may. Propose"
                " again in an hour, and then only what matters most."
            )

    def _propose(
        self, kind: Kind, request: PayloadRequest, bases: Mapping[str, Base], motive: Motive
    ) -> Json:
        home, client = self.served.home.id, self.client
        claim = {
            "client": {"name": client.name, "version": client.version},
            "started_by": client.started_by,
            "why": motive.why,
            "source": motive.source,
        }
        id = id_of(home, to_request_record(kind, request))
        if self.served.ledger.state_of(id) is None:
            self._check_limits()
        proposal, record = proposal_of(
            id,
            home,
            kind,
            request,
            bases,
            self.served.now(),
            {"mcp": claim},
            origin=client.origin,
            summary=motive.summary,
        )
        match self.served.propose(proposal, record):
            case Queued(evaluation):
                return {
                    "id": evaluation.proposal.id,
                    "state": "pending",
                    "note": _NOTES.get(evaluation.state, _WAITING),
                }
            case AlreadyKnown(message, duplicate):
                note = f"{message} It waits as {duplicate}." if duplicate else message
                return {"id": duplicate, "state": "duplicate", "note": note}
            case Declined(message):
                return {"id": None, "state": "refused", "note": message}
            case outcome:
                assert_never(outcome)


_WAITING: Final = "It is waiting for an operator. Nothing is written until it is approved: go on."
_NOTES: Final = {
    State.CONFLICT: f"{_WAITING} It clashes with what is there by now, so an operator merges it.",
    State.REFUSED: f"{_WAITING} As it is it cannot be approved: an operator would have to rewrite"
    " it. Leave out secrets, orders and hidden characters.",
}


def _require_request(request: PayloadRequest | str) -> PayloadRequest:
    if isinstance(request, str):
        raise WrongCall(f"This call cannot be understood: {request}.")
    return request


def _has_all_old_texts(request: PayloadRequest, bases: Mapping[str, Base]) -> bool:
    texts = {path: (base.data or b"").decode("utf-8", "replace") for path, base in bases.items()}
    return all(
        any(edit.old_text.strip() in entry for entry in parse(texts[edit.document]))
        for edit in request.edits
        if isinstance(edit, EntryEdit)
    )


def _check_size(request: PayloadRequest) -> None:
    """Raises WrongCall for more than an operator would read, and for redacted text."""
    if not 1 <= len(request.edits) <= MOST_EDITS:
        raise WrongCall(f"A call makes 1 to {MOST_EDITS} changes; this one {len(request.edits)}.")
    for edit in request.edits:
        is_memory = isinstance(edit, MemoryEdit)
        for text in _texts(edit):
            size = len(text) if is_memory else len(text.encode())
            most, unit = (ENTRY, "characters") if is_memory else (SKILL_BYTES, "bytes")
            if size > most:
                raise WrongCall(f"A text in it has {size:,} {unit}; at most {most:,} are taken.")
            if COVER in text:
                raise WrongCall(
                    f"A text in it has {COVER}, which covers a secret where you read it. Patch the"
                    " lines around the secret, and leave its own line alone."
                )


def _name_problem(edit: Edit) -> str | None:
    """The problem of the names in a skill edit, which become a path; None for valid names."""
    match edit:
        case SkillCreate(name=name, category=category):
            return check_skill_name(name) or check_category(category)
        case SkillPatch(file=file) | SkillWriteFile(file=file) | SkillRemoveFile(file=file):
            return check_support_path(file)
        case _:
            return None


def _texts(edit: Edit) -> Iterator[str]:
    values = (getattr(edit, name) for name in edit.__dataclass_fields__)
    return (value for value in values if isinstance(value, str))

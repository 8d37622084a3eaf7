"""The conversations of several agents in one repository."""

from __future__ import annotations

from collections.abc import Mapping

from reviewdeck.model import KnownBy, Origin, Proposal, Transcript, Turn
from reviewdeck.ports import Conversations, Trust


class SeveralConversations:
    """A record is of the agent whose gate kept it. Implements `ports.Conversations`."""

    def __init__(self, by_folder: Mapping[str, Conversations]) -> None:
        """By the folder of each agent's gate in the home; there is at least one."""
        self._by_folder = by_folder

    def origin(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin by the agent's own conversations. Never raises."""
        gate = "/".join((proposal.source or "").split("/")[:2])
        first = next(iter(self._by_folder.values()))
        return self._by_folder.get(gate, first).origin(proposal, trust)

    def writer(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin of a change outside review: of whichever agent's call wrote it."""
        origins = [each.writer(proposal, trust) for each in self._by_folder.values()]
        named = (origin for origin in origins if origin.known_by is not KnownBy.NOTHING)
        exact = (origin for origin in origins if origin.known_by is KnownBy.EXACT)
        return next(exact, None) or next(named, origins[0])

    def origin_stamp(self) -> str:
        """A stamp that changes when more may be known of where proposals come from."""
        return "\n".join(each.origin_stamp() for each in self._by_folder.values())

    def may_follow(self, proposal: Proposal) -> bool:
        """Whether more of any conversation may follow that a proposal comes from."""
        return any(each.may_follow(proposal) for each in self._by_folder.values())

    def transcripts(self, session: str) -> tuple[Transcript, ...]:
        """The transcripts of a session."""
        return tuple(one for each in self._by_folder.values() for one in each.transcripts(session))

    def turns(
        self, transcript: str, *, before: int | None = None, limit: int | None = None
    ) -> tuple[Turn, ...]:
        """The last `limit` turns of a session before turn number `before`, in order."""
        found = (
            each.turns(transcript, before=before, limit=limit) for each in self._by_folder.values()
        )
        return next(filter(None, found), ())

"""The conversations of a home: where a proposal comes from, and what its author saw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from reviewdeck.model import Origin, Proposal
from reviewdeck.ports.sessions import TurnReader


@dataclass(frozen=True, slots=True)
class Trust:
    """What an operator says of tools, accounts and folders: it sorts, it lets nothing through."""

    workspace_tools: frozenset[str] = frozenset()
    """Tools that count as workspace although nobody else classified them."""
    outside_tools: frozenset[str] = frozenset()
    """Tools that count as outside, whatever the shipped table says."""
    accounts: frozenset[str] = frozenset()
    """Whose direct messages count as the user's: `platform:user_id`."""
    own_folders: tuple[str, ...] = ()
    """Files below these absolute folders count as said by the user."""


class Conversations(TurnReader, Protocol):
    """What a home keeps of its conversations. Reading them writes nothing anywhere.

    Turns are for a person to read: what cannot be read is missing from them.
    """

    def origin(self, proposal: Proposal, trust: Trust) -> Origin:
        """Where this proposal comes from. Never raises: what cannot be read is unknown.

        For a proposal of our own reviewer `unrecorded`, when nothing is kept here of the session
        that was reviewed.
        """
        ...

    def writer(self, proposal: Proposal, trust: Trust) -> Origin:
        """Where a change comes from that was written at once. Never raises.

        `exact` where one call of a tool wrote these very words, `union` where conversations were
        merely active then.
        """
        ...

    def heard(self, proposal: Proposal) -> str:
        """A cheap hint that changes when more may be known of where a proposal comes from."""
        ...

"""The conversations of a home: where a proposal comes from, and what its author saw."""

from __future__ import annotations

from typing import Protocol

from reviewdeck.model import Origin, Proposal
from reviewdeck.ports.sessions import TurnReader
from reviewdeck.values import dataclass


@dataclass(frozen=True, slots=True)
class Trust:
    """An operator's classification of tools, accounts and folders. It approves nothing."""

    workspace_tools: frozenset[str] = frozenset()
    """Tools that count as workspace although nobody else classified them."""
    outside_tools: frozenset[str] = frozenset()
    """Tools that count as outside, whatever the shipped table says."""
    accounts: frozenset[str] = frozenset()
    """Accounts whose direct messages count as the user's: `platform:user_id`."""
    said_folders: tuple[str, ...] = ()
    """Absolute folders whose files count as workspace, wherever a conversation reads them from."""


class Conversations(TurnReader, Protocol):
    """The conversations that a home keeps. Reading them writes nothing anywhere.

    Turns are for a person to read: what cannot be read is missing from them.
    """

    def origin(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin of a proposal. Never raises: an unreadable one is unknown.

        For a proposal of our own reviewer `unrecorded`, when nothing is kept here of the session
        that was reviewed.
        """

    def writer(self, proposal: Proposal, trust: Trust) -> Origin:
        """The origin of a change outside review. Never raises.

        `exact` where one call of a tool wrote these very words, `union` where conversations were
        merely active then.
        """

    def origin_stamp(self) -> str:
        """A hint that changes when more may be known of where proposals come from."""

    def may_follow(self, proposal: Proposal) -> bool:
        """Whether more of the conversation that a proposal comes from may follow."""

"""Authority: who may decide, asked before the engine accepts a decision."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol, TypeAlias

from reviewdeck.model import About, Actor, Decision, Event, Seal
from reviewdeck.model.votes import Quorum
from reviewdeck.values import dataclass

Head: TypeAlias = tuple[int, str]
"""Number and sum of the last line of a chain; 0 and nothing for an empty one."""


@dataclass(frozen=True, slots=True)
class Process:
    """One process that another one descends from."""

    pid: int
    name: str
    """Its name in the system; a process may choose it itself."""
    command: tuple[str, ...] = ()
    """Its arguments, the program first; empty where they cannot be read."""
    executable: str = ""
    """The path of its program; empty where it cannot be read."""
    is_hidden: bool = False
    """Whether the system does not show it: then nothing above it is known either."""


Ancestry: TypeAlias = Callable[[], tuple[Process, ...]]
"""Reads the ancestors of this process now, nearest first, as far as the system shows them: one that
it does not show is the last, and hidden. A process whose parent ends becomes a child of another."""


@dataclass(frozen=True, slots=True)
class Heads:
    """The ends of the log that a signature covers."""

    home: Head
    """Of the home's chain: the decision is stored right after it, or signed again."""
    ledger: Head
    """Of the ledger's own chain, whose checkpoints cover all homes."""


class Signer(Protocol):
    """An operator's key that is open."""

    @property
    def key(self) -> str:
        """The public key."""

    @property
    def last_counter(self) -> int:
        """The highest counter that it used in this ledger, as far as this account knows."""

    def sign(self, decision: Decision, about: About, counter: int, heads: Heads) -> Seal:
        """The signature of a decision that is about to be stored."""


SignerOf: TypeAlias = Callable[[Actor], Signer | None]
"""Who signs what this actor decides; None where it is not signed. Raises NotPermitted."""


def nobody_signs(actor: Actor) -> None:
    """Nothing is signed."""


Attest: TypeAlias = Callable[[Event], tuple[str, str] | None]
"""Signs a line of the log that is about to be stored: the public key and the signature, or None
where none is needed. Raises NotPermitted."""


def unattested(line: Event) -> None:
    """Signs nothing."""


class Authority(Protocol):
    """The authority over decisions: admits operators, signs, checks signatures."""

    @property
    def signs(self) -> bool:
        """Whether there are operators' keys: then what is not signed is not applied."""

    @property
    def authorisation(self) -> str:
        """How decisions are established now, in a few words: `unsigned (tier 0)`."""

    def why_nothing_is_automatic(self, judged: str | None = None) -> str | None:
        """Why a policy may apply nothing; None when it may.

        `judged` is the mark of the one that was judged with; without, it is the one that is there.
        """

    @property
    def quorum(self) -> Quorum:
        """How many operators have to approve what, by what they signed; the policy file may ask for
        more. Raises NotVerified."""

    def vote_flaw(self, vote: Decision, about: About, at: datetime) -> str | None:
        """Why a stored vote does not count for a decision of this moment; None when it does."""

    def admit(self, actor: Actor) -> Actor:
        """This operator as a decision records them. Raises NotPermitted."""

    def unlock(self, passphrase: str) -> str:
        """Opens the key that this passphrase belongs to, and gives its operator's name.

        Raises WrongPassphrase, TooManyTries.
        """

    def touch(self) -> None:
        """Restarts the time after which the key is forgotten."""

    def signer(self, actor: Actor) -> Signer | None:
        """The key of the operator who was admitted; None for what no operator decides."""

    def stored(self) -> None:
        """Notes that the last signature is stored: a ledger without it is an older copy."""

    def attest(self, line: Event) -> tuple[str, str] | None:
        """Key and signature of the operator who was admitted, for a line of the log; or None."""

    def flaw(self, decision: Decision, about: About) -> str | None:
        """Why this decision is not an operator's, as it is stored; None when it is."""

"""The settings that an engine is opened with. Every value is handed in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field
from pathlib import Path

from reviewdeck.engine.authorisation import no_ancestors
from reviewdeck.model import Actor, ActorKind
from reviewdeck.model.ledger import Machine, Opener
from reviewdeck.ports.authority import Ancestry
from reviewdeck.values import dataclass

OPERATOR = Actor(ActorKind.OPERATOR, "operator")


@dataclass(frozen=True, slots=True)
class PolicyPlace:
    """The path at which a policy file is looked for."""

    path: Path
    is_named: bool = False
    """Whether an option or a variable names it: then it has to exist."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Homes, ledger, operator and time limits of an engine."""

    homes: tuple[Path, ...]
    ledger: str
    """A database URL, or the path of an SQLite file."""
    user_home: Path
    """The folder that `~` means in a home's own settings."""
    env: Mapping[str, str] = field(default_factory=dict)
    """The values of `${NAME}` in a home's own settings."""
    actor: Actor = OPERATOR
    ancestry: Ancestry = no_ancestors
    """Gives the ancestors of this process."""
    agents: tuple[str, ...] = ()
    """Programs that count as agents besides those that are known."""
    is_new: bool = False
    """Whether an empty folder is taken for a home to be, and a known one looked at afresh."""
    moved: tuple[str, ...] = ()
    """The places that are not the account's own: a known agent writes to no home with them."""
    operators: Path | None = None
    """Where operators' keys are kept; None for an engine that knows of none."""
    lock_wait: float = 10.0
    """Seconds to wait for an agent's lock before giving up with nothing changed."""
    working: str = ""
    """Address of the working memory; empty for a file beside the ledger."""
    host: str = ""
    """The id of this machine in ledgers that several share; empty for one that is here alone."""
    elsewhere: tuple[str, ...] | None = None
    """Which homes of other machines, which share the ledger, are opened too, by id, name or path;
    empty for all, None for none."""
    policy: PolicyPlace | None = None
    """Where the policy file is; None for the built-in rules alone."""
    options: tuple[str, ...] = ()
    """The words of the command line that named the homes and the ledger; empty where none did."""
    uninterrupted: Callable[[], AbstractContextManager[None]] = nullcontext
    """Holds back what would end this process, until what is decided inside is carried out."""

    @property
    def machine(self) -> Machine | None:
        """This machine, in ledgers that several share; None for one that is here alone."""
        return Machine(self.host, self.actor.host or self.host) if self.host else None

    @property
    def opener(self) -> Opener:
        """Who opens the ledger: drafts and marks are that operator's, whatever key is open."""
        return Opener(self.actor.name, self.host)

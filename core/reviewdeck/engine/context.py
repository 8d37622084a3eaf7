"""The context of every part of the engine: the homes, the ledger, the operator."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from reviewdeck.engine.authorisation import Unsigned
from reviewdeck.engine.evaluate import Evaluator, rules_label
from reviewdeck.engine.journal import Applier
from reviewdeck.engine.view import View
from reviewdeck.errors import HomeUnavailable, NotDecidable
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import Actor, Decision, Draft, Proposal, State
from reviewdeck.policy.in_force import Policy, built_in
from reviewdeck.ports import Authority, Clock, Home, NewId, OpenHome, Probe, Progress


def id_from(seed: str) -> str:
    """The id of a proposal that is made here: the same seed gives the same one."""
    return hashlib.sha256(seed.encode()).hexdigest()[:12]


def _quiet(step: str) -> None:
    """The probe of everyday use."""


@dataclass(frozen=True, slots=True)
class EngineContext:
    """One operator, some homes, one ledger."""

    homes: tuple[OpenHome, ...]
    ledger: Ledger
    now: Clock
    new_id: NewId
    actor: Actor
    probe: Probe = _quiet
    progress: Progress | None = None
    authority: Authority = field(default_factory=Unsigned)
    policy: Callable[[], Policy] = built_in
    """Gives the policy that holds now."""

    @property
    def home_ids(self) -> tuple[str, ...]:
        """The ids of the homes at hand."""
        return tuple(open_home.home.id for open_home in self.homes)

    @property
    def drafts(self) -> tuple[Draft, ...]:
        """The drafts for these homes, oldest first; a ledger may hold those of others too."""
        return self.ledger.drafts(self.home_ids)

    @property
    def view(self) -> View:
        """The read-only side."""
        homes = tuple(open_home.home for open_home in self.homes)
        return View(homes, self.ledger, self.now, self.actor, self.authority, self.policy)

    def operator(self) -> Actor:
        """The operator as a decision records them. Raises NotPermitted."""
        return self.authority.admit(self.actor)

    def home_of(self, proposal: Proposal) -> OpenHome:
        """The home that a proposal is for, and no other. Raises HomeUnavailable."""
        for open_home in self.homes:
            if open_home.home.id == proposal.home:
                return open_home
        raise HomeUnavailable(
            f"The proposal {proposal.id} is for {proposal.home}.",
            hint=f"Name that home: --home {proposal.home}",
        )

    def home_by_id(self, id: str | None = None) -> OpenHome:
        """The home by this id; without one, the only home. Raises HomeUnavailable."""
        home = self.view.home(id)
        return next(open_home for open_home in self.homes if open_home.home is home)

    def with_fixed_policy(self) -> EngineContext:
        """The same context with the policy read once, so that one pass judges by one policy."""
        policy = self.policy()
        return replace(self, policy=lambda: policy)

    def evaluator(self, proposal: Proposal) -> Evaluator:
        """Evaluates proposals of this one's home, as it is now."""
        return self.evaluator_of(self.home_of(proposal).home)

    def evaluator_of(self, home: Home) -> Evaluator:
        """Evaluates proposals of this home, as it is now."""
        return Evaluator(home, self.ledger, self.policy())

    def applier(self, open_home: OpenHome) -> Applier:
        """Applies plans to a home."""
        return Applier(
            open_home.writer,
            self.ledger,
            now=self.now,
            new_id=self.new_id,
            probe=self.probe,
            authority=self.authority,
            judge=self.judge,
        )

    def record(self, decision: Decision, state: State, from_states: Sequence[State]) -> None:
        """Stores a decision that writes nothing. Raises NotDecidable when another one won."""
        if not self.ledger.decide(decision, state, from_states, self.authority.sign):
            raise NotDecidable("Somebody else decided this in the meantime.")
        self.authority.stored()

    def judge(self) -> str:
        """The rules and the policy file that judge now, in a few words."""
        return rules_label(self.policy().mark)

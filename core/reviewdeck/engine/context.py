"""What every part of the engine works with: the homes, the ledger, the operator."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from reviewdeck.engine.authorisation import Unsigned
from reviewdeck.engine.evaluate import Evaluator, judged_by
from reviewdeck.engine.journal import Applier
from reviewdeck.engine.view import View
from reviewdeck.errors import HomeUnavailable, NotDecidable
from reviewdeck.model import Actor, Decision, Proposal, State
from reviewdeck.policy.in_force import Policy, built_in
from reviewdeck.ports import (
    Authority,
    Clock,
    Home,
    Ledger,
    NewId,
    OpenHome,
    Probe,
    Progress,
)


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
        return tuple(one.home.id for one in self.homes)

    @property
    def view(self) -> View:
        """The same for looking."""
        homes = tuple(one.home for one in self.homes)
        return View(homes, self.ledger, self.now, self.actor, self.authority, self.policy)

    def operator(self) -> Actor:
        """Who decides, as it is recorded. Raises NotPermitted for who may not."""
        return self.authority.admit(self.actor)

    def home_of(self, proposal: Proposal) -> OpenHome:
        """The home that a proposal is for, and no other. Raises HomeUnavailable."""
        for one in self.homes:
            if one.home.id == proposal.home:
                return one
        raise HomeUnavailable(
            f"The proposal {proposal.id} is for {proposal.home}.",
            hint=f"Name that home: --home {proposal.home}",
        )

    def one_home(self, id: str | None = None) -> OpenHome:
        """The home by this id; without one, the only home. Raises HomeUnavailable."""
        home = self.view.home(id)
        return next(one for one in self.homes if one.home is home)

    def holding(self) -> EngineContext:
        """The same with the policy read once: what is checked is what was judged with."""
        policy = self.policy()
        return replace(self, policy=lambda: policy)

    def evaluator(self, proposal: Proposal) -> Evaluator:
        """Evaluates proposals of this one's home, as it is now."""
        return self.evaluator_of(self.home_of(proposal).home)

    def evaluator_of(self, home: Home) -> Evaluator:
        """Evaluates proposals of this home, as it is now."""
        return Evaluator(home, self.ledger, self.policy())

    def applier(self, one: OpenHome) -> Applier:
        """Applies plans to a home."""
        return Applier(
            one.writer,
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
        """By what proposals are judged now, in a few words."""
        return judged_by(self.policy().mark)

"""What one operator has open: some homes, one ledger. The parts of the engine take it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field, replace
from typing import TYPE_CHECKING, Self

from reviewdeck.engine.authorisation import Unsigned
from reviewdeck.errors import HomeUnavailable
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import Actor, Decision, Draft, Proposal, State
from reviewdeck.model.ledger import Machine, Sight
from reviewdeck.model.votes import Quorum, strictest
from reviewdeck.policy.in_force import Policy, built_in
from reviewdeck.ports import Authority, Clock, Home, NewId, OpenHome, Probe, Progress, no_probe
from reviewdeck.values import dataclass

if TYPE_CHECKING:
    from reviewdeck.engine.applier import Applier
    from reviewdeck.engine.evaluate import Evaluator, Look
    from reviewdeck.engine.intake import TakenIn


@dataclass(frozen=True, slots=True)
class EngineContext:
    """What the parts of the engine read and write through: homes, ledger, clock, authority."""

    open_homes: tuple[OpenHome, ...]
    ledger: Ledger
    now: Clock
    new_id: NewId
    actor: Actor
    probe: Probe = no_probe
    progress: Progress | None = None
    authority: Authority = field(default_factory=Unsigned)
    policy: Callable[[], Policy] = built_in
    """Gives the policy that holds now."""
    machine: Machine | None = None
    """Where it runs, if several machines share the ledger."""
    uninterrupted: Callable[[], AbstractContextManager[None]] = nullcontext
    """Holds back what would end this process, until what is decided inside is carried out."""

    def close(self) -> None:
        self.ledger.close()

    @property
    def homes(self) -> tuple[Home, ...]:
        """The homes at hand, for reading."""
        return tuple(open_home.home for open_home in self.open_homes)

    @property
    def home_ids(self) -> tuple[str, ...]:
        """The ids of the homes at hand."""
        return tuple(open_home.home.id for open_home in self.open_homes)

    @property
    def here(self) -> tuple[OpenHome, ...]:
        """The homes on this machine."""
        return tuple(open_home for open_home in self.open_homes if open_home.sight is None)

    def sight_of(self, home: str) -> Sight | None:
        """Where a home is and when that machine looked at it; None for one that is here."""
        open_home = self.home_by_id(home)
        if open_home.sight is None:
            return None
        from reviewdeck.engine.remote_home import RemoteHome

        # The home knows it better: a look that it read since is a later one.
        if isinstance(open_home.home, RemoteHome):
            return open_home.home.sight
        return open_home.sight

    def home(self, id: str | None = None) -> Home:
        """The home by this id or name; without one, the only home. Raises HomeUnavailable."""
        return self.home_by_id(id).home

    def home_by_id(self, id: str | None = None) -> OpenHome:
        """The same home with its writer. Raises HomeUnavailable."""
        found = [each for each in self.open_homes if id in (None, each.home.id, each.home.name)]
        if len(found) == 1:
            return found[0]
        if not found:
            raise HomeUnavailable(f"There is no home {id!r} at hand.")
        # One here is named by its path, one elsewhere by its machine too.
        names = [each.home.where if each.sight is None else each.home.name for each in found]
        raise HomeUnavailable("Which home?", hint=f"Name one with --home: {', '.join(names)}.")

    def home_of(self, proposal: Proposal) -> OpenHome:
        """The home that a proposal is for, and no other. Raises HomeUnavailable."""
        for open_home in self.open_homes:
            if open_home.home.id == proposal.home:
                return open_home
        raise HomeUnavailable(
            f"The proposal {proposal.id} is for {proposal.home}.",
            hint=f"Name that home: --home {proposal.home}",
        )

    @property
    def drafts(self) -> tuple[Draft, ...]:
        """The drafts for these homes, oldest first; a ledger may hold those of others too."""
        return self.ledger.drafts(self.home_ids)

    def operator(self) -> Actor:
        """The operator as a decision records them. Raises NotPermitted."""
        self.ledger.refuse_machine()
        return self.authority.admit(self.actor)

    @property
    def quorum(self) -> Quorum:
        """How many operators have to approve what, by the policy file and by what they signed.

        Raises NotVerified.
        """
        return strictest(self.policy().settings.quorum, self.authority.quorum)

    def with_fixed_policy(self) -> Self:
        """The same with the policy read once, so that one pass judges by one policy."""
        policy = self.policy()
        return replace(self, policy=lambda: policy)

    def evaluator(self, proposal: Proposal) -> Evaluator:
        """Evaluates proposals of this one's home, as it is now."""
        return self.evaluator_of(self.home_of(proposal).home)

    def evaluator_of(self, home: Home, look: Look | None = None) -> Evaluator:
        """Evaluates proposals of this home, as it is now or as somebody looked at it."""
        from reviewdeck.engine.evaluate import Evaluator

        return Evaluator(home, self.ledger, self.policy(), look)

    def applier(self, open_home: OpenHome) -> Applier:
        """Applies plans to a home."""
        from reviewdeck.engine.applier import Applier

        return Applier(
            open_home.writer,
            open_home.journal,
            self.ledger,
            now=self.now,
            new_id=self.new_id,
            probe=self.probe,
            authority=self.authority,
            judge=self.judge,
            is_elsewhere=open_home.sight is not None,
            uninterrupted=self.uninterrupted,
        )

    def record(
        self,
        decision: Decision,
        state: State,
        from_states: Sequence[State],
        also: Callable[[], None] = lambda: None,
        vote: str | None = None,
    ) -> None:
        """Stores a decision that writes nothing, with what `also` writes to the ledger, or neither.

        `vote` is the other operator's that it rests on. Raises NotDecidable when another one won.
        """
        signer = self.authority.signer
        with self.uninterrupted():
            if not self.ledger.decide(decision, state, from_states, signer, also, vote):
                from reviewdeck.engine.decidable import lost_race

                raise lost_race(decision.proposal, self.ledger.state_of(decision.proposal))
            self.authority.stored()

    def judge(self) -> str:
        """The rules and the policy file that judge now, in a few words."""
        from reviewdeck.engine.evaluate import rules_label

        return rules_label(self.policy().mark)

    def intake(
        self, home: str | None = None, *, progress: Progress | None = None
    ) -> tuple[TakenIn, ...]:
        """Takes in every home of this machine, or this one: stores new records and refreshes open
        proposals.

        An exception from `progress` aborts the pass; the next one does it again.
        """
        from reviewdeck.engine.intake import take_in

        policy = self.policy()
        here = self.here if home is None else (self.home_by_id(home),)
        homes = [open_home.home for open_home in here if open_home.sight is None]
        return tuple(
            take_in(each, self.ledger, self.now, progress, policy=policy, machine=self.machine)
            for each in homes
        )

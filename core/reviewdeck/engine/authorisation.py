"""Tier 0: anybody at this account decides, recorded as unsigned; a known agent does not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from reviewdeck.engine.agent_programs import agent_among
from reviewdeck.errors import AncestorsUnknown, DescendsFromAgent, WrongPassphrase
from reviewdeck.model import About, Actor, ActorKind, Decision, Event, Operation, Verb
from reviewdeck.model.votes import ONE, Quorum
from reviewdeck.ports.authority import Ancestry, Authority, Process
from reviewdeck.values import dataclass

UNSIGNED = "unsigned (tier 0)"
MOST_ANCESTORS = 32
_LONGEST_NAME = 64


def no_ancestors() -> tuple[Process, ...]:
    """The ancestry for programs that do not check it: a library, a test."""
    return ()


@dataclass(frozen=True, slots=True)
class Unsigned:
    """Accepts decisions from every process that does not descend from a known agent."""

    ancestry: Ancestry = no_ancestors
    agents: Collection[str] = ()
    """Programs that count as agents besides those that are known."""

    @property
    def authorisation(self) -> str:
        return UNSIGNED

    @property
    def signs(self) -> bool:
        return False

    def unlock(self, passphrase: str) -> str:
        """There is no key. Raises WrongPassphrase."""
        raise WrongPassphrase("There is no operator's key.", hint="`reviewdeck init` makes one.")

    def touch(self) -> None:
        """Nothing is open."""

    def signer(self, actor: Actor) -> None:
        """Nothing is signed."""

    def stored(self) -> None:
        """Nothing is signed."""

    def attest(self, line: Event) -> None:
        """Nothing is signed."""

    def flaw(self, decision: Decision, about: About) -> str | None:
        """Every stored decision counts."""
        return None

    @property
    def quorum(self) -> Quorum:
        """Nobody has signed that there have to be two."""
        return ONE

    def vote_flaw(self, vote: Decision, about: About, at: datetime) -> str | None:
        """Every stored vote counts."""
        return None

    def why_nothing_is_automatic(self, judged: str | None = None) -> str | None:
        return None

    def admit(self, actor: Actor) -> Actor:
        """The operator with the processes that lead to this one.

        Raises DescendsFromAgent, and AncestorsUnknown where the system does not show them all.
        """
        ancestors = self.ancestry()
        admitted_actor = self.admit_with_key(actor)
        if hidden := next((process for process in ancestors if process.is_hidden), None):
            raise AncestorsUnknown(
                f"The system does not show the process {hidden.pid}, which led to this command:"
                " it may be an agent."
            )
        return admitted_actor

    def admit_with_key(self, actor: Actor) -> Actor:
        """The same for an operator who has to give a passphrase. Raises DescendsFromAgent."""
        return replace(actor, ancestry=admitted(self.ancestry(), self.agents))


def batch_flaw(
    flaw_of: Callable[[Decision, About], str | None],
    operations: Sequence[Operation],
    decisions: Sequence[Decision],
    about: About,
) -> str | None:
    """Why a batch of operators' decisions may not be applied; None when it may.

    Each operation rests on a decision about its proposal, by the same kind of actor, that names
    the same digest. Decisions of the policy are not checked here.
    """
    by_proposal = _by_proposal(decisions)
    for operation in operations:
        decision = by_proposal.get(operation.proposal)
        if decision is None or decision.verb not in (Verb.APPROVE, Verb.MERGE):
            return f"Nobody decided the operation {operation.id}."
        decided = (decision.actor.kind, decision.actor.name, decision.digest)
        if decided != (operation.actor.kind, operation.actor.name, operation.digest):
            return f"The decision {decision.id} is not that of the operation {operation.id}."
        if (flaw := flaw_of(decision, about)) is not None:
            return f"The decision {decision.id} does not count: {flaw}."
    return None


def _by_proposal(decisions: Sequence[Decision]) -> dict[str, Decision]:
    return {each.proposal: each for each in decisions if each.verb is not Verb.VOTE}


def quorum_flaw(
    authority: Authority,
    operations: Sequence[Operation],
    decisions: Sequence[Decision],
    about: About,
    shared: Mapping[str, str],
) -> str | None:
    """Why a batch may not be applied that two operators have to approve; None when they did.

    `shared` has the proposals of which that is so, each with its author's name where that is an
    operator: neither of the two is the author.
    """
    by_proposal = _by_proposal(decisions)
    for operation in operations:
        author, decision = shared.get(operation.proposal), by_proposal[operation.proposal]
        if author is None:
            continue
        has_second = any(
            is_other(vote, decision, author)
            and authority.vote_flaw(vote, about, decision.at) is None
            for vote in decisions
            if vote.verb is Verb.VOTE and vote.proposal == decision.proposal
        )
        if not has_second or decision.actor.name == author:
            who = f"only {decision.actor.name} did"
            return f"Two operators have to approve {operation.proposal}, and {who}."
    return None


def is_other(vote: Decision, decision: Decision, author: str) -> bool:
    """Whether a vote is that of another operator, who did not propose it, and about the same."""
    keys = [None if each.seal is None else each.seal.key for each in (vote, decision)]
    return (
        vote.actor.kind is ActorKind.OPERATOR
        and vote.actor.name not in (decision.actor.name, author)
        and (keys[0] is None or keys[0] != keys[1])
        and (vote.digest, vote.text_sha) == (decision.digest, decision.text_sha)
    )


def is_begun_as(event: Event | None, operation: Operation) -> bool:
    """Whether an operation's rows agree with the log's line of its intent."""
    if event is None:
        return False
    changes = [[change.path, change.before, change.after] for change in operation.changes]
    logged = (event.detail.get("changes"), event.detail.get("digest"), event.actor)
    return logged == (changes, operation.digest, operation.actor)


def admitted(ancestors: tuple[Process, ...], agents: Collection[str]) -> tuple[str, ...]:
    """The names of the ancestors, nearest first. Raises DescendsFromAgent."""
    agent = agent_among(ancestors, agents)
    if agent is not None:
        name = agent.name or agent.command[0]
        raise DescendsFromAgent(
            f"This was started by {name} (process {agent.pid}): an agent does not decide."
        )
    return tuple(
        f"{process.name[:_LONGEST_NAME]} {process.pid}" for process in ancestors[:MOST_ANCESTORS]
    )

"""What went in without an operator, judged again from the evidence that is stored with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from reviewdeck.model import (
    ActorKind,
    AutoApply,
    CheckName,
    Decision,
    Event,
    Judgement,
    OriginClass,
    Proposal,
)
from reviewdeck.operators.ring import BUILT_IN
from reviewdeck.policy.additions import asked_addition
from reviewdeck.policy.plain import check_plain
from reviewdeck.policy.rule_effect import RuleEffect
from reviewdeck.ports import Ledger

SIGNED: Final = "policy-signed"
"""The line of the log with which an operator signs a policy file."""
_ADMITTED: Final = (OriginClass.USER, OriginClass.WORKSPACE, OriginClass.UNRECORDED)
_FILE: Final = ", policy file "


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why an automatic decision does not hold, or where today's rules differ from it."""

    decision: str
    said: str
    is_grave: bool = True
    """Whether it does not hold; else only the rules are others today."""


@dataclass(frozen=True, slots=True)
class AutomaticAudit:
    """What a look at every automatic decision came to."""

    judged: int = 0
    """So many were judged again from what is stored with them."""
    rules_gone: int = 0
    """So many have no evidence: they were judged by rules that are gone."""
    flaws: tuple[Flaw, ...] = ()


def judge_again(
    ledger: Ledger, decisions: Sequence[Decision], events: Sequence[Event]
) -> AutomaticAudit:
    """Checks each automatic decision. Changes nothing."""
    signed = _signed_when(events)
    judged = gone = 0
    flaws: list[Flaw] = []
    for decision in decisions:
        if decision.actor.kind is not ActorKind.POLICY:
            continue
        judgement = ledger.judgement(decision.proposal)
        if judgement is None:
            gone += 1
        else:
            judged += 1
            proposal = ledger.proposal(decision.proposal)
            flaws += [
                Flaw(decision.id, said, is_grave) for said, is_grave in _flaws(proposal, judgement)
            ]
        in_force = signed.get(decision.id)
        if in_force is not None and not _is_by(decision, in_force):
            flaws.append(Flaw(decision.id, "It was judged by a policy that nobody had signed."))
    return AutomaticAudit(judged, gone, tuple(flaws))


def _flaws(proposal: Proposal, judgement: Judgement) -> Iterator[tuple[str, bool]]:
    denied = [str(check.name) for check in judgement.checks if not check.ok]
    if denied or not isinstance(judgement.verdict, AutoApply):
        named = ", ".join(denied) or "its verdict"
        yield f"It went in though what is stored with it says no: {named}.", True
    if len(judgement.checks) != len(CheckName) or judgement.origin is None:
        yield "It went in without answers to all six checks.", True
    elif judgement.origin.kind not in _ADMITTED:
        yield f"It went in from a conversation of class {judgement.origin.kind}.", True
    if asked_addition(proposal.edits) is None:
        yield "It went in though it does more than add.", True
    spoke = check_plain(proposal.edits)
    refusing = [one.rule.name for one in spoke if one.rule.effect is RuleEffect.REFUSE]
    if refusing:
        yield f"It went in though the rules refuse it: {', '.join(refusing)}.", True
    elif spoke:
        holding = ", ".join(one.rule.name for one in spoke)
        # What the home knew then (a host, a command) is not known here.
        yield f"Today's rules would hold it, unless the home knew it: {holding}.", False


def _signed_when(events: Sequence[Event]) -> Mapping[str, str]:
    """By decision, the policy that was signed last before its line of the log."""
    found: dict[str, str] = {}
    current: str | None = None
    for event in events:
        if event.name == SIGNED:
            current = event.subject
        elif current is not None and (decision := event.detail.get("decision")):
            found[str(decision)] = current
    return found


def _is_by(decision: Decision, policy: str) -> bool:
    _, _, file = decision.policy.partition(_FILE)
    return not file if policy == BUILT_IN else bool(file) and policy.startswith(file)

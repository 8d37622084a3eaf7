"""`log --verify`: every decision held against keys, counters, log and files.

What was applied without an operator is judged again from the evidence stored with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from reviewdeck.engine.authorisation import is_begun_as
from reviewdeck.engine.outside import Accounts
from reviewdeck.errors import NotVerified
from reviewdeck.model import (
    OUTSIDE,
    About,
    Actor,
    ActorKind,
    AutoApply,
    Cause,
    CheckName,
    Decision,
    Event,
    Judgement,
    Marks,
    Operation,
    OperationState,
    OriginClass,
    Proposal,
    Verb,
)
from reviewdeck.model.codec import marks_from_json
from reviewdeck.model.decisions import BEGINNINGS, LEDGER, OPERATORS, PINNED
from reviewdeck.operators.authority import Operators, flaw_in, line_flaw
from reviewdeck.operators.ring import BUILT_IN, Ring
from reviewdeck.policy.additions import asked_addition
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.plain import check_plain
from reviewdeck.ports import Home, Ledger, OpenHome

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


MARK = "mark"
PURGE = "purge"
_RETIRING = frozenset({"operator-revoked", "operator-rotated", "operators-anew"})
"""Lines of the log that say that a key counts no longer."""
_VERBS = frozenset(verb.value for verb in Verb)


@dataclass(frozen=True, slots=True)
class Irregular:
    """One thing that does not hold together."""

    code: str
    """chain, row, signature, counter, missing, unsigned, operation, policy, file or operators."""
    subject: str
    said: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What a look at everything came to."""

    events: int
    decisions: int
    signed: int
    found: tuple[Irregular, ...]
    covered: tuple[Irregular, ...] = ()
    """Changes outside review that nobody decided about: only a mark says that they were seen."""
    moved: tuple[Irregular, ...] = ()
    """Documents that moved on without review. Nothing is wrong with the ledger because of them."""
    automatic: AutomaticAudit = field(default_factory=AutomaticAudit)
    """What went in without an operator, judged again from stored evidence."""
    reviewed: tuple[Irregular, ...] = ()
    """Documents that were changed outside review, and decided on afterwards."""


def audit(ledger: Ledger, authority: Operators, homes: Sequence[OpenHome]) -> Audit:
    """Checks everything and changes nothing."""
    events, decided = ledger.events(), ledger.all_decisions()
    operations = ledger.operations()
    ring = _ring(authority)
    found = [
        *_chain(ledger),
        *(ring if isinstance(ring, list) else ()),
        *_rows(events, decided),
        *_operations(operations, decided, events),
    ]
    if isinstance(ring, Ring) and authority.signs:
        found += _purges(ring, decided, events)
        found += _signatures(ring, decided, events)
        found += _pins(ring, decided, events)
        found += _anchors(decided, events)
        found += _counters(decided, authority.highest_counter())
        found += _policy(authority)
    trusted = ring if isinstance(ring, Ring) and authority.signs else None
    marked, flaws = _marked(events, trusted, decided)
    found += flaws
    covered: list[Irregular] = []
    moved: list[Irregular] = []
    reviewed: list[Irregular] = []
    afterwards = _reviewed(ledger, decided)
    for one in homes:
        files = _files(ledger, one.home, marked.get(one.home.id), afterwards)
        reviewed += files.reviewed
        found += files.found
        covered += files.covered
        moved += files.moved
    signed = sum(decision.seal is not None for decision, _ in decided)
    automatic = judge_again(ledger, [decision for decision, _ in decided], events)
    found += [
        Irregular("policy", one.decision, one.said) for one in automatic.flaws if one.is_grave
    ]
    return Audit(
        len(events),
        len(decided),
        signed,
        tuple(found),
        tuple(covered),
        tuple(moved),
        automatic,
        tuple(reviewed),
    )


def _ring(authority: Operators) -> Ring | list[Irregular]:
    try:
        return authority.trusted()
    except NotVerified as error:
        return [Irregular("operators", "operators.jsonl", error.message)]


def _chain(ledger: Ledger) -> Iterator[Irregular]:
    broken = ledger.verify()
    if broken is not None:
        said = "It does not fit the line before it: somebody changed or removed lines of the log."
        yield Irregular("chain", f"line {broken}", said)


def _rows(events: Sequence[Event], decided: Sequence[tuple[Decision, About]]) -> list[Irregular]:
    """Each decision of the log has its row, and each row its line, saying the same."""
    logged = {str(one.detail.get("decision")): one for one in events if one.name in _VERBS}
    found: list[Irregular] = []
    for decision, _ in decided:
        event = logged.pop(decision.id, None)
        if event is None:
            said = "It stands in no line of the log: it was put in by another program."
            found.append(Irregular("row", decision.id, said))
        elif _said(decision) != _told(event):
            said = f"Its row is not what line {event.sequence} of the log says."
            found.append(Irregular("row", decision.id, said))
    found += [
        Irregular("missing", id, f"Line {event.sequence} of the log has it; its row is gone.")
        for id, event in logged.items()
    ]
    return found


def _said(decision: Decision) -> tuple[object, ...]:
    who: Actor = decision.actor
    seal = decision.seal
    return (
        decision.verb.value,
        decision.proposal,
        decision.digest or None,
        decision.reason or None,
        decision.text_sha or None,
        (who.kind, who.name, who.tier),
        decision.at,
        None if seal is None else seal.signature,
    )


def _told(event: Event) -> tuple[object, ...]:
    detail: Mapping[str, object] = event.detail
    return (
        event.name,
        event.subject,
        detail.get("digest"),
        detail.get("reason"),
        detail.get("text_sha"),
        (event.actor.kind, event.actor.name, event.actor.tier),
        event.at,
        detail.get("signature"),
    )


def _operations(
    operations: Sequence[Operation],
    decided: Sequence[tuple[Decision, About]],
    events: Sequence[Event],
) -> Iterator[Irregular]:
    """Each operation rests on a decision, and wrote what the log says that it began."""
    because = {(one.proposal, one.digest, one.at) for one, _ in decided}
    begun = {one.subject: one for one in events if one.name == "begin"}
    ended = {(one.name, one.subject) for one in events if one.name in ("finish", "settle")}
    for operation in operations:
        if (operation.proposal, operation.digest, operation.started_at) not in because:
            yield Irregular("operation", operation.id, "There is no decision for it.")
        event = begun.pop(operation.id, None)
        if not is_begun_as(event, operation):
            yield Irregular("operation", operation.id, "It is not what the log says was begun.")
        is_done = operation.state is OperationState.DONE
        if is_done and not _is_told(operation, ended):
            yield Irregular("chain", operation.id, "The log does not say how it ended.")
    for id in begun:
        yield Irregular("missing", id, "The log says that it was begun; its row is gone.")


def _is_told(operation: Operation, ended: set[tuple[str, str]]) -> bool:
    is_settled = not operation.settled or ("settle", operation.id) in ended
    return ("finish", operation.id) in ended and is_settled


def _signatures(
    ring: Ring, decided: Sequence[tuple[Decision, About]], events: Sequence[Event]
) -> Iterator[Irregular]:
    """What operators decided since decisions are signed is signed, by a key that counted then.

    When that was, is told by the order of the log and by no time: times are what a row says.
    """
    since = _signing_since(events, ring, decided)
    first = min((key.since for key in ring.keys.values()), default=None)
    lines = {one.detail.get("decision"): one.sequence for one in events if one.name in _VERBS}
    retired = [(one.at, one.sequence) for one in events if one.name in _RETIRING]
    purged = _purged(events)
    for decision, about in decided:
        line = lines.get(decision.id)
        if decision.actor.kind is not ActorKind.OPERATOR or line in purged:
            continue
        if decision.seal is None and _is_earlier(decision, line, since, first):
            continue
        flaw = flaw_in(ring, decision, about)
        if flaw is None and decision.seal is not None and line is not None:
            until = ring.keys[decision.seal.key].until
            if until is not None and any(at >= until and n < line for at, n in retired):
                flaw = "its key counted no longer when it was stored"
        if flaw is not None:
            code = "unsigned" if decision.seal is None else "signature"
            yield Irregular(code, decision.id, f"This decision does not count: {flaw}.")


def _purges(
    ring: Ring, decided: Sequence[tuple[Decision, About]], events: Sequence[Event]
) -> Iterator[Irregular]:
    """Whoever takes a secret out signs for what the replaced lines are now."""
    since = _signing_since(events, ring, decided)
    for event in events:
        if event.name != PURGE or since is None or event.sequence < since:
            continue
        if (flaw := line_flaw(ring, event)) is not None:
            code = "signature" if "signature" in event.detail else "unsigned"
            said = f"What this line says was purged was changed by nobody who may: {flaw}."
            yield Irregular(code, f"line {event.sequence}", said)


def _purged(events: Sequence[Event]) -> set[int]:
    """Lines that a secret was taken out of: what was signed of them is not there any more."""
    lines = (event.detail.get("lines") for event in events if event.name == PURGE)
    return {int(one) for each in lines if isinstance(each, Mapping) for one in each}


def _is_earlier(
    decision: Decision, line: int | None, since: int | None, first: datetime | None
) -> bool:
    """Whether a decision was made before there were keys."""
    if since is not None:
        return line is not None and line < since
    return first is None or decision.at < first


def _pins(
    ring: Ring, decided: Sequence[tuple[Decision, About]], events: Sequence[Event]
) -> Iterator[Irregular]:
    """The list of operators goes on from each end of it that was ever noted in the log.

    The name by which this ledger's counters are kept was given before anything was signed.
    """
    signed = min((one.seal.log_sequence for one, _ in decided if one.seal), default=None)
    names: set[object] = set()
    for event in events:
        if event.name in ("operators", "operators-anew"):
            if event.detail.get("key") not in ring.keys:
                said = "The list of operators does not have the key that this line tells of."
                yield Irregular("operators", f"line {event.sequence}", said)
            elif "signature" in event.detail and (flaw := line_flaw(ring, event)) is not None:
                said = f"The line from which on decisions are signed does not count: {flaw}."
                yield Irregular("signature", f"line {event.sequence}", said)
        elif event.name == f"{PINNED}{OPERATORS}":
            if not ring.goes_on_from(str(event.detail.get("value"))):
                said = "The list of operators does not go on from what this line tells of."
                yield Irregular("operators", f"line {event.sequence}", said)
        elif event.name == f"{PINNED}{LEDGER}" and event.detail.get("value") not in names:
            names.add(event.detail.get("value"))
            if signed is None or event.sequence <= signed:
                continue
            said = "Somebody took the ledger's name: counters from before are lost."
            yield Irregular("counter", f"line {event.sequence}", said)


def _anchors(
    decided: Sequence[tuple[Decision, About]], events: Sequence[Event]
) -> Iterator[Irregular]:
    """A signature covers the end of the log as it was: the log before it cannot be rewritten."""
    sums = {event.sequence: event.sha for event in events} | {0: ""}
    for decision, _ in decided:
        seal = decision.seal
        if seal is not None and sums.get(seal.log_sequence) != seal.log_sha:
            said = f"It was signed when line {seal.log_sequence} of the log was another one."
            yield Irregular("chain", decision.id, said)


def _counters(decided: Sequence[tuple[Decision, About]], highest: int) -> Iterator[Irregular]:
    """Counters go up by one, as the times do; the last one is the highest that was ever used."""
    expected, last = 1, None
    for decision, _ in decided:
        seal = decision.seal
        if seal is None:
            continue
        if seal.counter < expected:
            said = f"Its counter {seal.counter} is older than the {expected} that was due."
            yield Irregular("counter", decision.id, said)
            continue
        if seal.counter > expected:
            yield Irregular("missing", decision.id, _gap(expected, seal.counter - 1))
        if last is not None and decision.at < last:
            said = "It is dated before the decision that was counted before it."
            yield Irregular("counter", decision.id, said)
        expected, last = seal.counter + 1, decision.at
    if highest >= expected:
        yield Irregular("missing", "the end", _gap(expected, highest))


def _gap(first: int, last: int) -> str:
    which = f"decision {first}" if first == last else f"decisions {first} to {last}"
    return f"The signed {which} of this ledger is gone, or it is an older copy."


def _policy(authority: Operators) -> Iterator[Irregular]:
    why = authority.why_nothing_is_automatic()
    if why is not None:
        yield Irregular("policy", "policy.toml", f"Auto-apply is off: {why}.")


@dataclass(frozen=True, slots=True)
class _Mark:
    """What the log says that somebody has seen of a home."""

    marks: Marks
    event: Event


def _marked(
    events: Sequence[Event], ring: Ring | None, decided: Sequence[tuple[Decision, About]]
) -> tuple[dict[str, _Mark], list[Irregular]]:
    """The newest mark of each home that counts, and those that do not.

    The log is believed and no other row: a mark that no line tells of covers nothing.
    """
    since, purged = _signing_since(events, ring, decided), _purged(events)
    found: dict[str, _Mark] = {}
    flaws: list[Irregular] = []
    for event in events:
        if event.name != MARK:
            continue
        is_due = since is not None and event.sequence >= since and event.sequence not in purged
        flaw = line_flaw(ring, event) if ring is not None and is_due else None
        if flaw is not None:
            code = "signature" if "signature" in event.detail else "unsigned"
            said = f"This mark does not count: {flaw}."
            flaws.append(Irregular(code, f"line {event.sequence}", said))
            continue
        try:
            marks = marks_from_json(event.detail).at_most(event.at)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            said = "This mark cannot be read."
            flaws.append(Irregular("chain", f"line {event.sequence}", said))
            continue
        found[event.home] = _Mark(marks, event)
    return found, flaws


def _signing_since(
    events: Sequence[Event], ring: Ring | None, decided: Sequence[tuple[Decision, About]]
) -> int | None:
    """From which line of the log on decisions are signed; None where they never were."""
    if ring is None:
        return None
    begun = [event.sequence for event in events if event.name in BEGINNINGS]
    sealed = [one.seal.log_sequence + 1 for one, _ in decided if one.seal is not None]
    return min([*begun, *sealed], default=None)


@dataclass(slots=True)
class _Files:
    """What a look at the documents of one home came to."""

    found: list[Irregular] = field(default_factory=list)
    covered: list[Irregular] = field(default_factory=list)
    moved: list[Irregular] = field(default_factory=list)
    reviewed: list[Irregular] = field(default_factory=list)


_AFTERWARDS: Final = {
    Verb.KEEP: "kept it",
    Verb.CLAIM: "claimed it",
    Verb.REJECT: "took it back",
    Verb.MERGE: "put a text of their own in its place",
}


def _reviewed(
    ledger: Ledger, decided: Sequence[tuple[Decision, About]]
) -> dict[tuple[str, str, str], Decision]:
    """By home, document and revision, what was decided on a change after it was made."""
    by_id = {one.proposal: one for one, _ in decided if one.verb in _AFTERWARDS}
    ids = [item.id for item in ledger.items(list(by_id)) if item.action == OUTSIDE]
    return {
        (proposal.home, change.path, change.after): by_id[proposal.id]
        for proposal in map(ledger.proposal, ids)
        for change in proposal.outside
    }


def _files(
    ledger: Ledger,
    home: Home,
    mark: _Mark | None,
    afterwards: Mapping[tuple[str, str, str], Decision],
) -> _Files:
    """Each document that we know is as we left it, or as it was last seen outside review."""
    files = _Files()
    snapshot, stored = home.snapshot(), ledger.marks(home.id)
    accounts = Accounts(ledger, home, snapshot)
    outside = {one.path: one for one in ledger.observations(home.id) if one.cause is Cause.OUTSIDE}
    for path, last in sorted(ledger.latest(home.id).items()):
        document, foreign = snapshot.document(path), outside.get(path)
        if document.problem is not None:
            files.found.append(Irregular("file", path, f"It cannot be read: {document.problem}"))
        elif document.revision != last.revision:
            by_us = last.cause is Cause.OPERATION
            since = "since we wrote it" if by_us else "since it was last looked at"
            said = f"It was changed outside review {since}."
            files.moved.append(_moved(accounts, path, said))
        elif foreign is None:
            continue
        elif (by := afterwards.get((home.id, path, foreign.revision))) is not None:
            said = f"It was changed outside review; {by.actor.name} {_AFTERWARDS[by.verb]}"
            files.reviewed.append(Irregular("file", path, f"{said} ({by.id})."))
        elif mark is not None and mark.marks.cover(path, foreign.at):
            who, line = mark.event.actor.name, mark.event.sequence
            said = f"It was changed outside review; {who} marked it as seen (line {line})."
            files.covered.append(Irregular("file", path, said))
        elif stored.cover(path, foreign.at):
            said = "It was changed outside review. No line of the log tells of its mark."
            files.found.append(Irregular("file", path, said))
        else:
            files.moved.append(_moved(accounts, path, "It was changed outside review."))
    return files


def _moved(accounts: Accounts, path: str, said: str) -> Irregular:
    by = accounts.of(path)
    return Irregular("file", path, said if by is None else f"It was {by}.")

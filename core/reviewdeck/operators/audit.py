"""`log --verify`: checks every decision against keys, counters, log and files.

Automatic decisions are judged again from the evidence stored with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from reviewdeck.engine.authorisation import is_begun_as
from reviewdeck.engine.explanations import Explanations
from reviewdeck.errors import NotVerified
from reviewdeck.ledger.audit import heads_in
from reviewdeck.ledger.ledger import Ledger
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
    Refuse,
    Seal,
    Verb,
)
from reviewdeck.model.codec import marks_from_json
from reviewdeck.model.decisions import (
    BEGINNINGS,
    CHECKPOINT,
    KEY_ENDS,
    LEDGER,
    OPERATORS,
    PINNED,
    POLICY_SIGNED,
)
from reviewdeck.operators.authority import Operators, flaw_in, line_flaw
from reviewdeck.operators.ring import BUILT_IN, Ring
from reviewdeck.policy.additions import intended_addition
from reviewdeck.policy.plain import check_plain
from reviewdeck.ports import Home, OpenHome

_ADMITTED: Final = (OriginClass.USER, OriginClass.WORKSPACE, OriginClass.UNRECORDED)
_FILE: Final = ", policy file "


@dataclass(frozen=True, slots=True)
class Flaw:
    """The reason why an automatic decision is invalid, or how today's rules differ from it."""

    decision: str
    message: str
    is_grave: bool = True
    """Whether the decision is invalid; False where only the rules have changed since."""


@dataclass(frozen=True, slots=True)
class AutomaticAudit:
    """The result of checking every automatic decision."""

    judged: int = 0
    """Decisions that were judged again from stored evidence."""
    unjudged: int = 0
    """Decisions without stored evidence, made by rules that no longer exist."""
    flaws: tuple[Flaw, ...] = ()


def _judge_again(
    ledger: Ledger, decisions: Sequence[Decision], events: Sequence[Event], order: _Order
) -> AutomaticAudit:
    """Checks each automatic decision; read-only."""
    signed = _policies_in_force(events, order)
    judged = unjudged = 0
    flaws: list[Flaw] = []
    for decision in decisions:
        if decision.actor.kind is not ActorKind.POLICY:
            continue
        judgement = ledger.judgement(decision.proposal)
        if judgement is None:
            unjudged += 1
        else:
            judged += 1
            proposal = ledger.proposal(decision.proposal)
            if decision.verb is Verb.REJECT:
                found = _rejection_flaws(decision.actor.name, judgement)
            else:
                found = _judgement_flaws(proposal, judgement)
            flaws += [Flaw(decision.id, message, is_grave) for message, is_grave in found]
        in_force = signed.get(decision.id)
        if in_force is not None and not _is_judged_by(decision, in_force):
            flaws.append(Flaw(decision.id, "It was judged by a policy that nobody had signed."))
    return AutomaticAudit(judged, unjudged, tuple(flaws))


def _rejection_flaws(rule: str, judgement: Judgement) -> Iterator[tuple[str, bool]]:
    matched = {finding.code for check in judgement.checks for finding in check.findings}
    if rule not in matched or not isinstance(judgement.verdict, Refuse):
        yield f"The rule {rule} rejected it although its stored answers do not name that.", True


def _judgement_flaws(proposal: Proposal, judgement: Judgement) -> Iterator[tuple[str, bool]]:
    denied = [str(check.name) for check in judgement.checks if not check.ok]
    if denied or not isinstance(judgement.verdict, AutoApply):
        reasons = ", ".join(denied) or "its verdict"
        yield f"It was applied although its stored answers say no: {reasons}.", True
    if len(judgement.checks) != len(CheckName) or judgement.origin is None:
        yield "It was applied without answers to all six checks.", True
    elif judgement.origin.kind not in _ADMITTED:
        yield f"It was applied from a conversation of class {judgement.origin.kind}.", True
    if intended_addition(proposal.edits) is None:
        yield "It was applied although it does more than add.", True
    written = proposal.saying(judgement.instead).edits if judgement.instead else ()
    rule_matches = (*check_plain(proposal.edits), *check_plain(written))
    refusing = [match.rule.name for match in rule_matches if match.refuses]
    if refusing:
        yield f"It was applied although the rules refuse it: {', '.join(refusing)}.", True
    elif rule_matches:
        holding = ", ".join(match.rule.name for match in rule_matches)
        # The home's known hosts and commands at that time are not stored.
        yield f"Today's rules would hold it, unless the home knew it: {holding}.", False


def _policies_in_force(events: Sequence[Event], order: _Order) -> Mapping[str, str]:
    """By decision id, the policy that was last signed before its log line."""
    signed = [event for event in events if event.name == POLICY_SIGNED and event.chain == ""]
    policies: dict[str, str] = {}
    for event in events if signed else ():
        if decision := event.detail.get("decision"):
            before = [one.subject for one in signed if order.is_after(event, one.sequence)]
            policies |= {str(decision): before[-1]} if before else {}
    return policies


def _is_judged_by(decision: Decision, policy: str) -> bool:
    _, _, file = decision.policy.partition(_FILE)
    return not file if policy == BUILT_IN else bool(file) and policy.startswith(file)


MARK = "mark"
PURGE = "purge"
_VERBS = frozenset(verb.value for verb in Verb)


@dataclass(frozen=True, slots=True)
class Irregularity:
    """One inconsistency that the audit found."""

    code: str
    """chain, row, signature, counter, missing, unsigned, operation, policy, file or operators."""
    subject: str
    message: str


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of an audit."""

    events: int
    decisions: int
    signed: int
    irregularities: tuple[Irregularity, ...]
    covered: tuple[Irregularity, ...] = ()
    """Changes outside review without a decision, which an operator only marked as seen."""
    moved: tuple[Irregularity, ...] = ()
    """Documents that changed outside review. They are no fault of the ledger."""
    automatic: AutomaticAudit = field(default_factory=AutomaticAudit)
    """The automatic decisions, judged again from stored evidence."""
    reviewed: tuple[Irregularity, ...] = ()
    """Documents that were changed outside review and decided on afterwards."""


def audit(
    ledger: Ledger, authority: Operators, homes: Sequence[OpenHome], *, alone: bool = False
) -> Audit:
    """Checks the whole ledger and the files of the homes; read-only.

    With `alone`, only what concerns these homes: their chains, without those of others.
    """
    ids = [home.home.id for home in homes]
    lines = _lines_of(ledger, ids) if alone else ledger.events()
    events, decided = lines, ledger.all_decisions()
    operations: Sequence[Operation] = ledger.operations()
    if alone:
        events = tuple(line for line in lines if line.home in {*ids, ""})
        decided = tuple(each for each in decided if each[1].home in ids)
        operations = [operation for operation in operations if operation.home in ids]
    ring = _ring(authority)
    irregularities = [
        *_check_chain(ledger, ids if alone else [None]),
        *(ring if isinstance(ring, list) else ()),
        *_check_rows(events, decided),
        *_check_operations(operations, decided, events),
    ]
    trusted = ring if isinstance(ring, Ring) and authority.signs else None
    signing = _Signing.of(trusted, decided, events)
    if trusted is not None:
        irregularities += _check_purges(trusted, signing, events)
        irregularities += _check_signatures(trusted, signing, decided, events)
        irregularities += _check_pins(trusted, decided, events)
        irregularities += _check_anchors(decided, lines)
        if not alone:
            irregularities += _check_counters(decided, authority)
        irregularities += _check_policy(authority)
    marked, flaws = _valid_marks(events, trusted, signing)
    irregularities += flaws
    covered: list[Irregularity] = []
    moved: list[Irregularity] = []
    reviewed: list[Irregularity] = []
    afterwards = _decisions_afterwards(ledger, decided)
    for open_home in homes:
        files = _check_files(ledger, open_home.home, marked.get(open_home.home.id), afterwards)
        reviewed += files.reviewed
        irregularities += files.irregular
        covered += files.covered
        moved += files.moved
    signed = sum(decision.seal is not None for decision, _ in decided)
    automatic = _judge_again(ledger, [decision for decision, _ in decided], events, signing.order)
    irregularities += [
        Irregularity("policy", flaw.decision, flaw.message)
        for flaw in automatic.flaws
        if flaw.is_grave
    ]
    return Audit(
        len(events),
        len(decided),
        signed,
        tuple(irregularities),
        tuple(covered),
        tuple(moved),
        automatic,
        tuple(reviewed),
    )


def _lines_of(ledger: Ledger, homes: Sequence[str]) -> tuple[Event, ...]:
    """The chains of these homes, and the ledger's own, in which keys begin and end."""
    lines = [line for chain in dict.fromkeys((*homes, "")) for line in ledger.chain(chain)]
    return tuple(sorted(lines, key=lambda line: line.position))


def _ring(authority: Operators) -> Ring | list[Irregularity]:
    try:
        return authority.trusted()
    except NotVerified as error:
        return [Irregularity("operators", "operators.jsonl", error.message)]


def _check_chain(ledger: Ledger, homes: Sequence[str | None]) -> Iterator[Irregularity]:
    for broken in map(ledger.verify, homes):
        if broken is not None:
            message = (
                "It does not fit the line before it: somebody changed or removed lines of the log."
            )
            yield Irregularity("chain", str(broken), message)


def _check_rows(
    events: Sequence[Event], decided: Sequence[tuple[Decision, About]]
) -> list[Irregularity]:
    """Each decision in the log has a row, and each row a log line, with the same content."""
    logged = {str(event.detail.get("decision")): event for event in events if event.name in _VERBS}
    irregularities: list[Irregularity] = []
    for decision, _ in decided:
        event = logged.pop(decision.id, None)
        if event is None:
            message = "It is in no line of the log: another program inserted it."
            irregularities.append(Irregularity("row", decision.id, message))
        elif _row_content(decision) != _line_content(event):
            message = f"Its row differs from line {event.position} of the log."
            irregularities.append(Irregularity("row", decision.id, message))
    irregularities += [
        Irregularity("missing", id, f"Line {event.position} of the log has it; its row is gone.")
        for id, event in logged.items()
    ]
    return irregularities


def _row_content(decision: Decision) -> tuple[object, ...]:
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


def _line_content(event: Event) -> tuple[object, ...]:
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


def _check_operations(
    operations: Sequence[Operation],
    decided: Sequence[tuple[Decision, About]],
    events: Sequence[Event],
) -> Iterator[Irregularity]:
    decision_keys = {(decision.proposal, decision.digest, decision.at) for decision, _ in decided}
    begin_lines = {event.subject: event for event in events if event.name == "begin"}
    end_lines = {
        (event.name, event.subject) for event in events if event.name in ("finish", "settle")
    }
    for operation in operations:
        if (operation.proposal, operation.digest, operation.started_at) not in decision_keys:
            yield Irregularity("operation", operation.id, "There is no decision for it.")
        event = begin_lines.pop(operation.id, None)
        if not is_begun_as(event, operation):
            yield Irregularity(
                "operation", operation.id, "It differs from what the log says was begun."
            )
        is_done = operation.state is OperationState.DONE
        if is_done and not _has_end_lines(operation, end_lines):
            yield Irregularity("chain", operation.id, "The log does not say how it ended.")
    for id in begin_lines:
        yield Irregularity("missing", id, "The log says that it was begun; its row is gone.")


def _has_end_lines(operation: Operation, end_lines: set[tuple[str, str]]) -> bool:
    is_settled = not operation.settled or ("settle", operation.id) in end_lines
    return ("finish", operation.id) in end_lines and is_settled


def _check_signatures(
    ring: Ring,
    signing: _Signing,
    decided: Sequence[tuple[Decision, About]],
    events: Sequence[Event],
) -> Iterator[Irregularity]:
    """Operators' decisions are signed by a key valid at the time, from the first key on.

    The order of the log decides which came first, not the times, which are only the row's claim.
    """
    first = min((key.since for key in ring.keys.values()), default=None)
    lines = {event.detail.get("decision"): event for event in events if event.name in _VERBS}
    retired = [(event.at, event.sequence) for event in events if event.name in KEY_ENDS]
    purged = _purged_lines(events)
    for decision, about in decided:
        line = lines.get(decision.id)
        is_purged = line is not None and (line.chain, line.sequence) in purged
        if decision.actor.kind is not ActorKind.OPERATOR or is_purged:
            continue
        if decision.seal is None and signing.is_earlier(decision, line, first):
            continue
        flaw = flaw_in(ring, decision, about)
        if flaw is None and decision.seal is not None and line is not None:
            until = ring.keys[decision.seal.key].until
            ends = (n for at, n in retired if until is not None and at >= until)
            if any(signing.order.is_after(line, n) for n in ends):
                flaw = "its key counted no longer when it was stored"
        if flaw is not None:
            code = "unsigned" if decision.seal is None else "signature"
            yield Irregularity(code, decision.id, f"This decision does not count: {flaw}.")


def _check_purges(ring: Ring, signing: _Signing, events: Sequence[Event]) -> Iterator[Irregularity]:
    for event in events:
        if event.name != PURGE or not signing.covers(event):
            continue
        if (flaw := line_flaw(ring, event)) is not None:
            code = "signature" if "signature" in event.detail else "unsigned"
            message = f"The purge in this line is not an operator's: {flaw}."
            yield Irregularity(code, f"line {event.position}", message)


def _purged_lines(events: Sequence[Event]) -> set[tuple[str, int]]:
    """Chains and numbers of purged lines: the text that was signed is no longer in them."""
    lines = ((event.chain, event.detail.get("lines")) for event in events if event.name == PURGE)
    return {(chain, int(n)) for chain, each in lines if isinstance(each, Mapping) for n in each}


def _check_pins(
    ring: Ring, decided: Sequence[tuple[Decision, About]], events: Sequence[Event]
) -> Iterator[Irregularity]:
    """The list of operators extends each of its heads that were pinned in the log.

    The ledger's name, by which its counters are stored, was pinned before anything was signed.
    """
    signed = min(
        (_in_ledger(decision.seal) for decision, _ in decided if decision.seal), default=None
    )
    names: set[object] = set()
    for event in events:
        if event.name in ("operators", "operators-anew"):
            if event.detail.get("key") not in ring.keys:
                message = "The list of operators does not have the key that this line names."
                yield Irregularity("operators", f"line {event.position}", message)
            elif "signature" in event.detail and (flaw := line_flaw(ring, event)) is not None:
                message = f"The line that begins signed decisions does not count: {flaw}."
                yield Irregularity("signature", f"line {event.position}", message)
        elif event.name == f"{PINNED}{OPERATORS}":
            if not ring.extends(str(event.detail.get("value"))):
                message = "The list of operators does not continue the one that this line pins."
                yield Irregularity("operators", f"line {event.position}", message)
        elif event.name == f"{PINNED}{LEDGER}" and event.detail.get("value") not in names:
            names.add(event.detail.get("value"))
            if signed is None or event.sequence <= signed:
                continue
            message = "The ledger's name was replaced: its earlier counters are lost."
            yield Irregularity("counter", f"line {event.position}", message)


def _check_anchors(
    decided: Sequence[tuple[Decision, About]], events: Sequence[Event]
) -> Iterator[Irregularity]:
    """Each signature covers the heads of two chains, so the lines before them are immutable."""
    sums = {(event.chain, event.sequence): event.sha for event in events}
    for decision, about in decided:
        seal = decision.seal
        if seal is None:
            continue
        chain = "" if seal.ledger is None else about.home
        covered = [(chain, seal.log_sequence, seal.log_sha)]
        covered += [] if seal.ledger is None else [("", *seal.ledger)]
        for chain, number, sha in covered:
            if sums.get((chain, number), "" if number == 0 else None) != sha:
                where = f"line {number} of the log" + (f" of {chain}" if chain else "")
                message = f"It was signed when {where} was another one."
                yield Irregularity("chain", decision.id, message)


def _check_counters(
    decided: Sequence[tuple[Decision, About]], authority: Operators
) -> Iterator[Irregularity]:
    """Each key's counters increase by one, its times never decrease, and its last is the highest.

    Seals from before each key counted for itself have one series for all keys.
    """
    series: dict[str, list[Decision]] = {"": []}
    first: dict[str, int] = {}
    for decision, _ in decided:
        if (seal := decision.seal) is None:
            continue
        key = "" if seal.ledger is None else seal.key
        series.setdefault(key, []).append(decision)
        if seal.ledger is None:
            first[seal.key] = max(first.get(seal.key, 1), seal.counter + 1)
    for key in authority.vault.ring().keys:
        series.setdefault(key, [])
    for key, signed in series.items():
        yield from _check_series(signed, first.get(key, 1), authority.highest_counter(key))


def _check_series(signed: Sequence[Decision], first: int, highest: int) -> Iterator[Irregularity]:
    expected, last = first, None
    for decision in signed:
        seal = decision.seal
        if seal is None:
            continue
        if seal.counter < expected:
            message = f"Its counter {seal.counter} is older than {expected}, the next one expected."
            yield Irregularity("counter", decision.id, message)
            continue
        if seal.counter > expected:
            yield Irregularity("missing", decision.id, _gap(expected, seal.counter - 1))
        if last is not None and decision.at < last:
            message = "It is dated before the decision that was counted before it."
            yield Irregularity("counter", decision.id, message)
        expected, last = seal.counter + 1, decision.at
    if highest >= expected:
        yield Irregularity("missing", "the end", _gap(expected, highest))


def _gap(first: int, last: int) -> str:
    which = f"decision {first}" if first == last else f"decisions {first} to {last}"
    return f"The signed {which} of this ledger is gone, or it is an older copy."


def _check_policy(authority: Operators) -> Iterator[Irregularity]:
    why = authority.why_nothing_is_automatic()
    if why is not None:
        yield Irregularity("policy", "policy.toml", f"Auto-apply is off: {why}.")


@dataclass(frozen=True, slots=True)
class _Mark:
    """The changes of a home that a log line marks as seen."""

    marks: Marks
    event: Event


def _valid_marks(
    events: Sequence[Event], ring: Ring | None, signing: _Signing
) -> tuple[dict[str, _Mark], list[Irregularity]]:
    """The newest valid mark of each home, and the irregularities of invalid ones.

    Only the log counts: a mark without a log line covers nothing.
    """
    purged = _purged_lines(events)
    marks_by_home: dict[str, _Mark] = {}
    flaws: list[Irregularity] = []
    for event in events:
        if event.name != MARK:
            continue
        needs_signature = signing.covers(event) and (event.chain, event.sequence) not in purged
        flaw = line_flaw(ring, event) if ring is not None and needs_signature else None
        if flaw is not None:
            code = "signature" if "signature" in event.detail else "unsigned"
            message = f"This mark does not count: {flaw}."
            flaws.append(Irregularity(code, f"line {event.position}", message))
            continue
        try:
            marks = marks_from_json(event.detail).at_most(event.at)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            message = "This mark cannot be read."
            flaws.append(Irregularity("chain", f"line {event.position}", message))
            continue
        marks_by_home[event.home] = _Mark(marks, event)
    return marks_by_home, flaws


def _in_ledger(seal: Seal) -> int:
    return seal.log_sequence if seal.ledger is None else seal.ledger[0]


@dataclass(frozen=True, slots=True)
class _Order:
    """Which lines of homes' chains are after a line of the ledger's own, by the checkpoints."""

    heads: Mapping[int, Mapping[str, int]]
    """By the number of a checkpoint over all homes: the last line of each then."""

    def is_after(self, line: Event, number: int) -> bool:
        """Whether a line is after one of the ledger's own chain."""
        if line.chain == "":
            return line.sequence > number
        # Keys begin and end with a checkpoint after them. Without one, nothing shows to be earlier.
        return line.sequence > self.heads.get(number + 1, {}).get(line.chain, 0)


@dataclass(frozen=True, slots=True)
class _Signing:
    """From which line of each chain on decisions are signed."""

    order: _Order
    begin_lines: tuple[int, ...] = ()
    """In the ledger's own chain."""
    first: Mapping[str, int] = field(default_factory=dict)
    """By chain, the first line that may be a signed decision."""

    @classmethod
    def of(
        cls, ring: Ring | None, decided: Sequence[tuple[Decision, About]], events: Sequence[Event]
    ) -> _Signing:
        """By the log's lines about keys, and by the signatures themselves."""
        own = [event for event in events if event.chain == ""]
        whole = [event for event in own if event.name == CHECKPOINT and event.detail.get("all")]
        order = _Order(
            {
                event.sequence: {home: n for home, (n, _) in heads_in(event.detail).items()}
                for event in whole
            }
        )
        if ring is None:
            return cls(order)
        first: dict[str, int] = {}
        for decision, about in decided:
            if (seal := decision.seal) is None:
                continue
            first[""] = min(first.get("", 1 << 62), _in_ledger(seal) + 1)
            if seal.ledger is not None:
                since = min(first.get(about.home, 1 << 62), seal.log_sequence + 1)
                first[about.home] = since
        # Every chain of a home is younger than a seal from before they had any.
        if any(decision.seal and decision.seal.ledger is None for decision, _ in decided):
            first |= {event.chain: 1 for event in events if event.chain}
        begin_lines = tuple(event.sequence for event in own if event.name in BEGINNINGS)
        return cls(order, begin_lines, first)

    def covers(self, line: Event) -> bool:
        """Whether a line is one of those that have to be signed."""
        since = self.first.get(line.chain)
        return (since is not None and line.sequence >= since) or any(
            (line.chain == "" and line.sequence == begin) or self.order.is_after(line, begin)
            for begin in self.begin_lines
        )

    def is_earlier(self, decision: Decision, line: Event | None, first: datetime | None) -> bool:
        """Whether a decision was made before decisions were signed."""
        if self.begin_lines or self.first:
            return line is not None and not self.covers(line)
        return first is None or decision.at < first


@dataclass(slots=True)
class _Files:
    """The results for the documents of one home."""

    irregular: list[Irregularity] = field(default_factory=list)
    covered: list[Irregularity] = field(default_factory=list)
    moved: list[Irregularity] = field(default_factory=list)
    reviewed: list[Irregularity] = field(default_factory=list)


_AFTERWARDS: Final = {
    Verb.KEEP: "kept it",
    Verb.CLAIM: "claimed it",
    Verb.REJECT: "took it back",
    Verb.MERGE: "put a text of their own in its place",
}


def _decisions_afterwards(
    ledger: Ledger, decided: Sequence[tuple[Decision, About]]
) -> dict[tuple[str, str, str], Decision]:
    """By home, document and revision, the decision on an outside change."""
    by_id = {decision.proposal: decision for decision, _ in decided if decision.verb in _AFTERWARDS}
    ids = [item.id for item in ledger.items(list(by_id)) if item.action == OUTSIDE]
    return {
        (proposal.home, change.path, change.after): by_id[proposal.id]
        for proposal in map(ledger.proposal, ids)
        for change in proposal.outside
    }


def _check_files(
    ledger: Ledger,
    home: Home,
    mark: _Mark | None,
    afterwards: Mapping[tuple[str, str, str], Decision],
) -> _Files:
    files = _Files()
    snapshot, stored = home.snapshot(), ledger.marks(home.id)
    explanations = Explanations(ledger, home, snapshot)
    outside = {
        observation.path: observation
        for observation in ledger.observations(home.id)
        if observation.cause is Cause.OUTSIDE
    }
    for path, last in sorted(ledger.latest(home.id).items()):
        document, outside_change = snapshot.document(path), outside.get(path)
        if document.problem is not None:
            files.irregular.append(
                Irregularity("file", path, f"It cannot be read: {document.problem}")
            )
        elif document.revision != last.revision:
            by_us = last.cause is Cause.OPERATION
            since = "since we wrote it" if by_us else "since it was last looked at"
            message = f"It was changed outside review {since}."
            files.moved.append(_moved_irregularity(explanations, path, message))
        elif outside_change is None:
            continue
        elif (by := afterwards.get((home.id, path, outside_change.revision))) is not None:
            message = f"It was changed outside review; {by.actor.name} {_AFTERWARDS[by.verb]}"
            files.reviewed.append(Irregularity("file", path, f"{message} ({by.id})."))
        elif mark is not None and mark.marks.cover(path, outside_change.at):
            who, line = mark.event.actor.name, mark.event.position
            message = f"It was changed outside review; {who} marked it as seen (line {line})."
            files.covered.append(Irregularity("file", path, message))
        elif stored.cover(path, outside_change.at):
            message = "It was changed outside review. No line of the log tells of its mark."
            files.irregular.append(Irregularity("file", path, message))
        else:
            files.moved.append(
                _moved_irregularity(explanations, path, "It was changed outside review.")
            )
    return files


def _moved_irregularity(explanations: Explanations, path: str, message: str) -> Irregularity:
    by = explanations.of(path)
    return Irregularity("file", path, message if by is None else f"It was {by}.")

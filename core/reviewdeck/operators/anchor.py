"""Anchors: the head of a log stored elsewhere, and the check of a log against one.

Whoever can write the ledger and the operators' directory can replace both with older copies. At
this account that looks like a log that ends there: only an anchor stored elsewhere shows it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from reviewdeck.errors import BadInput
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import About, Actor, Decision, Event
from reviewdeck.model.codec import actor_from_json, actor_to_json
from reviewdeck.operators.audit import Irregularity
from reviewdeck.operators.authority import Operators, line_flaw
from reviewdeck.operators.ring import Ring

HEAD = "head"
VERSION = 1
_LARGEST = 1 << 16


@dataclass(frozen=True, slots=True)
class Anchor:
    """The head of a log at one time, as a log line that is not part of the log."""

    line: Event
    """`previous` is the hash of the last line, `sequence` the number of the next one."""

    def as_json(self) -> dict[str, object]:
        """The anchor as plain values for JSON."""
        return {
            "reviewdeck": VERSION,
            "lines": self.line.sequence - 1,
            "sha": self.line.previous,
            "at": self.line.at.isoformat(),
            "actor": actor_to_json(self.line.actor),
            **self.line.detail,
        }


def head_of(ledger: Ledger, authority: Operators, actor: Actor, at: datetime) -> Anchor:
    """The anchor of the present log, signed if there are keys. Raises Locked."""
    events, decided = ledger.events(), ledger.all_decisions()
    last = events[-1] if events else None
    counter = max(
        (decision.seal.counter for decision, _ in decided if decision.seal is not None), default=0
    )
    line = Event(
        sequence=len(events) + 1,
        at=at,
        name=HEAD,
        home="",
        subject="log",
        actor=actor,
        detail={"counter": counter},
        previous=last.sha if last is not None else "",
    )
    signed = authority.attest(line)
    if signed is not None:
        signature = {"key": signed[0], "signature": signed[1]}
        line = replace(line, detail=line.detail | signature)
    return Anchor(line)


def parse_anchor(text: str) -> Anchor:
    """Parses the anchor in a file. Raises BadInput."""
    try:
        if len(text) > _LARGEST:
            raise ValueError("it is too long")
        fields = json.loads(text)
        if fields["reviewdeck"] != VERSION:
            raise BadInput("The head of the log is of another version.", hint="Update reviewdeck.")
        names = ("counter", "key", "signature")
        detail = {name: fields[name] for name in names if name in fields}
        line = Event(
            sequence=int(fields["lines"]) + 1,
            at=datetime.fromisoformat(fields["at"]),
            name=HEAD,
            home="",
            subject="log",
            actor=actor_from_json(fields["actor"]),
            detail={**detail, "counter": int(fields["counter"])},
            previous=str(fields["sha"]),
        )
        if line.at.tzinfo is None:
            raise ValueError("its time has no zone")
        if line.sequence < 1:
            raise ValueError("a log has no fewer lines than none")
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise BadInput(
            "That is not a head of a log.",
            hint="`reviewdeck log --head` prints one; keep it as it is.",
        ) from error
    return Anchor(line)


def check_anchor(
    anchor: Anchor,
    events: Sequence[Event],
    decided: Sequence[tuple[Decision, About]],
    ring: Ring | None,
) -> Iterator[Irregularity]:
    """The reasons why a log does not extend the one of the anchor."""
    line, subject = anchor.line, "anchor"
    anchored_lines = line.sequence - 1
    if "signature" in line.detail and ring is not None:
        flaw = line_flaw(ring, line)
        if flaw is not None:
            yield Irregularity("anchor", subject, f"The head that was kept does not count: {flaw}.")
    if len(events) < anchored_lines:
        message = (
            f"The log ends at line {len(events)}, and had {anchored_lines} when its head was kept"
        )
        yield Irregularity("anchor", subject, f"{message}: it is an older copy, or was cut off.")
    elif anchored_lines and events[anchored_lines - 1].sha != line.previous:
        message = (
            f"Line {anchored_lines} of the log differs from the anchor: the log was rewritten."
        )
        yield Irregularity("anchor", subject, message)
    highest = max(
        (decision.seal.counter for decision, _ in decided if decision.seal is not None), default=0
    )
    counter = line.detail["counter"]
    if isinstance(counter, int) and highest < counter:
        message = f"Signed decisions {highest + 1} to {counter} are gone: they were there then."
        yield Irregularity("anchor", subject, message)

"""The end of a log, to be kept elsewhere, and a log held against an end that was kept.

Whoever can write the ledger and the operators' directory can put older copies of both in their
place. Nothing at this account tells that from a log which ends there: what was kept elsewhere does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from reviewdeck.errors import BadInput
from reviewdeck.model import About, Actor, Decision, Event
from reviewdeck.model.codec import actor_from_json, actor_to_json
from reviewdeck.operators.audit import Irregular
from reviewdeck.operators.authority import Operators, line_flaw
from reviewdeck.operators.ring import Ring
from reviewdeck.ports import Ledger

HEAD = "head"
VERSION = 1
_LARGEST = 1 << 16


@dataclass(frozen=True, slots=True)
class Anchor:
    """The end of a log as it was at a moment: as a line of the log that is not in it."""

    line: Event
    """Its `previous` is the sum of the last line, its number that of the line that comes next."""

    def as_json(self) -> dict[str, object]:
        """To be kept elsewhere."""
        return {
            "reviewdeck": VERSION,
            "lines": self.line.sequence - 1,
            "sha": self.line.previous,
            "at": self.line.at.isoformat(),
            "actor": actor_to_json(self.line.actor),
            **self.line.detail,
        }


def head_of(ledger: Ledger, authority: Operators, actor: Actor, at: datetime) -> Anchor:
    """The end of the log as it is, signed where there are keys. Raises Locked."""
    events, decided = ledger.events(), ledger.all_decisions()
    last = events[-1] if events else None
    counter = max((one.seal.counter for one, _ in decided if one.seal is not None), default=0)
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
        named = {"key": signed[0], "signature": signed[1]}
        line = replace(line, detail=line.detail | named)
    return Anchor(line)


def anchor_in(text: str) -> Anchor:
    """The anchor that a file holds. Raises BadInput."""
    try:
        if len(text) > _LARGEST:
            raise ValueError("it is too long")
        found = json.loads(text)
        if found["reviewdeck"] != VERSION:
            raise ValueError("it is of another version")
        names = ("counter", "key", "signature")
        detail = {name: found[name] for name in names if name in found}
        line = Event(
            sequence=int(found["lines"]) + 1,
            at=datetime.fromisoformat(found["at"]),
            name=HEAD,
            home="",
            subject="log",
            actor=actor_from_json(found["actor"]),
            detail={**detail, "counter": int(found["counter"])},
            previous=str(found["sha"]),
        )
        if line.at.tzinfo is None:
            raise ValueError("its time has no zone")
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise BadInput(
            f"That is no head of a log: {error}.",
            hint="`reviewdeck log --head` prints one; keep it as it is.",
        ) from error
    return Anchor(line)


def held_against(
    anchor: Anchor,
    events: Sequence[Event],
    decided: Sequence[tuple[Decision, About]],
    ring: Ring | None,
) -> Iterator[Irregular]:
    """Why a log is not the one, grown, whose end was kept."""
    line, subject = anchor.line, "anchor"
    kept = line.sequence - 1
    if "signature" in line.detail and ring is not None:
        flaw = line_flaw(ring, line)
        if flaw is not None:
            yield Irregular("anchor", subject, f"The head that was kept does not count: {flaw}.")
    if len(events) < kept:
        said = f"The log ends at line {len(events)}, and had {kept} when its head was kept"
        yield Irregular("anchor", subject, f"{said}: it is an older copy, or was cut off.")
    elif kept and events[kept - 1].sha != line.previous:
        said = f"Line {kept} of the log is not the one whose sum was kept: it was written anew."
        yield Irregular("anchor", subject, said)
    highest = max((one.seal.counter for one, _ in decided if one.seal is not None), default=0)
    counter = line.detail["counter"]
    if isinstance(counter, int) and highest < counter:
        said = f"Signed decisions {highest + 1} to {counter} are gone: they were there then."
        yield Irregular("anchor", subject, said)

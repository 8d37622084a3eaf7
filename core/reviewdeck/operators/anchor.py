"""Anchors: the head of a log stored elsewhere, and the check of a log against one.

Whoever can write the ledger and the operators' directory can replace both with older copies. At
this account that looks like a log that ends there: only an anchor stored elsewhere shows it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from reviewdeck.errors import BadInput
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import About, Actor, Decision, Event
from reviewdeck.model.codec import actor_from_json, actor_to_json
from reviewdeck.operators.audit import Irregularity
from reviewdeck.operators.authority import Operators, line_flaw
from reviewdeck.operators.ring import Ring
from reviewdeck.ports import Head

HEAD = "head"
VERSION = 2
"""Of heads that name every chain; the first named the one chain that there was."""
_LARGEST = 1 << 22


@dataclass(frozen=True, slots=True)
class Anchor:
    """The head of a log at one time, as a log line that is not part of the log."""

    line: Event
    """`previous` is the hash of the last line, `sequence` the number of the next one."""

    def as_json(self) -> dict[str, object]:
        """The anchor as plain values for JSON."""
        return {
            "reviewdeck": VERSION if "heads" in self.line.detail else 1,
            "lines": self.line.sequence - 1,
            "sha": self.line.previous,
            "at": self.line.at.isoformat(),
            "actor": actor_to_json(self.line.actor),
            **self.line.detail,
        }


def head_of(ledger: Ledger, authority: Operators, actor: Actor, at: datetime) -> Anchor:
    """The anchor of the present log, signed if there are keys. Raises Locked."""
    heads = ledger.heads()
    number, sha = heads.pop("")
    detail: dict[str, object] = {
        "heads": {home: list(head) for home, head in heads.items()},
        "counters": _counters(ledger.all_decisions()),
    }
    line = Event(
        sequence=number + 1,
        at=at,
        name=HEAD,
        home="",
        subject="log",
        actor=actor,
        detail=detail,
        previous=sha,
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
        names = {1: ("counter",), VERSION: ("heads", "counters")}.get(fields["reviewdeck"])
        if names is None:
            raise BadInput("The head of the log is of another version.", hint="Update reviewdeck.")
        detail = {name: fields[name] for name in names}
        detail |= {name: fields[name] for name in ("key", "signature") if name in fields}
        _expected(detail)
        line = Event(
            sequence=int(fields["lines"]) + 1,
            at=datetime.fromisoformat(fields["at"]),
            name=HEAD,
            home="",
            subject="log",
            actor=actor_from_json(fields["actor"]),
            detail=detail,
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
    if "signature" in line.detail and ring is not None:
        flaw = line_flaw(ring, line)
        if flaw is not None:
            yield Irregularity("anchor", subject, f"The head that was kept does not count: {flaw}.")
    chains: dict[str, dict[int, str]] = defaultdict(dict)
    for event in events:
        chains[event.chain][event.sequence] = event.sha
    heads, counters = _expected(line.detail)
    for home, (number, sha) in {"": (line.sequence - 1, line.previous), **heads}.items():
        log = "The log" if not home else f"The log of {home}"
        if len(chains[home]) < number:
            message = (
                f"{log} ends at line {len(chains[home])}, and had {number} when its head was stored"
            )
            yield Irregularity(
                "anchor", subject, f"{message}: it is an older copy, or was cut off."
            )
        elif number and chains[home].get(number) != sha:
            message = f"{log} differs from the anchor in line {number}: it was rewritten."
            yield Irregularity("anchor", subject, message)
    highest = _counters(decided)
    for key, counter in counters.items():
        if (now := highest.get(key, 0)) < counter:
            message = (
                f"Signed decisions {now + 1} to {counter} are missing: they existed when the head"
                " was stored."
            )
            yield Irregularity("anchor", subject, message)


def _counters(decided: Sequence[tuple[Decision, About]]) -> dict[str, int]:
    """The highest counter of each key; of seals from before each had its own, under no name."""
    highest: dict[str, int] = {}
    for decision, _ in decided:
        if (seal := decision.seal) is not None:
            key = "" if seal.ledger is None else seal.key
            highest[key] = max(highest.get(key, 0), seal.counter)
    return highest


def _expected(detail: Mapping[str, object]) -> tuple[dict[str, Head], dict[str, int]]:
    """The heads of homes and the counters that an anchor names. Raises what values of others do."""
    heads, counters = detail.get("heads", {}), detail.get("counters", {"": detail.get("counter")})
    if not isinstance(heads, Mapping) or not isinstance(counters, Mapping):
        raise TypeError("it names no heads")
    return (
        {str(home): (int(number), str(sha)) for home, (number, sha) in heads.items()},
        {str(key): int(counter) for key, counter in counters.items()},
    )

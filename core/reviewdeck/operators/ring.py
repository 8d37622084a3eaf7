"""Whose signatures count: a list that only grows, each line signed and bound to the one before.

The first line is trusted because it is the first. Every other one is signed by a key that the
lines before it trust, except a new start: whoever lost every passphrase begins again with a key of
their own, and the list says so for ever.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from reviewdeck.errors import NotVerified
from reviewdeck.operators.keys import Signer, is_signed

BUILT_IN: Final = "built-in"
"""Stands for the policy of a machine without a policy file."""
_DOMAIN: Final = b"reviewdeck operators 1\n"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIELDS: Final = frozenset({"n", "act", "name", "key", "policy", "at", "previous", "by"})


class Act(StrEnum):
    """What one line does."""

    TRUST = "trust"
    REVOKE = "revoke"
    RESTART = "restart"
    """All keys before count no longer; signed by the new one alone."""
    POLICY = "policy"
    """From now on this policy file holds."""


@dataclass(frozen=True, slots=True)
class RingEntry:
    """What a new line is to say."""

    act: Act
    name: str = ""
    key: str = ""
    policy: str = ""


@dataclass(frozen=True, slots=True)
class RingKey:
    """One operator's public key, and when its signatures count."""

    name: str
    public: str
    since: datetime
    until: datetime | None = None

    def counts_at(self, moment: datetime) -> bool:
        """Whether a decision of this time may be signed by it."""
        return self.since <= moment and (self.until is None or moment < self.until)


@dataclass(frozen=True, slots=True)
class Ring:
    """The list, checked from its first line to its last."""

    keys: Mapping[str, RingKey] = field(default_factory=dict)
    """By public key, in the order in which they came to be trusted."""
    sums: tuple[str, ...] = ()
    """SHA-256 of each line."""
    policy: str = BUILT_IN
    policy_at: datetime | None = None
    policy_by: str = ""
    restarts: tuple[datetime, ...] = ()
    """When somebody began again without an old key."""

    @property
    def current(self) -> tuple[RingKey, ...]:
        """The keys that count now."""
        return tuple(key for key in self.keys.values() if key.until is None)

    def goes_on_from(self, head: str) -> bool:
        """Whether an earlier end of the list, as `head_of` gives it, is a line of this one."""
        number, _, sum_ = head.partition(":")
        if not number.isdecimal():
            return False
        return self.sums[int(number) - 1 : int(number)] == (sum_,)

    def key_at(self, public: str, moment: datetime) -> RingKey | None:
        """The key, if its signatures count at that time."""
        key = self.keys.get(public)
        return key if key is not None and key.counts_at(moment) else None


def head_of(ring: Ring) -> str:
    """The end of a list, as a ledger remembers it: how long it is, and the sum of its last line."""
    return f"{len(ring.sums)}:{ring.sums[-1]}" if ring.sums else ""


def read_ring(text: str) -> Ring:
    """The list in a file. Raises NotVerified with the first line that does not hold."""
    ring = Ring()
    for number, line in enumerate(text.splitlines(), 1):
        try:
            ring = _with(ring, line, number)
        except (ValueError, KeyError, TypeError, OverflowError):
            raise NotVerified(f"Line {number} of the operators' file cannot be read.") from None
    return ring


def next_line(ring: Ring, entry: RingEntry, signer: Signer, at: datetime) -> str:
    """One more line for a list, signed. It is checked by reading the list with it."""
    said: dict[str, Any] = {
        "n": len(ring.sums) + 1,
        "act": entry.act.value,
        "name": entry.name,
        "key": entry.key,
        "policy": entry.policy,
        "at": (at - _EPOCH) // timedelta(microseconds=1),
        "previous": ring.sums[-1] if ring.sums else "",
        "by": signer.public,
    }
    return _canonical(said | {"signature": signer.sign(_signed(said))})


def _with(ring: Ring, line: str, number: int) -> Ring:
    said = json.loads(line)
    signature = said.pop("signature")
    if said.keys() != _FIELDS or said["n"] != number:
        raise ValueError("not a line of this list")
    previous = ring.sums[-1] if ring.sums else ""
    act, by = Act(said["act"]), str(said["by"])
    if said["previous"] != previous or not is_signed(by, _signed(said), signature):
        raise NotVerified(f"Line {number} of the operators' file is not as it was signed.")
    at = _EPOCH + timedelta(microseconds=said["at"])
    if not _may(ring, act, by, said):
        raise NotVerified(f"Line {number} of the operators' file is signed by nobody we trust.")
    changed = _acted(ring, act, said, at)
    return replace(changed, sums=(*ring.sums, hashlib.sha256(line.encode()).hexdigest()))


def _may(ring: Ring, act: Act, by: str, said: Mapping[str, Any]) -> bool:
    if act is Act.RESTART:
        return bool(said["key"] == by)
    if not ring.sums:
        return act is Act.TRUST and bool(said["key"] == by)
    key = ring.keys.get(by)
    return key is not None and key.until is None


def _acted(ring: Ring, act: Act, said: Mapping[str, Any], at: datetime) -> Ring:
    public, keys = str(said["key"]), dict(ring.keys)
    match act:
        case Act.TRUST:
            keys[public] = RingKey(str(said["name"]), public, at)
            return replace(ring, keys=keys)
        case Act.RESTART:
            keys = {one: replace(key, until=key.until or at) for one, key in keys.items()}
            keys[public] = RingKey(str(said["name"]), public, at)
            return replace(ring, keys=keys, restarts=(*ring.restarts, at))
        case Act.REVOKE:
            keys[public] = replace(keys[public], until=keys[public].until or at)
            return replace(ring, keys=keys)
        case Act.POLICY:
            by = ring.keys[str(said["by"])].name
            return replace(ring, policy=str(said["policy"]), policy_at=at, policy_by=by)


def _signed(said: Mapping[str, Any]) -> bytes:
    return _DOMAIN + _canonical(said).encode("ascii")


def _canonical(said: Mapping[str, Any]) -> str:
    return json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=True)

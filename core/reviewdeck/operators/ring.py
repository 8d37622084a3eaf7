"""The key ring: an append-only list of trusted keys, each line signed and chained to the previous.

The first line is trusted because it is the first. Every other line is signed by a key that the
lines before it trust, except a restart: whoever lost every passphrase begins again with a new key,
and the list records that for ever.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from reviewdeck.errors import NotVerified
from reviewdeck.model.votes import ONE, Quorum
from reviewdeck.operators.keys import KeySigner, is_signed
from reviewdeck.text.json import load_json
from reviewdeck.values import dataclass

BUILT_IN: Final = "built-in"
"""The policy hash that stands for the built-in policy, without a policy file."""
_DOMAIN: Final = b"reviewdeck operators 1\n"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIELDS: Final = frozenset({"n", "act", "name", "key", "policy", "at", "previous", "by"})


class Act(StrEnum):
    """The action of one line."""

    TRUST = "trust"
    REVOKE = "revoke"
    RESTART = "restart"
    """Revokes all earlier keys; signed by the new one alone."""
    POLICY = "policy"
    """Signs this policy file, which is in force from then on, and names its quorum."""


@dataclass(frozen=True, slots=True)
class RingEntry:
    """The content of a new line."""

    act: Act
    name: str = ""
    """The operator's; of a policy file its quorum."""
    key: str = ""
    policy: str = ""


@dataclass(frozen=True, slots=True)
class RingKey:
    """An operator's public key, and the time in which its signatures are valid."""

    name: str
    public: str
    since: datetime
    until: datetime | None = None

    def is_valid_at(self, moment: datetime) -> bool:
        """Whether its signatures are valid at this time."""
        return self.since <= moment and (self.until is None or moment < self.until)


@dataclass(frozen=True, slots=True)
class Ring:
    """The verified list."""

    keys: Mapping[str, RingKey] = field(default_factory=dict)
    """By public key, in the order in which they were trusted."""
    sums: tuple[str, ...] = ()
    """SHA-256 of each line."""
    policy: str = BUILT_IN
    policy_at: datetime | None = None
    policy_by: str = ""
    quorum: Quorum = ONE
    """How many operators have to approve what, whatever the policy file says: one operator asks for
    more, and only two together for less."""
    lowering: tuple[Quorum, str] | None = None
    """A quorum that asks for less, and the key that has signed it."""
    restarts: tuple[datetime, ...] = ()
    """Times of the restarts without an old key."""

    @property
    def current(self) -> tuple[RingKey, ...]:
        """The keys that are not revoked."""
        return tuple(key for key in self.keys.values() if key.until is None)

    def extends(self, head: str) -> bool:
        """Whether this list extends the one with this head, in the form of `head_of`."""
        number, _, sum_ = head.partition(":")
        if not number.isdecimal():
            return False
        return self.sums[int(number) - 1 : int(number)] == (sum_,)

    def key_at(self, public: str, moment: datetime) -> RingKey | None:
        """The key, if its signatures are valid at that time."""
        key = self.keys.get(public)
        return key if key is not None and key.is_valid_at(moment) else None


def head_of(ring: Ring) -> str:
    """The head of a list, as ledgers pin it: its length and the hash of its last line."""
    return f"{len(ring.sums)}:{ring.sums[-1]}" if ring.sums else ""


def read_ring(text: str) -> Ring:
    """Reads and verifies a list. Raises NotVerified with the first invalid line."""
    ring = Ring()
    for number, line in enumerate(text.splitlines(), 1):
        try:
            ring = _add_line(ring, line, number)
        except (ValueError, KeyError, TypeError, OverflowError):
            raise NotVerified(f"Line {number} of the operators' file cannot be read.") from None
    return ring


def next_line(ring: Ring, entry: RingEntry, signer: KeySigner, at: datetime) -> str:
    """A signed new line for a list. Reading the list with it verifies it."""
    fields: dict[str, Any] = {
        "n": len(ring.sums) + 1,
        "act": entry.act.value,
        "name": entry.name,
        "key": entry.key,
        "policy": entry.policy,
        "at": (at - _EPOCH) // timedelta(microseconds=1),
        "previous": ring.sums[-1] if ring.sums else "",
        "by": signer.public,
    }
    return _canonical(fields | {"signature": signer.sign(_signed_bytes(fields))})


def _add_line(ring: Ring, line: str, number: int) -> Ring:
    fields = load_json(line)
    signature = fields.pop("signature")
    if fields.keys() != _FIELDS or fields["n"] != number:
        raise ValueError("not a line of this list")
    previous = ring.sums[-1] if ring.sums else ""
    act, by = Act(fields["act"]), str(fields["by"])
    if fields["previous"] != previous or not is_signed(by, _signed_bytes(fields), signature):
        raise NotVerified(f"Line {number} of the operators' file is not as it was signed.")
    at = _EPOCH + timedelta(microseconds=fields["at"])
    if not _is_allowed(ring, act, by, fields):
        raise NotVerified(f"Line {number} of the operators' file is signed by nobody we trust.")
    ring_after = _apply(ring, act, fields, at)
    return replace(ring_after, sums=(*ring.sums, hashlib.sha256(line.encode()).hexdigest()))


def _is_allowed(ring: Ring, act: Act, by: str, fields: Mapping[str, Any]) -> bool:
    if act is Act.RESTART:
        return bool(fields["key"] == by)
    if not ring.sums:
        return act is Act.TRUST and bool(fields["key"] == by)
    key = ring.keys.get(by)
    return key is not None and key.until is None


def _apply(ring: Ring, act: Act, fields: Mapping[str, Any], at: datetime) -> Ring:
    public, keys = str(fields["key"]), dict(ring.keys)
    match act:
        case Act.TRUST:
            keys[public] = RingKey(str(fields["name"]), public, at)
            return replace(ring, keys=keys)
        case Act.RESTART:
            keys = {hex_key: replace(key, until=key.until or at) for hex_key, key in keys.items()}
            keys[public] = RingKey(str(fields["name"]), public, at)
            return replace(ring, keys=keys, restarts=(*ring.restarts, at))
        case Act.REVOKE:
            keys[public] = replace(keys[public], until=keys[public].until or at)
            return replace(ring, keys=keys)
        case Act.POLICY:
            by = ring.keys[str(fields["by"])]
            ring = _with_quorum(ring, Quorum.read(str(fields["name"])), by)
            return replace(ring, policy=str(fields["policy"]), policy_at=at, policy_by=by.name)


def _with_quorum(ring: Ring, quorum: Quorum | None, by: RingKey) -> Ring:
    """The list after a key signed a policy file with this quorum; None where it says none."""
    if quorum is None:
        return ring
    if quorum.covers(ring.quorum):
        return replace(ring, quorum=quorum, lowering=None)
    if ring.lowering is not None:
        earlier, key = ring.lowering
        first = ring.keys[key]
        if earlier == quorum and first.until is None and first.name != by.name:
            return replace(ring, quorum=quorum, lowering=None)
    return replace(ring, lowering=(quorum, by.public))


def _signed_bytes(fields: Mapping[str, Any]) -> bytes:
    return _DOMAIN + _canonical(fields).encode("ascii")


def _canonical(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True)

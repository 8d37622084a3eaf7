"""Tier 1: decisions are signed with operators' keys. Without keys, tier 0."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final

from reviewdeck.engine.authorisation import UNSIGNED, Unsigned
from reviewdeck.errors import (
    Locked,
    NotPermitted,
    NotVerified,
    ReviewdeckError,
    TooManyTries,
    WrongPassphrase,
)
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import (
    About,
    Actor,
    ActorKind,
    Decision,
    Event,
    Seal,
    line_statement,
    statement,
)
from reviewdeck.model.decisions import LEDGER, OPERATORS
from reviewdeck.model.votes import ONE, Quorum
from reviewdeck.operators.hardening import harden_process
from reviewdeck.operators.keys import KeySigner, is_signed
from reviewdeck.operators.ring import BUILT_IN, Ring, head_of
from reviewdeck.operators.vault import SUFFIX, OpenKey, Vault
from reviewdeck.ports import Authority, Clock, Heads

LOCKED: Final = "signed, locked (tier 1)"
FIRST_SEEN: Final = "operators-first-seen"
"""The pin of a ledger whose first look at the keys was nobody's who had opened one."""
UNKNOWN: Final = (
    "no operator has used a key with this ledger yet: `reviewdeck resume` asks for the passphrase"
)
IDLE: Final = 15 * 60.0
"""Seconds without a key press after which the private key is dropped."""
_SOMEBODY: Final = Actor(ActorKind.OUTSIDE, "somebody")


@dataclass
class _Open:
    """An unlocked key and when it expires."""

    key: OpenKey
    until: float


class Operators:
    """The operators of this account and the signatures of their decisions in one ledger."""

    def __init__(
        self,
        vault: Vault,
        ledger: Ledger,
        unsigned: Unsigned,
        *,
        now: Clock,
        tick: Callable[[], float],
        policy: Callable[[], str],
    ) -> None:
        self.vault = vault
        self._ledger = ledger
        self._unsigned = unsigned
        self.now = now
        self._tick = tick
        self.policy = policy
        """The hash of the present policy."""
        self._open: _Open | None = None
        pins = [partial(ledger.pinned, name) for name in (OPERATORS, LEDGER)]
        with ledger.at_once():
            ledger.foresee(pins)
            self._pinned, self._ledger_name = (pin() for pin in pins)
        self._checked: Ring | None = None
        self._shown: Ring | None = None
        """The list with which an operator has shown that the ledger is the operators'."""
        self._last_signed: tuple[str, int] | None = None
        """Key and counter of the last decision signed by this process."""
        self._has_signatures: bool | None = None
        """Whether the ledger has signatures; None until it was looked up."""

    @property
    def open_key(self) -> OpenKey:
        """The key of the unlocked operator. Raises Locked, NotPermitted where no key is here."""
        if self.is_locked or self._open is None:
            if not self.vault.has_keys():
                raise NotPermitted(
                    "Decisions are signed here, and no operator's key is on this machine.",
                    hint="Nothing was changed. Decide where your key is. What only this machine"
                    f" can do needs it here for that time: NAME{SUFFIX} in {self.vault.directory}.",
                )
            raise Locked("Decisions are signed here, and no passphrase was given.")
        return self._open.key

    def refuse_agents(self, actor: Actor) -> Actor:
        """The operator with the ancestry of this process.

        Raises DescendsFromAgent, and NotPermitted under a machine's role.
        """
        self._ledger.refuse_machine()
        return self._unsigned.admit_with_key(actor)

    def highest_counter(self, key: str = "") -> int:
        """The highest counter of a key that this account has stored in the ledger.

        Without a key, of the seals from before each key counted for itself.
        """
        if self._ledger_name is None:
            return 0
        return self.vault.highest_counter(_counted(self._ledger_name, key))

    @property
    def signs(self) -> bool:
        """Whether there are keys, or were: a missing list is not the same as no list.

        A ledger with signatures stays a signing one without its pin or the operators' directory.
        """
        if self._pinned is not None or self.vault.exists:
            return True
        if self._has_signatures is None:
            self._has_signatures = self._ledger.is_signed()
        return self._has_signatures

    @property
    def authorisation(self) -> str:
        if not self.signs:
            return UNSIGNED
        if self.is_locked:
            return LOCKED
        return f"signed by {self._open.key.name} (tier 1)" if self._open else UNSIGNED

    @property
    def is_locked(self) -> bool:
        """Whether a decision needs a passphrase first."""
        if self._open is not None and self._tick() >= self._open.until:
            self._open = None
        return self.signs and self._open is None

    @property
    def is_pinned(self) -> bool:
        """Whether the ledger has pinned the present keys: reading them changes nothing then."""
        ring = self.vault.ring()
        is_present = bool(ring.sums) and self._pinned == head_of(ring)
        return is_present and self._ledger_name is not None

    def unlock(self, passphrase: str) -> str:
        self.trusted()
        try:
            key = self.vault.open_key(passphrase, self.now())
        except (WrongPassphrase, TooManyTries):
            # The next operator can see the failed guess in the log.
            with suppress(NotPermitted):  # A host's role writes nothing there.
                self._ledger.append(
                    "passphrase-refused",
                    home="",
                    subject="operators",
                    actor=_SOMEBODY,
                    at=self.now(),
                )
            raise
        self.hold(key)
        return key.name

    def hold(self, key: OpenKey) -> None:
        """Keeps a key unlocked until `IDLE` seconds without activity."""
        self._open = _Open(key, self._tick() + IDLE)

    def lock(self) -> None:
        """Drops the key."""
        self._open = None

    def touch(self) -> None:
        """Restarts the idle time, after a key press."""
        if not self.is_locked and self._open is not None:
            self._open.until = self._tick() + IDLE

    def admit(self, actor: Actor) -> Actor:
        """The operator, with the name of their key. Raises DescendsFromAgent, Locked."""
        if not self.signs:
            return self._unsigned.admit(actor)
        admitted = self._unsigned.admit_with_key(actor)
        harden_process()
        ring = self.trusted()
        name = self.open_key.name
        if self._shown is not ring:
            if self._ledger.pinned(FIRST_SEEN):
                self._ledger.pin(FIRST_SEEN, "")
            self._shown = ring
        return replace(admitted, name=name, tier="signed")

    def signer(self, actor: Actor) -> OpenSigner | None:
        """The unlocked operator's key; None for what no operator decides. Raises Locked."""
        if not self.signs or actor.kind is not ActorKind.OPERATOR:
            return None
        return OpenSigner(self, self.open_key.signer)

    def record_counter(self, key: str, counter: int) -> None:
        """Records that a key's counter is stored in the ledger."""
        self.vault.record_counter(_counted(self._ledger_name or "", key), counter)

    def signed(self, key: str, counter: int) -> None:
        """Remembers what was signed last, until it is stored."""
        self._last_signed = (key, counter)

    def stored(self) -> None:
        """Records that the last signed decision is stored: a ledger without it is an older copy."""
        if self._last_signed is not None:
            with suppress(ReviewdeckError):  # What is decided is decided; the next check notes it.
                self.record_counter(*self._last_signed)

    def attest(self, line: Event) -> tuple[str, str] | None:
        """The unlocked operator's key and signature for a log line. Raises Locked."""
        if not self.signs:
            return None
        signer = self.open_key.signer
        return signer.public, signer.sign(line_statement(line))

    def flaw(self, decision: Decision, about: About) -> str | None:
        """The reason why a stored decision is not validly signed, or None."""
        if not self.signs or decision.actor.kind is not ActorKind.OPERATOR:
            return None
        flaw = flaw_in(self.trusted(), decision, about)
        if flaw is None and (seal := decision.seal) is not None:
            self.record_counter("" if seal.ledger is None else seal.key, seal.counter)
        return flaw

    @property
    def quorum(self) -> Quorum:
        return self.trusted().quorum if self.signs else ONE

    def vote_flaw(self, vote: Decision, about: About, at: datetime) -> str | None:
        if not self.signs:
            return None
        ring = self.trusted()
        flaw = flaw_in(ring, vote, about)
        if flaw is None and vote.seal is not None and ring.key_at(vote.seal.key, at) is None:
            return "its key counted no longer when the other operator approved"
        return flaw

    def why_nothing_is_automatic(self, judged: str | None = None) -> str | None:
        """The reason why nothing is applied automatically under the judging or present policy."""
        if not self.signs:
            return None
        try:
            ring = self.trusted()
        except NotVerified as error:
            return error.message
        flaw = policy_flaw(ring, self.policy() if judged is None else judged or BUILT_IN)
        return flaw or (UNKNOWN if self._ledger.pinned(FIRST_SEEN) else None)

    def trusted(self) -> Ring:
        """The list of operators, checked against the pinned head. Raises NotVerified."""
        ring = self.vault.ring()
        if ring is self._checked:
            return ring
        pinned = self._ledger.pinned(OPERATORS)
        known_head = pinned or self._ledger.last_pinned(OPERATORS)
        self._pinned = known_head or self._pinned
        if not self._extends_pin(ring, known_head, is_lost=pinned is None):
            raise NotVerified(
                "The list of operators is not the one that this ledger knows.",
                hint="Nothing is decided or applied by itself. Bring back operators.jsonl from"
                " a backup; `reviewdeck doctor` says where it belongs.",
            )
        if ring.sums and known_head is None and self._open is None:
            # Nobody has shown that this ledger is the operators': an agent may have named it.
            self._ledger.pin(FIRST_SEEN, "without a key")
        if ring.sums and pinned != (now := head_of(ring)):
            self._ledger.pin(OPERATORS, now)
            self._pinned = now
        if ring.sums:
            self._name_ledger()
        self._checked = ring
        return ring

    def _extends_pin(self, ring: Ring, pinned: str | None, *, is_lost: bool) -> bool:
        """Whether the list extends the pinned one.

        If the pin is lost, the list must have all keys that signed in the ledger.
        """
        if pinned is not None and not ring.extends(pinned):
            return False
        if not ring.sums:
            return not self.signs
        return not is_lost or self._ledger.signers() <= ring.keys.keys()

    def _name_ledger(self) -> None:
        self._ledger_name = self._ledger_name or self._ledger.pinned(LEDGER)
        if self._ledger_name is None:
            self._ledger_name = self._ledger.last_pinned(LEDGER) or secrets.token_hex(8)
            self._ledger.pin(LEDGER, self._ledger_name)


@dataclass(frozen=True, slots=True)
class OpenSigner:
    """Satisfies `Signer` with the key of the unlocked operator."""

    operators: Operators
    signer: KeySigner

    @property
    def key(self) -> str:
        return self.signer.public

    @property
    def last_counter(self) -> int:
        return self.operators.highest_counter(self.key)

    def sign(self, decision: Decision, about: About, counter: int, heads: Heads) -> Seal:
        seal = Seal(self.key, counter, self.operators.policy(), *heads.home, ledger=heads.ledger)
        self.operators.signed(self.key, counter)
        return replace(seal, signature=self.signer.sign(statement(decision, about, seal)))


def _counted(ledger: str, key: str) -> str:
    """The name under which the vault keeps a counter."""
    return f"{ledger}/{key}" if key else ledger


def policy_flaw(ring: Ring, policy: str) -> str | None:
    """The reason why a policy is not the signed one, or None."""
    if ring.policy == policy:
        return None
    if ring.policy_at is None:
        return "the policy file is not signed: `reviewdeck policy sign` signs it"
    return f"the policy is not the one that {ring.policy_by} signed: `reviewdeck policy sign`"


def flaw_in(ring: Ring, decision: Decision, about: About) -> str | None:
    """The reason why a decision is not validly signed, or None."""
    if (seal := decision.seal) is None:
        return _NOT_SIGNED
    signed = statement(decision, about, seal)
    return _signature_flaw(ring, seal.key, seal.signature, decision.at, decision.actor, signed)


def line_flaw(ring: Ring, line: Event) -> str | None:
    """The reason why a log line is not signed by the operator it names, or None."""
    key, signature = line.detail.get("key"), line.detail.get("signature")
    if not isinstance(key, str) or not isinstance(signature, str):
        return _NOT_SIGNED
    return _signature_flaw(ring, key, signature, line.at, line.actor, line_statement(line))


_NOT_SIGNED: Final = "it is not signed"


def _signature_flaw(
    ring: Ring, key: str, signature: str, at: datetime, actor: Actor, signed: bytes
) -> str | None:
    owner = ring.key_at(key, at)
    if owner is None:
        return "it is signed with a key that did not count at that time"
    if owner.name != actor.name:
        return f"it names {actor.name}, and the key is {owner.name}'s"
    return None if is_signed(key, signed, signature) else "it is not what was signed"


def operators_in(authority: Authority) -> Operators:
    """The authority as one with keys. Raises NotVerified if it was opened without."""
    if isinstance(authority, Operators):
        return authority
    raise NotVerified("The ledger was opened without a place for operators' keys.")

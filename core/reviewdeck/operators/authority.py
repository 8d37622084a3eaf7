"""Tier 1: a decision counts when an operator's key signed it. Without keys, tier 0."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from reviewdeck.engine.authorisation import UNSIGNED, Unsigned
from reviewdeck.errors import Locked, NotVerified, TooManyTries, WrongPassphrase
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
from reviewdeck.operators.hardening import shut
from reviewdeck.operators.keys import is_signed
from reviewdeck.operators.ring import BUILT_IN, Ring, head_of
from reviewdeck.operators.vault import OpenKey, Vault
from reviewdeck.ports import Authority, Clock, Head, Ledger, LedgerReader

LOCKED: Final = "signed, locked (tier 1)"
IDLE: Final = 15 * 60.0
"""Seconds without a key press after which the private key is forgotten."""
_SOMEBODY: Final = Actor(ActorKind.OUTSIDE, "somebody")


@dataclass
class _Open:
    """An open key, and until when."""

    key: OpenKey
    until: float


class Operators:
    """Whose decisions count at this account, over one ledger."""

    def __init__(
        self,
        vault: Vault,
        ledger: Ledger,
        below: Unsigned,
        *,
        now: Clock,
        tick: Callable[[], float],
        policy: Callable[[], str],
    ) -> None:
        self.vault = vault
        self._ledger = ledger
        self._below = below
        self.now = now
        self._tick = tick
        self.policy = policy
        """The sum of the policy that is there."""
        self._open: _Open | None = None
        self._pinned = ledger.pinned(OPERATORS)
        self._id = ledger.pinned(LEDGER)
        self._checked: Ring | None = None
        self._signed = 0
        """The counter of the decision that was signed last here."""
        self._was_signed: bool | None = None
        """Whether the ledger itself tells of signatures; None as long as nobody had to ask."""

    @property
    def open_key(self) -> OpenKey:
        """The key of who is unlocked. Raises Locked."""
        if self.is_locked or self._open is None:
            raise Locked("Decisions are signed here, and no passphrase was given.")
        return self._open.key

    def refuse_agents(self, actor: Actor) -> Actor:
        """The operator with what led to this process. Raises DescendsFromAgent."""
        return self._below.admit(actor)

    def highest_counter(self) -> int:
        """The highest counter of this ledger that this account saw stored."""
        return self.vault.counted(self._id) if self._id is not None else 0

    @property
    def signs(self) -> bool:
        """Whether there are keys, or were: a list that vanished is not the same as none.

        Neither a pin that is gone nor a directory that is gone makes a signing ledger another one.
        """
        if self._pinned is not None or self.vault.exists:
            return True
        if self._was_signed is None:
            self._was_signed = self._ledger.is_signed()
        return self._was_signed

    @property
    def standing(self) -> str:
        """How decisions are established now."""
        if not self.signs:
            return UNSIGNED
        if self.is_locked:
            return LOCKED
        return f"signed by {self._open.key.name} (tier 1)" if self._open else UNSIGNED

    @property
    def is_locked(self) -> bool:
        """Whether a passphrase has to be given before anything can be decided."""
        if self._open is not None and self._tick() >= self._open.until:
            self._open = None
        return self.signs and self._open is None

    def unlock(self, passphrase: str) -> str:
        """Opens the key of this passphrase. Raises WrongPassphrase, TooManyTries, NotVerified."""
        self.trusted()
        try:
            key = self.vault.open_key(passphrase, self.now())
        except (WrongPassphrase, TooManyTries):
            # Whoever decides next can see that somebody guessed.
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
        """Keeps an open key until nobody has been at work for a while."""
        self._open = _Open(key, self._tick() + IDLE)

    def lock(self) -> None:
        """Forgets the key."""
        self._open = None

    def touch(self) -> None:
        """Somebody is at work."""
        if not self.is_locked and self._open is not None:
            self._open.until = self._tick() + IDLE

    def admit(self, actor: Actor) -> Actor:
        """The operator by the name that their key has. Raises DescendsFromAgent, Locked."""
        found = self._below.admit(actor)
        if not self.signs:
            return found
        shut()
        self.trusted()
        return replace(found, name=self.open_key.name, tier="signed")

    def sign(self, decision: Decision, about: About, counter: int, head: Head) -> Seal | None:
        """The signature of whoever is admitted. Raises Locked."""
        if not self.signs or decision.actor.kind is not ActorKind.OPERATOR:
            return None
        signer = self.open_key.signer
        seal = Seal(signer.public, counter, self.policy(), head[0], head[1])
        self.vault.count(self._id or "", counter - 1)
        self._signed = counter
        return replace(seal, signature=signer.sign(statement(decision, about, seal)))

    def stored(self) -> None:
        """What was signed last is in the ledger: one that lacks it is an older copy."""
        self.vault.count(self._id or "", self._signed)

    def attest(self, line: Event) -> tuple[str, str] | None:
        """Key and signature of whoever is unlocked under a line of the log. Raises Locked."""
        if not self.signs:
            return None
        signer = self.open_key.signer
        return signer.public, signer.sign(line_statement(line))

    def flaw(self, decision: Decision, about: About) -> str | None:
        """Why a stored decision is not an operator's."""
        if not self.signs or decision.actor.kind is not ActorKind.OPERATOR:
            return None
        found = flaw_in(self.trusted(), decision, about)
        if found is None and decision.seal is not None:
            self.vault.count(self._id or "", decision.seal.counter)
        return found

    def why_nothing_is_automatic(self, judged: str | None = None) -> str | None:
        """Why the policy that was judged with, or else the one that is there, applies nothing."""
        if not self.signs:
            return None
        try:
            ring = self.trusted()
        except NotVerified as error:
            return error.message
        return policy_flaw(ring, self.policy() if judged is None else judged or BUILT_IN)

    def trusted(self) -> Ring:
        """The list of operators, held against what this ledger knows of it. Raises NotVerified."""
        ring = self.vault.ring()
        if ring is self._checked:
            return ring
        pinned = self._ledger.pinned(OPERATORS)
        known = pinned or self._ledger.last_pinned(OPERATORS)
        self._pinned = known or self._pinned
        if not self._is_known(ring, known, is_lost=pinned is None):
            raise NotVerified(
                "The list of operators is not the one that this ledger knows.",
                hint="Nothing is decided or applied by itself. Bring back operators.jsonl from"
                " a backup; `reviewdeck doctor` says where it belongs.",
            )
        if ring.sums and pinned != (now := head_of(ring)):
            self._ledger.pin(OPERATORS, now)
            self._pinned = now
        if ring.sums:
            self._name_ledger()
        self._checked = ring
        return ring

    def _is_known(self, ring: Ring, pinned: str | None, *, is_lost: bool) -> bool:
        """Whether the list goes on from what was pinned.

        Where the pin is lost, the ledger's own signatures say whose list it has to be.
        """
        if pinned is not None and not ring.goes_on_from(pinned):
            return False
        if not ring.sums:
            return not self.signs
        return not is_lost or self._ledger.signers() <= ring.keys.keys()

    def _name_ledger(self) -> None:
        """A ledger has a name of its own, by which its counters are told from others'."""
        self._id = self._id or self._ledger.pinned(LEDGER)
        if self._id is None:
            self._id = self._ledger.last_pinned(LEDGER) or secrets.token_hex(8)
            self._ledger.pin(LEDGER, self._id)


class Onlooker:
    """How decisions are established, where they are signed, for somebody who decides nothing."""

    def __init__(self, ring: Ring, policy: Callable[[], str]) -> None:
        self._ring = ring
        self._policy = policy

    @property
    def signs(self) -> bool:
        """There are keys."""
        return True

    @property
    def standing(self) -> str:
        """How decisions are established: nobody gave a passphrase."""
        return LOCKED

    def why_nothing_is_automatic(self, judged: str | None = None) -> str | None:
        """Why the policy that was judged with, or else the one that is there, applies nothing."""
        return policy_flaw(self._ring, self._policy() if judged is None else judged or BUILT_IN)


def onlooker(vault: Vault, ledger: LedgerReader, policy: Callable[[], str]) -> Onlooker | None:
    """Whoever looks where the ledger has pinned these very keys; None where it has yet to.

    Raises NotVerified.
    """
    ring, pinned = vault.ring(), ledger.pinned(OPERATORS)
    is_pinned = bool(ring.sums) and pinned == head_of(ring) and ledger.pinned(LEDGER) is not None
    return Onlooker(ring, policy) if is_pinned else None


def policy_flaw(ring: Ring, policy: str) -> str | None:
    """Why a policy is not the one that was signed; None when it is."""
    if ring.policy == policy:
        return None
    if ring.policy_at is None:
        return "the policy file is not signed: `reviewdeck policy sign` signs it"
    return f"the policy is not the one that {ring.policy_by} signed: `reviewdeck policy sign`"


def flaw_in(ring: Ring, decision: Decision, about: About) -> str | None:
    """Why a decision is not signed by somebody whose signature counts; None when it is."""
    seal = decision.seal
    if seal is None:
        return "it is not signed"
    key = ring.key_at(seal.key, decision.at)
    if key is None:
        return "it is signed with a key that did not count at that time"
    if key.name != decision.actor.name:
        return f"it names {decision.actor.name}, and the key is {key.name}'s"
    if not is_signed(seal.key, statement(decision, about, seal), seal.signature):
        return "it is not what was signed"
    return None


def line_flaw(ring: Ring, line: Event) -> str | None:
    """Why a line of the log is not signed by whom it names; None when it is."""
    key, signature = line.detail.get("key"), line.detail.get("signature")
    if not isinstance(key, str) or not isinstance(signature, str):
        return "it is not signed"
    known = ring.key_at(key, line.at)
    if known is None:
        return "it is signed with a key that did not count at that time"
    if known.name != line.actor.name:
        return f"it names {line.actor.name}, and the key is {known.name}'s"
    if not is_signed(key, line_statement(line), signature):
        return "it is not what was signed"
    return None


def operators_in(authority: Authority) -> Operators:
    """An authority that knows of keys. Raises NotVerified for one that was opened without."""
    if isinstance(authority, Operators):
        return authority
    raise NotVerified("This deck was opened without a place for operators' keys.")

"""Adding, rotating and revoking operators; each step is a signed line of their list."""

from __future__ import annotations

from reviewdeck.errors import BadInput, NotPermitted
from reviewdeck.model.votes import ONE, Quorum
from reviewdeck.operators.authority import Operators
from reviewdeck.operators.ring import BUILT_IN, Act, RingEntry, RingKey
from reviewdeck.operators.vault import OpenKey, check_name


def enrol_first(authority: Operators, name: str, passphrase: str, quorum: Quorum = ONE) -> RingKey:
    """Adds the first operator and signs the present policy. Raises BadInput."""
    require_no_operators(authority)
    return _begin(authority, Act.TRUST, name, passphrase, quorum)


def require_no_operators(authority: Operators) -> None:
    """Raises BadInput if there are operators already."""
    if authority.signs:
        raise BadInput(
            "There are operators here already.",
            hint="`reviewdeck operators add NAME` makes another; `init --anew` is for a lost"
            " passphrase.",
        )


def restart(authority: Operators, name: str, passphrase: str, quorum: Quorum = ONE) -> RingKey:
    """Restarts the list after all passphrases are lost; earlier signatures still verify."""
    if not authority.vault.exists:
        raise BadInput("There are no operators here yet.", hint="`reviewdeck init` is enough.")
    return _begin(authority, Act.RESTART, name, passphrase, quorum)


def add(authority: Operators, name: str, passphrase: str) -> RingKey:
    """Adds an operator with a new key at this account; the unlocked operator signs."""
    _check_new(authority, name)
    signer = authority.vault.make_key(name, passphrase)
    return trust(authority, name, signer.public)


def trust(authority: Operators, name: str, public: str) -> RingKey:
    """Adds an operator whose key was made elsewhere; the unlocked operator signs."""
    _check_new(authority, name)
    if len(public) != 64 or any(digit not in "0123456789abcdef" for digit in public):
        raise BadInput("A public key has 64 digits from 0 to f.")
    known = authority.trusted().keys.get(public)
    if known is not None:
        # Trusted anew, it would count from now on alone, and not for what it signed before.
        raise BadInput(
            f"This key is {known.name}'s" + (", and was revoked." if known.until else " already."),
            hint="Another operator, or the same one again, needs a key of their own.",
        )
    _sign_entry(authority, RingEntry(Act.TRUST, name, public))
    return authority.trusted().keys[public]


def rotate(authority: Operators, passphrase: str) -> RingKey:
    """Replaces the key of the unlocked operator; the old key signs the new one and is revoked."""
    old = authority.open_key
    signer = authority.vault.make_key(old.name, passphrase)
    _sign_entry(authority, RingEntry(Act.TRUST, old.name, signer.public))
    _sign_entry(authority, RingEntry(Act.REVOKE, old.name, old.signer.public))
    authority.lock()
    return authority.trusted().keys[signer.public]


def revoke(authority: Operators, name: str) -> RingKey:
    """Revokes an operator's keys. Raises BadInput, and NotPermitted for the last operator."""
    current = authority.trusted().current
    keys = [key for key in current if key.name == name]
    if not keys:
        raise BadInput(f"There is no operator {name!r} with a valid key.")
    if len(keys) == len(current):
        raise NotPermitted(
            "The last operator cannot be revoked: nobody could decide any more.",
            hint="Add another one first, or `reviewdeck operators rotate`.",
        )
    for key in keys:
        _sign_entry(authority, RingEntry(Act.REVOKE, name, key.public))
    return authority.trusted().keys[keys[-1].public]


def sign_policy(authority: Operators, mark: str, quorum: Quorum = ONE) -> str:
    """Signs the policy with this SHA-256, the built-in one for an empty one; returns its name.

    It is that of the bytes that were checked: the file may be another one by now. One that asks for
    fewer operators than before (`quorum`) does so once another operator has signed it too.
    """
    policy = mark or BUILT_IN
    _sign_entry(authority, RingEntry(Act.POLICY, name=str(quorum), policy=policy))
    return policy


def _begin(authority: Operators, act: Act, name: str, passphrase: str, quorum: Quorum) -> RingKey:
    vault, now = authority.vault, authority.now()
    signer = vault.make_key(name, passphrase)
    vault.note(RingEntry(act, name, signer.public), signer, now)
    policy = RingEntry(Act.POLICY, name=str(quorum), policy=authority.policy())
    vault.note(policy, signer, now)
    authority.hold(OpenKey(name, signer))
    return authority.trusted().keys[signer.public]


def _sign_entry(authority: Operators, entry: RingEntry) -> None:
    authority.trusted()
    authority.vault.note(entry, authority.open_key.signer, authority.now())
    authority.trusted()


def _check_new(authority: Operators, name: str) -> None:
    check_name(name)
    if any(key.name == name for key in authority.trusted().current):
        raise BadInput(
            f"There is an operator {name!r} already.", hint="`reviewdeck operators rotate`?"
        )

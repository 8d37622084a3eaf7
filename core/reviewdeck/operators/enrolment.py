"""Operators come, change their keys and go; each step is a signed line of the list."""

from __future__ import annotations

from reviewdeck.errors import BadInput, NotPermitted
from reviewdeck.operators.authority import Operators
from reviewdeck.operators.ring import Act, RingEntry, RingKey
from reviewdeck.operators.vault import OpenKey


def found(authority: Operators, name: str, passphrase: str) -> RingKey:
    """The first operator. The policy that is there is signed with it. Raises BadInput."""
    check_none(authority)
    return _begin(authority, Act.TRUST, name, passphrase)


def check_none(authority: Operators) -> None:
    """Raises BadInput where there are operators already."""
    if authority.signs:
        raise BadInput(
            "There are operators here already.",
            hint="`reviewdeck operators add NAME` makes another; `init --anew` is for a lost"
            " passphrase.",
        )


def start_anew(authority: Operators, name: str, passphrase: str) -> RingKey:
    """A new beginning for who lost every passphrase: what was signed before still verifies."""
    if not authority.vault.exists:
        raise BadInput("There are no operators here yet.", hint="`reviewdeck init` is enough.")
    return _begin(authority, Act.RESTART, name, passphrase)


def add(authority: Operators, name: str, passphrase: str) -> RingKey:
    """Another operator with a key at this account, trusted by who is unlocked."""
    _check_new(authority, name)
    signer = authority.vault.make_key(name, passphrase)
    return trust(authority, name, signer.public)


def trust(authority: Operators, name: str, public: str) -> RingKey:
    """Another operator whose key was made elsewhere, trusted by who is unlocked."""
    _check_new(authority, name)
    if len(public) != 64 or any(digit not in "0123456789abcdef" for digit in public):
        raise BadInput("A public key has 64 digits from 0 to f.")
    _note(authority, RingEntry(Act.TRUST, name, public))
    return authority.trusted().keys[public]


def rotate(authority: Operators, passphrase: str) -> RingKey:
    """A new key for who is unlocked; the old one signs for it, and then counts no longer."""
    old = authority.open_key
    signer = authority.vault.make_key(old.name, passphrase)
    _note(authority, RingEntry(Act.TRUST, old.name, signer.public))
    _note(authority, RingEntry(Act.REVOKE, old.name, old.signer.public))
    authority.lock()
    return authority.trusted().keys[signer.public]


def revoke(authority: Operators, name: str) -> RingKey:
    """An operator's keys count no longer. Raises BadInput, NotPermitted for the last one."""
    current = authority.trusted().current
    keys = [key for key in current if key.name == name]
    if not keys:
        raise BadInput(f"There is no operator {name!r} whose key counts.")
    if len(keys) == len(current):
        raise NotPermitted(
            "The last operator cannot be revoked: nobody could decide any more.",
            hint="Add another one first, or `reviewdeck operators rotate`.",
        )
    for key in keys:
        _note(authority, RingEntry(Act.REVOKE, name, key.public))
    return authority.trusted().keys[keys[-1].public]


def sign_policy(authority: Operators) -> str:
    """The policy that is there now holds; gives its sum."""
    policy = authority.policy()
    _note(authority, RingEntry(Act.POLICY, policy=policy))
    return policy


def _begin(authority: Operators, act: Act, name: str, passphrase: str) -> RingKey:
    vault, now = authority.vault, authority.now()
    signer = vault.make_key(name, passphrase)
    vault.note(RingEntry(act, name, signer.public), signer, now)
    vault.note(RingEntry(Act.POLICY, policy=authority.policy()), signer, now)
    authority.hold(OpenKey(name, signer))
    return authority.trusted().keys[signer.public]


def _note(authority: Operators, entry: RingEntry) -> None:
    authority.trusted()
    authority.vault.note(entry, authority.open_key.signer, authority.now())
    authority.trusted()


def _check_new(authority: Operators, name: str) -> None:
    if any(key.name == name for key in authority.trusted().current):
        raise BadInput(
            f"There is an operator {name!r} already.", hint="`reviewdeck operators rotate`?"
        )

"""`reviewdeck operators`: whose signatures count."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from reviewdeck.cli.operators_directory import (
    log_operator_event,
    no_keys,
    open_operators,
    unlock_operator,
)
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import answer, print_json, say
from reviewdeck.errors import UnknownId
from reviewdeck.interruption import uninterrupted
from reviewdeck.operators import enrolment
from reviewdeck.operators.keys import fingerprint
from reviewdeck.operators.ring import RingKey
from reviewdeck.presentation.items import moment_json
from reviewdeck.presentation.proposal_words import local_time
from reviewdeck.terminal import ask_new_passphrase


def show(*, options: Options = DEFAULTS) -> int:
    """List the trusted operators, and the revoked ones."""
    with open_operators(options) as (authority, _):
        ring = authority.vault.ring()
        standing = authority.authorisation
        private_names = authority.vault.names()
    if options.json:
        keys = [
            _key_json(key) | {"private": key.name in private_names} for key in ring.keys.values()
        ]
        restarts = [moment_json(at) for at in ring.restarts]
        print_json({"standing": standing, "keys": keys, "restarts": restarts})
        return 0
    say(standing)
    for key in ring.keys.values():
        until = f" until {local_time(key.until)}" if key.until else ""
        say(f"  {key.name}  {fingerprint(key.public)}  since {local_time(key.since)}{until}")
    for at in ring.restarts:
        say(f"  Somebody started over without an old key, {local_time(at)}.")
    return 0


def add(
    name: Annotated[str, Parameter(help="The new operator's name.")],
    /,
    *,
    key: Annotated[
        str | None,
        Parameter(
            help="A public key that was created elsewhere, as operators export prints it there."
            " Without it, a key is created here."
        ),
    ] = None,
    options: Options = DEFAULTS,
) -> int:
    """Trust another operator. An operator who is already trusted signs for it."""
    with open_operators(options) as (authority, ledger):
        by = unlock_operator(authority)
        passphrase = ask_new_passphrase() if key is None else ""
        with uninterrupted():
            if key is None:
                added = enrolment.add(authority, name, passphrase)
            else:
                added = enrolment.trust(authority, name, key.strip().lower())
            log_operator_event(ledger, authority, "operator-added", added.name, added.public, by=by)
    return _report("Trusted", added, options)


def rotate(*, options: Options = DEFAULTS) -> int:
    """Replace your own key, and choose a new passphrase. Signatures of the old key still count."""
    with open_operators(options) as (authority, ledger):
        by = unlock_operator(authority)
        passphrase = ask_new_passphrase()
        with uninterrupted():
            key = enrolment.rotate(authority, passphrase)
            log_operator_event(ledger, authority, "operator-rotated", key.name, key.public, by=by)
    return _report("Replaced by", key, options)


def revoke(
    name: Annotated[str, Parameter(help="The operator whose keys to revoke.")],
    /,
    *,
    options: Options = DEFAULTS,
) -> int:
    """Revoke an operator's keys. Their earlier signatures still count."""
    with open_operators(options) as (authority, ledger):
        by = unlock_operator(authority)
        with uninterrupted():
            key = enrolment.revoke(authority, name)
            log_operator_event(ledger, authority, "operator-revoked", key.name, key.public, by=by)
    return _report("Revoked", key, options)


def export(
    name: Annotated[str | None, Parameter(help="One operator. By default all.")] = None,
    /,
    *,
    options: Options = DEFAULTS,
) -> int:
    """Print the trusted public keys: name and key, one a line."""
    with open_operators(options) as (authority, _):
        keys = [key for key in authority.vault.ring().current if name in (None, key.name)]
    if not keys and name is not None:
        raise UnknownId(f"No operator is called {name}.", hint="See `reviewdeck operators list`.")
    if not keys:
        raise no_keys()
    lines = (f"{key.name} {key.public}" for key in keys)
    answer(options, [_key_json(key) for key in keys], *lines)
    return 0


def _report(verb: str, key: RingKey, options: Options) -> int:
    answer(options, _key_json(key), f"{verb} {key.name}, {fingerprint(key.public)}.")
    return 0


def _key_json(key: RingKey) -> dict[str, Any]:
    return {
        "operator": key.name,
        "key": key.public,
        "since": moment_json(key.since),
        "until": moment_json(key.until),
    }

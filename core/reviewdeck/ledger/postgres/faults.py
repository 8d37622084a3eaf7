"""PostgreSQL's errors as the engine's, by SQLSTATE. No message has more of a URL than its label."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg

from reviewdeck.errors import (
    Busy,
    LedgerBehind,
    LedgerDamaged,
    LedgerReadOnly,
    LedgerUnavailable,
    NotPermitted,
    ReviewdeckError,
)
from reviewdeck.ledger.database import BEHIND

_BUSY: Final = {"55P03", "40001", "40P01", "57014", "55006"}
"""A lock, a conflict, a deadlock, a statement that took too long."""
_OVERTAKEN: Final = {"event_line", "event_previous", "decision_counter"}
"""What only one of several programs that write at once gets."""
_UNIQUE: Final = "23505"
_DIVISION_BY_ZERO: Final = "22012"
"""Of what `Database.require` has checked: nothing else divides by what may be 0."""
_DISK_FULL: Final = "53100"
_READ_ONLY: Final = "25006"
_MISSING: Final = {"42P01", "3F000", "42883"}
"""A table, a schema or a function that every ledger has."""
_NO_LOGIN: Final = ("authentication failed", "pg_hba.conf", "FATAL: role ", "no password supplied")
"""What a server says to somebody whom it does not let in."""
_NO_RIGHT: Final = "42501"
OF_ANOTHER: Final = "this home is of another host"
MACHINE_POLICY: Final = "machine_"
"""How the names of the policies begin that keep what is of a machine to itself."""
_NOT_YOURS: Final = (
    "An operator leaves --home out, and sees the home as its worker does. A machine has a role of"
    " its own: `reviewdeck ledger add-host` makes one."
)
_NOT_ALLOWED: Final = (
    "Nothing was changed. The role that made the ledger may: postgresql://OWNER@..."
)
_RAISED: Final = "P0001"
"""By a trigger of ours: its words are."""


def fault_of(error: psycopg.Error, label: str) -> ReviewdeckError:
    """The engine's error for one of PostgreSQL's."""
    code = error.sqlstate or ""
    where = f"The ledger {label}"
    if code in _BUSY:
        return Busy(f"{where} is in use by another program.")
    if code == _UNIQUE and error.diag.constraint_name in _OVERTAKEN:
        return Busy(f"Another program wrote to the log of {label} at the same moment.")
    if code in _MISSING:
        # It was there when it was opened: names are not found where a role may see none of them.
        return NotPermitted(
            f"{where} is closed to this role now, or was removed.",
            hint="Whoever runs it opens it again: `reviewdeck ledger add-operator`, or `add-host`.",
        )
    if code == _NO_RIGHT:
        why = error.diag.message_primary or ""
        is_of_another = any(sign in why for sign in (OF_ANOTHER, MACHINE_POLICY, 'table "home"'))
        return NotPermitted(
            f"{where} does not let this role do that: {OF_ANOTHER if is_of_another else why}",
            hint=_NOT_YOURS if is_of_another else _NOT_ALLOWED,
        )
    if code == _DIVISION_BY_ZERO:
        return LedgerBehind(BEHIND)
    if code in (_DISK_FULL, _READ_ONLY):
        return _read_only(code, where)
    if code == _RAISED:
        return LedgerDamaged(f"{where} does not hold together: {error.diag.message_primary}")
    if code[:2] == "28":
        return refused_login(label)
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return LedgerUnavailable(
            f"{where} cannot be used: {_why(code)}.",
            hint="Once its server answers, do the same again: what was stored already stays once.",
        )
    # What the server says besides may quote what an agent wrote.
    return LedgerDamaged(f"{where} does not hold together: {type(error).__name__} {code}".rstrip())


def _read_only(code: str, where: str) -> LedgerReadOnly:
    if code == _DISK_FULL:
        return LedgerReadOnly(
            f"{where} cannot be written: the disk of its server is full.",
            hint="Free space there, then do the same again: what was stored already stays once.",
        )
    return LedgerReadOnly(
        f"{where} cannot be written: its server is a replica, or read-only.",
        hint="Name the primary server with --ledger.",
    )


def _why(code: str) -> str:
    match code[:2]:
        case "53":
            return "its server has no room for another connection"
        case "57":
            return "its server is shutting down or starting"
        case "":
            return "the connection to its server was lost"
        case _:
            return f"its server reports error {code}"


def refused_login(label: str) -> NotPermitted:
    """The error where a server does not let us in."""
    return NotPermitted(
        f"The server of the ledger {label} refused the login.",
        hint="Check the name in the URL, and the password in ~/.pgpass or the certificate.",
    )


def unreachable(error: psycopg.Error, label: str, secret: str | None) -> ReviewdeckError:
    """The error for a connection that was not made; libpq says why in words alone."""
    code, words = error.sqlstate or "", " ".join(str(error).split())
    if code[:2] == "28" or any(each in words for each in _NO_LOGIN):
        return refused_login(label)
    if code == "3D000" or ("database" in words and "does not exist" in words):
        return LedgerUnavailable(
            f"There is no database for the ledger {label}.",
            hint="Make the database first, then the ledger: `reviewdeck ledger create URL`.",
        )
    if "certificate" in words or "SSL" in words:
        return LedgerUnavailable(
            f"The server of the ledger {label} does not prove with a certificate that it is that"
            " server.",
            hint="Name the authority that signed its certificate: add ?sslrootcert=FILE to the"
            " URL, or ?sslrootcert=system.",
        )
    # libpq goes on with a question, which our hint asks too.
    reason = words.rpartition(" failed: ")[2].partition(" Is the server running")[0]
    if secret and secret in reason:
        reason = "no reason that can be shown"
    return LedgerUnavailable(
        f"The server of the ledger {label} does not answer: {reason or 'it gave no reason'}.",
        hint="Check the host and port in the URL, and whether the server runs.",
    )


@contextmanager
def translated(label: str) -> Iterator[None]:
    """Turns errors of psycopg into the engine's."""
    try:
        yield
    except psycopg.Error as error:
        raise fault_of(error, label) from error

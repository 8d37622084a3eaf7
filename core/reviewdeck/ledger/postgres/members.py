"""Adding members to a hub: the roles of hosts and operators."""

from __future__ import annotations

import re
from typing import Any, Final, Literal, TypeAlias

import psycopg

from reviewdeck.errors import BadInput, LedgerUnavailable
from reviewdeck.ledger.postgres.schema import SCHEMA

Kind: TypeAlias = Literal["host", "operator"]

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,62}")


_MACHINE: Final = re.compile(r"[0-9a-f]{16}")


def member_statements(
    kind: Kind,
    name: str,
    *,
    exists: bool,
    verifier: str | None = None,
    machine: str = "",
    schema: str = SCHEMA,
) -> tuple[str, ...]:
    """The SQL that makes somebody a member, under a role of the same name.

    `exists` says whether the server has this role. The verifier is what the server keeps instead of
    a password; without one the role logs in by what pg_hba.conf says, such as a certificate. The
    machine is a host's id; without it, it is the first that uses the role. Raises BadInput for a
    name or an id that cannot be one.
    """
    if _NAME.fullmatch(name) is None or name.startswith(("pg_", schema)):
        raise BadInput(
            f"{name!r} cannot be the name of a member.",
            hint="Use letters, digits and any of . _ @ - within, at most 63.",
        )
    if machine and _MACHINE.fullmatch(machine) is None:
        raise BadInput(f"{machine!r} is not the id of a machine.", hint="It has 16 hex digits.")
    # With NOINHERIT a role would have no rights before a SET ROLE, which behind a pooler is lost.
    made = f'{"ALTER" if exists else "CREATE"} ROLE "{name}" LOGIN INHERIT'
    if verifier is not None:
        made += f" PASSWORD '{verifier}'"
    return (
        made,
        f'GRANT {schema}_{kind} TO "{name}"',
        f"INSERT INTO {schema}.member (role, kind, name, host)"  # noqa: S608 - checked names
        f" VALUES ('{name}', '{kind}', '{name}', nullif('{machine}', ''))"
        " ON CONFLICT (role) DO UPDATE SET host = coalesce(excluded.host, member.host)",
    )


def removal_statements(kind: Kind, name: str, *, schema: str = SCHEMA) -> tuple[str, ...]:
    """The SQL that takes a member's rights; what it was stays known, and added again it is that."""
    return (f'REVOKE {schema}_{kind} FROM "{name}"', f'ALTER ROLE "{name}" NOLOGIN')


def add_member(
    connection: psycopg.Connection[Any],
    kind: Kind,
    name: str,
    password: str | None = None,
    machine: str = "",
    schema: str = SCHEMA,
) -> None:
    """Makes somebody a member, in one transaction; one who was removed is a member again.

    The password itself is not sent: the server's log would have it. Raises BadInput,
    LedgerUnavailable.
    """
    with connection.transaction():
        verifier = None
        if password:
            verifier = connection.pgconn.encrypt_password(
                password.encode("utf-8", "surrogateescape"), name.encode(), b"scram-sha-256"
            ).decode()
        if kind_of(connection, name, schema) not in (None, kind):
            raise LedgerUnavailable(
                f"{name} is a member already, and no {kind}.", hint="Choose another name."
            )
        role = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (name,)).fetchone()
        for statement in member_statements(
            kind, name, exists=role is not None, verifier=verifier, machine=machine, schema=schema
        ):
            connection.execute(statement)


def remove_member(connection: psycopg.Connection[Any], name: str, schema: str = SCHEMA) -> None:
    """Takes a member's rights. Raises LedgerUnavailable where nobody has this name."""
    with connection.transaction():
        kind = kind_of(connection, name, schema)
        if kind is None:
            raise LedgerUnavailable(f"Nobody called {name} is a member.", hint="")
        for statement in removal_statements(kind, name, schema=schema):
            connection.execute(statement)


def kind_of(connection: psycopg.Connection[Any], name: str, schema: str = SCHEMA) -> Kind | None:
    """What a member is; None for nobody's name."""
    row = connection.execute(
        f"SELECT kind FROM {schema}.member WHERE role = %s",  # noqa: S608 - a checked name
        (name,),
    ).fetchone()
    return row[0] if row else None

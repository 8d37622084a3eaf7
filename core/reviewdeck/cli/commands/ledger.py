"""`reviewdeck ledger`: making a ledger that several hosts share, its members, and copying."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from reviewdeck.cli.consent import check_asking, is_confirmed
from reviewdeck.cli.given import given_line
from reviewdeck.cli.operators_directory import refuse_agents
from reviewdeck.cli.options import DEFAULTS, Options, Yes
from reviewdeck.cli.output import answer, say
from reviewdeck.clock import utc_now
from reviewdeck.errors import BadInput, LedgerUnavailable
from reviewdeck.interruption import uninterrupted
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.place import address_of, exists, is_postgres
from reviewdeck.ledger.shared import extra
from reviewdeck.ledger.versions import HEAD
from reviewdeck.presentation.words import count

if TYPE_CHECKING:
    from reviewdeck.ledger.postgres.members import Kind

Url = Annotated[str, Parameter(help="The ledger: postgresql://user@host/database.")]
Name = Annotated[str, Parameter(help="The member's name, which is also its role on the server.")]
PasswordFile = Annotated[
    str | None,
    Parameter(
        help="A file with the role's password in its first line; - reads the standard input."
        " Without it, the server has another way to know who logs in."
    ),
]
Sql = Annotated[bool, Parameter(help="Only print the SQL.")]


def create(url: Url, /, *, sql: Sql = False, yes: Yes = False, options: Options = DEFAULTS) -> int:
    """Make the ledger in an existing database, in a schema of its own, with its roles.

    The URL's role needs the right to create in the database and to create roles.
    """
    label = _server(url)
    with extra():
        from reviewdeck.ledger.postgres import administration
        from reviewdeck.ledger.postgres.creation import creation_script
        from reviewdeck.ledger.postgres.rights import groups
        from reviewdeck.ledger.postgres.schema import SCHEMA
    if sql:
        say(creation_script())
        return 0
    refuse_agents()
    check_asking(options, yes=yes, hint="Add --yes or --sql.")
    if not options.json:
        say(f"In {label}, this makes:")
        say(f"  the schema {SCHEMA}, with the tables, triggers and policies of version {HEAD}")
        say(f"  the roles {' and '.join(groups(SCHEMA))}, which nobody logs in with")
        say("--sql prints every statement.")
    if not is_confirmed(yes=yes):
        return 0
    with uninterrupted():
        administration.create(url)
    made = {"ledger": label, "schema": SCHEMA, "version": HEAD}
    following = "`reviewdeck ledger add-operator`, then `add-host`"
    answer(options, made, f"The ledger is there. Next: {following}.")
    return 0


def add_host(
    url: Url,
    name: Name,
    /,
    *,
    machine: Annotated[
        str,
        Parameter(
            help="The machine's id, in a ledger that was copied here: its homes are there already."
        ),
    ] = "",
    password_file: PasswordFile = None,
    sql: Sql = False,
    yes: Yes = False,
    options: Options = DEFAULTS,
) -> int:
    """Add a machine with homes: its role takes in and writes, and decides nothing.

    The first machine that uses the role is the host from then on.
    """
    return _add(url, "host", name, password_file, options, sql=sql, yes=yes, machine=machine)


def add_operator(
    url: Url,
    name: Name,
    /,
    *,
    password_file: PasswordFile = None,
    sql: Sql = False,
    yes: Yes = False,
    options: Options = DEFAULTS,
) -> int:
    """Add a person who decides: its role decides, drafts and writes to the log as itself alone.

    The name is the one of the operator's key.
    """
    return _add(url, "operator", name, password_file, options, sql=sql, yes=yes)


def remove(url: Url, name: Name, /, *, yes: Yes = False, options: Options = DEFAULTS) -> int:
    """Take a member's rights. Added again, it is the same host or operator."""
    label = _server(url)
    refuse_agents()
    with extra():
        from reviewdeck.ledger.postgres import administration
    check_asking(options, yes=yes)
    if not options.json:
        say(f"In {label}, this takes the login and the rights of the role {name}.")
    if not is_confirmed(yes=yes):
        return 0
    with uninterrupted():
        administration.remove_member(url, name)
    answer(
        options,
        {"ledger": label, "removed": name},
        f"{name} cannot log in any more, and its role has no right in the ledger.",
        "What it has open goes on until it ends: pg_terminate_backend ends that.",
    )
    return 0


def upgrade(url: Url, /, *, yes: Yes = False, options: Options = DEFAULTS) -> int:
    """Bring a ledger on a server up to date, while programs of the last version use it.

    The way back is a backup, which you make with pg_dump before.
    """
    label = _server(url)
    refuse_agents()
    with extra():
        from reviewdeck.ledger.postgres import administration
    check_asking(options, yes=yes)
    if not options.json:
        say(f"In {label}, this brings the tables to version {HEAD}, if they are older.")
        say("The way back is a backup, which reviewdeck does not make: pg_dump does.")
    if not is_confirmed(yes=yes):
        return 0
    with uninterrupted():
        before = administration.upgrade(url)
    told = f"{label} was of version {before}, and is of version {HEAD} now."
    if before >= HEAD:
        told = f"{label} is up to date: its version is {before}."
    answer(options, {"ledger": label, "before": before, "version": max(before, HEAD)}, told)
    return 0


def copy(
    source: Annotated[str, Parameter(help="The ledger to copy: a file or a URL.")],
    target: Annotated[str, Parameter(help="The ledger to fill: a new file, or an empty one.")],
    /,
    *,
    options: Options = DEFAULTS,
) -> int:
    """Copy a whole ledger, from a file to a server or back: every row, number and line of the log.

    It is all or nothing. What is written to the first one meanwhile is not in the copy: stop the
    programs that use it.
    """
    refuse_agents()
    from reviewdeck.ledger.copying import copy_between

    if not exists(source):
        raise LedgerUnavailable(
            f"There is no ledger at {address_of(source).label}.", hint="Nothing was copied."
        )
    with (
        open_ledger(source, now=utc_now) as first,
        open_ledger(target, now=utc_now) as second,
        uninterrupted(),
    ):
        copied = copy_between(first, second, is_numbered=not is_postgres(target))
    labels = {"from": address_of(source).label, "to": address_of(target).label}
    tables = count(len(copied.rows), "table")
    answer(
        options,
        {**labels, "rows": copied.rows, "digests": copied.digests},
        f"Copied {count(copied.amount, 'row')} of {tables} to {labels['to']}.",
        "Each table has the same digest in both, and the log is whole.",
    )
    return 0


def _add(
    url: str,
    kind: Kind,
    name: str,
    file: str | None,
    options: Options,
    *,
    sql: bool,
    yes: bool,
    machine: str = "",
) -> int:
    label = _server(url)
    with extra():
        from reviewdeck.ledger.postgres import administration
        from reviewdeck.ledger.postgres.members import member_statements
    if sql:
        for statement in member_statements(kind, name, exists=False, machine=machine):
            say(f"{statement};")
        return 0
    refuse_agents()
    check_asking(options, yes=yes, hint="Add --yes or --sql.")
    password = None if file is None else given_line(file)
    if not options.json:
        rights = "takes in and writes, and decides nothing" if kind == "host" else "decides"
        say(
            f"In {label}, this makes the role {name}, which {rights}. --sql prints every statement."
        )
    if not is_confirmed(yes=yes):
        return 0
    with uninterrupted():
        administration.add_member(url, kind, name, password, machine)
    lines = [f"{name} is {'a host' if kind == 'host' else 'an operator'} of {label}."]
    if file is None:
        lines.append("Its role has no new password: pg_hba.conf says how it logs in.")
    answer(options, {"ledger": label, "added": name, "kind": kind}, *lines)
    return 0


def _server(url: str) -> str:
    """What people are shown of a ledger on a server. Raises BadInput for any other."""
    if not is_postgres(url):
        raise BadInput(
            "This is for a ledger on a server.", hint="Name it as postgresql://user@host/database."
        )
    return address_of(url).label

"""`reviewdeck purge`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from reviewdeck.cli.given import given_line
from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.prompts import admit
from reviewdeck.cli.session import ledger_of, open_engine
from reviewdeck.cli.usage import UsageProblem
from reviewdeck.errors import Busy, NotPermitted
from reviewdeck.interruption import uninterrupted
from reviewdeck.ledger.place import address_of
from reviewdeck.ledger.purge import Purged, refuse_member
from reviewdeck.ledger.purge import purge as purge_ledger
from reviewdeck.ledger.purging import forms_of
from reviewdeck.ports import Home
from reviewdeck.ports.authority import unattested
from reviewdeck.presentation.words import count, one_line
from reviewdeck.terminal import ask


def purge(
    *,
    reason: Annotated[
        str, Parameter(help="Why: the log keeps it, so it must not contain the secret.")
    ],
    file: Annotated[
        str | None,
        Parameter(help="A file with the secret in its first line; - reads the standard input."),
    ] = None,
    options: Options = DEFAULTS,
) -> int:
    """Remove a leaked secret from the ledger, its log and its backups for good.

    The terminal asks for it, which keeps it out of the history of the shell.
    """
    refuse_member(ledger_of(options))
    with open_engine(options, everywhere=True) as engine:
        admit(engine)
        actor, authority = engine.operator(), engine.authority
        now = engine.now
        homes = [opened.home for opened in engine.open_homes]
    secret = _secret(file)
    url = ledger_of(options)
    if any(file.suffix == ".json" for file in _files_in(address_of(url).journal)):
        raise Busy(
            "This host has unfinished writes, and their journal holds texts.",
            hint="Nothing was purged: `reviewdeck recover` finishes it.",
        )
    attest = authority.attest if authority.signs else unattested
    with uninterrupted():
        purged = purge_ledger(url, secret, reason, actor=actor, now=now, attest=attest)
    remaining = sorted(_remaining(homes, url, forms_of(secret)))
    if options.json:
        print_json(_as_json(purged, remaining))
    else:
        _print(purged, remaining)
    return 0


def _secret(file: str | None) -> str:
    if file is None:
        try:
            return ask("The secret to purge: ", is_secret=True).strip()
        except NotPermitted as error:
            hint = "Nothing was changed. Name a file with it: --file FILE, or --file -."
            raise UsageProblem(error.message, hint=hint) from None
    return given_line(file).strip()


def _remaining(homes: Sequence[Home], url: str, forms: Sequence[str]) -> Iterator[str]:
    """Known files outside the ledger that still contain the secret."""

    address = address_of(url)
    working = [address.working.with_name(f"{address.working.name}{end}") for end in ("", "-wal")]
    own_files = [*working, *_files_in(address.spool)]
    documents = [Path(home.where) / path for home in homes for path in home.documents()]
    pending = [file for home in homes for file in _files_in(Path(home.where) / "pending")]
    for file in (*documents, *pending, *own_files):
        try:
            data = file.read_bytes()
        except OSError:
            continue
        if any(form.encode("utf-8", "surrogateescape") in data for form in forms):
            yield str(file)


def _files_in(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _as_json(purged: Purged, remaining: Sequence[str]) -> dict[str, object]:
    return {
        "texts": purged.texts,
        "lines": purged.lines,
        "cells": purged.cells,
        "backups": purged.backups,
        "gone": purged.is_gone,
        "tables": [*purged.tables],
        "left": list(remaining),
    }


def _print(purged: Purged, remaining: Sequence[str]) -> None:
    if not purged.amount:
        say(
            "No row of the ledger contains it."
            if purged.is_gone is None
            else "The ledger and its backups do not contain it."
        )
    else:
        parts = (
            count(purged.texts, "stored text"),
            count(purged.lines, "line of the log", "lines of the log"),
            count(purged.cells, "other cell"),
            *([] if purged.is_gone is None else [count(purged.backups, "backup")]),
        )
        say(f"Removed from {', '.join(parts)}. The log records it, with the reason.")
    if purged.is_gone is None:
        _print_servers_own(purged.tables)
    elif not purged.is_gone:
        say(
            "The ledger's files still hold it: in free pages while another program uses the ledger"
            " (purge once more then), or in the name of a home or an actor, which stays."
        )
    for file in remaining:
        say(f"It is still in {one_line(file)}: that is not the ledger's to change.")
    say("Not reached: other machines, exports of the log, copies elsewhere, what the disk forgets.")


def _print_servers_own(tables: Sequence[str]) -> None:
    rewritten = f"`VACUUM FULL {', '.join(f'reviewdeck.{table}' for table in tables)}`"
    say(
        "The server may still hold it, and whoever runs it has to remove it there: in dead rows of"
        f" the tables, until {rewritten if tables else '`VACUUM FULL`'} once nobody reads an older"
        " view; in the write-ahead log and its archive; on replicas and in their logs; in base"
        " backups; in dumps."
    )

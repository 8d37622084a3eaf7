"""`reviewdeck purge`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.cli.prompts import admit
from reviewdeck.cli.session import ledger_of, open_deck
from reviewdeck.clock import utc_now
from reviewdeck.errors import BadInput
from reviewdeck.presentation.words import count, one_line
from reviewdeck.terminal import ask

if TYPE_CHECKING:
    from reviewdeck.ledger.purge import Purged
    from reviewdeck.ports import Home


def purge(
    *,
    reason: Annotated[
        str, Parameter(help="Why: it stays in the log. It must not tell the secret.")
    ],
    file: Annotated[
        str | None,
        Parameter(help="A file with the secret in its first line; - reads the standard input."),
    ] = None,
    options: Options = DEFAULTS,
) -> int:
    """Take a secret that got in out of the ledger, its log and its backups, for good.

    It is asked for in the terminal, so that it stands in no history of a shell.
    """
    from reviewdeck.ledger.purge import forms_of
    from reviewdeck.ledger.purge import purge as purge_ledger

    with open_deck(options, everywhere=True) as deck:
        admit(deck)
        actor, attest = deck.context.operator(), deck.context.authority.attest
        homes = [one.home for one in deck.context.homes]
    secret = _secret(file)
    url = ledger_of(options)
    done = purge_ledger(url, secret, reason, actor=actor, now=utc_now, attest=attest)
    left = sorted(_left(homes, url, forms_of(secret)))
    if options.json:
        print_json(_as_json(done, left))
    else:
        _tell(done, left)
    return 0


def _secret(file: str | None) -> str:
    if file is None:
        return ask("The secret to be purged: ", is_secret=True).strip()
    try:
        text = sys.stdin.read() if file == "-" else Path(file).expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The secret cannot be read from {file}: {error}.") from None
    return text.strip("\r\n").partition("\n")[0].strip()


def _left(homes: Sequence[Home], url: str, forms: Sequence[str]) -> Iterator[str]:
    """Files that we know of, hold it, and are not ours to change."""
    from reviewdeck.ledger.place import path_of
    from reviewdeck.locations import spool_of

    beside = [path_of(url).with_name("working.db"), *_files_in(spool_of(url))]
    named = [Path(home.id) / path for home in homes for path in home.documents()]
    pending = [file for home in homes for file in _files_in(Path(home.id) / "pending")]
    for file in (*named, *pending, *beside):
        try:
            data = file.read_bytes()
        except OSError:
            continue
        if any(form.encode("utf-8", "surrogateescape") in data for form in forms):
            yield str(file)


def _files_in(folder: Path) -> Iterator[Path]:
    return (one for one in folder.rglob("*") if one.is_file() and not one.is_symlink())


def _as_json(done: Purged, left: Sequence[str]) -> dict[str, object]:
    return {
        "texts": done.texts,
        "lines": done.lines,
        "cells": done.cells,
        "backups": done.backups,
        "gone": done.is_gone,
        "left": list(left),
    }


def _tell(done: Purged, left: Sequence[str]) -> None:
    if not done.amount:
        say("The ledger and its backups do not hold it.")
    else:
        parts = (
            count(done.texts, "stored text"),
            count(done.lines, "line of the log", "lines of the log"),
            count(done.cells, "other cell"),
            count(done.backups, "backup"),
        )
        say(f"Taken out of {', '.join(parts)}. The log says so, and why.")
    if not done.is_gone:
        say("Another program uses the ledger: free pages may still hold it. Purge once more then.")
    for file in left:
        say(f"It still stands in {one_line(file)}: that is not the ledger's to change.")
    say("Not reached: other machines, exports of the log, copies elsewhere, what the disk forgets.")

"""The commands that an operator may want next, ready to be pasted."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Final

from reviewdeck.cli.options import Options
from reviewdeck.cli.program_name import program_name
from reviewdeck.model import ABSENT, State
from reviewdeck.presentation.inspection import Inspected

ENOUGH: Final = 16
"""Digits of a digest that a suggested command carries: 64 bits of it."""


def command(options: Options, *words: str) -> str:
    """A command line for the same home and ledger as this one."""
    said = [program_name(), *words]
    for name, value in (
        *(("--home", home) for home in options.home),
        *(("--profile", profile) for profile in options.profile),
        ("--ledger", options.ledger),
    ):
        if value is not None:
            said += [name, shlex.quote(str(value))]
    if options.all_profiles:
        said.append("--all-profiles")
    return " ".join(said)


def next_commands(found: Inspected, options: Options) -> Iterator[str]:
    """What can be done about a proposal, as it stands."""
    id, digest = found.item.id, (found.digest or "")[:ENOUGH]
    match found.state:
        case State.READY | State.DEFERRED | State.LIVE if digest:
            yield command(options, "approve", id, "--digest", digest)
            yield command(options, "merge", id, "--file", "FILE", "--digest", digest)
        case State.CONFLICT:
            yield command(options, "merge", id, "--take", "proposed", "--digest", digest)
            yield command(options, "merge", id, "--file", "FILE", "--digest", digest)
        case State.DEAD | State.REFUSED | State.DEFERRED:
            if not found.revisions:
                place = ("--document", "PATH")
                yield command(options, "merge", id, "--file", "FILE", "--digest", ABSENT, *place)
            for path, revision in found.revisions.items():
                named = ("--document", shlex.quote(path)) if len(found.revisions) > 1 else ()
                yield command(
                    options, "merge", id, "--file", "FILE", "--digest", revision[:ENOUGH], *named
                )
        case State.QUARANTINED:
            yield command(options, "repair", id)
        case State.APPLIED:
            standing = (one.id for one in found.operations if one.undone_by is None)
            yield from (command(options, "undo", operation) for operation in standing)
            return
        case _:
            return
    yield command(options, "reject", id, "--reason", "TEXT")
    if found.state not in (State.DEFERRED, State.QUARANTINED):
        yield command(options, "defer", id)

"""Commands to suggest to the operator, ready to be pasted."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Final

from reviewdeck.cli.options import Options
from reviewdeck.cli.program_name import program_name
from reviewdeck.model import ABSENT, State
from reviewdeck.presentation.inspection import Inspection

ENOUGH: Final = 16
"""Digits of a digest that a suggested command carries: 64 bits of it."""


def command(options: Options, *words: str) -> str:
    """A command line for the same home and ledger as this one."""
    parts = [program_name(), *words]
    for name, value in (
        *(("--home", home) for home in options.home),
        *(("--profile", profile) for profile in options.profile),
        ("--ledger", options.ledger),
    ):
        if value is not None:
            parts += [name, shlex.quote(str(value))]
    if options.all_profiles:
        parts.append("--all-profiles")
    return " ".join(parts)


def next_commands(inspected: Inspection, options: Options) -> Iterator[str]:
    """The commands that decide on a proposal in its present state."""
    id, digest = inspected.item.id, (inspected.digest or "")[:ENOUGH]
    match inspected.state:
        case State.READY | State.DEFERRED | State.LIVE if digest:
            yield command(options, "approve", id, "--digest", digest)
            yield command(options, "merge", id, "--file", "FILE", "--digest", digest)
        case State.CONFLICT:
            yield command(options, "merge", id, "--take", "proposed", "--digest", digest)
            yield command(options, "merge", id, "--file", "FILE", "--digest", digest)
        case State.DEAD | State.REFUSED | State.DEFERRED:
            if not inspected.revisions:
                place = ("--document", "PATH")
                yield command(options, "merge", id, "--file", "FILE", "--digest", ABSENT, *place)
            for path, revision in inspected.revisions.items():
                document = ("--document", shlex.quote(path)) if len(inspected.revisions) > 1 else ()
                yield command(
                    options, "merge", id, "--file", "FILE", "--digest", revision[:ENOUGH], *document
                )
        case State.QUARANTINED:
            yield command(options, "repair", id)
        case State.APPLIED:
            undoable = (
                operation.id for operation in inspected.operations if operation.undone_by is None
            )
            yield from (command(options, "undo", operation) for operation in undoable)
            return
        case _:
            return
    yield command(options, "reject", id, "--reason", "TEXT")
    if inspected.state not in (State.DEFERRED, State.QUARANTINED):
        yield command(options, "defer", id)

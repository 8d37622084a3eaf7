"""Commands to suggest to the operator, ready to be pasted."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Final

from reviewdeck.cli.options import Options
from reviewdeck.cli.program_name import program_name
from reviewdeck.cli.session import selection_of
from reviewdeck.model import ABSENT, State
from reviewdeck.presentation.inspection import Inspection
from reviewdeck.values import dataclass

ENOUGH: Final = 16
"""Digits of a digest that a suggested command carries: 64 bits of it."""


@dataclass(frozen=True, slots=True)
class NextCommand:
    """A command that is possible next."""

    line: str
    purpose: str = ""
    """Its effect on the proposal, where the command's own name does not say it."""


def command(options: Options, *words: str) -> str:
    """A command line for the same home and ledger as this one."""
    return " ".join(filter(None, (program_name(), *words, options_of(options))))


def options_of(options: Options) -> str:
    """The options that name the same home and ledger as these; empty where none are named."""
    return shlex.join(selection_of(options).options)


def next_commands(inspected: Inspection, options: Options) -> Iterator[NextCommand]:
    """The commands that decide on a proposal in its present state."""
    purposes = _WHEN_LIVE if inspected.state is State.LIVE else {}
    for verb, *words in _decisions(inspected):
        yield NextCommand(command(options, verb, *words), purposes.get(verb, ""))


_WHEN_LIVE: Final = {"approve": "keep", "merge": "replace", "reject": "revert", "defer": "defer"}
"""The effect of a command on a change that is live already."""


def _decisions(inspected: Inspection) -> Iterator[tuple[str, ...]]:
    id, digest = inspected.item.id, (inspected.digest or "")[:ENOUGH]
    match inspected.state:
        case State.READY | State.DEFERRED | State.LIVE if digest:
            yield "approve", id, "--digest", digest
            yield "merge", id, "--file", "FILE", "--digest", digest
        case State.CONFLICT:
            yield "merge", id, "--take", "proposed", "--digest", digest
            yield "merge", id, "--file", "FILE", "--digest", digest
        case State.DEAD | State.REFUSED | State.DEFERRED:
            if not inspected.revisions:
                yield "merge", id, "--file", "FILE", "--digest", ABSENT, "--document", "PATH"
            for path, revision in inspected.revisions.items():
                document = ("--document", shlex.quote(path)) if len(inspected.revisions) > 1 else ()
                yield "merge", id, "--file", "FILE", "--digest", revision[:ENOUGH], *document
        case State.QUARANTINED:
            yield "repair", id
        case State.APPLIED:
            yield from (("undo", one.id) for one in inspected.operations if one.undone_by is None)
            return
        case _:
            return
    yield "reject", id, "--reason", "TEXT"
    if inspected.state not in (State.DEFERRED, State.QUARANTINED):
        yield "defer", id

"""Options of the command line, as they reach the process behind the page."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path

from reviewdeck.environment import Scope

UNLOCKED = "--unlocked"


def spell(scope: Scope) -> Iterator[str]:
    """The options that say which homes and which ledger, one word after the other."""
    for home in scope.home:
        yield f"--home={home.absolute()}"
    for name, value in (
        ("profile", scope.profile),
        ("ledger", scope.ledger),
        ("policy", scope.policy.absolute() if scope.policy else None),
    ):
        if value is not None:
            yield f"--{name}={value}"
    if scope.all_profiles:
        yield "--all-profiles"


def parse(words: Sequence[str]) -> tuple[Scope, bool]:
    """The same options again, and whether the page may decide."""
    parser = ArgumentParser(allow_abbrev=False)
    parser.add_argument(UNLOCKED, action="store_true")
    parser.add_argument("--home", type=Path, action="append", default=[])
    parser.add_argument("--profile")
    parser.add_argument("--ledger")
    parser.add_argument("--policy", type=Path)
    parser.add_argument("--all-profiles", action="store_true")
    given = parser.parse_args(words)
    scope = Scope(
        home=tuple(given.home),
        profile=given.profile,
        all_profiles=given.all_profiles,
        ledger=given.ledger,
        policy=given.policy,
    )
    return scope, given.unlocked

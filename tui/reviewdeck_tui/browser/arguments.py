"""Options of the command line, as they reach the process behind the page."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path

from reviewdeck.cli.options import Options

UNLOCKED = "--unlocked"


def spell(options: Options) -> Iterator[str]:
    """The options that say which homes and which ledger, one word after the other."""
    for home in options.home:
        yield f"--home={home.absolute()}"
    for name, value in (
        ("profile", options.profile),
        ("ledger", options.ledger),
        ("policy", options.policy.absolute() if options.policy else None),
    ):
        if value is not None:
            yield f"--{name}={value}"
    if options.all_profiles:
        yield "--all-profiles"


def parse(words: Sequence[str]) -> tuple[Options, bool]:
    """The same options again, and whether the page may decide."""
    parser = ArgumentParser(allow_abbrev=False)
    parser.add_argument(UNLOCKED, action="store_true")
    parser.add_argument("--home", type=Path, action="append", default=[])
    parser.add_argument("--profile")
    parser.add_argument("--ledger")
    parser.add_argument("--policy", type=Path)
    parser.add_argument("--all-profiles", action="store_true")
    given = parser.parse_args(words)
    options = Options(
        home=tuple(given.home),
        profile=given.profile,
        all_profiles=given.all_profiles,
        ledger=given.ledger,
        policy=given.policy,
    )
    return options, given.unlocked

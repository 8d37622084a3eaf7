"""The options of the command line, passed on to the process behind the page."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path

from reviewdeck.environment import Selection

UNLOCKED = "--unlocked"


def spell(selection: Selection) -> Iterator[str]:
    """The options for homes, ledger and policy, as arguments."""
    for home in selection.home:
        yield f"--home={home.absolute()}"
    for profile in selection.profile:
        yield f"--profile={profile}"
    for name, value in (
        ("ledger", selection.ledger),
        ("policy", selection.policy.absolute() if selection.policy else None),
    ):
        if value is not None:
            yield f"--{name}={value}"
    if selection.all_profiles:
        yield "--all-profiles"
    if selection.is_new:
        yield "--new"


def parse(words: Sequence[str]) -> tuple[Selection, bool]:
    """Parses these options, and whether the page may decide."""
    parser = ArgumentParser(allow_abbrev=False)
    parser.add_argument(UNLOCKED, action="store_true")
    parser.add_argument("--home", type=Path, action="append", default=[])
    parser.add_argument("--profile", action="append", default=[])
    parser.add_argument("--ledger")
    parser.add_argument("--policy", type=Path)
    parser.add_argument("--all-profiles", action="store_true")
    parser.add_argument("--new", action="store_true")
    options = parser.parse_args(words)
    selection = Selection(
        home=tuple(options.home),
        profile=tuple(options.profile),
        all_profiles=options.all_profiles,
        is_new=options.new,
        ledger=options.ledger,
        policy=options.policy,
    )
    return selection, options.unlocked

"""`reviewdeck policy migrate`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from reviewdeck.cli.options import DEFAULTS, Options
from reviewdeck.cli.output import print_json, say
from reviewdeck.errors import BadInput
from reviewdeck.policy_location import PolicyPlace, read_source
from reviewdeck.terminal import warn

if TYPE_CHECKING:
    from reviewdeck.cli.policy_migration import Migrated


def migrate(
    file: Annotated[
        Path | None,
        Parameter(help="A policy file of an earlier version. Without it, a new one is printed."),
    ] = None,
    /,
    *,
    options: Options = DEFAULTS,
) -> int:
    """Print a policy file in today's form, and the old settings that it leaves out.

    The file itself is not changed. Without one, every setting is printed as a comment.
    """
    from reviewdeck.cli.policy_migration import TEMPLATE, Migrated

    migrated = Migrated(TEMPLATE, ()) if file is None else _migrate(file)
    if options.json:
        print_json({"text": migrated.text, "dropped": list(migrated.dropped)})
        return 0
    say(migrated.text.rstrip("\n"))
    for dropped in migrated.dropped:
        warn(f"reviewdeck: left out: {dropped}")
    return 0


def _migrate(file: Path) -> Migrated:
    from reviewdeck.cli.policy_migration import migrate as rewritten

    try:
        data = read_source(PolicyPlace(file, is_named=True)) or b""
        return rewritten(data.decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        problem = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"{file} cannot be read as a policy file: {problem}.") from None

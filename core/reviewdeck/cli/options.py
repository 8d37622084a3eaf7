"""The options that every command takes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, TypeAlias

from cyclopts import Parameter


@Parameter(name="*", show=False)
@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Which homes, which ledger, which policy, and the form of the output."""

    home: Annotated[
        tuple[Path, ...],
        Parameter(
            help="The agent's home; may be given more than once. By default the one that Hermes"
            " would use; the deck, status, list, since and an id reach every profile, and every"
            " folder behind a gate.",
        ),
    ] = ()
    profile: Annotated[
        tuple[str, ...],
        Parameter(
            help="The profile, as hermes -p NAME would take it; may be given more than once.",
        ),
    ] = ()
    all_profiles: Annotated[
        bool, Parameter(help="Every profile of Hermes, and every folder behind a gate.")
    ] = False
    new: Annotated[
        bool,
        Parameter(
            help="Take an empty folder for a home to be; look afresh at what kind of home it is."
        ),
    ] = False
    ledger: Annotated[
        str | None,
        Parameter(
            help="The ledger of decisions and history: a path or sqlite:///PATH."
            " By default REVIEWDECK_LEDGER, or a file in the user's data directory."
        ),
    ] = None
    policy: Annotated[
        Path | None,
        Parameter(
            help="The policy file. By default REVIEWDECK_POLICY, or policy.toml in the user's"
            " configuration directory, if there is one."
        ),
    ] = None
    host: Annotated[
        str | None,
        Parameter(
            help="Run this on another machine, over ssh: user@machine. Homes, files and the ledger"
            " are that machine's."
        ),
    ] = None
    """Taken out of the command line before it is parsed."""
    json: Annotated[bool, Parameter(help="Print JSON instead of text.")] = False
    no_color: Annotated[
        bool, Parameter(help="No colours. The variable NO_COLOR does the same.")
    ] = False


Reveal: TypeAlias = Annotated[
    bool, Parameter(help="Show secrets too. Without it, they are redacted.")
]
"""The switch of commands that show texts."""
Yes: TypeAlias = Annotated[bool, Parameter(help="Do not ask for confirmation.")]
DryRun: TypeAlias = Annotated[
    bool, Parameter(help="Show what would be changed, and change nothing.")
]
ProposalId: TypeAlias = Annotated[
    str, Parameter(help="The proposal: its id, a unique prefix, or Hermes' id.")
]
DocumentName: TypeAlias = Annotated[
    str, Parameter(help="memory, user, a skill, a file of a skill, or a path below the home.")
]

DEFAULTS: Final = Options()

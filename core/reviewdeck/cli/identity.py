"""What `doctor` says of who decides here, and whether the agent is kept apart."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from reviewdeck.cli.checkup import Check, Level
from reviewdeck.cli.words import at_local, count
from reviewdeck.engine.options import Settings
from reviewdeck.errors import NotVerified
from reviewdeck.ledger.place import path_of

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck
    from reviewdeck.operators.separation import SeparationPaths

MOST_BREACHES = 12


def check_operators(deck: Deck) -> Iterator[Check]:
    """Which tier holds, whose signatures count, and whether the policy is signed."""
    from reviewdeck.operators.authority import Operators

    authority = deck.desk.authority
    if not authority.signs or not isinstance(authority, Operators):
        said = f"{authority.standing}: whoever runs programs as this user can decide"
        yield Check("decisions", Level.OK, said, "reviewdeck init makes a key to sign them with")
        return
    try:
        ring = authority.trusted()
    except NotVerified as error:
        yield Check("decisions", Level.BAD, error.message, error.hint)
        return
    names = ", ".join(key.name for key in ring.current)
    said = f"signed (tier 1), {count(len(ring.current), 'operator')}: {names}"
    yield Check("decisions", Level.OK, said, "reviewdeck doctor --separate is the next step")
    for at in ring.restarts:
        said = f"somebody began again without an old key, {at_local(at)}"
        yield Check("decisions", Level.WARN, said, "That was you, or it was somebody else.")
    why = authority.why_nothing_is_automatic()
    if why is None:
        yield Check("policy", Level.OK, "the policy is the one that was signed")
    else:
        yield Check("policy", Level.WARN, f"auto-apply is off: {why}", "reviewdeck policy sign")


def check_separation(settings: Settings, user: str) -> Iterator[Check]:
    """Whether an agent that runs as another user can write into `pending/` and nowhere else."""
    from reviewdeck.operators import separation

    agent = separation.account_of(user)
    for home in settings.homes:
        places = places_of(settings, home)
        if agent is None:
            said = f"there is no user {user}: the agent is not kept apart (tier 2 does not hold)"
            yield Check("separate", Level.BAD, said, "The commands below make it so.")
            found = []
        else:
            found = list(separation.breaches(places, agent))
        for breach in found[:MOST_BREACHES]:
            yield Check("separate", Level.BAD, f"{breach.path}: {breach.said}")
        if len(found) > MOST_BREACHES:
            yield Check("separate", Level.BAD, f"and {len(found) - MOST_BREACHES} more like these")
        if agent is not None and not found:
            said = f"{user} can write into pending/ and change nothing else (tier 2) of {home}"
            yield Check("separate", Level.OK, said)
            continue
        for line in separation.commands(places, user):
            yield Check("command", Level.OK, line)


def places_of(settings: Settings, home: Path) -> SeparationPaths:
    """What of this set-up has to be out of the agent's reach."""
    from reviewdeck.operators.separation import SeparationPaths

    ours = Path(__file__).resolve().parents[1]
    policy = settings.policy.path if settings.policy is not None else None
    return SeparationPaths(
        home=home,
        ledger=path_of(settings.ledger).absolute(),
        operators=settings.operators or Path(os.devnull),
        policy=policy,
        programs=(Path(sys.executable), ours),
    )

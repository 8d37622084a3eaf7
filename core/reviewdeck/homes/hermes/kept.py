"""Whether a home keeps conversations, and where they may be. Loads nothing that reads them."""

from __future__ import annotations

from pathlib import Path

from reviewdeck.homes.hermes.session_database import DATABASE, is_there
from reviewdeck.homes.hermes.sidecar import has_sidecars
from reviewdeck.homes.syscalls import Kernel


def is_profile(home: Path) -> bool:
    """Whether a home is a named profile, below the directory of all of them."""
    return home.parent.name == "profiles"


def roots_of(home: Path) -> tuple[Path, ...]:
    """Where this home's conversations may be kept: in it, and where its profile was launched."""
    return (home, home.parent.parent) if is_profile(home) else (home,)


def keeps_conversations(home: Path, *, kernel: Kernel) -> bool:
    """Whether a home keeps any: a database in it or its root, or a sidecar."""
    kept = any(is_there(root / DATABASE) for root in roots_of(home))
    return kept or has_sidecars(home, kernel=kernel)

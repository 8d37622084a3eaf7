"""The folders that may contain a home's conversations. Loads nothing that reads them."""

from __future__ import annotations

from pathlib import Path

from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.hermes.layout import is_profile
from reviewdeck.homes.hermes.session_database import DATABASE, is_there
from reviewdeck.homes.hermes.sidecar import has_sidecars


def roots_of(home: Path) -> tuple[Path, ...]:
    """The folders with this home's conversations: its own, and the root that launched it."""
    return (home, home.parent.parent) if is_profile(home) else (home,)


def keeps_conversations(home: Path, *, kernel: Kernel) -> bool:
    """Whether a home has any: a database in it or its root, or a sidecar."""
    has_database = any(is_there(root / DATABASE) for root in roots_of(home))
    return has_database or has_sidecars(home, kernel=kernel)

"""Instructions that are links: the agent reads what they lead to, and the gate refuses them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from reviewdeck.homes.claude.hook.documents import LAYOUTS, governed


def link_cautions(layout: str, root: Path) -> Iterator[str]:
    """A warning for each instruction that is a link to a file of which no change is reviewed."""
    for path in LAYOUTS[layout]:
        place = root / path
        if "*" in path or not place.is_symlink() or not place.exists():
            continue
        target, top = os.path.realpath(place), os.path.realpath(root)
        inside = os.path.relpath(target, top)
        if target.startswith(f"{top}/") and governed(layout, inside):
            continue
        named = inside if target.startswith(f"{top}/") else target
        yield (
            f"{path} is a link to {named}: it is read in every session, and no change of it is"
            " reviewed."
        )

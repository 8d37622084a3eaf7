"""Instructions that are links out of the home: the agent reads what they lead to, unreviewed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from reviewdeck.homes.claude.hook.documents import LAYOUTS
from reviewdeck.homes.claude.hook.roots import Root


def link_cautions(layout: str, root: Path) -> Iterator[str]:
    """A warning for each instruction that is a link to a file of which no change is reviewed."""
    home = Root(layout, str(root))
    for path in LAYOUTS[layout]:
        place = root / path
        if "*" in path or not place.is_symlink() or not place.exists():
            continue
        target = os.path.realpath(place)
        if not home.covers(target):
            yield (
                f"{path} is a link to {target}: it is read in every session, and no change of it"
                " is reviewed."
            )

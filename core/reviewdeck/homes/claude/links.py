"""Instructions that are links out of the home: the agent reads what they lead to, unreviewed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from reviewdeck.agents.claude.documents import LAYOUTS
from reviewdeck.agents.claude.roots import Root

UNREVIEWED: Final = "it is read in every session, and no change of it is reviewed."


def links_out(layout: str, root: Path) -> Iterator[tuple[str, str]]:
    """Each instruction that is a link to a file of which no change is reviewed, and that file."""
    home = Root(layout, str(root))
    for path in LAYOUTS[layout]:
        place = root / path
        if "*" in path or not place.is_symlink() or not place.exists():
            continue
        target = os.path.realpath(place)
        if not home.covers(target):
            yield path, target


def link_caution(path: str, target: str) -> str:
    """The warning for one of them."""
    return f"{path} is a link to {target}: {UNREVIEWED}"

"""What reaches the agent by a link or an import of a home's instructions.

Inside the home it is a document where it really is. Outside it is named, and read only to be shown
and judged where the agent loads it: no change of it is reviewed.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from reviewdeck.agents.gated.documents import AGENT_LAYOUTS, LAYOUTS, SHARED
from reviewdeck.agents.gated.roots import Root
from reviewdeck.files.reads import read_quietly
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.link_targets import LinkTarget
from reviewdeck.homes.skill_tree import BOOKKEEPING_DIRECTORIES
from reviewdeck.model.documents import Document
from reviewdeck.reading.imports import Import, closure

UNREVIEWED: Final = "it is read in every session, and no change of it is reviewed."


def imports(
    root: Path,
    layout: str,
    user_home: Path,
    kernel: Kernel,
    starts: Iterable[str],
    *,
    outside: bool = False,
) -> Iterator[Import]:
    """What these documents of a home bring into the prompt; absolute paths lie outside of it.

    Only with `outside` those are read for further imports. Never raises.
    """
    top = root.resolve()

    def find(by: str, name: str) -> str | None:
        above = user_home if name.startswith("~/") else (top / by).parent
        try:
            # Node takes `..` out of a path before it looks at what is there.
            place = posixpath.normpath(above / name.removeprefix("~/"))
            real = Path(place).resolve(strict=True)
            if not real.is_file():
                return None
        except (OSError, RuntimeError, ValueError):
            return None
        is_inside = real.is_relative_to(top) and BOOKKEEPING_DIRECTORIES.isdisjoint(real.parts)
        return real.relative_to(top).as_posix() if is_inside else str(real)

    def read(path: str) -> str | None:
        if path.startswith("/") and not outside:
            return None
        document = read_text(root, path, kernel)
        return None if document.problem is not None or document.data is None else document.text

    return closure(starts, find, read, partial(_takes_everything, layout))


def _takes_everything(layout: str, start: str) -> bool:
    """Whether Gemini CLI or Qwen Code, which import more than Claude Code, may read a document."""
    if layout in SHARED:
        return not start.startswith(("CLAUDE", ".claude/"))
    return any(layout in AGENT_LAYOUTS[agent] for agent in ("gemini", "qwen"))


def read_text(root: Path, path: str, kernel: Kernel) -> Document:
    """The document at a path of the home, or at an absolute one. Never raises."""
    base = Path("/") if path.startswith("/") else root
    return read_quietly(base, path.removeprefix("/"), kernel=kernel)


def imported_targets(
    root: Path, layout: str, user_home: Path, kernel: Kernel, starts: Iterable[str]
) -> tuple[LinkTarget, ...]:
    """The imports inside the home, each as what its document leads to. Never raises."""
    return tuple(
        LinkTarget(each.path, each.by, is_folder=False)
        for each in imports(root, layout, user_home, kernel, starts)
        if not each.path.startswith("/")
    )


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

"""What else reaches the agent with a home's instructions: the files that they import.

`@path` in a document puts that file into the prompt: relative to the importing one, four deep, not
within code. Only documents and files below the home are opened; of others the path is told.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from reviewdeck.homes.files import read_quietly
from reviewdeck.homes.syscalls import Kernel

DEPTH: Final = 4
MOST: Final = 200
"""Files that are followed."""
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_CODE: Final = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_IMPORT: Final = re.compile(r"(?:^|(?<=\s))@((?:\\ |[^\s`])+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Import:
    """One file that a document brings into the prompt."""

    by: str
    """The document that names it, or that leads to it."""
    path: str
    """Relative to the home; absolute where it lies outside."""


def imported_by(text: str) -> tuple[str, ...]:
    """The paths that a text imports, as they stand there."""
    plain = _CODE.sub("", "\n".join(_outside_fences(text)))
    found = (match[1].replace("\\ ", " ").rstrip(".,;:!?)") for match in _IMPORT.finditer(plain))
    return tuple(dict.fromkeys(path for path in found if _is_path(path)))


def _outside_fences(text: str) -> Iterator[str]:
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if not fence and mark:
            fence = mark[1]
        elif not fence:
            yield line
        elif mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
            fence = ""


def _is_path(path: str) -> bool:
    """Whether this is a path, and no name of somebody: `@scope/name` cannot be told from one."""
    return "/" in path or "." in path.strip(".")


def closure(start: str, read: Callable[[str], str | None]) -> Iterator[Import]:
    """All files that a document brings in, each once, however deep and whether in a circle.

    `read` gives the text of a path relative to the home; None for what is not there.
    """
    seen = {start}
    level = [start]
    for _ in range(DEPTH):
        below: list[str] = []
        for path in level:
            for named in imported_by(read(path) or ""):
                target = _target(path, named)
                if target not in seen and len(seen) < MOST:
                    seen.add(target)
                    yield Import(start, target)
                    if not target.startswith(("/", "~", "..")):
                        below.append(target)
        level = below


def _target(by: str, named: str) -> str:
    if named.startswith(("/", "~")):
        return named
    return posixpath.normpath(posixpath.join(posixpath.dirname(by), named))


def import_cautions(
    root: Path, documents: Iterable[str], governs: Callable[[str], bool], kernel: Kernel
) -> Iterator[str]:
    """That a file is an instruction of every session, and no change of it is reviewed."""

    def read(path: str) -> str | None:
        found = read_quietly(root, path, kernel=kernel)
        return None if found.problem is not None or found.data is None else found.text

    told: set[str] = set()
    for document in sorted(documents):
        for one in closure(document, read):
            is_there = one.path.startswith(("/", "~", "..")) or read(one.path) is not None
            if is_there and not governs(one.path) and one.path not in told:
                told.add(one.path)
                yield (
                    f"{one.by} imports {one.path}: it is read as an instruction in every session, "
                    "and no change of it is reviewed here."
                )

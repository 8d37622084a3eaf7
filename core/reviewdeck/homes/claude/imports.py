"""The files that a home's instructions import, and that so reach the agent too.

`@path` in a document puts that file into the prompt: relative to the importing file, four levels
deep, not within code. Only files below the home are opened; others are reported by path.
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
"""The most files that are followed."""
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_CODE: Final = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
_IMPORT: Final = re.compile(r"(?:^|(?<=\s))@((?:\\ |[^\s`])+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Import:
    """One file that a document imports into the prompt."""

    by: str
    """The document that imports it, directly or through others."""
    path: str
    """Relative to the home; absolute where it lies outside."""


def imported_by(text: str) -> tuple[str, ...]:
    """The paths that a text imports, as written."""
    plain = _CODE.sub("", "\n".join(_outside_fences(text)))
    paths = (match[1].replace("\\ ", " ").rstrip(".,;:!?)") for match in _IMPORT.finditer(plain))
    return tuple(dict.fromkeys(path for path in paths if _is_path(path)))


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
    """Whether this is a path and not a user's handle; `@scope/name` counts as a path."""
    return "/" in path or "." in path.strip(".")


def closure(start: str, read: Callable[[str], str | None]) -> Iterator[Import]:
    """All files that a document imports, up to `DEPTH`, each once, even in a cycle.

    `read` returns the text of a path relative to the home; None where there is none.
    """
    visited = {start}
    level = [start]
    for _ in range(DEPTH):
        next_level: list[str] = []
        for path in level:
            for name in imported_by(read(path) or ""):
                target = _target(path, name)
                if target not in visited and len(visited) < MOST:
                    visited.add(target)
                    yield Import(start, target)
                    if not target.startswith(("/", "~", "..")):
                        next_level.append(target)
        level = next_level


def _target(by: str, name: str) -> str:
    if name.startswith(("/", "~")):
        return name
    return posixpath.normpath(posixpath.join(posixpath.dirname(by), name))


def import_cautions(
    root: Path, documents: Iterable[str], governs: Callable[[str], bool], kernel: Kernel
) -> Iterator[str]:
    """Warnings about imported files: every session reads them, and no change is reviewed."""

    def read(path: str) -> str | None:
        document = read_quietly(root, path, kernel=kernel)
        return None if document.problem is not None or document.data is None else document.text

    warned: set[str] = set()
    for document in sorted(documents):
        for imported in closure(document, read):
            path = imported.path
            exists = path.startswith(("/", "~", "..")) or read(path) is not None
            if exists and not governs(path) and path not in warned:
                warned.add(path)
                yield (
                    f"{imported.by} imports {path}: it is read as an instruction in every session, "
                    "and no change of it is reviewed here."
                )

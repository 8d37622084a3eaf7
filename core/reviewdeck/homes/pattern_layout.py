"""A layout of documents that patterns name, as the agents' own gates do."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path

from reviewdeck.agents.gated.documents import is_inside, matches_any


class PatternLayout(ABC):
    """The documents are the files that patterns match; skills are the folders of some."""

    @property
    @abstractmethod
    def patterns(self) -> tuple[str, ...]:
        """The patterns, relative to the home; `*` is one part of a path, `**` any number."""

    @property
    def skill_roots(self) -> tuple[str, ...]:
        """The folders of skills."""
        return tuple(name[:-3] for name in self.patterns if name.endswith("skills/**"))

    @property
    def instructions(self) -> tuple[str, ...]:
        """The documents at fixed paths."""
        return tuple(pattern for pattern in self.patterns if "*" not in pattern)

    @property
    def folders(self) -> tuple[str, ...]:
        """The fixed folders in which documents may appear; `places` adds those of projects."""
        heads = (pattern.split("*")[0].strip("/") for pattern in self.patterns)
        return tuple(dict.fromkeys(head for head in heads if not head.endswith(".md")))

    def texts(self, root: Path) -> Iterator[str]:
        """The existing documents that belong to no skill."""
        for pattern in self.patterns:
            if not pattern.endswith(".md"):
                continue  # Skills are found by their SKILL.md.
            for file in glob(root, pattern):
                path = file.relative_to(root).as_posix()
                if self.governs(path) and not file.is_dir():
                    yield path

    def governs(self, path: str) -> bool:
        """Whether a file at this path is or would be a document."""
        return is_inside(path) and matches_any(self.patterns, path)


def links_to(root: Path, pattern: str) -> Iterator[tuple[str, str]]:
    """The links on the way to what a pattern matches, the first on each, with what they lead to."""
    parts = pattern.split("/")
    ways = ["/".join(parts[: depth + 1]) for depth in range(len(parts))]
    found: list[str] = []
    for place in (place for way in ways for place in glob(root, way) if place.is_symlink()):
        path = place.relative_to(root).as_posix()
        if not path.startswith(tuple(f"{link}/" for link in found)):
            found.append(path)
            yield path, os.path.realpath(place)


def glob(root: Path, pattern: str) -> Iterable[Path]:
    """The paths that a pattern matches; none where they cannot be listed."""
    try:
        return list(root.glob(pattern))
    except OSError:
        return ()

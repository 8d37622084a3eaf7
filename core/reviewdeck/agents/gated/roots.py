"""The governed folders in the gate's arguments, and the documents that a path refers to.

Paths are plain strings here: pathlib takes longer to load than all the gate does.
"""

from __future__ import annotations

import os
import stat

from reviewdeck.agents.hermes.kit import OURS as TOP
from reviewdeck.agents.hermes.kit import NotPlain, read_with_status

from .documents import (
    AGENT_LAYOUTS,
    LAYOUTS,
    governed,
    holds_settings,
    is_inside,
    is_repository,
    leads_to_documents,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 1024 * 1024
"""The most bytes of a document that is staged."""


_QUOTES = str.maketrans("", "", "'\"\\\n")
_MOST_MATCHES = 500
"""The most paths that a pattern is followed to."""
_PATTERNS = "*?[{"
"""Characters with which a shell's word may stand for a name that is not in it."""


class NotStaged(Exception):
    """A write cannot be staged; the message gives the reason to the agent."""


class Root:
    """One governed folder: its layout, its path as given, and its real path."""

    __slots__ = ("_linked", "layout", "path", "real")

    def __init__(self, layout: str, path: str) -> None:
        self.layout, self.path = layout, path
        self.real = os.path.realpath(path)
        self._linked: set[str] | None = None

    def document(self, place: str) -> str | None:
        """The document at an absolute path; None for none. Raises NotStaged for a link to one."""
        real = _below(self.real, os.path.realpath(place))
        if real is not None and (governed(self.layout, real) or real in self.linked):
            return real
        if any(governed(self.layout, path) for path in self._relative_paths(place)):
            raise NotStaged("it is reached through a symbolic link, which only a person changes")
        return None

    @property
    def linked(self) -> set[str]:
        """The files here that instructions are links to: they are documents where they are."""
        if self._linked is None:
            fixed = [self.place(path) for path in LAYOUTS[self.layout] if "*" not in path]
            targets = [os.path.realpath(place) for place in fixed if os.path.islink(place)]
            found = [_below(self.real, target) for target in targets if os.path.isfile(target)]
            self._linked = {path for path in found if path and is_inside(path)}
        return self._linked

    def covers(self, place: str) -> bool:
        """Whether a write to an absolute path is staged here."""
        try:
            return self.document(place) is not None
        except NotStaged:
            return False

    def ends_with(self, end: str) -> bool:
        """Whether the path of a document that exists here ends so, its name as a whole."""
        name = os.path.basename(end)
        paths = (path for path, _ in self.files() if os.path.basename(path) == name)
        return any(self.place(path).endswith(end) for path in paths)

    def has_settings(self, place: str) -> bool:
        """Whether an absolute path is one of the settings files here."""
        return any(holds_settings(self.layout, path) for path in self._relative_paths(place))

    def is_touched_by(self, place: str) -> bool:
        """Whether an absolute path is a document, a settings file, or a folder of documents."""
        paths = self._relative_paths(place)
        if "" in paths:  # A repository itself is named often, and mostly contains other files.
            return not is_repository(self.layout)
        return any(
            governed(self.layout, path)
            or path in self.linked
            or holds_settings(self.layout, path)
            or leads_to_documents(self.layout, path)
            for path in paths
        )

    def may_be_named(self, command: str, folder: str) -> bool:
        """Whether a command run in a folder could name a path here: a quick test."""
        plain, where = command.translate(_QUOTES).casefold(), f"{os.path.realpath(folder)}/"
        agent = ours_in(self.layout).rpartition("/")[2]
        if agent in plain or f"/.{agent}/" in where:
            return True
        if any(char in command for char in _PATTERNS) or "$'" in command:
            return True
        if "$" in command and "=" in command:  # A name may be put together from variables.
            return True
        if any(os.path.basename(path).casefold() in plain for path in self.linked):
            return True
        names = {os.path.basename(self.path).casefold(), os.path.basename(self.real).casefold()}
        is_near = where.startswith(f"{self.real}/") or any(name in plain for name in names)
        return not is_repository(self.layout) and is_near

    def matches(self, pattern: str) -> Iterator[str]:
        """The paths here that a pattern of the shell stands for, an absolute one.

        Only this folder and its folders of documents are listed, however wide the pattern is.
        """
        parts = os.path.normpath(pattern).split("/")[1:]
        fixed = next((at for at, part in enumerate(parts) if _is_pattern(part)), len(parts))
        places = [os.path.realpath("/" + "/".join(parts[:fixed]))]
        for part in parts[fixed:]:
            found = [
                os.path.join(place, name)
                for place in places
                for name in (self._names_in(place) if _is_pattern(part) else (part,))
                if name == part or _stands_for(part, name)
            ]
            places = found[:_MOST_MATCHES]
        yield from places

    def _names_in(self, place: str) -> list[str]:
        """The names in a folder on the way to documents here."""
        if (below := _below(place.rstrip("/"), self.real)) is not None and below:
            return [below.split("/")[0]]
        if place != self.real and not self.is_touched_by(place):
            return []
        try:
            names = os.listdir(place)
        except OSError:
            return []
        return sorted(name for name in names if self.is_touched_by(os.path.join(place, name)))

    def _relative_paths(self, place: str) -> set[str]:
        """A path relative to this folder, as written and resolved."""
        plain = os.path.normpath(place)
        paths = (
            _below(self.path, plain),
            _below(self.real, plain),
            _below(self.real, os.path.realpath(place)),
        )
        return {path for path in paths if path is not None}

    def files(self) -> Iterator[tuple[str, os.stat_result]]:
        """Every document that is a regular file, with its status."""
        for pattern in (*sorted(self.linked), *LAYOUTS[self.layout]):
            yield from self._find_files("", pattern.split("/"))

    def _find_files(self, folder: str, pattern: list[str]) -> Iterator[tuple[str, os.stat_result]]:
        first, remaining = pattern[0], pattern[1:]
        if "*" in first:
            try:
                names = sorted(os.listdir(self.place(folder)))
            except OSError:
                return
        else:
            names = [first]
        for name in names:
            path = f"{folder}/{name}" if folder else name
            try:
                status = os.lstat(self.place(path))
            except OSError:
                continue
            if stat.S_ISDIR(status.st_mode) and (first == "**" or remaining):
                if leads_to_documents(self.layout, path):
                    yield from self._find_files(path, pattern if first == "**" else remaining)
            elif stat.S_ISREG(status.st_mode) and (
                governed(self.layout, path) or path in self.linked
            ):
                yield path, status

    def place(self, path: str) -> str:
        """The absolute path of a path in this folder."""
        return f"{self.real}/{path}" if path else self.real

    def own(self, name: str = "") -> str:
        """The absolute path of the gate's own folder here, or of something in it."""
        return f"{self.place(ours_in(self.layout))}/{name}".rstrip("/")

    def read(self, path: str) -> bytes | None:
        """A document's bytes; None where there is no file. Raises NotStaged, OSError."""
        try:
            return read_with_status(self.place(path), LARGEST)[0]
        except FileNotFoundError:
            return None
        except NotPlain as error:
            raise NotStaged(str(error)) from None


def ours_in(layout: str) -> str:
    """The gate's own folder in a governed folder of this layout."""
    return next(f"{TOP}/{agent}" for agent, layouts in AGENT_LAYOUTS.items() if layout in layouts)


def roots_of(arguments: list[str]) -> list[Root]:
    """The folders of the arguments `layout:path`. Raises ValueError."""
    roots = []
    for argument in arguments:
        layout, _, path = argument.partition(":")
        if layout not in LAYOUTS or not path.startswith("/"):
            raise ValueError(f"{argument!r} names no governed folder")
        roots.append(Root(layout, path))
    return roots


def _is_pattern(part: str) -> bool:
    return any(char in part for char in "*?[")


def _stands_for(part: str, name: str) -> bool:
    from fnmatch import fnmatchcase  # Few commands have a pattern.

    return fnmatchcase(name, part) and (part.startswith(".") or not name.startswith("."))


def _below(root: str, path: str) -> str | None:
    if path == root:
        return ""
    return path[len(root) + 1 :] if path.startswith(f"{root}/") else None

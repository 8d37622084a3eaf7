"""The kinds of home: which agent owns a folder, and how such a home is opened.

Another package adds a kind as an entry point of the group `reviewdeck.homes`: its name, and an
object that implements `HomeKind`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final, Protocol, cast

from reviewdeck.homes.watch import WatchedHome
from reviewdeck.ports import Clock, Home, HomeWriter, Probe

GROUP: Final = "reviewdeck.homes"
_BUILT_IN: Final = {
    "hermes": "reviewdeck.homes.hermes.kind:KIND",
    "claude": "reviewdeck.homes.claude.kind:KIND",
    "skills": "reviewdeck.homes.skill_folder.kind:KIND",
}
"""Each is loaded when it is tried, the most common one first."""


class LocatedHome(Home, Protocol):
    """A home at a path; the ledger may know it by another id."""

    @property
    def path(self) -> Path:
        """The resolved path."""
        ...

    def known_as(self, id: str, *, copy_of: str = "") -> LocatedHome:
        """The same home under the ledger's id; `copy_of` is the path of a copy beside it."""
        ...


@dataclass(frozen=True, slots=True)
class HomeContext:
    """The inputs of a home outside of its own folder."""

    env: Mapping[str, str]
    user_home: Path
    clock: Clock


@dataclass(frozen=True, slots=True)
class WriterOptions:
    """Options of a writer: a probe for tests, seconds to wait for a lock, the home's mark."""

    probe: Probe
    lock_wait: float = 10.0
    mark: str = ""


class HomeKind(Protocol):
    """One kind of home."""

    @property
    def name(self) -> str:
        """In lower case: `hermes`."""
        ...

    def recognises(self, path: Path) -> bool:
        """Whether this folder looks like a home of this kind. Reads names only; never raises."""
        ...

    def label(self, path: Path) -> str:
        """The name for people of the home at this path, taken from the path alone."""
        ...

    def home(self, path: Path, around: HomeContext) -> LocatedHome:
        """The home for reading. Raises HomeUnavailable."""
        ...

    def writer(self, path: Path, around: HomeContext, how: WriterOptions) -> HomeWriter:
        """The home for writing."""
        ...

    def watched(self, path: Path) -> WatchedHome:
        """The folders and files whose changes are watched."""
        ...


def kind_at(path: Path) -> HomeKind:
    """The kind of the home at this path; Hermes where no kind recognises it."""
    fallback: HomeKind | None = None
    for kind in _kinds():
        fallback = fallback or kind
        if kind.recognises(path):
            return kind
    assert fallback is not None  # noqa: S101 - Hermes' kind is built in
    return fallback


def _kinds() -> Iterator[HomeKind]:
    for place in _BUILT_IN.values():
        module, _, name = place.partition(":")
        yield cast("HomeKind", getattr(import_module(module), name))
    from importlib.metadata import entry_points  # a tenth of `status --short`; Hermes needs none

    for entry in entry_points(group=GROUP):
        yield cast("HomeKind", entry.load())

"""The kinds of home: which agent's a folder is, and how such a home is opened.

Another package adds one as an entry point of the group `reviewdeck.homes`: its name, and an object
that implements `HomeKind`.
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
"""Each is loaded when it is asked, the most common one first."""


class FoundHome(Home, Protocol):
    """A home that stands at a path and may have another id in the ledger."""

    @property
    def path(self) -> Path:
        """The resolved path."""
        ...

    def known_as(self, id: str, *, copy_of: str = "") -> FoundHome:
        """The same home, by the id that a ledger knows it by, and the copy beside it."""
        ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a home may depend on beside its own folder."""

    env: Mapping[str, str]
    user_home: Path
    clock: Clock


@dataclass(frozen=True, slots=True)
class Patience:
    """How a home is written: where tests may fail, seconds to wait for a lock, the home's mark."""

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
        """Whether this folder looks like one. Reads names alone, and never raises."""
        ...

    def label(self, path: Path) -> str:
        """What a person calls the home at this path, which is not read for it."""
        ...

    def home(self, path: Path, around: Surroundings) -> FoundHome:
        """The home for looking. Raises HomeUnavailable."""
        ...

    def writer(self, path: Path, around: Surroundings, how: Patience) -> HomeWriter:
        """The same for writing."""
        ...

    def watched(self, path: Path) -> WatchedHome:
        """What is listened to, to hear of its changes."""
        ...


def kind_at(path: Path) -> HomeKind:
    """The kind of the home at this path; Hermes' where no kind knows it."""
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

    for one in entry_points(group=GROUP):
        yield cast("HomeKind", one.load())

"""Hearing of changes to homes from the system, without looking again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Final

_STEP: Final = 100
"""Milliseconds without another change after which what came together is passed on."""
_TOGETHER: Final = 400
"""Milliseconds after which it is passed on although more comes."""
_TICK: Final = 1000
_BLIND: Final = 5
"""Ticks between two looks where the system tells us nothing."""


@dataclass(frozen=True, slots=True)
class WatchedHome:
    """What is listened to in one home."""

    root: Path
    folders: tuple[str, ...]
    """With all below them."""
    matters: Callable[[tuple[str, ...]], bool]
    """Whether a change of the file with these parts may be one of the home."""
    is_record: Callable[[tuple[str, ...]], bool]
    """Whether such a file is a pending record."""
    settings: tuple[str, ...] = ("config.yaml",)
    """Files whose change is one of the home, and which are not listened to."""


@dataclass(frozen=True, slots=True)
class Stir:
    """Something moved in a home."""

    home: str
    is_record: bool = False
    """A pending record came or was written anew."""


def stirrings(
    homes: Sequence[WatchedHome], stop: Event, complain: Callable[[str], None], afresh: Event
) -> Iterator[frozenset[Stir]]:
    """What moved, as soon as it did; nothing about once a second; until `stop` is set.

    After each time that listening begins, every home is given as moved: nobody listened before.
    It begins anew when `afresh` is set. That is for whoever finds that something was not heard:
    when the system has more to tell than its queue holds it drops the rest, the folders that were
    made meanwhile are not listened to, and the library does not say so.
    """
    while not stop.is_set():
        try:
            yield from _listen(homes, stop, afresh)
        except OSError as error:
            complain(f"The system does not tell of changes ({error}): looking every few seconds.")
            yield from _look(homes, stop)


def _listen(homes: Sequence[WatchedHome], stop: Event, afresh: Event) -> Iterator[frozenset[Stir]]:
    """Until a watched directory comes, goes or is another one, or `afresh` is set."""
    from watchfiles import watch

    afresh.clear()
    known = _signature(homes)
    there = (home.root / name for home in homes for name in home.folders)
    places = [place for place in there if place.is_dir()]
    everything = frozenset(Stir(str(home.root)) for home in homes)
    if not places:
        stop.wait(_TICK / 1000)
        yield everything
        return
    is_new = True
    for changes in watch(
        *places,
        watch_filter=None,
        debounce=_TOGETHER,
        step=_STEP,
        stop_event=stop,
        rust_timeout=_TICK,
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    ):
        heard = frozenset(_meaning(homes, ((change.name, path) for change, path in changes)))
        yield everything | heard if is_new else heard
        is_new = False
        if afresh.is_set() or _signature(homes) != known:
            return


def _look(homes: Sequence[WatchedHome], stop: Event) -> Iterator[frozenset[Stir]]:
    for _ in range(_BLIND):
        if stop.wait(_TICK / 1000):
            return
        yield frozenset()
    yield frozenset(Stir(str(home.root)) for home in homes)


def _meaning(homes: Sequence[WatchedHome], changes: Iterable[tuple[str, str]]) -> Iterator[Stir]:
    """What each change of a file says about a home."""
    for change, path in changes:
        home = next((home for home in homes if Path(path).is_relative_to(home.root)), None)
        if home is None:
            continue
        parts = Path(path).relative_to(home.root).parts
        if parts and not _is_passing(parts) and home.matters(parts):
            yield Stir(str(home.root), home.is_record(parts) and change != "deleted")


def _is_passing(parts: Sequence[str]) -> bool:
    """Whether a file comes and goes, or is our own."""
    return parts[-1].endswith(".lock") or ".tmp" in parts[-1]


def _signature(homes: Sequence[WatchedHome]) -> list[object]:
    """Changes when a watched directory is made or replaced, or the settings are written."""
    return [
        _identity(home.root / name, is_file=name in home.settings)
        for home in homes
        for name in (*home.folders, *home.settings)
    ]


def _identity(path: Path, *, is_file: bool) -> object:
    try:
        found = path.stat()
    except OSError as error:
        return type(error).__name__
    return (found.st_dev, found.st_ino, found.st_mtime_ns if is_file else 0)

"""File-system notifications of changes to homes; polling where the system has none."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import Final

from reviewdeck.values import dataclass

_STEP: Final = 100
"""Milliseconds of quiet after which a batch of changes is passed on."""
_DEBOUNCE: Final = 400
"""Milliseconds after which a batch is passed on although changes continue."""
_TICK: Final = 1000
_LIMITS: Final = {
    errno.EMFILE: "fs.inotify.max_user_instances",
    errno.ENOSPC: "fs.inotify.max_user_watches",
}
"""The kernel's limit behind each error of inotify."""
_POLL_TICKS: Final = 5
"""Ticks between two polls where the system sends no notifications."""


@dataclass(frozen=True, slots=True)
class WatchedHome:
    """The paths of one home that are watched."""

    root: Path
    folders: tuple[str, ...]
    """Watched with everything below them."""
    matters: Callable[[tuple[str, ...]], bool]
    """Whether a change of the file with these path parts may change the home."""
    is_record: Callable[[tuple[str, ...]], bool]
    """Whether the file with these path parts is a pending record."""
    settings: tuple[str, ...] = ("config.yaml",)
    """Files whose changes count but are found by polling: their folder is not watched."""


@dataclass(frozen=True, slots=True)
class HomeChange:
    """A change in a home."""

    home: str
    is_record: bool = False
    """A pending record was added or rewritten."""


def changed_homes(
    describe: Callable[[], Sequence[WatchedHome]],
    stop: Event,
    complain: Callable[[str], None],
    afresh: Event,
) -> Iterator[frozenset[HomeChange]]:
    """Yields changes as they happen, and an empty set about once a second, until `stop` is set.

    `describe` says what is to be watched. It is asked again after each change: a new link may lead
    to more.

    Whenever watching starts, every home is yielded as changed: nobody watched before. A caller
    that finds a missed change sets `afresh` to start over: when the system's event queue
    overflows, events are dropped, folders created meanwhile stay unwatched, and the library does
    not report it.
    """
    from watchfiles._rust_notify import WatchfilesRustInternalError

    complaint = ""
    while not stop.is_set():
        try:
            yield from _listen(describe, stop, afresh)
        # The second is raised where the user's watches are used up, and is no OSError.
        except (OSError, WatchfilesRustInternalError) as error:
            if complaint != (complaint := _words(error)):
                complain(complaint)
            yield from _poll(describe(), stop)


def _words(error: Exception) -> str:
    """Why the system does not report changes, and which limit would let it."""
    limits = [
        f"{limit}, now {_current(limit)}"
        for code, limit in _LIMITS.items()
        if f"os error {int(code)}" in str(error) or getattr(error, "errno", None) == code
    ]
    why = f"this user's inotify is used up; the limit is {limits[0]}" if limits else f"{error}"
    return f"The system does not report changes ({why}): reviewdeck looks every few seconds."


def _current(limit: str) -> str:
    try:
        return Path("/proc/sys", *limit.split(".")).read_text("ascii").strip()
    except (OSError, ValueError):
        return "unknown"


def _listen(
    describe: Callable[[], Sequence[WatchedHome]], stop: Event, afresh: Event
) -> Iterator[frozenset[HomeChange]]:
    """Watches until something else is to be watched, or `afresh` is set.

    That is so when a watched directory appears, goes or is replaced, and when a link comes or goes.
    """
    from watchfiles import watch

    afresh.clear()
    homes = describe()
    signature = _signature(homes)
    paths = (home.root / name for home in homes for name in home.folders)
    folders = [place for place in paths if place.is_dir()]
    everything = frozenset(HomeChange(str(home.root)) for home in homes)
    if not folders:
        stop.wait(_TICK / 1000)
        yield everything
        return
    is_new = True
    for changes in watch(
        *folders,
        watch_filter=None,
        debounce=_DEBOUNCE,
        step=_STEP,
        stop_event=stop,
        rust_timeout=_TICK,
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    ):
        moved = frozenset(_home_changes(homes, ((change.name, path) for change, path in changes)))
        yield everything | moved if is_new else moved
        current = describe() if changes or is_new else homes
        is_new = False
        if afresh.is_set() or _signature(current) != signature:
            return


def _poll(homes: Sequence[WatchedHome], stop: Event) -> Iterator[frozenset[HomeChange]]:
    for _ in range(_POLL_TICKS):
        if stop.wait(_TICK / 1000):
            return
        yield frozenset()
    yield frozenset(HomeChange(str(home.root)) for home in homes)


def _home_changes(
    homes: Sequence[WatchedHome], changes: Iterable[tuple[str, str]]
) -> Iterator[HomeChange]:
    """The change of a home, if any, behind each change of a file."""
    for change, path in changes:
        home = next((home for home in homes if Path(path).is_relative_to(home.root)), None)
        if home is None:
            continue
        parts = Path(path).relative_to(home.root).parts
        if parts and not _is_transient(parts) and home.matters(parts):
            yield HomeChange(str(home.root), home.is_record(parts) and change != "deleted")


def _is_transient(parts: Sequence[str]) -> bool:
    """Whether this is a lock or a temporary file, ours or another program's."""
    return parts[-1].endswith(".lock") or ".tmp" in parts[-1]


def _signature(homes: Sequence[WatchedHome]) -> list[object]:
    return [
        (home.root, name, _describe_path(home.root / name, is_file=name in home.settings))
        for home in homes
        for name in (*home.folders, *home.settings)
    ]


def _describe_path(path: Path, *, is_file: bool) -> object:
    try:
        status = path.stat()
    except OSError as error:
        return type(error).__name__
    return (status.st_dev, status.st_ino, status.st_mtime_ns if is_file else 0)

"""Hearing of changes to Hermes homes from the system, without looking again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Final

from reviewdeck.homes.skill_tree import EXCLUDED_DIRECTORIES

WATCHED: Final = ("pending", "memories", "skills")
"""What is listened to, with all below it. `.reviewdeck` is not: that is our own."""

_SETTINGS: Final = ("config.yaml",)
_STEP: Final = 100
"""Milliseconds without another change after which what came together is passed on."""
_TOGETHER: Final = 400
"""Milliseconds after which it is passed on although more comes."""
_TICK: Final = 1000
_BLIND: Final = 5
"""Ticks between two looks where the system tells us nothing."""
_BYSTANDERS: Final = (".usage.json", ".skills_prompt_snapshot.json", ".curator_ledger.jsonl")
"""Bookkeeping that Hermes writes all the time; a slow look at the stamp notices what matters."""


@dataclass(frozen=True, slots=True)
class Stir:
    """Something moved in a home."""

    home: str
    is_record: bool = False
    """A pending record came or was written anew."""


def stirrings(
    homes: Sequence[Path], stop: Event, complain: Callable[[str], None], afresh: Event
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


def _listen(homes: Sequence[Path], stop: Event, afresh: Event) -> Iterator[frozenset[Stir]]:
    """Until a watched directory comes, goes or is another one, or `afresh` is set."""
    from watchfiles import watch

    afresh.clear()
    known = _signature(homes)
    places = [home / name for home in homes for name in WATCHED if (home / name).is_dir()]
    everything = frozenset(Stir(str(home)) for home in homes)
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


def _look(homes: Sequence[Path], stop: Event) -> Iterator[frozenset[Stir]]:
    for _ in range(_BLIND):
        if stop.wait(_TICK / 1000):
            return
        yield frozenset()
    yield frozenset(Stir(str(home)) for home in homes)


def _meaning(homes: Sequence[Path], changes: Iterable[tuple[str, str]]) -> Iterator[Stir]:
    """What each change of a file says about a home."""
    for change, path in changes:
        home = next((home for home in homes if Path(path).is_relative_to(home)), None)
        if home is None:
            continue
        parts = Path(path).relative_to(home).parts
        if _matters(parts):
            is_record = parts[0] == "pending" and parts[-1].endswith(".json")
            yield Stir(str(home), is_record and change != "deleted")


def _matters(parts: Sequence[str]) -> bool:
    name = parts[-1]
    is_passing = name.endswith(".lock") or ".tmp" in name or name in _BYSTANDERS
    return not is_passing and EXCLUDED_DIRECTORIES.isdisjoint(parts)


def _signature(homes: Sequence[Path]) -> list[object]:
    """Changes when a watched directory is made or replaced, or the settings are written."""
    return [
        _identity(home / name, is_file=name in _SETTINGS)
        for home in homes
        for name in (*WATCHED, *_SETTINGS)
    ]


def _identity(path: Path, *, is_file: bool) -> object:
    try:
        found = path.stat()
    except OSError as error:
        return type(error).__name__
    return (found.st_dev, found.st_ino, found.st_mtime_ns if is_file else 0)

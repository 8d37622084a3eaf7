"""Whether the ledger is whole, and how to go on when it is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from reviewdeck.cli.session import utc_now
from reviewdeck.errors import LedgerDamaged, ReviewdeckError
from reviewdeck.ledger.place import backups_of, is_lost, path_of

EMPTY: Final = "There is nothing in it: whatever it held is gone."


@dataclass(frozen=True, slots=True)
class Wholeness:
    """What a thorough look at a ledger found."""

    path: Path
    damage: tuple[str, ...]
    """One sentence each; empty when all is well."""
    backups: tuple[Path, ...]
    """Copies beside it, the newest last."""

    @property
    def advice(self) -> tuple[str, ...]:
        """How to go on; empty when all is well."""
        return way_back(self.path, self.backups) if self.damage else ()

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "ledger": str(self.path),
            "whole": not self.damage,
            "damage": [*self.damage],
            "advice": [*self.advice],
            "backups": [str(copy) for copy in self.backups],
        }


def look_through(url: str) -> Wholeness:
    """Reads everything that the ledger at this URL holds. Raises LedgerUnavailable, Busy."""
    path = path_of(url)
    damage = (EMPTY,) if is_nothing(path) else tuple(_damage(url))
    return Wholeness(path, damage, backups_of(path))


def is_nothing(path: Path) -> bool:
    """Whether there is a file in the place of a ledger with nothing in it, or none but its copy."""
    return is_lost(path) or (path.is_file() and not path.stat().st_size)


def _damage(url: str) -> Sequence[str]:
    from reviewdeck.ledger.audit import SqlAudit
    from reviewdeck.ledger.checking import find_damage
    from reviewdeck.ledger.storage import Storage

    try:
        found = find_damage(url)
        storage = Storage(path_of(url), utc_now)
        try:
            broken = SqlAudit(storage).verify()
        finally:
            storage.close()
    except LedgerDamaged as damaged:
        return (damaged.message,)
    except (TypeError, ValueError) as error:
        return (f"Something that is stored is not what it should be: {error}.",)
    if broken is None:
        return found
    return (*found, f"Line {broken} of the log does not fit the line before it.")


def way_back(path: Path, backups: Sequence[Path]) -> tuple[str, ...]:
    """How to go on with a damaged ledger. The homes have nothing to do with it."""
    said = (
        "The homes are intact: what was applied is in their own files.",
        "Stop what uses the ledger, then move it away, with the files -wal and -shm beside it.",
    )
    if backups:
        copy = f"Put the newest backup in its place: cp {backups[-1]} {path}"
        return (*said, copy, "Then `reviewdeck recover` and `reviewdeck status` go on from there.")
    return (
        *said,
        "There is no backup beside it: `reviewdeck status` begins a new one. Earlier decisions,"
        " history and undo stay behind in the damaged file.",
    )


def advice_for(error: ReviewdeckError, url: str) -> str:
    """What `doctor` says when the ledger cannot be used."""
    if not isinstance(error, LedgerDamaged):
        return error.hint
    path = path_of(url)
    return " ".join(way_back(path, backups_of(path)))

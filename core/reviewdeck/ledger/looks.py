"""What each host last saw of its homes, for those who decide on another machine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from reviewdeck.ledger.blobs import bytes_of, keep_bytes
from reviewdeck.ledger.cells import moment_of, unshield
from reviewdeck.ledger.database import LedgerPart, Row, first, upsert
from reviewdeck.ledger.view_sql import OBSERVATION, SEEN, read_awaited
from reviewdeck.model import Change, Observation, Revision
from reviewdeck.model.ledger import Sight

_SIGHT: Final = "SELECT home, host, machine, at, name, kind, path"
_SIGHTS: Final = f"{_SIGHT} FROM look ORDER BY home"
_SUM: Final = "SELECT sha FROM look WHERE home = :home"
_SEEN_AGAIN: Final = "UPDATE look SET at = :at WHERE home = :home"
_LOOK: Final = f"""
    {_SIGHT}, sha, CASE WHEN sha = :known THEN NULL ELSE body END FROM look WHERE home = :home
"""
_WRITTEN: Final = f"""
    {SEEN} WHERE home = :home AND at > (SELECT look.at FROM look WHERE look.home = :home)
    AND cause = 'operation' ORDER BY sequence
"""  # noqa: S608 - constant


class SqlLooks(LedgerPart):
    """One look at each home of a ledger that several hosts share."""

    def put_look(self, sight: Sight, sha: str, body: str, contents: Collection[bytes]) -> None:
        """Stores a look with the bytes that no observation has, in the place of the last one.

        One with the same digest is only dated anew.
        """
        with self._database.writing(sight.home) as tx:
            if first(tx, _SUM, {"home": sight.home}) == sha:
                tx.put(_SEEN_AGAIN, {"home": sight.home, "at": sight.at})
                return
            keep_bytes(tx, contents)
            row = {
                "home": sight.home,
                "host": sight.host,
                "machine": sight.machine,
                "at": sight.at,
                "name": sight.name,
                "kind": sight.kind,
                "path": sight.path,
                "sha": sha,
                "body": body,
            }
            upsert(tx, "look", ("home",), row)

    def sights(self) -> tuple[Sight, ...]:
        """Which homes were looked at, where and when."""
        with self._reading("A look at a home") as tx:
            return tuple(map(_sight_of, tx.rows(_SIGHTS)))

    def look_at(self, home: str, known: str = "") -> tuple[Sight, str, str | None] | None:
        """The last look at a home with its digest; without the body where that is known."""
        with self._reading("A look at a home") as tx:
            for *sight, sha, body in tx.rows(_LOOK, {"home": home, "known": known}):
                return _sight_of(sight), sha, body
        return None

    def written_since_look(self, home: str) -> Mapping[str, Observation]:
        """By document, what the last operation after the last look at a home made of it."""
        with self._reading("An observation") as tx:
            rows = tx.rows(_WRITTEN, {"home": home})
            return {each.path: each for each in map(OBSERVATION.value, rows)}

    def awaited(self, home: str) -> tuple[Change, ...]:
        """What is decided for a home and not written yet, oldest first."""
        with self._reading("An unfinished batch") as tx:
            return read_awaited(tx, home)

    def contents(self, revisions: Collection[Revision]) -> Mapping[Revision, bytes]:
        """The stored bytes of these revisions; those that are not stored are left out."""
        with self._reading("The bytes of a revision") as tx:
            return {Revision(sha): data for sha, data in bytes_of(tx, revisions).items()}


def _sight_of(row: Row) -> Sight:
    home, host, machine, at, name, kind, path = row
    names = unshield(name), kind, unshield(path)
    return Sight(unshield(home), host, unshield(machine), moment_of(at), *names)

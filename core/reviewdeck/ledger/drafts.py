"""What an operator has prepared, what a home must not forget, and where homes are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final

from reviewdeck.errors import Busy, UnknownId
from reviewdeck.ledger.audit import NOBODY, Note, expect_lines, log
from reviewdeck.ledger.blobs import chunks
from reviewdeck.ledger.cells import unshield
from reviewdeck.ledger.columns import Columns
from reviewdeck.ledger.database import HomeOf, LedgerPart, Transaction, first, insert, upsert
from reviewdeck.ledger.row_sums import FORGOTTEN, REMEMBERED, sum_of_text
from reviewdeck.ledger.subjects import index_subjects
from reviewdeck.ledger.view_sql import HERE
from reviewdeck.model import Draft, Likeness, Relation
from reviewdeck.model.ledger import ANY_DOMAIN, DirectoryIdentity, KnownHome, Subject

_DRAFT: Final = Columns(Draft)
_CLEAR: Final = "DELETE FROM draft WHERE proposal = :of AND operator IN :mine"
_AMONG: Final = "SELECT relation, sha FROM likeness WHERE home = :home AND sha IN :shas"
_FROM_PLACE: Final = """
    SELECT sha FROM likeness
    WHERE home = :home AND relation = :relation AND "where" = :place ORDER BY sha
"""
_FORGET: Final = (
    'DELETE FROM likeness WHERE home = :home AND relation = :relation AND "where" = :place',
    "DELETE FROM subject WHERE home = :home AND relation = :relation AND place = :place",
)


class SqlDrafts(LedgerPart):
    """Decisions that are prepared and not committed."""

    def put_draft(self, draft: Draft) -> None:
        """Stores this operator's draft, in the place of an earlier one for the same proposal.

        Raises UnknownId, NotPermitted.
        """
        self.refuse_machine()
        with self._database.writing(HomeOf("proposal", (draft.proposal,))) as tx:
            home = first(tx, "SELECT home FROM proposal WHERE id = :id", {"id": draft.proposal})
            if home is None:
                raise UnknownId(f"There is no proposal {draft.proposal}.")
            # One that was nobody's own becomes this operator's.
            tx.put(_CLEAR, {"of": draft.proposal, "mine": self._opener.names})
            row = _DRAFT.row(draft) | {"home": unshield(home), "operator": self._opener.operator}
            insert(tx, "draft", [row])

    def clear_draft(self, proposal: str) -> bool:
        """Deletes this operator's draft; says whether there was one."""
        with self._database.writing(HomeOf("proposal", (proposal,))) as tx:
            return tx.run(_CLEAR, {"of": proposal, "mine": self._opener.names}) > 0

    def drafts(self, homes: Sequence[str] | None = None) -> tuple[Draft, ...]:
        """This operator's drafts for these homes, or for all, oldest first; a machine has none."""
        if self.machine:
            return ()
        of_homes = "" if homes is None else "AND home IN :homes"
        sql = (
            f"SELECT {_DRAFT.sql} FROM draft"  # noqa: S608 - constant
            f" WHERE operator IN :mine {of_homes} ORDER BY at, proposal"
        )
        with self._reading("A draft") as tx:
            values = {"homes": homes or (), "mine": self._opener.names}
            return tuple(map(_DRAFT.value, tx.rows(sql, values)))


class SqlMemory(LedgerPart):
    """Texts that were removed, replaced or rejected."""

    def remember(
        self,
        home: str,
        likeness: Sequence[Likeness],
        at: datetime,
        instead_of: Collection[tuple[Relation, str]] = (),
    ) -> None:
        """Stores texts with their relation; what is remembered already stays as it is.

        What has these relations and came from these proposals or documents is dropped first.
        """
        rows = {
            (like.relation.value, sum_of_text(like.text, like.where)): like for like in likeness
        }
        if not rows and not instead_of:
            return
        with self._database.writing(home) as tx:
            expect_lines(tx, home)
            shas = {sha for _, sha in rows}
            among = [
                tx.later(_AMONG, {"home": home, "shas": part}) for part in chunks(sorted(shas))
            ]
            places = [
                {"home": home, "relation": relation.value, "place": place}
                for relation, place in instead_of
            ]
            from_there = [(its["relation"], tx.later(_FROM_PLACE, its)) for its in places]
            gone = [(relation, sha) for relation, found in from_there for (sha,) in found()]
            known = {(relation, sha) for found in among for relation, sha in found()}
            fresh = {key: like for key, like in rows.items() if key not in known.difference(gone)}
            _note(tx, FORGOTTEN, home, gone, at)
            for its in places:
                for forget in _FORGET:
                    tx.put(forget, its)
            insert(tx, "likeness", [_row_of(home, *one, at) for one in fresh.items()], missing=True)
            index_subjects(tx, home, map(_subject_of, fresh.values()))
            _note(tx, REMEMBERED, home, fresh, at)

    def forget(self, home: str, relation: Relation, where: str) -> None:
        """Drops the texts with this relation that came from this proposal or document."""
        self.remember(home, (), self._database.now(), instead_of=[(relation, where)])


def _note(
    tx: Transaction, name: str, home: str, keys: Collection[tuple[str, str]], at: datetime
) -> None:
    """Logs the texts, so that one removed from the table is missed."""
    if keys:
        log(tx, [Note(name, home, home, NOBODY, at, {"texts": [list(key) for key in keys]})])


def _row_of(home: str, key: tuple[str, str], like: Likeness, at: datetime) -> dict[str, object]:
    relation, sha = key
    fields = {"text": like.text, "score": like.score, "where": like.where, "exact": like.exact}
    return {"home": home, "relation": relation, "sha": sha, **fields, "at": at}


def _subject_of(like: Likeness) -> Subject:
    return Subject(like.relation, like.text, like.where, ANY_DOMAIN)


class SqlPlaces(LedgerPart):
    """The paths of homes. An id stays the same wherever its home is moved."""

    def known_homes(self) -> tuple[KnownHome, ...]:
        """Every home that was ever opened with this ledger."""
        with self._database.reading() as tx:
            rows = tx.rows("SELECT home, path, number, mark, kind, host FROM place ORDER BY home")
            return tuple(
                KnownHome(
                    unshield(home), DirectoryIdentity(unshield(path), number, mark), kind, host
                )
                for home, path, number, mark, kind, host in rows
            )

    def put_place(
        self,
        home: str,
        at: DirectoryIdentity,
        spare: str,
        event: str = "",
        detail: Mapping[str, object] = MappingProxyType({}),
        *,
        kind: str = "",
    ) -> str:
        """Stores where a home is, and of which kind; with an event, the log gets a line too.

        Gives the home's mark: the one in its folder, else the stored one, else the spare.
        Raises Busy where another host took the id a moment ago.
        """
        here = self._opener.host
        with self._database.writing(home) as tx:
            rows = tx.rows("SELECT mark, host FROM place WHERE home = :home", {"home": home})
            noted, host = rows[0] if rows else ("", here)
            if here and host not in (here, ""):
                raise Busy(f"Another host has just registered the home {home}: try again.")
            mark = at.mark or noted or spare
            row = {"home": home, "path": at.path, "number": at.number, "mark": mark}
            row |= {"host": here or host} | ({"kind": kind} if kind else {})
            tx.put(
                f"UPDATE place SET path = '' WHERE path = :path AND home <> :home AND {HERE}",  # noqa: S608 - constant
                row | {"host": here},
            )
            upsert(tx, "place", ("home",), row)
            if event:
                now = self._database.now()
                log(tx, [Note(event, home, home, NOBODY, now, dict(detail))])
        return mark

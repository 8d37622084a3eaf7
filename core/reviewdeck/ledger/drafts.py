"""What an operator has prepared, what a home must not forget, and where homes are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from reviewdeck.errors import Busy, UnknownId
from reviewdeck.ledger.audit import NOBODY, Note, log
from reviewdeck.ledger.blobs import chunks
from reviewdeck.ledger.cells import unshield
from reviewdeck.ledger.columns import Columns
from reviewdeck.ledger.database import HomeOf, LedgerPart, Transaction, first, insert, upsert
from reviewdeck.ledger.row_sums import FORGOTTEN, REMEMBERED, sum_of_text
from reviewdeck.ledger.subjects import index_subjects, top_subject
from reviewdeck.ledger.view_sql import HERE
from reviewdeck.model import Draft, Likeness, Relation
from reviewdeck.model.ledger import ANY_DOMAIN, DirectoryIdentity, KnownHome, Subject

_DRAFT: Final = Columns(Draft)
_CLEAR: Final = "DELETE FROM draft WHERE proposal = :of AND operator IN :mine"


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

    def remember(self, home: str, likeness: Sequence[Likeness], at: datetime) -> None:
        """Stores texts with their relation; what is remembered already stays as it is."""
        rows = [
            {
                "home": home,
                "relation": like.relation.value,
                "sha": sum_of_text(like.text, like.where),
                "text": like.text,
                "score": like.score,
                "where": like.where,
                "exact": like.exact,
                "at": at,
            }
            for like in likeness
        ]
        if rows:
            with self._database.writing(home) as tx:
                top = top_subject(tx)
                fresh = _not_remembered(tx, home, rows)
                insert(tx, "likeness", fresh, missing=True)
                index_subjects(tx, home, map(_subject_of, fresh), top())
                _note(tx, REMEMBERED, home, fresh, at)

    def forget(self, home: str, relation: Relation, where: str) -> None:
        """Drops the texts with this relation that came from this proposal or document."""
        its = {"home": home, "relation": relation, "place": where}
        of_relation = "WHERE home = :home AND relation = :relation"
        with self._database.writing(home) as tx:
            rows = tx.rows(f'SELECT sha FROM likeness {of_relation} AND "where" = :place', its)  # noqa: S608 - constant
            forgotten = [{"relation": relation.value, "sha": sha} for (sha,) in rows]
            _note(tx, FORGOTTEN, home, forgotten, self._database.now())
            tx.put(f'DELETE FROM likeness {of_relation} AND "where" = :place', its)  # noqa: S608 - the same
            tx.put(f"DELETE FROM subject {of_relation} AND place = :place", its)  # noqa: S608 - the same


def _note(
    tx: Transaction, name: str, home: str, rows: Sequence[Mapping[str, Any]], at: datetime
) -> None:
    """Logs the texts, so that one removed from the table is missed."""
    if rows:
        texts = [[row["relation"], row["sha"]] for row in rows]
        log(tx, [Note(name, home, home, NOBODY, at, {"texts": texts})])


def _not_remembered(
    tx: Transaction, home: str, rows: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The rows that are not remembered yet, each once."""
    sql = "SELECT relation, sha FROM likeness WHERE home = :home AND sha IN :shas"
    keys: set[tuple[str, str]] = set()
    for chunk in chunks(row["sha"] for row in rows):
        keys |= {(relation, sha) for relation, sha in tx.rows(sql, {"home": home, "shas": chunk})}
    by_key = {(row["relation"], row["sha"]): row for row in rows}
    return [row for key, row in by_key.items() if key not in keys]


def _subject_of(row: dict[str, Any]) -> Subject:
    return Subject(Relation(row["relation"]), row["text"], row["where"], ANY_DOMAIN)


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

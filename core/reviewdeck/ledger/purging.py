"""Replacing a secret in the rows of a ledger, in one transaction beside which nobody writes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, Protocol, TypeAlias

import sqlalchemy
from sqlalchemy import Table

from reviewdeck.clock import utc_now
from reviewdeck.errors import BadInput, LedgerDamaged
from reviewdeck.ledger.audit import (
    MOST_TRIES,
    Note,
    attested,
    head_of,
    line_sum,
    lines_of,
    log,
    overtaken,
)
from reviewdeck.ledger.blobs import bytes_of, chunks
from reviewdeck.ledger.cells import dump, load, plain, shield, unshield
from reviewdeck.ledger.database import NONE, HomeOf, Transaction
from reviewdeck.ledger.faults import decoding
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.list_sql import read_items
from reviewdeck.ledger.row_sums import (
    FORGOTTEN,
    REMEMBERED,
    SUMMED,
    other_gists,
    sum_of,
    sum_of_text,
)
from reviewdeck.ledger.subjects import index_terms
from reviewdeck.ledger.tables import METADATA
from reviewdeck.ledger.view_sql import read_decisions, read_operations, read_proposals
from reviewdeck.ports import Head
from reviewdeck.ports.authority import Attest, unattested
from reviewdeck.values import dataclass

PLACEHOLDER: Final = "[purged]"
"""The replacement of the secret."""
_APART: Final = frozenset({"blob", "event", "term"})
"""Tables whose rows are named by their checksums, or made from other tables."""
_NAMES: Final = frozenset({"home", "sha", "id", "actor"})
"""Columns that identify rows and actors: lines of the log have the same names."""

Sums: TypeAlias = dict[str, str]
"""The checksum of a text, or the number of a line, with its checksum now."""
Detail: TypeAlias = Mapping[str, object]


class Site(Protocol):
    """Where a purge works."""

    def alone(self) -> AbstractContextManager[Transaction]:
        """One transaction beside which nobody writes."""

    def unguarded(self, tx: Transaction) -> AbstractContextManager[None]:
        """While it lasts, lines of the log can be changed in this transaction."""


@dataclass(frozen=True, slots=True)
class PurgedRows:
    """What a purge changed, and the lines of the log that say so."""

    texts: int
    lines: int
    cells: int
    tables: tuple[str, ...]
    """Those that have changed rows."""
    notes: tuple[tuple[str, Detail], ...]
    """By home, what its chain says; the ledger's own first. None where nothing was changed."""
    moved: tuple[tuple[tuple[str, str, str], list[list[str]]], ...]
    """The remembered texts that are others now."""


def purge_rows(
    site: Site,
    forms: Sequence[str],
    backups: Sequence[str],
    note: Callable[[str, Detail], Note],
    attest: Attest,
) -> PurgedRows:
    """Replaces a secret in every row, with lines of the log that say so.

    Raises BadInput, LedgerDamaged, Busy.
    """
    signed: dict[str, Note] = {}
    seen: list[tuple[Note, Head]] = []
    for _ in range(MOST_TRIES):
        with site.alone() as tx:
            tx.put("SAVEPOINT unsigned")
            done = _purge(tx, site, forms, backups)
            lines = [(line := note(*it), head_of(tx, line.home)) for it in done.notes]
            if lines == seen or attest is unattested:
                for line, _ in lines:
                    log(tx, [signed.get(line.home, line)])
                log(
                    tx,
                    [
                        Note(*it, line.actor, line.at, {"texts": texts})
                        for line in [note("", {})]
                        for it, texts in done.moved
                    ],
                )
                return done
            tx.put("ROLLBACK TO SAVEPOINT unsigned")
        # A key may take its time: the ledger is not locked meanwhile.
        seen, signed = lines, {line.home: attested(line, head, attest) for line, head in lines}
    raise overtaken("")


def _purge(tx: Transaction, site: Site, forms: Sequence[str], backups: Sequence[str]) -> PurgedRows:
    _refuse_unsettled(tx)
    _read_everything(tx)
    before = _proposal_sums(tx)
    texts = _purge_texts(tx, forms)
    with site.unguarded(tx):
        lines = _purge_lines(tx, forms)
    cells = _purge_cells(tx, forms)
    moved = tuple(_resum_remembered(tx))
    try:
        _read_everything(tx)
    except LedgerDamaged as error:
        raise own_word() from error
    if not (texts or lines or cells or backups):
        return PurgedRows(0, 0, 0, (), (), ())
    changed: dict[str, Sums] = {}
    for home, sums in _proposal_sums(tx).items():
        changed[home] = {id: sum for id, sum in sums.items() if before[home].get(id) != sum}
    notes: list[tuple[str, Detail]] = []
    for home in sorted({"", *lines, *(home for home in changed if changed[home])}):
        detail: dict[str, object] = {"lines": lines.get(home, {})}
        if not home:
            detail |= {"texts": texts, "cells": sum(cells.values()), "backups": [*backups]}
        detail |= {"sums": changed[home]} if changed.get(home) else {}
        notes.append((home, detail))
    amount = sum(map(len, lines.values()))
    apart = {"blob": len(texts), "event": amount, "term": cells.get("subject", 0)}
    tables = tuple(sorted(name for name, rows in (cells | apart).items() if rows))
    return PurgedRows(len(texts), amount, sum(cells.values()), tables, tuple(notes), moved)


def forms_of(secret: str) -> tuple[str, ...]:
    """The forms of a secret: plain, within JSON, and within JSON in JSON."""
    once = dump(secret)[1:-1]
    readable = secret.replace("\\", "\\\\").replace('"', '\\"')
    every = (secret, shield(secret), once, readable, dump(once)[1:-1], dump(readable)[1:-1])
    return tuple(sorted(dict.fromkeys(every), key=len, reverse=True))


def _refuse_unsettled(tx: Transaction) -> None:
    if tx.rows("SELECT 1 FROM batch WHERE NOT settled LIMIT 1"):
        raise BadInput(
            "An operation is running, waits for its host, or was interrupted.",
            hint="`reviewdeck recover` on its host ends it; purge then.",
        )


def own_word() -> BadInput:
    """What is raised where the secret is a word without which the ledger makes no sense."""
    return BadInput(
        "The ledger itself uses these characters: without them it could not be read.",
        hint="Nothing was changed. Purge a longer part of the line that has the secret.",
    )


class _Uncommitted:
    """Satisfies `Database` for a reader: what a purge has changed and not committed yet."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self.now = utc_now

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """The purge's own transaction."""
        yield self._tx

    @contextmanager
    def writing(self, *homes: str | HomeOf) -> Iterator[Transaction]:
        yield self._tx

    @contextmanager
    def together(self, *homes: str) -> Iterator[Callable[[], None]]:
        yield lambda: None

    @contextmanager
    def at_once(self) -> Iterator[None]:
        yield

    def foresee(self, questions: Iterable[Callable[[], object]]) -> None:
        """Nothing is far."""

    def require(self, lines: Mapping[str, Head]) -> None:
        """A purge has one connection."""

    def homes_read(self) -> None:
        """All of them."""

    def wait_for_news(self, seconds: float, homes: Collection[str] | None = None) -> bool:
        """Nothing happens beside a purge."""
        return False

    def break_off(self) -> None:
        """Nobody waits for a purge."""

    def close(self) -> None:
        """Nothing: the purge closes its connection."""


def _read_everything(tx: Transaction) -> None:
    """Reads back what decisions and evaluations need. Raises LedgerDamaged."""
    reads = Ledger(_Uncommitted(tx))
    with decoding("A row"):
        ids = [unshield(id) for (id,) in tx.rows("SELECT id FROM proposal")]
        read_items(tx, ids)
        for _ in read_proposals(tx, "TRUE", NONE):
            pass
        for id in ids:
            reads.judgement(id)
        read_operations(tx)
        read_decisions(tx)
        for (session,) in tx.rows("SELECT DISTINCT session FROM transcript"):
            for transcript in reads.transcripts(unshield(session)):
                reads.turns(transcript.id)


def _purged(text: str, forms: Sequence[str]) -> str:
    for form in forms:
        text = text.replace(form, PLACEHOLDER)
    return text


def _purge_texts(tx: Transaction, forms: Sequence[str]) -> Sums:
    """Purges stored bytes: what remains stays under the checksum of the original."""
    patterns = [form.encode("utf-8", "surrogateescape") for form in forms]
    bases: dict[str, str | None] = {sha: of for sha, of in tx.rows("SELECT sha, base FROM blob")}
    changed: Sums = {}
    contents: dict[str, bytes] = {}
    for some in chunks(bases):
        for sha, data in bytes_of(tx, some).items():
            purged = data
            for form in patterns:
                purged = purged.replace(form, PLACEHOLDER.encode())
            if purged != data:
                contents[sha] = purged
                changed[sha] = hashlib.sha256(purged).hexdigest()
    resting = [sha for sha, base in bases.items() if base in changed and sha not in changed]
    for some in chunks(resting):
        contents |= bytes_of(tx, some)
    tx.many(
        "UPDATE blob SET data = :data, base = NULL, head = NULL, tail = NULL WHERE sha = :sha",
        [{"sha": sha, "data": data} for sha, data in contents.items()],
    )
    return changed


def _purge_lines(tx: Transaction, forms: Sequence[str]) -> dict[str, Sums]:
    """Purges lines of the log, by chain: each keeps its checksum, which the next line names."""
    changed: dict[str, Sums] = {}
    rewritten: list[dict[str, Any]] = []
    for row in lines_of(tx):
        purged = {name: _purged(str(row[name]), forms) for name in ("subject", "detail")}
        if purged == {name: row[name] for name in purged}:
            continue
        try:
            is_kept = load(purged["detail"]).keys() == load(row["detail"]).keys()
        except ValueError:
            is_kept = False
        if not is_kept:
            raise own_word()
        plain = {name: unshield(cell) for name, cell in purged.items()}
        rewritten.append(plain | {"position": row["position"]})
        sums = changed.setdefault(unshield(row["chain"]), {})
        sums[str(row["sequence"])] = line_sum(row | purged)
    tx.many(
        "UPDATE event SET subject = :subject, detail = :detail WHERE position = :position",
        rewritten,
    )
    return changed


def _purge_cells(tx: Transaction, forms: Sequence[str]) -> dict[str, int]:
    """Purges all other tables; gives the number of cells of each that had it."""
    amounts: dict[str, int] = {}
    for table in METADATA.sorted_tables:
        for column in table.columns:
            if _may_be_purged(table, column) and (rows := _purge_column(tx, table, column, forms)):
                amounts[table.name] = amounts.get(table.name, 0) + rows
    if amounts:
        _index_again(tx)
        tx.put("UPDATE proposal SET evaluation_key = NULL")
        for id, marks in [*other_gists(tx)]:  # their lines are purged as well
            tx.put(
                "UPDATE judgement SET marks = :marks WHERE proposal = :id",
                {"marks": marks, "id": id},
            )
        tx.put("UPDATE home SET stamp = NULL")
    return amounts


def _may_be_purged(table: Table, column: sqlalchemy.Column[Any]) -> bool:
    is_text = isinstance(column.type, sqlalchemy.Text)
    is_name = column.name in _NAMES or column.foreign_keys
    return is_text and not is_name and table.name not in _APART


def _index_again(tx: Transaction) -> None:
    """Replaces the terms of purged texts: the secret was among them."""
    purged = f"replace(text, '{PLACEHOLDER}', '') <> text"
    tx.put(f"DELETE FROM term WHERE subject IN (SELECT id FROM subject WHERE {purged})")  # noqa: S608 - constant
    index_terms(tx, purged)


def _proposal_sums(tx: Transaction) -> dict[str, Sums]:
    """By home and proposal, the checksum of its row."""
    columns = ", ".join(SUMMED)
    rows = tx.stream(f"SELECT {columns}, body FROM proposal")  # noqa: S608 - constant
    sums: dict[str, Sums] = {}
    for *cells, body in rows:
        row = {
            name: None if cell is None else unshield(cell)
            for name, cell in zip(SUMMED, cells, strict=True)
        }
        of_home = sums.setdefault(row["home"] or "", {})
        of_home[row["id"] or ""] = sum_of({**row, "body": load(body)})
    return sums


def _resum_remembered(tx: Transaction) -> list[tuple[tuple[str, str, str], list[list[str]]]]:
    """Recomputes the checksums of remembered texts; gives the events that say so."""
    lines: list[tuple[tuple[str, str, str], list[list[str]]]] = []
    rows = tx.rows('SELECT sequence, home, relation, sha, text, "where" FROM likeness')
    for sequence, home, relation, sha, text, where in rows:
        today = sum_of_text(unshield(text), unshield(where))
        if today == sha:
            continue
        plain_home = unshield(home)
        its = {"at": sequence, "sha": today, "home": plain_home, "relation": relation}
        tx.put(_SAME_TEXT, its)
        tx.put("UPDATE likeness SET sha = :sha WHERE sequence = :at", its)
        lines.append(((FORGOTTEN, plain_home, plain_home), [[relation, sha]]))
        lines.append(((REMEMBERED, plain_home, plain_home), [[relation, today]]))
    return lines


_SAME_TEXT: Final = """
    DELETE FROM likeness
    WHERE home = :home AND relation = :relation AND sha = :sha AND sequence <> :at
"""
"""Two texts may be the same one without the secret."""


def _purge_column(
    tx: Transaction, table: Table, column: sqlalchemy.Column[Any], forms: Sequence[str]
) -> int:
    key = [each.name for each in table.primary_key]
    name, names = f'"{column.name}"', ", ".join(f'"{each}"' for each in key)
    bound = {f"form{number}": unshield(form) for number, form in enumerate(forms)}
    anywhere = " OR ".join(f"replace({name}, :{form}, '') <> {name}" for form in bound)
    is_it = " AND ".join(f'"{each}" = :key_{each}' for each in key)
    rows = tx.rows(f"SELECT {name}, {names} FROM {table.name} WHERE {anywhere}", bound)  # noqa: S608 - names of the schema
    for cell, *cells in rows:
        now = unshield(_purged(cell, forms))
        it = {f"key_{each}": plain(cell) for each, cell in zip(key, cells, strict=True)}
        if column.name in key:
            # What would be named the same without the secret is one row.
            tx.put(f"DELETE FROM {table.name} WHERE {is_it}", it | {f"key_{column.name}": now})  # noqa: S608 - the same
        tx.put(f"UPDATE {table.name} SET {name} = :now WHERE {is_it}", it | {"now": now})  # noqa: S608 - the same
    return len(rows)

"""Sums of the rows that decisions rest on: the log keeps one of each as it came in.

`fsck` computes them again; the log itself is checked by `log --verify`.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from reviewdeck.ledger.cells import dump, load, unshield

TAKEN_IN = "taken-in"
"""The line of proposals that came in, with the sum of each."""

REMEMBERED = "remembered"
"""The line of texts that must not come back unseen, by their sums."""

FORGOTTEN = "forgotten"
"""The line of those of them that may."""

SUMMED = (
    "id", "home", "source", "source_id", "kind", "action", "target", "origin", "payload_sha",
    "summary",
)  # fmt: skip
"""The columns that never change again. The body's texts of bases may be let go of."""


def sum_of(row: Mapping[str, Any]) -> str:
    """The sum of one proposal, from its values as they were before they became cells."""
    body = dict(row["body"])
    bases = {
        path: {name: value for name, value in base.items() if name != "has_text"}
        for path, base in body["bases"].items()
    }
    said = [row[name] for name in SUMMED], body | {"bases": bases}
    return hashlib.sha256(dump(said).encode()).hexdigest()[:32]


def sum_of_text(text: str, where: str) -> str:
    """The sum of a text that is remembered, and of where it was."""
    return hashlib.sha256(dump([text, where]).encode()).hexdigest()


_OPEN = frozenset(
    {"ready", "conflict", "dead", "refused", "quarantined", "deferred", "live", "approved"}
)
_ANY_OPEN = "waiting"
_TURNED_DOWN = frozenset({"reject", "supersede"})
_DECIDED = _TURNED_DOWN | {"approve", "merge", "defer", "keep", "claim", "reopen"}
_TOLD = ("verb", "proposal", "digest", "reason", "text_sha", "policy")

_Text: TypeAlias = tuple[str, str, str]
"""Home, relation and sum of a text."""


@dataclass(slots=True)
class _Operation:
    """What the log tells of one operation."""

    proposal: str
    batch: str
    changes: list[Any]
    undoes: str | None
    before: str
    """Where its proposal stood."""
    state: str = "intent"
    undone_by: str | None = None


@dataclass(slots=True)
class _Told:
    """What the log comes to, line by line."""

    standing: dict[str, str] = field(default_factory=dict)
    sums: dict[str, str] = field(default_factory=dict)
    operations: dict[str, _Operation] = field(default_factory=dict)
    decisions: dict[str, dict[str, Any]] = field(default_factory=dict)
    texts: set[_Text] = field(default_factory=set)

    def line(self, name: str, home: str, subject: str, detail: Mapping[str, Any]) -> None:
        """Takes the next line in."""
        if name in _DECIDED:
            self._decided(name, subject, detail)
        elif name == "begin":
            before = self.standing.get(subject_of := detail["proposal"], _ANY_OPEN)
            self.operations[subject] = _Operation(
                subject_of, detail["batch"], detail["changes"], detail.get("undoes"), before
            )
            self.standing[subject_of] = "applying"
        elif name in ("finish", "abandon"):
            self._ended(name, subject, detail)
        elif name == "elsewhere":
            self.standing[subject] = "elsewhere"
        elif name == "returned":
            self.standing[subject] = _ANY_OPEN
        elif name in (REMEMBERED, FORGOTTEN):
            texts = {(home, relation, sum) for relation, sum in detail["texts"]}
            self.texts = self.texts | texts if name == REMEMBERED else self.texts - texts
        self.sums |= detail.get("sums", {})

    def _decided(self, verb: str, proposal: str, detail: Mapping[str, Any]) -> None:
        if "decision" in detail:
            said = {"verb": verb, "proposal": proposal}
            self.decisions[detail["decision"]] = said | {
                name: detail.get(name) or "" for name in _TOLD[2:]
            }
        if verb in _TURNED_DOWN:
            self.standing[proposal] = "rejected"
        elif verb in ("keep", "claim"):
            self.standing[proposal] = "kept"
        elif verb == "defer" or (verb == "reopen" and self.standing.get(proposal) == "kept"):
            self.standing[proposal] = _ANY_OPEN

    def _ended(self, name: str, id: str, detail: Mapping[str, Any]) -> None:
        operation = self.operations.get(id)
        if operation is None:
            return
        if name == "abandon":
            operation.state = detail["state"]
            self.standing[operation.proposal] = operation.before
            return
        operation.state = "done"
        self.standing[operation.proposal] = "applied"
        by: str | None = id
        undoes = operation.undoes
        while undoes is not None and (target := self.operations.get(undoes)) is not None:
            target.undone_by = by
            self.standing[target.proposal] = "applied" if by is None else "rejected"
            by, undoes = (undoes if by is None else None), target.undoes


def find_uncovered(connection: sqlite3.Connection) -> Iterator[str]:
    """Every row that is not what the log says, one sentence each."""
    try:
        yield from _uncovered(connection)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        yield f"What is stored cannot be held against the log: {type(error).__name__}."


def _uncovered(connection: sqlite3.Connection) -> Iterator[str]:
    told = _Told()
    query = "SELECT name, home, subject, detail FROM event ORDER BY sequence"
    for name, home, subject, detail in connection.execute(query):
        told.line(name, unshield(home), unshield(subject), load(detail))
    yield from _proposals(connection, told)
    yield from _decisions(connection, told)
    yield from _operations(connection, told)
    yield from _intents(connection)
    yield from _texts(connection, told)


def _proposals(connection: sqlite3.Connection, told: _Told) -> Iterator[str]:
    missing = dict(told.sums)
    is_summed = False  # from the first one on, all are
    columns = ", ".join(SUMMED)
    for *cells, state, body in connection.execute(
        f"SELECT {columns}, state, body FROM proposal ORDER BY position"  # noqa: S608 - constant
    ):
        row = {name: _text(cell) for name, cell in zip(SUMMED, cells, strict=True)}
        id = row["id"]
        expected = told.standing.get(id, _ANY_OPEN)
        if state != expected and not (expected == _ANY_OPEN and state in _OPEN):
            yield f"The proposal {id} is {state}; by the log it is {expected}."
        known = missing.pop(id, None)
        is_summed = is_summed or known is not None
        if known is None and is_summed:
            yield f"The proposal {id} was taken in by no line of the log."
        elif known is not None and known != sum_of({**row, "body": load(body)}):
            yield f"The proposal {id} is not what the log says was taken in."
    for id in missing:
        yield f"The proposal {id} is gone; by the log it was taken in."


def _decisions(connection: sqlite3.Connection, told: _Told) -> Iterator[str]:
    missing = dict(told.decisions)
    columns = ", ".join(_TOLD)
    for id, *cells in connection.execute(f"SELECT id, {columns} FROM decision"):  # noqa: S608 - constant
        row = {name: _text(cell) or "" for name, cell in zip(_TOLD, cells, strict=True)}
        if missing.pop(unshield(id), None) != row:
            yield f"The decision {id} is not what the log says was decided."
    for id in missing:
        yield f"The decision {id} is gone; the log has it."


def _operations(connection: sqlite3.Connection, told: _Told) -> Iterator[str]:
    changes: dict[str, list[list[Any]]] = {}
    for id, path, before, after in connection.execute(
        "SELECT operation, path, before, after FROM operation_change ORDER BY operation, ordinal"
    ):
        changes.setdefault(id, []).append([unshield(path), before, after])
    missing = dict(told.operations)
    for id, *cells in connection.execute(
        "SELECT id, proposal, batch, undoes, state, undone_by FROM operation"
    ):
        log = missing.pop(id, None)
        if log is None:
            yield f"The operation {id} was begun by no line of the log."
            continue
        row = [_text(cell) for cell in cells]
        if row[:3] != [log.proposal, log.batch, log.undoes] or changes.get(id, []) != log.changes:
            yield f"The operation {id} is not what the log says was begun."
        if row[3] != log.state:
            yield f"The operation {id} is {row[3]}; by the log it is {log.state}."
        if row[4] != log.undone_by:
            was = f"taken back by {log.undone_by}" if log.undone_by else "not taken back"
            yield f"The operation {id} is {was} by the log, and not by its row."
    for id in missing:
        yield f"The operation {id} is gone; the log says that it was begun."


def _intents(connection: sqlite3.Connection) -> Iterator[str]:
    """What recovery would write is what the operations of a batch come to."""
    query = """
        SELECT batch.id, path, before, after FROM batch JOIN {} WHERE NOT batch.settled
        ORDER BY batch.id, {}"""
    planned = _ends(
        connection,
        query.format(
            "operation ON operation.batch = batch.id"
            " JOIN operation_change ON operation_change.operation = operation.id",
            "operation.sequence, operation_change.ordinal",
        ),
    )
    written = _ends(
        connection, query.format("batch_write ON batch_write.batch = batch.id", "ordinal")
    )
    for batch in sorted(planned.keys() | written.keys()):
        if planned.get(batch) != written.get(batch):
            yield f"What the open batch {batch} would write is not what its operations say."


def _ends(connection: sqlite3.Connection, query: str) -> dict[str, dict[str, tuple[str, str]]]:
    """The first and the last revision of each document of each batch."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for batch, path, before, after in connection.execute(query):
        documents = found.setdefault(batch, {})
        first, _ = documents.get(path, (before or "absent", ""))
        documents[path] = (first, after or "absent")
    return {
        batch: {path: ends for path, ends in documents.items() if ends[0] != ends[1]}
        for batch, documents in found.items()
    }


def _texts(connection: sqlite3.Connection, told: _Told) -> Iterator[str]:
    missing = set(told.texts)
    for home, relation, sum, text, where in connection.execute(
        'SELECT home, relation, sha, text, "where" FROM likeness'
    ):
        missing.discard((unshield(home), relation, sum))
        if sum_of_text(unshield(text), unshield(where)) != sum:
            yield f"A text that was {relation} is not the one that was remembered."
    gone: dict[str, int] = {}
    for home, _, _ in missing:
        gone[home] = gone.get(home, 0) + 1
    for home, amount in sorted(gone.items()):
        yield f"{amount} of the texts that must not come back to {home} unseen are gone."
    query = """
        SELECT home, count(*) FROM likeness WHERE NOT EXISTS (
            SELECT 1 FROM subject WHERE subject.place = likeness."where"
            AND subject.home = likeness.home AND subject.relation = likeness.relation
            AND subject.text = likeness.text
        ) GROUP BY home"""
    for home, amount in connection.execute(query):
        where = unshield(home)
        yield f"{amount} of the texts that must not come back to {where} are looked for no more."


def _text(cell: Any) -> Any:
    return unshield(cell) if isinstance(cell, str) else cell

"""Checksums of the rows that decisions rest on: the log keeps one of each new row.

`fsck` recomputes them; the log itself is checked by `log --verify`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, TypeAlias

from reviewdeck.ledger.cells import dump, load, plain, unshield
from reviewdeck.ledger.database import Transaction
from reviewdeck.values import dataclass

TAKEN_IN = "taken-in"
"""The event of new proposals, with the checksum of each."""

REMEMBERED = "remembered"
"""The event of remembered texts, by their checksums."""

FORGOTTEN = "forgotten"
"""The event of texts that are remembered no longer."""

SUMMED = (
    "id", "home", "source", "source_id", "kind", "action", "target", "origin", "payload_sha",
    "summary",
)  # fmt: skip
"""The columns that never change. The base texts in the body may be pruned."""


def sum_of(row: Mapping[str, Any]) -> str:
    """The checksum of one proposal, from its values before they become cells."""
    body = dict(row["body"])
    bases = {
        path: {name: value for name, value in base.items() if name != "has_text"}
        for path, base in body["bases"].items()
    }
    summed = [row[name] for name in SUMMED], body | {"bases": bases}
    return hashlib.sha256(dump(summed).encode()).hexdigest()[:32]


def sum_of_text(text: str, where: str) -> str:
    """The checksum of a remembered text and its place."""
    return hashlib.sha256(dump([text, where]).encode()).hexdigest()


def marks_cell(answers: list[Any] | None, gist: str) -> str:
    """The answers of the checks, and the checksum of the line that lists show beside them."""
    return dump([*(answers or (None, "", "")), _sum_of_gist(gist)])


def _sum_of_gist(gist: str) -> str:
    return hashlib.sha256(dump(gist).encode()).hexdigest()[:32]


_OPEN = frozenset({"ready", "conflict", "dead", "refused", "quarantined", "deferred", "live"})
_ANY_OPEN = "waiting"
_BEGUN = "begun"
_STATES = {_ANY_OPEN: _OPEN, _BEGUN: frozenset({"approved", "applying"})}
"""By what the log says, the states that a row may have."""
_TURNED_DOWN = frozenset({"reject", "supersede"})
_DECIDED = _TURNED_DOWN | {
    "approve", "merge", "defer", "keep", "claim", "reopen", "vote", "withdraw",
}  # fmt: skip
_DECISION_FIELDS = ("verb", "proposal", "digest", "reason", "text_sha", "policy")

_Text: TypeAlias = tuple[str, str, str]
"""Home, relation and sum of a text."""


@dataclass(slots=True)
class _Operation:
    """One operation as the log tells it."""

    proposal: str
    batch: str
    changes: list[Any]
    undoes: str | None
    before: str
    """The state of its proposal before."""
    state: str = "intent"
    undone_by: str | None = None


@dataclass(slots=True)
class _Replay:
    """The rows that the log's lines add up to."""

    standing: dict[str, str] = field(default_factory=dict)
    sums: dict[str, str] = field(default_factory=dict)
    operations: dict[str, _Operation] = field(default_factory=dict)
    decisions: dict[str, dict[str, Any]] = field(default_factory=dict)
    texts: set[_Text] = field(default_factory=set)
    votes: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    """By decision, what each vote approves, and what would be written."""

    def line(self, name: str, home: str, subject: str, detail: Mapping[str, Any]) -> None:
        """Applies the next line of the log."""
        if name in _DECIDED:
            self._add_decision(name, subject, detail)
        elif name == "begin":
            before = self.standing.get(subject_of := detail["proposal"], _ANY_OPEN)
            self.operations[subject] = _Operation(
                subject_of, detail["batch"], detail["changes"], detail.get("undoes"), before
            )
            self.standing[subject_of] = _BEGUN
        elif name in ("finish", "abandon"):
            self._add_end(name, subject, detail)
        elif name == "elsewhere":
            self.standing[subject] = "elsewhere"
        elif name == "returned":
            self.standing[subject] = _ANY_OPEN
        elif name in (REMEMBERED, FORGOTTEN):
            texts = {(home, relation, sum) for relation, sum in detail["texts"]}
            self.texts = self.texts | texts if name == REMEMBERED else self.texts - texts
        self.sums |= detail.get("sums", {})

    def _add_decision(self, verb: str, proposal: str, detail: Mapping[str, Any]) -> None:
        if "decision" in detail:
            decision = {"verb": verb, "proposal": proposal}
            self.decisions[detail["decision"]] = decision | {
                name: detail.get(name) or "" for name in _DECISION_FIELDS[2:]
            }
            if verb == "vote":
                self.votes[detail["decision"]] = (detail["for"], detail["revisions"])
        if verb in _TURNED_DOWN:
            self.standing[proposal] = "rejected"
        elif verb in ("keep", "claim"):
            self.standing[proposal] = "kept"
        elif verb == "defer" or (verb == "reopen" and self.standing.get(proposal) == "kept"):
            self.standing[proposal] = _ANY_OPEN

    def _add_end(self, name: str, id: str, detail: Mapping[str, Any]) -> None:
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


def find_uncovered(tx: Transaction) -> Iterator[str]:
    """The rows that differ from the log, one sentence each."""
    try:
        yield from _compare(tx)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        yield f"What is stored cannot be held against the log: {type(error).__name__}."


def _compare(tx: Transaction) -> Iterator[str]:
    log = _Replay()
    # The ledger's own chain first: it has the older lines of all homes.
    query = "SELECT name, home, subject, detail FROM event ORDER BY chain, sequence"
    for name, home, subject, detail in tx.stream(query):
        log.line(name, unshield(home), unshield(subject), load(detail))
    yield from _proposals(tx, log)
    yield from (
        f"The line that lists show for the proposal {id} is not the one that was made of it."
        for id, _ in other_gists(tx)
    )
    yield from _decisions(tx, log)
    yield from _votes(tx, log)
    yield from _operations(tx, log)
    yield from _intents(tx)
    yield from _texts(tx, log)


def _proposals(tx: Transaction, log: _Replay) -> Iterator[str]:
    missing = dict(log.sums)
    is_summed = False  # from the first one on, all are
    columns = ", ".join(SUMMED)
    for *cells, state, body in tx.stream(
        f"SELECT {columns}, state, body FROM proposal ORDER BY position"  # noqa: S608 - constant
    ):
        row = {name: plain(cell) for name, cell in zip(SUMMED, cells, strict=True)}
        id = row["id"]
        expected = log.standing.get(id, _ANY_OPEN)
        if state not in _STATES.get(expected, {expected}):
            yield f"The proposal {id} is {state}; by the log it is {expected}."
        logged_sum = missing.pop(id, None)
        is_summed = is_summed or logged_sum is not None
        if logged_sum is None and is_summed:
            yield f"The proposal {id} was taken in by no line of the log."
        elif logged_sum is not None and logged_sum != sum_of({**row, "body": load(body)}):
            yield f"The proposal {id} is not what the log says was taken in."
    for id in missing:
        yield f"The proposal {id} is gone; by the log it was taken in."


def other_gists(tx: Transaction) -> Iterator[tuple[str, str]]:
    """The proposals whose gist is not the one that was judged with them, and their marks as of it.

    An unreadable record's is its message. Rows of an earlier version have no checksum.
    """
    query = """
        SELECT id, state, gist, summary, marks FROM proposal
        LEFT JOIN judgement ON judgement.proposal = proposal.id ORDER BY position"""
    for id, state, gist, summary, cell in tx.stream(query):
        marks = load(cell) if cell else None
        shown = unshield(gist) if gist else ""
        if state == "quarantined" and shown and shown != unshield(summary):
            yield unshield(id), ""
        elif marks is not None and len(marks) > 3 and marks[3] != _sum_of_gist(shown):
            answers = None if marks[0] is None else marks[:3]
            yield unshield(id), marks_cell(answers, shown)


def _decisions(tx: Transaction, log: _Replay) -> Iterator[str]:
    missing = dict(log.decisions)
    columns = ", ".join(_DECISION_FIELDS)
    for id, *cells in tx.stream(f"SELECT id, {columns} FROM decision"):  # noqa: S608 - constant
        row = {name: plain(cell) or "" for name, cell in zip(_DECISION_FIELDS, cells, strict=True)}
        if missing.pop(unshield(id), None) != row:
            yield f"The decision {id} is not what the log says was decided."
    for id in missing:
        yield f"The decision {id} is gone; the log has it."


def _votes(tx: Transaction, log: _Replay) -> Iterator[str]:
    missing = dict(log.votes)
    for decision, verb, revisions in tx.stream("SELECT decision, verb, revisions FROM vote"):
        if missing.pop(unshield(decision), None) != (verb, load(revisions)):
            yield f"The vote {decision} is not what the log says was approved."
    for id in missing:
        yield f"The vote {id} is gone; the log has it."


def _operations(tx: Transaction, log: _Replay) -> Iterator[str]:
    changes: dict[str, list[list[Any]]] = {}
    for id, path, before, after in tx.stream(
        "SELECT operation, path, before, after FROM operation_change ORDER BY operation, ordinal"
    ):
        changes.setdefault(id, []).append([unshield(path), before, after])
    missing = dict(log.operations)
    for id, *cells in tx.stream(
        "SELECT id, proposal, batch, undoes, state, undone_by FROM operation"
    ):
        logged = missing.pop(id, None)
        if logged is None:
            yield f"The operation {id} was begun by no line of the log."
            continue
        row = [plain(cell) for cell in cells]
        identity = [logged.proposal, logged.batch, logged.undoes]
        if row[:3] != identity or changes.get(id, []) != logged.changes:
            yield f"The operation {id} is not what the log says was begun."
        if row[3] != logged.state:
            yield f"The operation {id} is {row[3]}; by the log it is {logged.state}."
        if row[4] != logged.undone_by:
            was = f"taken back by {logged.undone_by}" if logged.undone_by else "not taken back"
            yield f"The operation {id} is {was} by the log, and not by its row."
    for id in missing:
        yield f"The operation {id} is gone; the log says that it was begun."


def _intents(tx: Transaction) -> Iterator[str]:
    query = """
        SELECT batch.id, path, before, after FROM batch JOIN {} WHERE NOT batch.settled
        ORDER BY batch.id, {}"""
    planned = _ends(
        tx,
        query.format(
            "operation ON operation.batch = batch.id"
            " JOIN operation_change ON operation_change.operation = operation.id",
            "operation.sequence, operation_change.ordinal",
        ),
    )
    written = _ends(tx, query.format("batch_write ON batch_write.batch = batch.id", "ordinal"))
    for batch in sorted(planned.keys() | written.keys()):
        if planned.get(batch) != written.get(batch):
            yield f"What the open batch {batch} would write is not what its operations say."


def _ends(tx: Transaction, query: str) -> dict[str, dict[str, tuple[str, str]]]:
    """The first and the last revision of each document of each batch."""
    by_batch: dict[str, dict[str, tuple[str, str]]] = {}
    for batch, path, before, after in tx.stream(query):
        documents = by_batch.setdefault(batch, {})
        first, _ = documents.get(path, (before or "absent", ""))
        documents[path] = (first, after or "absent")
    return {
        batch: {path: ends for path, ends in documents.items() if ends[0] != ends[1]}
        for batch, documents in by_batch.items()
    }


def _texts(tx: Transaction, log: _Replay) -> Iterator[str]:
    missing = set(log.texts)
    for home, relation, sum, text, where in tx.stream(
        'SELECT home, relation, sha, text, "where" FROM likeness'
    ):
        missing.discard((unshield(home), relation, sum))
        if sum_of_text(unshield(text), unshield(where)) != sum:
            yield f"A text that was {relation} is not the one that was remembered."
    counts: dict[str, int] = {}
    for home, _, _ in missing:
        counts[home] = counts.get(home, 0) + 1
    for home, amount in sorted(counts.items()):
        yield f"{amount} of the texts that must not come back to {home} unseen are gone."
    query = """
        SELECT home, count(*) FROM likeness WHERE NOT EXISTS (
            SELECT 1 FROM subject WHERE subject.place = likeness."where"
            AND subject.home = likeness.home AND subject.relation = likeness.relation
            AND subject.text = likeness.text
        ) GROUP BY home"""
    for home, amount in tx.stream(query):
        where = unshield(home)
        yield f"{amount} of the texts that must not come back to {where} are looked for no more."

"""The append-only log: each line's SHA-256 covers the line before it in its chain.

Each home has a chain, so that two homes never wait for each other, and one is verified without the
rest. The ledger's own chain has what concerns no home, the lines of all homes from before they had
chains, and checkpoints: the heads of homes' chains, so that none vanishes unseen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from reviewdeck.errors import Busy
from reviewdeck.ledger.cells import dump, load, micros_of, shield, unshield
from reviewdeck.ledger.columns import actor_cell
from reviewdeck.ledger.database import ALL, LedgerPart, Transaction, insert
from reviewdeck.ledger.view_sql import EVENT, EVENTS
from reviewdeck.model import Actor, ActorKind, Event, Marks, Revision
from reviewdeck.model.codec import marks_to_json
from reviewdeck.model.decisions import CHECKPOINT, DIVIDES
from reviewdeck.ports.authority import Attest, Head, unattested
from reviewdeck.values import dataclass

_COLUMNS: Final = (
    "position", "chain", "sequence", "at", "name", "home", "subject", "actor", "detail",
    "previous", "sha",
)  # fmt: skip
_LINES: Final = f"SELECT {', '.join(_COLUMNS)} FROM event"  # noqa: S608 - constant
LINES: Final = f"{_LINES} ORDER BY chain, sequence"
"""Every line as it is stored, one chain after the other, the ledger's own first."""
_LINES_OF: Final = f"{_LINES} WHERE chain = :chain ORDER BY sequence"
_HEAD: Final = "SELECT sequence, sha FROM event WHERE chain = :of ORDER BY sequence DESC LIMIT 1"
_HEADS: Final = """
    SELECT event.chain, sequence, sha FROM event
    JOIN (SELECT chain, max(sequence) AS last FROM event WHERE chain > '' GROUP BY chain) AS ends
    ON event.chain = ends.chain AND event.sequence = ends.last ORDER BY event.chain
"""
_HEADS_OF: Final = """
    SELECT event.chain, sequence, sha FROM event
    JOIN (SELECT chain, max(sequence) AS last FROM event WHERE chain IN :chains GROUP BY chain)
        AS ends
    ON event.chain = ends.chain AND event.sequence = ends.last
"""
_STRIDE: Final = 256
"""A home's chain is in a checkpoint with its first line, and then each time it grew by so many."""
MOST_TRIES: Final = 8
"""How often something is signed anew because another program was faster."""

PURGE = "purge"
"""The event of a purge: it names the replaced lines and texts."""

MARK = "mark"
"""The event of marking changes as seen."""

NOBODY = Actor(kind=ActorKind.OUTSIDE, name="reviewdeck")
"""The actor of events that nobody caused."""


@dataclass(frozen=True, slots=True)
class Note:
    """One event to be logged."""

    name: str
    home: str
    subject: str
    actor: Actor
    at: datetime
    detail: dict[str, object] = field(default_factory=dict)


class SqlAudit(LedgerPart):
    """The log, and the marks of what was seen."""

    def append(
        self,
        name: str,
        *,
        home: str,
        subject: str,
        actor: Actor,
        at: datetime,
        detail: dict[str, object] | None = None,
        attest: Attest = unattested,
    ) -> str:
        """Adds one event, signed where `attest` signs; gives its sum, which covers all before."""
        note = Note(name, home, subject, actor, at, detail or {})
        return self._log_attested(note, attest, lambda tx: None)

    def events(self, *, after: int = 0, limit: int | None = None) -> tuple[Event, ...]:
        """Events that were stored after this position, oldest first."""
        sql = f"{EVENTS} WHERE position > :after ORDER BY position LIMIT :most"
        with self._reading("An event") as tx:
            values = {"after": after, "most": ALL if limit is None else limit}
            return tuple(map(EVENT.value, tx.rows(sql, values)))

    def chain(self, home: str) -> tuple[Event, ...]:
        """The chain of a home; of the ledger's own under the empty name."""
        with self._reading("An event") as tx:
            sql = f"{EVENTS} WHERE chain = :home ORDER BY sequence"
            return tuple(map(EVENT.value, tx.rows(sql, {"home": home})))

    def heads(self, chains: Sequence[str]) -> dict[str, Head]:
        """The last lines of these chains, by home; a chain without lines is left out."""
        with self._database.reading() as tx:
            rows = tx.rows(_HEADS_OF, {"chains": chains})
            return {unshield(chain): (sequence, sha) for chain, sequence, sha in rows}

    def require(self, lines: Mapping[str, Head]) -> None:
        """Has each later transaction raise LedgerBehind where a line of these logs is missing.

        Of a file, which stays the same while it is open, this does it at once.
        """
        self._database.require(lines)

    def verify(self, home: str | None = None) -> Break | None:
        """The first line that does not fit its chain, or None. With a home, of its chain alone.

        Without one, of all chains that can be read (`homes_read`).
        """
        homes = self._database.homes_read()
        with self._database.reading() as tx:
            lines = lines_of(tx) if home is None else lines_of(tx, home)
            return _first_break(lines, _purged_lines(tx, home), homes)

    def homes_read(self) -> frozenset[str] | None:
        """The homes whose log can be read: a host's own on a server with roles. None for all."""
        return self._database.homes_read()

    def put_marks(
        self,
        home: str,
        marks: Marks,
        actor: Actor,
        at: datetime,
        attest: Attest = unattested,
        *,
        outside: Mapping[str, Revision] = MappingProxyType({}),
    ) -> None:
        """Replaces this operator's marks of a home, with a line of the log.

        `outside` are documents whose changes outside review are covered now.
        """
        its = {"home": home, "operator": self._opener.operator}
        rows = [its | {"path": path, "at": at} for path, at in marks.documents.items()]
        rows += [] if marks.everything is None else [its | {"path": "", "at": marks.everything}]
        detail: dict[str, object] = {**marks_to_json(marks), "outside": dict(outside)}

        def store(tx: Transaction) -> None:
            tx.put("DELETE FROM seen WHERE home = :home AND operator = :operator", its)
            insert(tx, "seen", rows)

        self._log_attested(Note(MARK, home, home, actor, at, detail), attest, store)

    def _log_attested(
        self, note: Note, attest: Attest, store: Callable[[Transaction], None]
    ) -> str:
        """Stores something with a line that is signed before: no key works in a transaction."""
        for _ in range(MOST_TRIES):
            signed, head = note, (0, "")
            if attest is not unattested:
                with self._database.reading() as tx:
                    head = head_of(tx, note.home)
                signed = attested(note, head, attest)
            with self._database.writing(note.home) as tx:
                expect_lines(tx, note.home)
                if signed is note or head_of(tx, note.home) == head:
                    store(tx)
                    return log(tx, [signed])
        raise overtaken(note.home)


def overtaken(home: str) -> Busy:
    """What is raised where other programs write faster than this one signs."""
    return Busy(f"Other programs keep writing to the log of {home or 'the ledger'}: try again.")


def log(tx: Transaction, notes: Sequence[Note]) -> str:
    """Adds events at the end of their homes' chains, in the caller's transaction.

    Gives the sum of the last one; empty where there was nothing to add.
    """
    if not notes:
        return ""
    # Whoever reads the end of a chain must be the only one who appends to it.
    tx.hold(*sorted({note.home for note in notes} - {""}))
    before: dict[str, Head] = {}
    heads: dict[str, Head] = {}
    rows: list[dict[str, Any]] = []

    def add(note: Note) -> str:
        if note.home not in heads:
            if not note.home:
                tx.hold("")
            expect_lines(tx, note.home)
            before[note.home] = heads[note.home] = tx.ends[note.home]()
        sequence, previous = heads[note.home]
        event = _chained(note, sequence + 1, previous)
        heads[note.home] = (sequence + 1, event["sha"])
        rows.append(event)
        return str(event["sha"])

    last = [add(note) for note in notes][-1]
    insert(tx, "event", rows)
    is_whole = any(note.name in DIVIDES for note in notes)
    covered = _heads_of_homes(tx) if is_whole else _grown(before, heads)
    if covered or is_whole:
        rows.clear()
        detail: dict[str, object] = {"heads": {home: list(at) for home, at in covered.items()}}
        detail |= {"all": True} if is_whole else {}
        add(Note(CHECKPOINT, "", "ledger", NOBODY, notes[-1].at, detail))
        insert(tx, "event", rows)
    tx.ends |= {home: _always(head) for home, head in heads.items()}
    return last


def expect_lines(tx: Transaction, home: str) -> None:
    """Asks for the end of a home's log, which is held, once: lines follow it."""
    if home not in tx.ends:
        tx.ends[home] = head_later(tx, home)


def _always(head: Head) -> Callable[[], Head]:
    return lambda: head


def _grown(before: Mapping[str, Head], heads: Mapping[str, Head]) -> dict[str, Head]:
    """The heads of homes' chains that are new, or passed a multiple of the stride."""
    return {
        home: head
        for home, head in heads.items()
        if home and -(-before[home][0] // _STRIDE) != -(-head[0] // _STRIDE)
    }


def head_of(tx: Transaction, home: str) -> Head:
    """Number and checksum of the last line of a chain; 0 and nothing where there is none."""
    return head_later(tx, home)()


def head_later(tx: Transaction, home: str) -> Callable[[], Head]:
    """The same as it is now, once it is wanted."""
    rows = tx.later(_HEAD, {"of": home})
    return lambda: next(((sequence, sha) for sequence, sha in rows()), (0, ""))


def _heads_of_homes(tx: Transaction) -> dict[str, Head]:
    return {unshield(chain): (sequence, sha) for chain, sequence, sha in tx.rows(_HEADS)}


def attested(note: Note, head: Head, attest: Attest) -> Note:
    """A note with its signature, as the line after this head; the same one where none is needed."""
    line = Event(
        head[0] + 1, note.at, note.name, note.home, note.subject, note.actor, note.detail, head[1]
    )
    signed = attest(line)
    if signed is None:
        return note
    return replace(note, detail=note.detail | {"key": signed[0], "signature": signed[1]})


def _chained(note: Note, sequence: int, previous: str) -> dict[str, Any]:
    actor, detail = actor_cell(note.actor), dump(note.detail)
    # The same as `dump` of the whole row, made of parts that the cells need as well.
    canonical = (
        f'{{"actor":{actor},"at":{micros_of(note.at)},"detail":{detail}'
        f',"home":{dump(note.home)},"name":{dump(note.name)},"previous":"{previous}"'
        f',"sequence":{sequence},"subject":{dump(note.subject)}}}'
    )
    return {
        "chain": note.home,
        "sequence": sequence,
        "at": note.at,
        "name": note.name,
        "home": note.home,
        "subject": note.subject,
        "actor": actor,
        "detail": detail,
        "previous": previous,
        "sha": _sha(previous, canonical),
    }


def _sha(previous: str, canonical: str) -> str:
    return hashlib.sha256((previous + canonical).encode()).hexdigest()


def lines_of(tx: Transaction, chain: str | None = None) -> Iterator[dict[str, Any]]:
    """The lines of a chain as they are stored, or of all chains, the ledger's own first."""
    rows = tx.stream(LINES) if chain is None else tx.stream(_LINES_OF, {"chain": chain})
    for row in rows:
        yield dict(zip(_COLUMNS, row, strict=True))


@dataclass(frozen=True, slots=True)
class Break:
    """A place at which a chain of the log does not hold."""

    home: str
    """Whose chain; empty for the ledger's own."""
    position: int
    """Of the line; 0 where lines are gone from the end of the chain."""

    def __str__(self) -> str:
        return f"line {self.position}" if self.position else f"the end of the log of {self.home}"


def heads_in(detail: Mapping[str, Any]) -> dict[str, Head]:
    """The heads that a checkpoint names, by home; none where they cannot be read."""
    try:
        return {home: (int(number), str(sha)) for home, (number, sha) in detail["heads"].items()}
    except (AttributeError, LookupError, TypeError, ValueError):
        return {}


def _first_break(
    lines: Iterator[dict[str, Any]],
    purged: Mapping[tuple[str, int], tuple[int, str]],
    homes: Collection[str] | None,
) -> Break | None:
    """The first line that does not follow from the one before it, or is missed by a checkpoint.

    Of a chain that cannot be read no line is there: nothing of it is missed.
    """
    chain, previous, expected, place = "", "", 1, 0
    checkpoints: dict[str, dict[int, str]] = {}
    are_homes_apart = False
    for line in lines:
        if line["chain"] != chain:
            if checkpoints.pop(chain, None):
                return Break(unshield(chain), 0)
            chain, previous, expected, place = line["chain"], "", 1, 0
        is_at_home = line["home"] == chain or (chain == "" and not are_homes_apart)
        is_next = line["sequence"] == expected and line["previous"] == previous
        sums = checkpoints.get(chain, {})
        is_covered = sums.pop(expected, line["sha"]) == line["sha"]
        is_sound = is_at_home and is_next and is_covered and line["position"] > place
        if not is_sound or not (_fits(line) or _is_purged(line, purged)):
            return Break(unshield(chain), line["position"])
        if chain == "" and line["name"] == CHECKPOINT:
            are_homes_apart = True
            for home, (number, sha) in heads_in(load(line["detail"])).items():
                checkpoints.setdefault(shield(home), {})[number] = sha
        previous, expected, place = line["sha"], expected + 1, line["position"]
    missed = (unshield(home) for home, sums in checkpoints.items() if sums)
    missing = next((home for home in missed if homes is None or home in homes), None)
    return None if missing is None else Break(missing, 0)


def _fits(line: Mapping[str, Any]) -> bool:
    try:
        return bool(line["sha"] == line_sum(line))
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        return False


def line_sum(row: Mapping[str, Any]) -> str:
    """The checksum of a stored row."""
    stored = {
        "sequence": row["sequence"],
        "at": row["at"],
        "name": row["name"],
        "home": unshield(row["home"]),
        "subject": unshield(row["subject"]),
        "actor": load(row["actor"]),
        "detail": load(row["detail"]),
        "previous": row["previous"],
    }
    return _sha(row["previous"], dump(stored))


def _purged_lines(tx: Transaction, home: str | None) -> dict[tuple[str, int], tuple[int, str]]:
    """The purged lines, by chain and number: the later line that says so, and the checksum now."""
    of_it = "" if home is None else "AND chain = :home"
    sql = f"SELECT chain, sequence, detail FROM event WHERE name = :name {of_it} ORDER BY position"  # noqa: S608 - constant
    replaced: dict[tuple[str, int], tuple[int, str]] = {}
    for chain, sequence, detail in tx.rows(sql, {"name": PURGE, "home": home or ""}):
        with suppress(ArithmeticError, AttributeError, TypeError, ValueError):
            lines = load(detail).get("lines") or {}
            replaced |= {
                (chain, int(number)): (sequence, str(now)) for number, now in lines.items()
            }
    return replaced


def _is_purged(line: Mapping[str, Any], purged: Mapping[tuple[str, int], tuple[int, str]]) -> bool:
    by, now = purged.get((line["chain"], line["sequence"]), (0, ""))
    try:
        return bool(by > line["sequence"] and now == line_sum(line))
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        return False

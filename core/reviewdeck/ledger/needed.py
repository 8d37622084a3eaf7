"""What retention keeps of any ledger, and letting go of the rest in a caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from reviewdeck.ledger.audit import NOBODY, Note, log
from reviewdeck.ledger.blobs import chunks
from reviewdeck.ledger.cells import dump, load, unshield
from reviewdeck.ledger.database import ALL, Transaction
from reviewdeck.model import State
from reviewdeck.ports import Clock
from reviewdeck.values import dataclass

EVIDENCE: Final = timedelta(days=30)
"""The longest time after a decision that copies of a conversation are kept."""

_ENDED: Final = ", ".join(
    f"'{state.value}'" for state in (State.APPLIED, State.REJECTED, State.ELSEWHERE, State.KEPT)
)
_HOMES: Final = """
    SELECT home FROM observation UNION SELECT home FROM proposal UNION SELECT home FROM batch
"""
_OLDEST: Final = f"""
    SELECT home, min(since) FROM proposal WHERE state NOT IN ({_ENDED}) GROUP BY home
"""  # noqa: S608 - constant states
_OLD: Final = f"""
    (state IN ({_ENDED}) AND ingested_at < :floor
    AND NOT EXISTS (SELECT 1 FROM decision
        WHERE decision.proposal = proposal.id AND decision.at >= :floor))
"""  # noqa: S608 - constant states
_OLD_BODIES: Final = f"""
    SELECT position, body FROM proposal WHERE home = :home AND position > :after AND {_OLD}
    ORDER BY position LIMIT :most
"""  # noqa: S608 - constant
_OLD_JUDGEMENTS: Final = f"""
    SELECT position, judgement.body, judgement.proposal FROM proposal
    JOIN judgement ON judgement.proposal = proposal.id
    WHERE home = :home AND position > :after AND {_OLD} ORDER BY position LIMIT :most
"""  # noqa: S608 - constant
_KEPT_BODIES: Final = f"SELECT payload_sha, body FROM proposal WHERE home = :home AND NOT {_OLD}"  # noqa: S608 - constant
_KEPT_SESSIONS: Final = f"""
    SELECT DISTINCT session FROM proposal
    WHERE home = :home AND session IS NOT NULL AND NOT {_OLD}
"""  # noqa: S608 - constant
_OLD_BATCHES: Final = """
    SELECT id FROM batch
    WHERE home = :home AND settled AND coalesce(finished_at, started_at) < :floor
"""
_NEEDED: Final = (
    # what each document was at the floor, and everything that it became since
    """SELECT revision FROM observation WHERE home = :home AND (at >= :floor OR sequence IN (
           SELECT max(sequence) FROM observation WHERE home = :home AND at < :floor
           GROUP BY path))""",
    """SELECT revision FROM observation WHERE sequence IN (
           SELECT max(sequence) FROM observation WHERE home = :home GROUP BY path)""",
    *(
        f"""SELECT "{end}" FROM operation
            JOIN operation_change ON operation_change.operation = operation.id
            WHERE operation.home = :home AND batch NOT IN ({_OLD_BATCHES})"""  # noqa: S608 - constant
        for end in ("before", "after")
    ),
)
_HELD: Final = (
    "SELECT before FROM batch_write WHERE before IS NOT NULL",
    "SELECT after FROM batch_write WHERE after IS NOT NULL",
    "SELECT sha FROM rescued",
)
"""What the database itself would not let go of."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """The result of pruning."""

    texts: int
    size: int
    """Their bytes."""

    def __add__(self, other: Pruned) -> Pruned:
        return Pruned(self.texts + other.texts, self.size + other.size)


NOTHING: Final = Pruned(0, 0)


@dataclass(frozen=True, slots=True)
class Spare:
    """Stored bytes that nothing needs."""

    shas: tuple[str, ...]
    """Differences come before what they are differences from."""
    bases: Mapping[str, str]
    """By difference, what it is one from: of all stored bytes."""


@dataclass(frozen=True, slots=True)
class OldTurns:
    """Transcripts that are behind no proposal that is open or was decided lately."""

    sessions: Mapping[int, str]
    """By the transcript's number."""
    parents: Mapping[str, str]
    """By session, the one that it continues: of all transcripts."""


def floors_of(tx: Transaction, cutoff: int) -> dict[str, int]:
    """By home, the moment since when nothing that it has stored is pruned."""
    oldest = {home: since for home, since in tx.rows(_OLDEST) if since is not None}
    return {
        unshield(home): min(cutoff, oldest.get(home, cutoff))
        for (home,) in sorted(map(tuple, tx.rows(_HOMES)))
    }


def forget_bases(
    tx: Transaction, home: str, floor: int, after: int = 0, most: int = ALL
) -> int | None:
    """Says of old proposals behind this position that their base texts are gone.

    Gives the position to go on from; None at the end.
    """
    rows = tx.rows(_OLD_BODIES, {"home": home, "floor": floor, "after": after, "most": most})
    pruned = ((position, body, dump(_without_texts(load(body)))) for position, body in rows)
    changed = [{"at": at, "body": now} for at, before, now in pruned if now != before]
    tx.many("UPDATE proposal SET body = :body WHERE position = :at", changed)
    return rows[-1][0] if len(rows) == most else None


def forget_evidence(
    tx: Transaction, home: str, cutoff: int, after: int = 0, most: int = ALL
) -> int | None:
    """Drops copies of conversations from old judgements, keeping the answers; as `forget_bases`."""
    rows = tx.rows(_OLD_JUDGEMENTS, {"home": home, "floor": cutoff, "after": after, "most": most})
    pruned = ((unshield(id), body, dump(_without_evidence(load(body)))) for _, body, id in rows)
    changed = [{"id": id, "body": now} for id, before, now in pruned if now != before]
    tx.many("UPDATE judgement SET body = :body WHERE proposal = :id", changed)
    return rows[-1][0] if len(rows) == most else None


def forget_writes(tx: Transaction, home: str, floor: int) -> None:
    """Drops what recovery would need of batches that ended long ago."""
    for table in ("batch_write", "rescued"):
        statement = f"DELETE FROM {table} WHERE batch IN ({_OLD_BATCHES})"  # noqa: S608 - constant
        tx.put(statement, {"home": home, "floor": floor})


def _without_evidence(body: Any) -> Any:
    origin = body["origin"] and body["origin"] | {"utterances": []}
    return body | {"origin": origin, "said": "", "closest": "", "currency": []}


def _without_texts(body: Any) -> Any:
    bases = {path: base | {"has_text": False} for path, base in body["bases"].items()}
    return body | {"bases": bases}


def spare_of(tx: Transaction, floors: Mapping[str, int]) -> Spare:
    """The stored bytes that nothing needs."""
    differences = tx.stream("SELECT sha, base FROM blob WHERE base IS NOT NULL")
    bases: dict[str, str] = {sha: base for sha, base in differences}
    needed = with_bases(_needed(tx, floors), bases)
    spare = [sha for (sha,) in tx.stream("SELECT sha FROM blob") if sha not in needed]
    depths = {sha: _depth(sha, bases) for sha in spare}
    return Spare(tuple(sorted(spare, key=lambda sha: -depths[sha])), bases)


def _needed(tx: Transaction, floors: Mapping[str, int]) -> set[str]:
    needed = {sha for query in _HELD for (sha,) in tx.stream(query)}
    for home, floor in floors.items():
        its = {"home": home, "floor": floor}
        for query in _NEEDED:
            needed.update(sha for (sha,) in tx.stream(query, its))
        needed |= named_by(tx.stream(_KEPT_BODIES, its))
    return needed | seen_in(tx.stream("SELECT body FROM look"))


def named_by(proposals: Iterable[Sequence[Any]]) -> set[str]:
    """The bytes that proposals need: of their records, and of the texts that they are based on."""
    shas: set[str] = set()
    for payload, body in proposals:
        shas |= {payload, *(base["revision"] for base in load(body)["bases"].values())}
    return shas


def seen_in(looks: Iterable[Sequence[Any]]) -> set[str]:
    """The revisions that a home on another machine is shown with."""
    return {revision for (body,) in looks for revision, *_ in load(body)["documents"].values()}


def with_bases(shas: Iterable[str], bases: Mapping[str, str]) -> set[str]:
    """These, and all that they are differences from."""
    found: set[str] = set()
    for sha in shas:
        at: str | None = sha
        while at is not None and at not in found:
            found.add(at)
            at = bases.get(at)
    return found


def _depth(sha: str, bases: Mapping[str, str]) -> int:
    depth = 0
    while (base := bases.get(sha)) is not None:
        sha, depth = base, depth + 1
    return depth


def remove_bytes(tx: Transaction, shas: Iterable[str]) -> Pruned:
    """Removes stored bytes."""
    size = "SELECT count(*), coalesce(sum(length(data)), 0) FROM blob WHERE sha IN :of"
    return _remove(tx, shas, size, "DELETE FROM blob WHERE sha IN :of")


def old_turns(tx: Transaction, floors: Mapping[str, int], cutoff: int) -> OldTurns:
    """The transcripts that nothing needs."""
    parents = {
        unshield(session): unshield(parent)
        for session, parent in tx.stream(
            "SELECT session, parent FROM transcript WHERE parent IS NOT NULL"
        )
    }
    named = {
        unshield(session)
        for home, floor in floors.items()
        for (session,) in tx.stream(_KEPT_SESSIONS, {"home": home, "floor": floor})
    }
    kept = with_bases(named, parents)
    old = tx.stream("SELECT sequence, session FROM transcript WHERE last_at < :at", {"at": cutoff})
    sessions = {number: unshield(session) for number, session in old}
    return OldTurns({at: of for at, of in sessions.items() if of not in kept}, parents)


def remove_turns(tx: Transaction, transcripts: Iterable[int]) -> Pruned:
    """Removes transcripts with their turns."""
    size = "SELECT count(*), coalesce(sum(length(messages)), 0) FROM turn WHERE transcript IN :of"
    turns, whole = "DELETE FROM turn WHERE transcript IN :of", "sequence IN :of"
    return _remove(tx, transcripts, size, turns, f"DELETE FROM transcript WHERE {whole}")  # noqa: S608 - constant


def _remove(tx: Transaction, of: Iterable[Any], size: str, *deletions: str) -> Pruned:
    removed = NOTHING
    for chunk in chunks(of):
        removed += Pruned(*map(int, tx.rows(size, {"of": chunk})[0]))
        for deletion in deletions:
            tx.put(deletion, {"of": chunk})
    return removed


def note_pruned(tx: Transaction, pruned: Pruned, keep: timedelta, now: Clock) -> None:
    """Adds the line of the log that says what was pruned, if anything was."""
    if pruned.texts:
        detail: dict[str, object] = {"texts": pruned.texts, "bytes": pruned.size}
        detail["keep_days"] = keep.days
        log(tx, [Note("pruned", "", "ledger", NOBODY, now(), detail)])

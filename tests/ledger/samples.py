"""Values for the ledger's tests, and the adapters that the contract is run against."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias

from tests.ledger.databases import postgres_url

from reviewdeck.ledger.database import NOBODY
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.reader import open_reader
from reviewdeck.model import (
    Actor,
    ActorKind,
    Base,
    BaseSource,
    Change,
    Decision,
    Effect,
    EffectKind,
    Kind,
    MemoryAdd,
    Operation,
    OperationKind,
    OperationState,
    Proposal,
    Quarantined,
    RecordedChange,
    State,
    Verb,
    revision_of,
)
from reviewdeck.model.ledger import Claim, Opener

HOME = "/homes/iris"
MEMORY = "memories/MEMORY.md"
START = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
OPERATOR = Actor(ActorKind.OPERATOR, "iris", host="desk", terminal="tty1", tier="signed")
OPEN_FOR_ALL = (State.READY, State.CONFLICT, State.DEAD, State.REFUSED, State.DEFERRED)

OpenLedger: TypeAlias = Callable[..., Ledger]
OpenReader: TypeAlias = Callable[[Path], Ledger]


def clock() -> datetime:
    """A clock that stands still."""
    return START


def sqlite_ledger(folder: Path, opener: Opener = NOBODY) -> Ledger:
    """The ledger on SQLite."""
    return open_ledger(f"sqlite:///{folder / 'ledger.db'}", now=clock, opener=opener)


def read_only(folder: Path) -> Ledger:
    """The same file, opened to be read."""
    return open_reader(f"sqlite:///{folder / 'ledger.db'}")


def postgres_ledger(folder: Path, opener: Opener = NOBODY) -> Ledger:
    """The ledger on PostgreSQL, in the database that stands for this folder."""
    return open_ledger(postgres_url(folder), now=clock, opener=opener)


def read_only_postgres(folder: Path) -> Ledger:
    """The same database, opened to be read."""
    return open_reader(postgres_url(folder))


LEDGERS: dict[str, OpenLedger] = {"sqlite": sqlite_ledger, "postgres": postgres_ledger}
"""Every adapter that has to pass the contract: another database joins with one line here."""

URLS: dict[str, Callable[[Path], str]] = {
    "sqlite": lambda folder: f"sqlite:///{folder / 'ledger.db'}",
    "postgres": postgres_url,
}
"""What opens the ledger of a folder in another process."""

READERS: dict[str, tuple[OpenLedger, OpenReader | None]] = {
    "sqlite": (sqlite_ledger, None),
    "read-only": (sqlite_ledger, read_only),
    "postgres": (postgres_ledger, None),
    "read-only-postgres": (postgres_ledger, read_only_postgres),
}
"""What the reading part is run against: who writes, and who reads when that is another one."""


def sha(text: str) -> str:
    """A digest to tell things apart by."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def id_of(number: int, home: str = HOME) -> str:
    """The id of `proposal(number)`."""
    return sha(f"{home}:{number}")[:24]


def proposal(
    number: int, *, home: str = HOME, source: str | None = "", base: bytes | None = None
) -> Proposal:
    """A memory proposal; an empty source stands for a file of its own."""
    bases = {}
    if base is not None:
        bases[MEMORY] = Base(revision_of(base), base, BaseSource.GIVEN)
    return Proposal(
        id=id_of(number, home),
        home=home,
        kind=Kind.MEMORY,
        action="add",
        target="memory",
        edits=(MemoryAdd(MEMORY, f"entry {number}"),),
        payload_sha=sha(f"record {number}"),
        origin="background_review",
        source=f"pending/memory/{number}.json" if source == "" else source,
        source_id=f"{number:08x}",
        summary=f"Remember entry {number}",
        created_at=START - timedelta(hours=number),
        ingested_at=START,
        bases=bases,
    )


def quarantined(number: int, *, home: str = HOME) -> Quarantined:
    """A record that could not be read."""
    return Quarantined(
        id=sha(f"bad {home}:{number}")[:24],
        home=home,
        source=f"pending/memory/bad{number}.json",
        reason="not-json",
        message="It ends in the middle of a text.",
        payload_sha=sha(f"bad record {number}"),
        kind=Kind.MEMORY,
        ingested_at=START,
    )


def decision(number: int, name: str = "", verb: Verb = Verb.APPROVE) -> Decision:
    """An operator's answer to `proposal(number)`."""
    return Decision(
        id=sha(f"decision {number} {name}")[:16],
        proposal=id_of(number),
        verb=verb,
        actor=OPERATOR,
        at=START,
        digest=sha(f"digest {number}"),
        reason="because" if verb is Verb.REJECT else "",
    )


def operation(
    number: int,
    batch: str,
    *,
    before: bytes | None = b"old\n",
    after: bytes | None = b"old\nnew\n",
    undoes: str | None = None,
) -> Operation:
    """The operation that applies `proposal(number)`."""
    return Operation(
        id=sha(f"operation {batch} {number}")[:16],
        batch=batch,
        kind=OperationKind.APPLY if undoes is None else OperationKind.UNDO,
        state=OperationState.INTENT,
        home=HOME,
        proposal=id_of(number),
        actor=OPERATOR,
        digest=sha(f"digest {number}"),
        changes=(RecordedChange(MEMORY, revision_of(before), revision_of(after), mode=0o600),),
        started_at=START,
        undoes=undoes,
        effects=(Effect(EffectKind.COUNT_PATCH, "release-notes"),),
    )


def begin(ledger: Ledger, *claims: Claim) -> tuple[str, ...]:
    """Approves batches and takes them to be written; gives those that were."""
    approved = ledger.begin(claims) or ()
    assert all(ledger.claim_batch(batch) for batch in approved)
    return approved


def claim(*numbers: int, batch: str, undoes: str | None = None) -> Claim:
    """A batch that applies these proposals to the memory document."""
    return Claim(
        operations=tuple(operation(number, batch, undoes=undoes) for number in numbers),
        decisions=tuple(decision(number, batch) for number in numbers),
        writes=(Change(MEMORY, b"old\n", b"old\nnew\n", mode=0o600),),
        contents={revision_of(data): data for data in (b"old\n", b"old\nnew\n")},
        from_states=OPEN_FOR_ALL,
    )

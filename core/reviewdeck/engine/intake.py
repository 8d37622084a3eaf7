"""Taking a home in: what is live, what is pending, what vanished. Writes to the ledger alone."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from reviewdeck.engine.evaluate import Look
from reviewdeck.engine.observe import Live, note_outside
from reviewdeck.engine.refresh import StateChange, refresh
from reviewdeck.engine.similarity import indexed_of
from reviewdeck.model import Cause, Kind, Proposal, Quarantined
from reviewdeck.planning.documents import kind_of
from reviewdeck.policy.in_force import BUILT_IN, Policy
from reviewdeck.policy_location import stamped
from reviewdeck.ports import Clock, Home, Ledger, PendingFile, Progress

AT_ONCE = 1_000
"""How many records are read before they are stored."""

BYTES_AT_ONCE = 16 << 20
"""And how many bytes of them."""

FEW = 50
"""Up to so many new records are stored and judged in one transaction, which others wait for."""


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What one pass over a home found."""

    home: str
    evaluated: tuple[str, ...]
    """The proposals that were evaluated in this pass: what is new, and what rested on something
    that is not so any more."""
    automatic: Mapping[str, str]
    """Those of them that are plainly safe, with the rule that says so."""
    moved: tuple[StateChange, ...]
    """Those of them that stand otherwise than before, and why."""
    new: frozenset[str]
    """Proposals and quarantined records that were not known before."""
    elsewhere: tuple[str, ...]
    """Proposals whose record vanished: somebody else decided them."""
    quarantined: tuple[Quarantined, ...]
    """Records that were read in this pass and make no sense."""
    outside: tuple[str, ...]
    """Documents that changed without us since the last pass."""
    problems: tuple[str, ...] = ()
    """What has to be known of the home, and documents that cannot be read, and why."""
    leftovers: tuple[tuple[str, str], ...] = ()
    """Pending files of proposals that are decided already, with the SHA-256 of their content: a
    crash came between the decision and the file."""


def take_in(
    home: Home,
    ledger: Ledger,
    now: Clock,
    progress: Progress | None = None,
    *,
    policy: Policy = BUILT_IN,
) -> TakenIn:
    """Reads what is new of a home, stores it, and brings the evaluations up to date."""
    started = now()
    paths = home.documents()
    # Before anything is read: what moves later is seen the next time.
    stamp = stamped(home.stamp(paths), policy.mark)
    look = Look(home.snapshot(), paths)
    observed = observe(home, ledger, look, started)
    seen = see(home, ledger)
    with ledger.together() if 0 < len(seen.fresh) <= FEW else nullcontext(_nothing) as end:
        received = receive(home, ledger, started, seen)
        refreshed = refresh(
            home,
            ledger,
            started,
            progress,
            policy=policy,
            look=look,
            stamp=stamp if observed.is_whole else None,
            end=end,
        )
    return TakenIn(
        home=home.id,
        evaluated=refreshed.evaluated,
        automatic=refreshed.automatic,
        moved=refreshed.moved,
        new=received.new,
        elsewhere=received.elsewhere,
        quarantined=received.quarantined,
        outside=observed.outside,
        problems=(*home.cautions, *observed.problems),
        leftovers=received.leftovers,
    )


@dataclass(frozen=True, slots=True)
class Received:
    """What a look at the pending folder showed."""

    new: frozenset[str]
    elsewhere: tuple[str, ...]
    quarantined: tuple[Quarantined, ...]
    leftovers: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class IntakeState:
    """The pending folder, without a look into its files."""

    known: dict[str, str]
    """What was there and is not, or looks otherwise: the files, and how they looked."""
    fresh: dict[str, str]
    """The files that have to be opened."""
    left: set[str]
    """Files of proposals that are decided, which are there still."""


def see(home: Home, ledger: Ledger) -> IntakeState:
    """Which files do not look as they did when they were last read.

    What another program holds is left out: it is neither gone nor ours.
    """
    known = ledger.records(home.id)
    decided = dict(ledger.leftovers(home.id))
    fresh: dict[str, str] = {}
    left: set[str] = set()
    for sighting in home.scan():
        if sighting.source in decided:
            left.add(sighting.source)
        if sighting.hint and known.get(sighting.source) == sighting.hint:
            del known[sighting.source]  # what is left of them in the end is gone or changed
        else:
            fresh[sighting.source] = sighting.hint
    # Asked for last: what was renamed away while we looked is claimed by now, or decided.
    for source in home.claimed():
        known.pop(source, None)
        fresh.pop(source, None)
        left.discard(source)
    return IntakeState(known, fresh, left)


def receive(home: Home, ledger: Ledger, at: datetime, seen: IntakeState) -> Received:
    """Opens the files that have to be opened, and no others."""
    known, fresh = seen.known, seen.fresh
    new: set[str] = set()
    quarantined: list[Quarantined] = []
    hidden: set[str] = set()
    files = home.pending(fresh.keys()) if fresh else ()
    for part in _parts(files):
        hidden |= _hidden(part, known)
        found = [one for one in (home.parse(file, at) for file in part) if one.source not in hidden]
        found.sort(key=partial(_made, at=at))  # Lists go by the order in which they are stored.
        hints = {file.source: fresh.get(file.source, "") for file in part if file.data is not None}
        read = [one for one in found if isinstance(one, Proposal)]
        said = [subject for one in read for subject in indexed_of(one)]
        new |= ledger.add(found, _records(part), hints, said)
        quarantined += [one for one in found if isinstance(one, Quarantined)]
    elsewhere = ledger.lose(home.id, known.keys() - fresh.keys() - hidden)
    there = seen.left | fresh.keys()
    leftovers = [one for one in ledger.leftovers(home.id) if one[0] in there]
    return Received(frozenset(new), elsewhere, tuple(quarantined), tuple(leftovers))


def _made(one: Proposal | Quarantined, at: datetime) -> datetime:
    """When it says that it was made; what does not say so is as new as the look at it."""
    return min(at, (one.created_at if isinstance(one, Proposal) else None) or at)


def _nothing() -> None:
    """There is no transaction to end."""


def _parts(files: Iterable[PendingFile]) -> Iterator[list[PendingFile]]:
    """A few at a time: a folder may hold more than fits into memory."""
    part: list[PendingFile] = []
    size = 0
    for file in files:
        part.append(file)
        size += len(file.data or b"")
        if len(part) >= AT_ONCE or size >= BYTES_AT_ONCE:
            yield part
            part, size = [], 0
    if part:
        yield part


def _records(files: Sequence[PendingFile]) -> dict[str, bytes]:
    contents = [file.data for file in files if file.data is not None]
    return {hashlib.sha256(data).hexdigest(): data for data in contents}


def _hidden(files: Sequence[PendingFile], known: Collection[str]) -> set[str]:
    """Files that we know and that cannot be read just now, alone or with their whole folder.

    What they hold is neither gone nor another record.
    """
    unreadable = tuple(file.source for file in files if file.data is None)
    if not unreadable:
        return set()
    folders = tuple(f"{source}/" for source in unreadable)
    return {source for source in known if source in unreadable or source.startswith(folders)}


@dataclass(frozen=True, slots=True)
class Observed:
    """What a look at all documents showed."""

    outside: tuple[str, ...]
    problems: tuple[str, ...]
    is_whole: bool = True
    """False where something was written while it was looked at: that has to be looked at again."""


def observe(home: Home, ledger: Ledger, look: Look, at: datetime) -> Observed:
    """Stores each document that is not as we last knew it, with its bytes."""
    latest = ledger.latest(home.id)  # Before the documents are read: what moves later is no news.
    found: list[Live] = []
    problems: list[str] = []
    for path in sorted({*look.paths, *latest}):
        document = look.snapshot.document(path)
        if document.problem is not None:
            problems.append(f"{path}: {document.problem}")
            continue
        kind = kind_of(path, look.snapshot)
        mode = document.mode if kind is Kind.SKILLS and document.data is not None else None
        found.append(Live(path, document.revision, document.data, kind, home.index_of(path), mode))
    seen, is_whole = note_outside(ledger, home.id, found, latest, at)
    outside = tuple(one.path for one in seen if one.cause is Cause.OUTSIDE)
    return Observed(outside, tuple(problems), is_whole)

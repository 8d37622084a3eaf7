"""Taking a home in: live documents, pending records, vanished ones. Writes to the ledger alone."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime
from functools import partial

from reviewdeck.engine.evaluate import Look
from reviewdeck.engine.home_look import Asked, look_of, sum_of_look
from reviewdeck.engine.observe import Live, record_observations
from reviewdeck.engine.refresh import StateChange, refresh
from reviewdeck.engine.similarity import indexed_of
from reviewdeck.engine.stamp import combine_stamp
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.model import AutoApply, Cause, Kind, Proposal, Quarantined
from reviewdeck.model.ledger import Machine, Sight
from reviewdeck.planning.documents import kind_of
from reviewdeck.policy.in_force import BUILT_IN, Policy
from reviewdeck.ports import Clock, Home, PendingFile, Progress
from reviewdeck.values import dataclass

AT_ONCE = 1_000
"""The most records that are read before they are stored."""

BYTES_AT_ONCE = 16 << 20
"""The most bytes of records that are read before they are stored."""

FEW = 50
"""Up to this many new records are stored and judged in one transaction."""


@dataclass(frozen=True, slots=True)
class TakenIn:
    """The result of taking one home in."""

    home: str
    evaluated: tuple[str, ...]
    """The proposals that this pass evaluated: new ones, and those whose inputs changed."""
    automatic: Mapping[str, AutoApply]
    """The automatic ones among them, with what allows it."""
    moved: tuple[StateChange, ...]
    """The state changes among them, with the reasons."""
    new: frozenset[str]
    """Proposals and quarantined records that were not known before."""
    elsewhere: tuple[str, ...]
    """Proposals whose record vanished: they were decided elsewhere."""
    quarantined: tuple[Quarantined, ...]
    """Records that were read in this pass and cannot be parsed."""
    outside: tuple[str, ...]
    """Documents changed outside review since the last pass."""
    problems: tuple[str, ...] = ()
    """The home's cautions, and the documents that cannot be read, with the reason."""
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
    machine: Machine | None = None,
) -> TakenIn:
    """Reads a home's new records, stores them, and brings the evaluations up to date.

    With `machine`, a look at the home is stored too, for those who decide on another one.
    """
    started = now()
    paths = home.documents()
    # Before anything is read: a later change is noticed by the next pass.
    stamp = combine_stamp(home.stamp(paths), policy.mark)
    look = Look(home.snapshot(), paths)
    keep = None if machine is None else partial(_keep_look, home, ledger, look, machine, started)
    observed = observe(home, ledger, look, started)
    state = list_pending(home, ledger)
    news = len(state.fresh) + len(observed.outside)
    with ledger.together(home.id) if 0 < news <= FEW else nullcontext(_nothing) as end:
        received = read_pending(home, ledger, started, state)
        refreshed = refresh(
            home,
            ledger,
            started,
            progress,
            policy=policy,
            look=look,
            stamp=stamp if observed.is_whole else None,
            end=end,
            keep=keep,
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


def _keep_look(
    home: Home, ledger: Ledger, look: Look, machine: Machine, at: datetime, asked: Asked
) -> None:
    """Stores what was seen of a home, unless it is what is stored already."""
    seen, contents = look_of(home, look.snapshot, look.paths, ledger.latest(home.id), asked)
    sight = Sight(home.id, machine.host, machine.name, at, home.name, home.kind, home.where)
    body = seen.to_text()
    ledger.put_look(sight, sum_of_look(body, sight), body, contents)


@dataclass(frozen=True, slots=True)
class Received:
    """The result of reading the pending folder."""

    new: frozenset[str]
    elsewhere: tuple[str, ...]
    quarantined: tuple[Quarantined, ...]
    leftovers: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class IntakeState:
    """The pending folder's listing, before any file is read."""

    missing: dict[str, str]
    """The known files that vanished or changed, with their earlier hints."""
    fresh: dict[str, str]
    """The new or changed files, with their hints."""
    leftovers: set[str]
    """Files of decided proposals that still exist."""


def list_pending(home: Home, ledger: Ledger) -> IntakeState:
    """Compares the pending folder's listing with what was last read.

    Records that another program claims are left out: they are neither gone nor ours.
    """
    asked = partial(ledger.records, home.id), partial(ledger.leftovers, home.id)
    with ledger.at_once():
        ledger.foresee(asked)
        records, decided = ledger.records(home.id), dict(ledger.leftovers(home.id))
    fresh: dict[str, str] = {}
    leftovers: set[str] = set()
    for sighting in home.scan():
        if sighting.source in decided:
            leftovers.add(sighting.source)
        if sighting.hint and records.get(sighting.source) == sighting.hint:
            del records[sighting.source]  # the remaining ones have vanished or changed
        else:
            fresh[sighting.source] = sighting.hint
    # Asked last: a file that was renamed away meanwhile is claimed by now, or decided.
    for source in home.claimed():
        records.pop(source, None)
        fresh.pop(source, None)
        leftovers.discard(source)
    return IntakeState(records, fresh, leftovers)


def read_pending(home: Home, ledger: Ledger, at: datetime, state: IntakeState) -> Received:
    """Reads the new and changed files, and no others."""
    records, fresh = state.missing, state.fresh
    new: set[str] = set()
    quarantined: list[Quarantined] = []
    hidden: set[str] = set()
    files = home.pending(fresh.keys()) if fresh else ()
    for part in _parts(files):
        hidden |= _hidden(part, records)
        parsed = (home.parse(file, at) for file in part)
        results = [result for result in parsed if result.source not in hidden]
        results.sort(key=partial(_created_at, at=at))  # Lists show the order of storing.
        hints = {file.source: fresh.get(file.source, "") for file in part if file.data is not None}
        read = [result for result in results if isinstance(result, Proposal)]
        subjects = [subject for proposal in read for subject in indexed_of(proposal)]
        new |= ledger.add(results, _records(part), hints, subjects)
        quarantined += [result for result in results if isinstance(result, Quarantined)]
    elsewhere = ledger.mark_vanished(home.id, records.keys() - fresh.keys() - hidden)
    sources = state.leftovers | fresh.keys()
    leftovers = [leftover for leftover in ledger.leftovers(home.id) if leftover[0] in sources]
    return Received(frozenset(new), elsewhere, tuple(quarantined), tuple(leftovers))


def _created_at(result: Proposal | Quarantined, at: datetime) -> datetime:
    """The time a record claims, or else the time of this pass; never later than that."""
    return min(at, (result.created_at if isinstance(result, Proposal) else None) or at)


def _nothing() -> None:
    """There is no transaction to end."""


def _parts(files: Iterable[PendingFile]) -> Iterator[list[PendingFile]]:
    """The files in parts: a folder may hold more than fits into memory."""
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


def _hidden(files: Sequence[PendingFile], sources: Collection[str]) -> set[str]:
    """The known files that cannot be read now, alone or with their whole folder.

    Their records are neither gone nor changed.
    """
    unreadable = tuple(file.source for file in files if file.data is None)
    if not unreadable:
        return set()
    folders = tuple(f"{source}/" for source in unreadable)
    return {source for source in sources if source in unreadable or source.startswith(folders)}


@dataclass(frozen=True, slots=True)
class Observed:
    """The result of reading all documents."""

    outside: tuple[str, ...]
    problems: tuple[str, ...]
    is_whole: bool = True
    """False where something was written meanwhile: the home has to be read again."""


def observe(home: Home, ledger: Ledger, look: Look, at: datetime) -> Observed:
    """Stores an observation of each document that changed, with its bytes."""
    # Before the documents are read, so that a later observation is not overwritten.
    latest = ledger.latest(home.id)
    documents: list[Live] = []
    problems: list[str] = []
    for path in sorted({*look.paths, *latest}):
        document = look.snapshot.document(path)
        if document.problem is not None:
            problems.append(f"{path}: {document.problem}")
            continue
        kind = kind_of(path, look.snapshot)
        mode = document.mode if kind is Kind.SKILLS and document.data is not None else None
        index = home.index_of(path)
        is_moved = (last := latest.get(path)) is None or last.revision != document.revision
        derived = index == path and is_moved and home.is_derived(path, look.snapshot)
        documents.append(
            Live(path, document.revision, document.data, kind, index, mode, is_derived=derived)
        )
    observations, is_whole = record_observations(ledger, home.id, documents, latest, at)
    outside = tuple(
        observation.path for observation in observations if observation.cause is Cause.OUTSIDE
    )
    return Observed(outside, tuple(problems), is_whole)

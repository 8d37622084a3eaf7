"""Putting the engine together: the one place where adapters meet ports."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from reviewdeck.clock import utc_now
from reviewdeck.engine.agent_programs import agent_among
from reviewdeck.engine.authorisation import Unsigned
from reviewdeck.engine.engine import Engine
from reviewdeck.engine.options import Settings
from reviewdeck.engine.recognition import Recognised, recognise
from reviewdeck.engine.stamp import combine_stamp
from reviewdeck.environment import settings_in
from reviewdeck.errors import (
    BadInput,
    DescendsFromAgent,
    HomeReadOnly,
    HomeUnavailable,
    LedgerReadOnly,
    NotPermitted,
    ReviewdeckError,
)
from reviewdeck.files.host_notes import HostNotesFile
from reviewdeck.homes.identity import read_identity
from reviewdeck.homes.kinds import (
    HomeContext,
    HomeKind,
    LocatedHome,
    WriterOptions,
    kind_at,
    remembered_name,
)
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.ledger.place import address_of
from reviewdeck.ledger.reader import open_reader
from reviewdeck.model import ABSENT, About, Actor, Decision
from reviewdeck.model.decisions import OPERATORS
from reviewdeck.model.ledger import DirectoryIdentity
from reviewdeck.operators.presence import has_keys, has_list
from reviewdeck.policy_file import Rulebook, policy_digest
from reviewdeck.ports import BatchJournal, Home, HomeWriter, OpenHome, no_probe
from reviewdeck.terminal import warn
from reviewdeck.values import dataclass

if TYPE_CHECKING:
    from reviewdeck.engine.recovery import Recovered
    from reviewdeck.model.ledger import KnownHome, Sight
    from reviewdeck.operators.authority import Operators
    from reviewdeck.ports import Authority, Clock, Probe
    from reviewdeck.working import Storage

# Opening homes that did not change needs little. What only the other cases need is imported where
# it is used: keys, conversations, the examination of a home.


_KEPT_DAYS: Final = 14
"""For how long a host can tell a shared ledger again what that had lost."""
_ONLY_READ: Final = HomeReadOnly("This home was opened to be read.")


def new_id() -> str:
    """A fresh identifier: 12 hex digits."""
    return os.urandom(6).hex()


def open_engine(
    settings: Settings, *, now: Clock = utc_now, probe: Probe = no_probe, for_looking: bool = False
) -> Engine:
    """The engine for these settings. Creates or migrates the ledger if needed.

    `for_looking` opens it also where the ledger cannot be written: every decision is refused then.
    """
    with closing(open_reader(settings.ledger, opener=settings.opener)) as known:
        located = _located(settings, now, known)
    clock = MonotonicClock(now)
    ledger = open_ledger(
        settings.ledger, now=clock, for_looking=for_looking, opener=settings.opener
    )
    with ExitStack() as opened:
        opened.callback(ledger.close)
        clock.start_at(ledger.newest_event())
        homes = tuple(_open_home(home, settings, ledger, now, probe) for home in located)
        if _has_spooled_turns(settings):
            # A killed agent may have left turns there: they can be evidence.
            from reviewdeck.recording import deliver_leftovers

            deliver_leftovers(address_of(settings.ledger).spool, ledger)
        authority: Authority = Unsigned(settings.ancestry, settings.agents)
        if settings.operators is not None:
            authority = operators_over(settings, ledger, clock)
        engine = _engine(settings, homes, ledger, clock, authority, probe)
        opened.pop_all()  # From here on the engine closes the ledger.
        return engine


def fresh_engine(settings: Settings, *, now: Clock = utc_now, writes: bool = False) -> Engine:
    """The engine, up to date with its homes. Without `writes` it may be one that only reads.

    Where the ledger cannot be written, it is as the ledger last knew it, with a warning.
    """
    if not writes and (unchanged := open_unchanged(settings, now=now)) is not None:
        return unchanged
    with ExitStack() as opened:
        engine = open_engine(settings, now=now, for_looking=True)
        opened.callback(engine.close)
        try:
            engine.refresh()
        except LedgerReadOnly as error:
            warn(f"reviewdeck: {error.message} Changes since the last look are not shown.")
        opened.pop_all()
        return engine


def open_unchanged(settings: Settings, *, now: Clock = utc_now) -> Engine | None:
    """An engine that only reads, if the last intake of these homes is still current, else None.

    Otherwise `open_engine` takes in the changes, migrates the ledger, or reports what is wrong.
    Raises HomeUnavailable.
    """
    clock = MonotonicClock(now)
    ledger = open_reader(settings.ledger, opener=settings.opener)
    with ExitStack() as opened:
        opened.callback(ledger.close)
        located = [each.home for each in _located(settings, now, ledger)]
        # `open_engine` meets the same error, and reports it.
        with suppress(ReviewdeckError), ledger.at_once():
            pinned = partial(ledger.pinned, OPERATORS)
            ledger.foresee((pinned, ledger.is_signed, ledger.newest_event, ledger.sights))
            homes = _unchanged_homes(located, ledger, policy_digest(settings.policy))
            authority = _known_authority(settings, ledger, clock)
            if homes is not None and authority is not None and not _has_spooled_turns(settings):
                clock.start_at(ledger.newest_event())
                engine = _engine(settings, homes, ledger, clock, authority)
                opened.pop_all()
                return engine
    return None


def _engine(
    settings: Settings,
    homes: tuple[OpenHome, ...],
    ledger: Ledger,
    now: Clock,
    authority: Authority,
    probe: Probe = no_probe,
) -> Engine:
    policy = Rulebook(settings.policy, settings.user_home)
    homes = (*homes, *_homes_elsewhere(settings, ledger))
    by = settings.machine
    if by is not None and ledger.machine:
        by = replace(by, name=ledger.machine)  # What people know it by, as they gave it its role.
    # Who logs in to a hub as an operator is that one, whatever the account here is called.
    actor = replace(settings.actor, name=ledger.operator or settings.actor.name)
    parts = homes, ledger, now, new_id, actor, probe, None, authority, policy, by
    return Engine(*parts, settings.uninterrupted)


def _homes_elsewhere(settings: Settings, ledger: Ledger) -> tuple[OpenHome, ...]:
    """The homes of other machines in a ledger that several share, unless some are named.

    Without a home here, this machine's too: its worker may have been given another place.
    """
    if not settings.host or settings.elsewhere is None:
        return ()
    from reviewdeck.engine.remote_home import RemoteHome

    wanted = settings.elsewhere
    sights = [
        sight
        for sight in ledger.sights()
        if (sight.host != settings.host or not settings.homes)
        and (not wanted or not sight.names.isdisjoint(wanted))
    ]
    if not sights and (wanted or not settings.homes):
        named = f" called {', '.join(wanted)}" if wanted else ""
        raise HomeUnavailable(
            f"There is no home{named} here, and no other machine has one in this ledger yet.",
            hint="`reviewdeck worker` on the machine with the home takes it in.",
        )
    return tuple(
        replace(_refusing(RemoteHome(sight, ledger), _is_there(sight)), sight=sight)
        for sight in sights
    )


def _is_there(sight: Sight) -> HomeUnavailable:
    return HomeUnavailable(
        f"The home {sight.name} is on {sight.machine}: this cannot be done from here.",
        hint=f"Do it there: its path is {sight.path}.",
    )


def _unchanged_homes(
    located: Sequence[LocatedHome], ledger: Ledger, mark: str
) -> tuple[OpenHome, ...] | None:
    """The homes with their ids in the ledger; None if one has changed, or was moved."""
    homes: list[OpenHome] = []
    for home in located:
        id = ledger.home_at(home.where, read_identity(home.path))
        stamp = None if id is None else ledger.stamp(id)
        if id is None or stamp != combine_stamp(home.stamp(home.documents()), mark):
            return None
        homes.append(_refusing(home.known_as(id), _ONLY_READ))
    return tuple(homes)


def _has_spooled_turns(settings: Settings) -> bool:
    """Whether the spool may have turns that are not in the ledger yet."""
    spool = address_of(settings.ledger).spool
    return spool.is_dir() and any(spool.iterdir())


def _known_authority(settings: Settings, ledger: Ledger, now: Clock) -> Authority | None:
    """How decisions are authorised; None if the ledger has yet to pin the operators' keys."""
    if settings.operators is None or not has_keys(settings.operators, ledger):
        return Unsigned(settings.ancestry, settings.agents)
    operators = operators_over(settings, ledger, now)
    return operators if operators.is_pinned else None


class MonotonicClock:
    """A clock that never goes back behind its last answer, or behind the newest recorded event.

    If the system's clock were set back, new changes would be dated before the moment until which
    an operator has seen everything, and `since` would not show them.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._newest: datetime | None = None

    def __call__(self) -> datetime:
        moment = self._clock()
        if self._newest is not None and moment < self._newest:
            moment = self._newest + timedelta(microseconds=1)
        self._newest = moment
        return moment

    def start_at(self, moment: datetime | None) -> None:
        """Sets the earliest moment that the clock may give."""
        self._newest = moment


def open_working(settings: Settings, *, now: Clock = utc_now) -> Storage:
    """The working memory of these settings; one in this process while that does not answer.

    Raises BadInput for an invalid address.
    """
    from reviewdeck.working import create

    default = str(address_of(settings.ledger).working)
    return create(settings.working or default, now=now, tick=time.monotonic)


def operators_over(settings: Settings, ledger: Ledger, now: Clock) -> Operators:
    """The operators whose decisions count for a ledger. Raises BadInput without a directory."""
    if settings.operators is None:
        raise BadInput("There is no directory for operators' keys here.")
    from reviewdeck.operators import authority, ring, vault

    return authority.Operators(
        vault.Vault(settings.operators),
        ledger,
        Unsigned(settings.ancestry, settings.agents),
        now=now,
        tick=boot_time,
        policy=lambda: policy_digest(settings.policy) or ring.BUILT_IN,
    )


def boot_time() -> float:
    """A monotonic clock in seconds that includes suspend, where the system has one."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime(clock)


@dataclass(frozen=True, slots=True)
class LocatedKind:
    """A home at a path, and its kind."""

    kind: HomeKind
    home: LocatedHome


def kind_for(path: Path, settings: Settings) -> HomeKind:
    """The kind of the home at this path: what the ledger knows it as, else by its files.

    Raises HomeUnavailable.
    """
    with closing(open_reader(settings.ledger, opener=settings.opener)) as ledger:
        return _kind_for(path, settings, ledger)


def _kind_for(path: Path, settings: Settings, ledger: Ledger) -> HomeKind:
    remembered, identity = "", read_identity(path)
    with suppress(ReviewdeckError):  # Whoever opens a ledger reports what is wrong with it.
        remembered = ledger.kind_at(os.path.realpath(path), identity[1] if identity else "")
    if not remembered and path.resolve() == settings.user_home.resolve():
        raise HomeUnavailable(
            f"{path} is your home directory, and no agent's.",
            hint=f"Name the agent's folder, such as --home {path / '.hermes'}",
        )
    return kind_at(path, remembered, is_new=settings.is_new)


def _located(settings: Settings, now: Clock, ledger: Ledger) -> list[LocatedKind]:
    kinds = ((path, _kind_for(path, settings, ledger)) for path in settings.homes)
    around = _surroundings(settings, now)
    return [LocatedKind(kind, kind.home(path, around)) for path, kind in kinds]


def _surroundings(settings: Settings, now: Clock) -> HomeContext:
    return HomeContext(settings.env, settings.user_home, now)


def _open_home(
    at: LocatedKind, settings: Settings, ledger: Ledger, now: Clock, probe: Probe
) -> OpenHome:
    """The home under its id in the ledger, which records its present path."""
    from reviewdeck.files.host_journal import HostJournal

    located, path = at.home, at.home.path
    standing, known_homes = (
        standing_of(str(path)) or DirectoryIdentity(str(path), ""),
        ledger.known_homes(),
    )

    def is_alike(id: str) -> bool:
        return _is_alike(located.known_as(id), ledger)

    recognised = recognise(standing, known_homes, standing_of, is_alike, settings.host)
    kind = remembered_name(at.kind, path)
    mark = _record_place(ledger, recognised, standing, known_homes, kind, settings.host)
    home = located.known_as(recognised.id, copy_of=recognised.copy_of)
    patience = WriterOptions(probe, settings.lock_wait, mark)
    writer = at.kind.writer(path, _surroundings(settings, now), patience)
    refusal = refusal_to_write(settings)
    journal = HostJournal(
        address_of(settings.ledger).journal,
        home.id,
        probe=probe,
        lock_wait=settings.lock_wait,
        kept_days=_KEPT_DAYS if settings.host else 0,
    )
    return OpenHome(home, writer, journal) if refusal is None else _refusing(home, refusal)


class _Refusing:
    """Refuses every call, the ones that a later version adds too."""

    def __init__(self, refusal: ReviewdeckError) -> None:
        self._refusal = refusal

    def __getattr__(self, name: str) -> Any:
        raise self._refusal


def _refusing(home: Home, refusal: ReviewdeckError) -> OpenHome:
    """A home to be read: each attempt to write to it raises this error."""
    refuses = _Refusing(refusal)
    return OpenHome(home, cast("HomeWriter", refuses), cast("BatchJournal", refuses))


def end_on_disk(settings: Settings, *, now: Clock = utc_now) -> tuple[Recovered, ...]:
    """Ends on disk what this host was writing to these homes, while no ledger can be opened.

    Where decisions are signed, by the list of operators that the ledger had pinned when it was
    last open; nothing where that is not known. Raises Busy.
    """
    from reviewdeck.engine.recovery import recover_files
    from reviewdeck.files.host_journal import HostJournal

    notes, flaw_of = host_notes(settings).read(), None
    if settings.operators is not None and (notes.ring or has_list(settings.operators)):
        if (ring := _pinned_ring(settings.operators, notes.ring)) is None:
            return ()
        flaw_of = ring
    if refusal_to_write(settings) is not None:
        return ()
    around = _surroundings(settings, now)
    endings: list[Recovered] = []
    for path in settings.homes:
        id, name = notes.places.get(os.path.realpath(path), ("", ""))
        kind = kind_at(path, name, is_new=False) if name else kind_for(path, settings)
        writer = kind.writer(path, around, WriterOptions(no_probe, settings.lock_wait))
        folder = address_of(settings.ledger).journal
        id = id or kind.home(path, around).id
        journal = HostJournal(folder, id, probe=no_probe, lock_wait=settings.lock_wait)
        endings += recover_files(writer, journal, flaw_of)
    return tuple(endings)


def _pinned_ring(operators: Path, pinned: str) -> Callable[[Decision, About], str | None] | None:
    """What checks a signature by the list of operators that was pinned; None where it is not."""
    from reviewdeck.operators.authority import flaw_in
    from reviewdeck.operators.vault import Vault

    try:
        ring = Vault(operators).ring()
    except NotPermitted:
        return None
    if not pinned or not ring.extends(pinned):
        return None
    return lambda decision, about: flaw_in(ring, decision, about)


def host_notes(settings: Settings) -> HostNotesFile:
    """The file of what this host remembers of the ledger."""
    return HostNotesFile(address_of(settings.ledger).notes)


def open_for_worker(settings: Settings, *, probe: Probe = no_probe) -> Engine:
    """The engine of a worker, which notes what it needs to know when the ledger is away.

    Raises LedgerBehind, before anything is written to it, for a ledger that lacks what this host
    saw.
    """
    file = host_notes(settings)
    notes = file.read()
    with closing(open_reader(settings.ledger, opener=settings.opener)) as known:
        known.require(notes.heads)
        ring = known.pinned(OPERATORS) or notes.ring
    with ExitStack() as opened:
        engine = open_engine(settings, probe=probe)
        opened.callback(engine.close)
        here = (known for known in engine.ledger.known_homes() if known.id in engine.home_ids)
        places = {**notes.places, **{known.at.path: (known.id, known.kind) for known in here}}
        if replace(notes, places=places, ring=ring) != notes:
            file.write(replace(notes, places=places, ring=ring))
        opened.pop_all()
        return engine


def forget_heads(settings: Settings) -> None:
    """Takes the ledger as it is: what this host saw of its log is forgotten."""
    file = host_notes(settings)
    file.write(replace(file.read(), heads={}))


def refusal_to_write(settings: Settings) -> DescendsFromAgent | None:
    """Why no home may be written: a known agent chose another place than the account's."""
    agent = agent_among(settings.ancestry(), settings.agents) if settings.moved else None
    if agent is None:
        return None
    return DescendsFromAgent(
        f"This was started by {agent.name or agent.command[0]} (process {agent.pid}), and an agent"
        f" may not choose {' and '.join(settings.moved)}.",
        hint="Nothing was changed. Leave out --ledger and the variables that name another place"
        " (REVIEWDECK_LEDGER, XDG_DATA_HOME, XDG_CONFIG_HOME, HOME): what the operator paused and"
        " rejected stands in the account's own ledger.",
    )


def standing_of(path: str) -> DirectoryIdentity | None:
    """The directory at a path now, by device and inode; None if there is none."""
    identity = read_identity(Path(path)) if path else None
    return None if identity is None else DirectoryIdentity(path, *identity)


def _record_place(
    ledger: Ledger,
    recognised: Recognised,
    standing: DirectoryIdentity,
    known_homes: Sequence[KnownHome],
    kind: str,
    host: str,
) -> str:
    """Records a home's place and kind, and a move or a copy, in the ledger; gives its mark."""
    known = next((home for home in known_homes if home.id == recognised.id), None)
    old = None if known is None else known.at
    is_same = old is not None and old == replace(standing, mark=standing.mark or old.mark)
    is_here = known is not None and known.host == (host or known.host)
    if known is not None and known.at.mark and is_same and is_here and known.kind == kind:
        return known.at.mark
    event, detail = "", dict[str, object]()
    if recognised.moved_from:
        event, detail = "home-moved", {"from": recognised.moved_from, "to": standing.path}
    elif old is None and recognised.copy_of:
        event, detail = "home-copied", {"from": recognised.copy_of, "to": standing.path}
    return ledger.put_place(recognised.id, standing, os.urandom(16).hex(), event, detail, kind=kind)


def _is_alike(home: LocatedHome, ledger: Ledger) -> bool:
    """Whether any record or document that the ledger has of a home is unchanged in this one."""
    records = ledger.records(home.id)
    if any(record.hint and records.get(record.source) == record.hint for record in home.scan()):
        return True
    snapshot = home.snapshot()
    return any(
        observation.revision != ABSENT and snapshot.document(path).revision == observation.revision
        for path, observation in ledger.latest(home.id).items()
    )


def open_deck(
    home: str | Path | None = None,
    *,
    ledger: str | None = None,
    actor: Actor | None = None,
    env: Mapping[str, str] | None = None,
) -> Engine:
    """An engine as the command line opens it: by default, Hermes' own home and the user's ledger.

    Raises HomeUnavailable, LedgerUnavailable.
    """
    environment = os.environ if env is None else env
    return open_engine(settings_in(home, ledger=ledger, actor=actor, env=environment))

"""Putting the engine together: the one place where adapters meet ports."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from reviewdeck.clock import utc_now
from reviewdeck.engine.authorisation import Unsigned
from reviewdeck.engine.options import Settings
from reviewdeck.engine.view import View
from reviewdeck.environment import settings_in
from reviewdeck.errors import BadInput, ReviewdeckError
from reviewdeck.homes.identity import seen_at
from reviewdeck.homes.kinds import FoundHome, Patience, Surroundings, kind_at
from reviewdeck.ledger.place import path_of
from reviewdeck.ledger.reader import LightReader, open_reader
from reviewdeck.locations import spool_of
from reviewdeck.model import ABSENT, Actor
from reviewdeck.operators.presence import tells_of_keys
from reviewdeck.policy_location import PolicyPlace, mark_of, stamped

if TYPE_CHECKING:
    from reviewdeck.engine.deck import Deck
    from reviewdeck.engine.recognition import Recognised
    from reviewdeck.operators.authority import Operators
    from reviewdeck.policy.in_force import Policy
    from reviewdeck.ports import (
        Authority,
        AuthorityReader,
        Clock,
        Home,
        KnownHome,
        Ledger,
        LedgerReader,
        OpenHome,
        Probe,
        Standing,
    )
    from reviewdeck.working.fallback import Metered

# Whoever only looks at homes in which nothing moved opens a view. What a whole deck needs besides,
# the ORM and all that writes, is loaded where it is put together.


def new_id() -> str:
    """A fresh identifier: 12 hex digits."""
    return secrets.token_hex(6)


def compose_deck(
    settings: Settings, *, now: Clock = utc_now, probe: Probe = lambda step: None
) -> Deck:
    """A deck over these settings. The ledger is created, or brought up to date, when needed."""
    from reviewdeck.engine.context import EngineContext
    from reviewdeck.engine.deck import Deck
    from reviewdeck.ledger.opening import open_ledger
    from reviewdeck.policy_loader import Rulebook
    from reviewdeck.recording import bring_over

    found = [_home_at(path, settings, now) for path in settings.homes]
    clock = MonotonicClock(now)
    ledger = open_ledger(settings.ledger, now=clock)
    clock.start_at(ledger.newest_event())
    homes = tuple(_open_home(one, settings, ledger, now, probe) for one in found)
    # An agent that was killed left turns behind, which may be the evidence that is asked for.
    bring_over(spool_of(settings.ledger), ledger)
    authority = _authority(settings, ledger, clock)
    rulebook = Rulebook(settings.policy, settings.user_home)
    context = EngineContext(homes, ledger, clock, new_id, settings.actor, probe)
    return Deck(replace(context, authority=authority, policy=rulebook))


def fresh_view(settings: Settings, *, now: Clock = utc_now) -> View | None:
    """A view of these homes, of which the last intake still holds; None where it may not.

    Then the whole deck takes in what moved, brings the ledger up to date, or says what is wrong.
    Raises HomeUnavailable.
    """
    found = [_home_at(path, settings, now) for path in settings.homes]
    ledger = open_reader(settings.ledger)
    try:
        homes = _unmoved(found, ledger, mark_of(settings.policy))
        authority = _onlooker(settings, ledger)
        if homes is not None and authority is not None and not _has_left_turns(settings):
            clock = MonotonicClock(now)
            clock.start_at(ledger.newest_event())
            policy = partial(_policy_in, settings.policy, settings.user_home)
            return View(homes, ledger, clock, settings.actor, authority, policy)
    except ReviewdeckError:
        pass  # The whole deck meets it again, and says it.
    ledger.close()
    return None


def _unmoved(found: Sequence[FoundHome], ledger: LightReader, mark: str) -> tuple[Home, ...] | None:
    """The homes by the ids of the ledger; None when one has to be taken in, or was moved."""
    homes: list[Home] = []
    for home in found:
        id = ledger.home_at(home.where, seen_at(home.path))
        known = None if id is None else ledger.stamp(id)
        if id is None or known != stamped(home.stamp(home.documents()), mark):
            return None
        homes.append(home.known_as(id))
    return tuple(homes)


def _has_left_turns(settings: Settings) -> bool:
    """Whether recorded turns may have to be brought over."""
    spool = spool_of(settings.ledger)
    return spool.is_dir() and any(spool.iterdir())


def _onlooker(settings: Settings, ledger: LedgerReader) -> AuthorityReader | None:
    """How decisions are established; None where the ledger has yet to pin whose keys count."""
    if settings.operators is None or not tells_of_keys(settings.operators, ledger):
        return Unsigned(settings.ancestry, settings.agents)
    from reviewdeck.operators.authority import onlooker
    from reviewdeck.operators.vault import Vault

    return onlooker(Vault(settings.operators), ledger, partial(_policy_mark, settings.policy))


def _policy_in(place: PolicyPlace | None, user_home: Path) -> Policy:
    from reviewdeck.policy_loader import Rulebook  # a count needs no rules

    return Rulebook(place, user_home)()


class MonotonicClock:
    """The clock, but never earlier than what is recorded already, or than what it said before.

    A system's clock that is set back would otherwise date new changes before the moment until which
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
        """From now on nothing before this moment is said."""
        self._newest = moment


def open_working(settings: Settings, *, now: Clock = utc_now) -> Metered:
    """The working memory of these settings; this process' own while that does not answer.

    Raises BadInput for an address that means nothing.
    """
    from reviewdeck.working import create
    from reviewdeck.working.fallback import Metered

    beside = path_of(settings.ledger).with_name("working.db")
    storage = create(settings.working or str(beside), now=now, tick=time.monotonic)
    return Metered(storage, time.perf_counter)


def _authority(settings: Settings, ledger: Ledger, now: Clock) -> Authority:
    if settings.operators is None:
        return Unsigned(settings.ancestry, settings.agents)
    return operators_over(settings, ledger, now)


def operators_over(settings: Settings, ledger: Ledger, now: Clock) -> Operators:
    """Whose decisions count over a ledger. Raises BadInput where no directory is named."""
    if settings.operators is None:
        raise BadInput("There is no place for operators' keys.")
    from reviewdeck.operators import authority
    from reviewdeck.operators.vault import Vault

    vault = Vault(settings.operators)
    below = Unsigned(settings.ancestry, settings.agents)
    policy = partial(_policy_mark, settings.policy)
    return authority.Operators(vault, ledger, below, now=now, tick=awake, policy=policy)


def _policy_mark(place: PolicyPlace | None) -> str:
    from reviewdeck.operators.ring import BUILT_IN  # only where there are keys

    return mark_of(place) or BUILT_IN


def awake() -> float:
    """Seconds that pass while the machine sleeps as well, where the system counts them."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime(clock)


def _home_at(path: Path, settings: Settings, now: Clock) -> FoundHome:
    return kind_at(path).home(path, _around(settings, now))


def _around(settings: Settings, now: Clock) -> Surroundings:
    return Surroundings(settings.env, settings.user_home, now)


def _open_home(
    found: FoundHome, settings: Settings, ledger: Ledger, now: Clock, probe: Probe
) -> OpenHome:
    """The home by the id that the ledger knows it by, which notes where it stands."""
    from reviewdeck.engine.recognition import recognise
    from reviewdeck.ports import OpenHome, Standing

    path = found.path
    here, known = standing_of(str(path)) or Standing(str(path), ""), ledger.known_homes()

    def is_alike(id: str) -> bool:
        return _is_alike(found.known_as(id), ledger)

    who = recognise(here, known, standing_of, is_alike)
    mark = _placed(ledger, who, here, known)
    home = found.known_as(who.id, copy_of=who.copy_of)
    how = Patience(probe, settings.lock_wait, mark)
    writer = kind_at(path).writer(path, _around(settings, now), how)
    return OpenHome(home, writer)


def standing_of(path: str) -> Standing | None:
    """What stands at a path now."""
    from reviewdeck.ports import Standing

    seen = seen_at(Path(path)) if path else None
    return None if seen is None else Standing(path, *seen)


def _placed(ledger: Ledger, who: Recognised, here: Standing, known: Sequence[KnownHome]) -> str:
    """The mark of a home, once the ledger says where it is."""
    then = next((one.at for one in known if one.id == who.id), None)
    if then is not None and then.mark and then == replace(here, mark=here.mark or then.mark):
        return then.mark
    event, detail = "", dict[str, object]()
    if who.moved_from:
        event, detail = "home-moved", {"from": who.moved_from, "to": here.path}
    elif then is None and who.copy_of:
        event, detail = "home-copied", {"from": who.copy_of, "to": here.path}
    return ledger.put_place(who.id, here, secrets.token_hex(16), event, detail)


def _is_alike(home: FoundHome, ledger: Ledger) -> bool:
    """Whether something of what the ledger has of a home is there, to the byte or to the inode."""
    records = ledger.records(home.id)
    if any(one.hint and records.get(one.source) == one.hint for one in home.scan()):
        return True
    snapshot = home.snapshot()
    return any(
        seen.revision != ABSENT and snapshot.document(path).revision == seen.revision
        for path, seen in ledger.latest(home.id).items()
    )


def open_deck(
    home: str | Path | None = None,
    *,
    ledger: str | None = None,
    actor: Actor | None = None,
    env: Mapping[str, str] | None = None,
) -> Deck:
    """A deck as the command line opens it: by default, Hermes' own home and the user's ledger.

    Raises HomeUnavailable, LedgerUnavailable.
    """
    environment = os.environ if env is None else env
    return compose_deck(settings_in(home, ledger=ledger, actor=actor, env=environment))

"""What a command opens: the engine, over all its homes or the one that it writes to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from reviewdeck import bootstrap
from reviewdeck.cli.prompts import admit
from reviewdeck.engine.options import Settings
from reviewdeck.environment import Selection, settings_for
from reviewdeck.errors import HomeUnavailable, UnknownId
from reviewdeck.interruption import uninterrupted
from reviewdeck.locations import ledger_url
from reviewdeck.terminal import warn
from reviewdeck.text.redact import redact

if TYPE_CHECKING:
    from reviewdeck.cli.chat import Chat
    from reviewdeck.cli.options import Options
    from reviewdeck.engine.engine import Engine
    from reviewdeck.ports import OpenHome


def settings_of(options: Options, *, everywhere: bool = False, elsewhere: bool = False) -> Settings:
    """The settings that the options and the environment amount to. Raises HomeUnavailable.

    `everywhere` is for commands that cover every profile unless a home is named, `elsewhere` for
    those that need no home on this machine.
    """
    settings = settings_for(selection_of(options), everywhere=everywhere, elsewhere=elsewhere)
    return replace(settings, uninterrupted=uninterrupted)


def selection_of(options: Options) -> Selection:
    """The homes, the ledger and the policy that the options name."""
    return Selection(
        home=options.home,
        profile=options.profile,
        all_profiles=options.all_profiles,
        ledger=options.ledger,
        policy=options.policy,
        is_new=options.new,
    )


def ledger_of(options: Options) -> str:
    """The ledger that the options and the environment name. Needs no home."""
    return ledger_url(options.ledger, os.environ)


@contextmanager
def open_engine(
    options: Options,
    *,
    everywhere: bool = False,
    chat: Chat | None = None,
    for_looking: bool = False,
) -> Iterator[Engine]:
    """The engine as the ledger has its homes, without reading them again."""
    settings = settings_of(options, everywhere=everywhere, elsewhere=True)
    settings = settings if chat is None else chat.admitted(settings)
    with closing(bootstrap.open_engine(settings, for_looking=for_looking)) as engine:
        yield engine


@contextmanager
def fresh_engine(
    options: Options, *, everywhere: bool = False, writes: bool = False
) -> Iterator[Engine]:
    """The engine, up to date with its homes; without `writes`, a command that only looks."""
    settings = settings_of(options, everywhere=everywhere, elsewhere=True)
    with closing(bootstrap.fresh_engine(settings, writes=writes)) as engine:
        yield engine


@contextmanager
def engine_for_proposal(options: Options, *ids: str, chat: Chat | None = None) -> Iterator[Engine]:
    """The engine over the homes of these proposals, for a command that may write to them.

    Without an id, over all homes. Interrupted runs of these homes are ended first. `chat` is the
    agent's chat in which the decision was typed, if it was not typed in a terminal.
    """
    with open_engine(options, everywhere=True, chat=chat) as engine:
        homes = {_home_of_proposal(engine, id) for id in ids} or engine.home_ids
        admit(engine, is_chat=chat is not None)
        yield _prepare(_restrict_to(engine, *homes))


@contextmanager
def engine_for_operation(options: Options, operation: str) -> Iterator[Engine]:
    """The engine over the one home of an operation, for a command that may write to it."""
    with open_engine(options, everywhere=True) as engine:
        home = engine.ledger.operation(operation).home
        admit(engine)
        yield _prepare(_restrict_to(engine, home))


@contextmanager
def engine_for_home(options: Options) -> Iterator[Engine]:
    """The engine over the one home that the options name, for a command that may write to it."""
    with open_engine(options) as engine:
        home = engine.home_by_id().home.id
        admit(engine)
        yield _prepare(_restrict_to(engine, home))


def _prepare(engine: Engine) -> Engine:
    end_interrupted_runs(engine)
    engine.refresh()
    return engine


def _home_of_proposal(engine: Engine, id: str) -> str:
    try:
        return engine.find(id).home
    except UnknownId:
        engine.refresh()  # The proposal may be newer than the last refresh.
    try:
        return engine.find(id).home
    except UnknownId as unknown:
        try:
            home = engine.ledger.item(engine.ledger.resolve(id)).home
        except UnknownId:
            raise unknown from None
        raise _wrong_home(f"The proposal {id}", home) from None


def _restrict_to(engine: Engine, *homes: str) -> Engine:
    """The engine over some of its homes, so that nothing can be written to another."""
    for home in homes:
        if home not in engine.home_ids:
            raise _wrong_home("That operation", home)
    return replace(engine, open_homes=tuple(engine.home_by_id(home) for home in homes))


def _wrong_home(subject: str, home: str) -> HomeUnavailable:
    return HomeUnavailable(f"{subject} is for {home}.", hint=f"Name that home: --home {home}")


def end_interrupted_runs(engine: Engine) -> None:
    """Finishes or takes back interrupted runs, with a warning for each."""
    for ending in engine.recover():
        if not ending.was_interrupted:
            warn(f"reviewdeck: wrote what was approved elsewhere: {', '.join(ending.proposals)}.")
            continue
        outcome = f"{ending.ending}. {redact(ending.detail)}".rstrip()
        done = "could not finish" if ending.is_unfinished else "finished"
        warn(f"reviewdeck: {done} an interrupted run: {outcome}")


def refresh_home(engine: Engine, open_home: OpenHome) -> None:
    """Takes in one home if it may have changed since the last pass."""
    if not engine.is_fresh(open_home.home):
        engine.intake(open_home.home.id)

"""Opening what a command works with: a view where that will do, else the whole deck."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from reviewdeck.cli.prompts import admit
from reviewdeck.engine.options import Settings
from reviewdeck.environment import Selection, settings_for
from reviewdeck.errors import HomeUnavailable, UnknownId
from reviewdeck.locations import ledger_url
from reviewdeck.policy.redact import redact
from reviewdeck.terminal import warn

if TYPE_CHECKING:
    from reviewdeck.cli.chat import Chat
    from reviewdeck.cli.options import Options
    from reviewdeck.engine.deck import Deck
    from reviewdeck.engine.view import View
    from reviewdeck.ports import OpenHome


def settings_of(options: Options, *, everywhere: bool = False) -> Settings:
    """The settings that the options and the environment amount to. Raises HomeUnavailable.

    `everywhere` is for commands that reach every profile where no home was named.
    """
    return settings_for(selection_of(options), everywhere=everywhere)


def selection_of(options: Options) -> Selection:
    """The homes, the ledger and the policy that the options name."""
    return Selection(
        home=options.home,
        profile=options.profile,
        all_profiles=options.all_profiles,
        ledger=options.ledger,
        policy=options.policy,
    )


def ledger_of(options: Options) -> str:
    """The ledger that the options and the environment name. Needs no home."""
    return ledger_url(options.ledger, os.environ)


@contextmanager
def viewing(options: Options, *, everywhere: bool = False) -> Iterator[View]:
    """The homes to be looked at, up to date: without the whole deck where nothing moved."""
    from reviewdeck.bootstrap import fresh_view

    view = fresh_view(settings_of(options, everywhere=everywhere))
    if view is None:
        with looking(options, everywhere=everywhere) as deck:
            yield deck.view
        return
    try:
        yield view
    finally:
        view.close()


@contextmanager
def opened(
    options: Options, *, everywhere: bool = False, chat: Chat | None = None
) -> Iterator[Deck]:
    """The deck as it is, without taking anything in."""
    from reviewdeck.bootstrap import compose_deck

    settings = settings_of(options, everywhere=everywhere)
    deck = compose_deck(settings if chat is None else chat.admitted(settings))
    try:
        yield deck
    finally:
        deck.close()


@contextmanager
def looking(options: Options, *, everywhere: bool = False) -> Iterator[Deck]:
    """The deck, up to date with its homes. Changes no byte of them."""
    with opened(options, everywhere=everywhere) as deck:
        refresh(deck)
        yield deck


@contextmanager
def deciding(options: Options, id: str, *, chat: Chat | None = None) -> Iterator[Deck]:
    """The deck over the one home of a proposal, for a command that may write to it.

    What an earlier run left half done there is ended first. `chat` is where it was asked for, when
    that was no terminal.
    """
    with opened(options, everywhere=True, chat=chat) as deck:
        home = _home_of_proposal(deck, id)
        admit(deck, is_chat=chat is not None)
        yield _ready(_narrowed(deck, home))


@contextmanager
def taking_back(options: Options, operation: str) -> Iterator[Deck]:
    """The deck over the one home of an operation, for a command that may write to it."""
    with opened(options, everywhere=True) as deck:
        home = deck.ledger.operation(operation).home
        admit(deck)
        yield _ready(_narrowed(deck, home))


@contextmanager
def writing(options: Options) -> Iterator[Deck]:
    """The deck over the one home that the options name, for a command that may write to it."""
    with opened(options) as deck:
        home = deck.context.one_home().home.id
        admit(deck)
        yield _ready(_narrowed(deck, home))


def _ready(deck: Deck) -> Deck:
    end_interrupted(deck)
    refresh(deck)
    return deck


def _home_of_proposal(deck: Deck, id: str) -> str:
    try:
        return deck.find(id).home
    except UnknownId:
        refresh(deck)  # It may have come since somebody last looked.
    try:
        return deck.find(id).home
    except UnknownId as unknown:
        try:
            home = deck.ledger.item(deck.ledger.resolve(id)).home
        except UnknownId:
            raise unknown from None
        raise _elsewhere(f"The proposal {id}", home) from None


def _narrowed(deck: Deck, home: str) -> Deck:
    """The deck over this one of its homes: nothing can go to another."""
    from reviewdeck.engine.deck import Deck

    if home not in deck.context.home_ids:
        raise _elsewhere("That operation", home)
    return Deck(replace(deck.context, homes=(deck.context.one_home(home),)))


def _elsewhere(what: str, home: str) -> HomeUnavailable:
    return HomeUnavailable(f"{what} is for {home}.", hint=f"Name that home: --home {home}")


def end_interrupted(deck: Deck) -> None:
    """Ends what an earlier run had begun and not ended, and says so."""
    for ending in deck.recover():
        said = f"reviewdeck: an interrupted run was ended: {ending.ending}. {redact(ending.detail)}"
        warn(said.rstrip())


def refresh(deck: Deck) -> None:
    """Takes each home in when something of it may have moved since the last time."""
    for one in deck.context.homes:
        refresh_one(deck, one)


def refresh_one(deck: Deck, one: OpenHome) -> None:
    """The same for one home."""
    if not deck.is_fresh(one):
        deck.intake(one.home.id)

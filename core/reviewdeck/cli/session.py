"""What a command opens: a read-only view where that is enough, else the whole deck."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from reviewdeck.cli.prompts import admit
from reviewdeck.engine.options import Settings
from reviewdeck.environment import Selection, settings_for
from reviewdeck.errors import HomeUnavailable, LedgerReadOnly, UnknownId
from reviewdeck.locations import ledger_url
from reviewdeck.terminal import warn
from reviewdeck.text.redact import redact

if TYPE_CHECKING:
    from reviewdeck.cli.chat import Chat
    from reviewdeck.cli.options import Options
    from reviewdeck.engine.deck import Deck
    from reviewdeck.engine.view import View
    from reviewdeck.ports import OpenHome


def settings_of(options: Options, *, everywhere: bool = False) -> Settings:
    """The settings that the options and the environment amount to. Raises HomeUnavailable.

    `everywhere` is for commands that cover every profile unless a home is named.
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
        is_new=options.new,
    )


def ledger_of(options: Options) -> str:
    """The ledger that the options and the environment name. Needs no home."""
    return ledger_url(options.ledger, os.environ)


@contextmanager
def open_view(options: Options, *, everywhere: bool = False) -> Iterator[View]:
    """A read-only view, up to date with the homes; the deck's own where something changed."""
    from reviewdeck.bootstrap import fresh_view

    view = fresh_view(settings_of(options, everywhere=everywhere))
    if view is None:
        with fresh_deck(options, everywhere=everywhere) as deck:
            yield deck.view
        return
    try:
        yield view
    finally:
        view.close()


@contextmanager
def open_deck(
    options: Options,
    *,
    everywhere: bool = False,
    chat: Chat | None = None,
    for_looking: bool = False,
) -> Iterator[Deck]:
    """The deck as the ledger has it, without reading the homes again."""
    from reviewdeck.bootstrap import compose_deck

    settings = settings_of(options, everywhere=everywhere)
    settings = settings if chat is None else chat.admitted(settings)
    deck = compose_deck(settings, for_looking=for_looking)
    try:
        yield deck
    finally:
        deck.close()


@contextmanager
def fresh_deck(options: Options, *, everywhere: bool = False) -> Iterator[Deck]:
    """The deck, up to date with its homes. Writes nothing to them.

    Where the ledger cannot be written, it is as the ledger last knew it, with a warning.
    """
    with open_deck(options, everywhere=everywhere, for_looking=True) as deck:
        try:
            refresh(deck)
        except LedgerReadOnly as error:
            warn(f"reviewdeck: {error.message} Changes since the last look are not shown.")
        yield deck


@contextmanager
def deck_for_proposal(options: Options, id: str, *, chat: Chat | None = None) -> Iterator[Deck]:
    """The deck over the one home of a proposal, for a command that may write to it.

    An interrupted run of that home is ended first. `chat` is the agent's chat in which the
    decision was typed, if it was not typed in a terminal.
    """
    with open_deck(options, everywhere=True, chat=chat) as deck:
        home = _home_of_proposal(deck, id)
        admit(deck, is_chat=chat is not None)
        yield _prepare(_restrict_to(deck, home))


@contextmanager
def deck_for_operation(options: Options, operation: str) -> Iterator[Deck]:
    """The deck over the one home of an operation, for a command that may write to it."""
    with open_deck(options, everywhere=True) as deck:
        home = deck.ledger.operation(operation).home
        admit(deck)
        yield _prepare(_restrict_to(deck, home))


@contextmanager
def deck_for_home(options: Options) -> Iterator[Deck]:
    """The deck over the one home that the options name, for a command that may write to it."""
    with open_deck(options) as deck:
        home = deck.context.home_by_id().home.id
        admit(deck)
        yield _prepare(_restrict_to(deck, home))


def _prepare(deck: Deck) -> Deck:
    end_interrupted_runs(deck)
    refresh(deck)
    return deck


def _home_of_proposal(deck: Deck, id: str) -> str:
    try:
        return deck.find(id).home
    except UnknownId:
        refresh(deck)  # The proposal may be newer than the last refresh.
    try:
        return deck.find(id).home
    except UnknownId as unknown:
        try:
            home = deck.ledger.item(deck.ledger.resolve(id)).home
        except UnknownId:
            raise unknown from None
        raise _wrong_home(f"The proposal {id}", home) from None


def _restrict_to(deck: Deck, home: str) -> Deck:
    """The deck over one of its homes, so that nothing can be written to another."""
    from reviewdeck.engine.deck import Deck

    if home not in deck.context.home_ids:
        raise _wrong_home("That operation", home)
    return Deck(replace(deck.context, homes=(deck.context.home_by_id(home),)))


def _wrong_home(subject: str, home: str) -> HomeUnavailable:
    return HomeUnavailable(f"{subject} is for {home}.", hint=f"Name that home: --home {home}")


def end_interrupted_runs(deck: Deck) -> None:
    """Finishes or takes back interrupted runs, with a warning for each."""
    for ending in deck.recover():
        outcome = f"{ending.ending}. {redact(ending.detail)}".rstrip()
        warn(f"reviewdeck: finished an interrupted run: {outcome}")


def refresh(deck: Deck) -> None:
    """Takes in each home that may have changed since the last pass."""
    for open_home in deck.context.homes:
        refresh_home(deck, open_home)


def refresh_home(deck: Deck, open_home: OpenHome) -> None:
    """Takes in one home if it may have changed since the last pass."""
    if not deck.is_fresh(open_home):
        deck.intake(open_home.home.id)

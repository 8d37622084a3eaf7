"""Setting up a review from the command line: which model, with whose key, and how to stop it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from reviewdeck.bootstrap import open_working
from reviewdeck.cli.model_options import ModelOptions
from reviewdeck.cli.options import Options
from reviewdeck.cli.output import warn
from reviewdeck.cli.session import settings_of
from reviewdeck.engine.deck import Deck
from reviewdeck.environment import model_key
from reviewdeck.errors import BadInput
from reviewdeck.policy.redact import redact
from reviewdeck.ports import Home
from reviewdeck.reviewer.conversation import Json, ReviewedConversation, Runtime
from reviewdeck.reviewer.exchange import ExchangeProgress, Watch, unwatched
from reviewdeck.reviewer.models import Cancel, Route, mode_of, open_model
from reviewdeck.reviewer.review import OpenModel, Reviewer, open_notebook
from reviewdeck.reviewer.scripted import ScriptedModel, load_script


def reviewer_for(
    deck: Deck, home: Home, conversation: ReviewedConversation, wanted: ModelOptions
) -> tuple[Reviewer, ReviewedConversation]:
    """The reviewer that the options ask for, and the conversation with a model to answer it."""
    parent = _parent(conversation.runtime, wanted)
    route = _route(parent, wanted)
    if wanted.script is None and route is None:
        _check_address(conversation.runtime, wanted)
    opener: OpenModel = open_model
    if wanted.script is not None:
        opener = partial(_scripted, load_script(wanted.script), conversation)
    # Whoever names a model here may not want the conversation to go anywhere else.
    reviewer = Reviewer(
        deck, home, opener, route, falls_back=False, sends_secrets=wanted.send_secrets
    )
    return reviewer, replace(conversation, runtime=parent)


def _parent(known: Runtime, wanted: ModelOptions) -> Runtime:
    """The conversation's own model, with what it takes to reach it."""
    provider, mode = known.provider or "openai", known.api_mode
    if wanted.provider and not known.model:
        provider, mode = wanted.provider, mode_of(wanted.provider)
    return replace(
        known,
        provider=provider,
        model=known.model or wanted.model,
        api_mode=mode,
        base_url=wanted.base_url,
        api_key=model_key(provider, os.environ, wanted.key_variable),
        timeout=wanted.timeout,
    )


def _check_address(known: Runtime, wanted: ModelOptions) -> None:
    """A key goes only where its owner says. Files of an agent are written by the agent."""
    if known.base_url and not wanted.base_url:
        raise BadInput(
            f"The conversation was held at {known.base_url}.",
            hint=f"If you trust that address with your key, say --base-url {known.base_url}.",
        )


def _route(parent: Runtime, wanted: ModelOptions) -> Route | None:
    """Another model than the conversation's, where one was named."""
    provider, model = wanted.provider or parent.provider, wanted.model or parent.model
    if (provider, model) == (parent.provider, parent.model) or not wanted.model:
        return None
    key = model_key(provider, os.environ, wanted.key_variable)
    return Route(provider, model, wanted.base_url, key, wanted.timeout)


def _scripted(
    script: list[Json], conversation: ReviewedConversation, runtime: Runtime
) -> ScriptedModel:
    del runtime  # Whoever was asked for, the script answers.
    return ScriptedModel(script, conversation.form)


@contextmanager
def noting(options: Options, reviewer: Reviewer) -> Iterator[None]:
    """What the review does is noted where the deck can see it."""
    storage = open_working(settings_of(options))
    try:
        reviewer.notebook = open_notebook(storage, reviewer.home.id, reviewer.deck.desk.now)
        yield
    finally:
        storage.close()


@contextmanager
def interruptible() -> Iterator[Cancel]:
    """Ctrl-C ends a review in order: what it staged stays, and the ledger says how it ended."""
    cancel = Cancel()
    before = signal.signal(signal.SIGINT, lambda number, frame: cancel())
    try:
        yield cancel
    finally:
        signal.signal(signal.SIGINT, before)


def watching(options: Options) -> Watch:
    """Says on the terminal how far a review is; nothing where nobody looks."""
    return unwatched if options.json or not sys.stderr.isatty() else _show


def _show(progress: ExchangeProgress) -> None:
    usage = progress.usage
    tokens = f"{usage.input:,} tokens in, {usage.cached:,} of them cached, {usage.output:,} out"
    what = f"{progress.event} {redact(progress.detail)}".rstrip()
    warn(f"  {progress.iteration}/{progress.limit}  {what}  ({tokens})")

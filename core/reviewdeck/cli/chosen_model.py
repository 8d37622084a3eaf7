"""The model that is asked, as an operator or a session's own home names it; and how to stop it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from reviewdeck.cli.model_options import ModelOptions
from reviewdeck.environment import KEY
from reviewdeck.errors import BadInput
from reviewdeck.homes.hermes.config import CONFIG, ConfiguredModel, model_of, review_model_of
from reviewdeck.interruption import on_signal
from reviewdeck.model import Document
from reviewdeck.ports import Home
from reviewdeck.presentation.words import one_line
from reviewdeck.reviewer.addresses import ADDRESSES, addressed, is_loopback
from reviewdeck.reviewer.conversation import Json, ReviewedConversation, Runtime, provider_name
from reviewdeck.reviewer.keys import key_variable, model_headers, model_key
from reviewdeck.reviewer.models import Cancel, Route, choose, mode_of, open_model
from reviewdeck.reviewer.review import OpenModel
from reviewdeck.reviewer.scripted import ScriptedModel, load_script
from reviewdeck.reviewer.settings import ReviewerSettings

TIMEOUT: Final = 120.0
NO_KEY: Final = "none"
"""What a server on this machine that wants no key is sent in the place of one."""
CUSTOM: Final = "custom"
"""Hermes' word for a provider that is only an address."""


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """The model that reviews, as an operator or a session's own home names it."""

    provider: str
    model: str
    base_url: str | None
    timeout: float
    key_variable: str | None = None
    own_key: str | None = field(default=None, repr=False)
    """The key that the home itself has for this address; no other is sent there."""
    is_homes: bool = False
    """Whether the home names it, in a file that its agent can write."""

    def key(self, provider: str) -> str | None:
        """The key for a provider. Raises BadInput."""
        return self.own_key or model_key(
            provider, self.base_url, os.environ, self.key_variable, is_named=not self.is_homes
        )


def choose_model(
    options: ModelOptions,
    settings: ReviewerSettings,
    conversation: ReviewedConversation,
    own: Document | None,
) -> ChosenModel:
    """The model that the options name, else `reviewer.toml`, else a session's own home.

    An address, its model and its key belong together: who names one names all of them. `own` is
    the `config.yaml` of the home whose session is reviewed.
    """
    timeout = options.timeout or settings.timeout or TIMEOUT
    if options.script is not None:
        return ChosenModel(provider_name(options.provider), options.model, None, timeout)
    if any((options.provider, options.model, options.base_url, options.key_variable)):
        provider = provider_name(options.provider)
        return ChosenModel(provider, options.model, options.base_url, timeout, options.key_variable)
    if settings.names_model:
        return ChosenModel(
            provider_name(settings.provider),
            settings.model,
            settings.base_url or None,
            timeout,
            settings.key_variable or None,
        )
    if own is not None:
        routed, model = review_model_of(own), model_of(own)
        if (named := routed or model) is not None:
            return _own_model(named, conversation, timeout, is_routed=routed is not None)
    return ChosenModel("", "", None, timeout, settings.key_variable or None)


def _own_model(
    named: ConfiguredModel, conversation: ReviewedConversation, timeout: float, *, is_routed: bool
) -> ChosenModel:
    """The model of a session's own home, with the home's own key.

    The agent can write that file. So of an operator's keys only a provider's own (OPENAI_API_KEY)
    is sent, to that provider; an address of the file gets the key of the file, and on this machine
    it may do without one.
    """
    provider = "" if named.provider == "auto" else provider_name(named.provider)
    name = named.name if is_routed else conversation.runtime.model or named.name
    if not named.base_url:
        key = named.api_key or None
        return ChosenModel(provider, name, None, timeout, own_key=key, is_homes=True)
    if not named.api_key and not is_loopback(named.base_url):
        raise BadInput(
            f"The model of this home answers at {one_line(named.base_url)}.",
            hint="If you trust that address with your key, say"
            f" --base-url {shlex.quote(one_line(named.base_url))}, or name it in reviewer.toml.",
        )
    key = named.api_key or NO_KEY
    provider = provider or CUSTOM
    return ChosenModel(provider, name, named.base_url, timeout, own_key=key, is_homes=True)


@dataclass(frozen=True, slots=True)
class ReachableModel:
    """A model that can be asked: it has an address, and a key where one is needed."""

    parent: Runtime
    """The conversation's own model, with what it takes to reach it."""
    route: Route | None
    """The model to ask, if it is another one."""
    open: OpenModel


def reach(
    home: Home, conversation: ReviewedConversation, choice: ChosenModel, options: ModelOptions
) -> ReachableModel:
    """The model that answers for a conversation. Raises BadInput before anything is sent."""
    parent = _parent(conversation.runtime, choice)
    route = _route(parent, choice)
    if options.script is not None:
        opener = partial(_open_scripted, load_script(options.script), conversation)
        return ReachableModel(parent, route, opener)
    routed = choose(route, parent)
    if not routed.is_routed:
        _check_address(conversation.runtime, choice)
    if not choice.provider:
        _check_named(routed.runtime)
    _check_reachable(routed.runtime, home, choice)
    return ReachableModel(parent, route, open_model)


def _parent(runtime: Runtime, choice: ChosenModel) -> Runtime:
    """The conversation's own model, with what it takes to reach it."""
    provider, mode = runtime.provider, runtime.api_mode
    if choice.provider and not (runtime.model and provider):
        provider, mode = choice.provider, mode_of(choice.provider)
    return replace(
        runtime,
        provider=provider,
        model=runtime.model or choice.model,
        api_mode=mode,
        base_url=choice.base_url,
        api_key=choice.key(provider),
        headers={} if choice.is_homes else model_headers(os.environ),
        timeout=choice.timeout,
    )


def _check_address(runtime: Runtime, choice: ChosenModel) -> None:
    """Raises BadInput if only the agent's own file says where the key would be sent."""
    if runtime.base_url and not choice.base_url:
        raise BadInput(
            f"The conversation was held at {runtime.base_url}.",
            hint=f"If you trust that address with your key, say --base-url {runtime.base_url}.",
        )


def _check_named(target: Runtime) -> None:
    """Raises BadInput if only the file says to which company the key would be sent."""
    if not target.base_url and target.provider in ADDRESSES:
        raise BadInput(
            f"The conversation was held with {target.provider}, and nothing was sent.",
            hint=f"If you trust it with the conversation and your key, say --provider"
            f" {target.provider}, or --base-url URL where it answers.",
        )


def _check_reachable(target: Runtime, home: Home, choice: ChosenModel) -> None:
    """Raises BadInput if there is no model, no address of it, or no key to it."""
    if not target.model:
        raise BadInput("No model is named for the review.", hint=_model_hint(home))
    reached = addressed(target)
    if not target.api_key and not (target.base_url or is_loopback(reached.base_url or "")):
        own = key_variable(target.provider)
        hint = f"Set {KEY} or {own}, or use --script FILE, which works offline."
        if choice.is_homes:
            hint = f"The home names it: set {own}, or say --provider to let it have {KEY}."
        raise BadInput(f"There is no key for {target.provider}.", hint=hint)


def _model_hint(home: Home) -> str:
    """The hint that names the home's own model; not used unasked, as the agent can set it."""
    model = model_of(home.snapshot().document(CONFIG))
    if model is None:
        return f"Say --provider NAME --model NAME and set {KEY}, or use --script FILE (offline)."
    words = [f"--model {shlex.quote(one_line(model.name))}"]
    words += [f"--provider {shlex.quote(one_line(model.provider))}"] if model.provider else []
    words += [f"--base-url {shlex.quote(one_line(model.base_url))}"] if model.base_url else []
    return f"If you trust the one that this home is set to with your key: {' '.join(words)}"


def _route(parent: Runtime, choice: ChosenModel) -> Route | None:
    """The model to review with, if the options name another one than the conversation's."""
    provider, model = choice.provider or parent.provider, choice.model or parent.model
    if (provider, model) == (parent.provider, parent.model):
        return None
    return Route(provider, model, choice.base_url, choice.key(provider), choice.timeout)


def _open_scripted(
    script: list[Json], conversation: ReviewedConversation, runtime: Runtime
) -> ScriptedModel:
    del runtime  # The script answers for every model.
    return ScriptedModel(script, conversation.form)


@contextmanager
def interruptible() -> Iterator[Cancel]:
    """A signal ends a review in order: what it staged stays, and the ledger says how."""
    cancel = Cancel()
    with on_signal(cancel):
        yield cancel

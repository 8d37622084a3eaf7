"""The entry point for programs that embed reviews: builds an agent's background reviews."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from reviewdeck.bootstrap import open_engine, open_working
from reviewdeck.environment import reviewer_file, settings_in
from reviewdeck.homes.hermes.home import HermesHome
from reviewdeck.reviewer.asking import ExchangeLimits
from reviewdeck.reviewer.background import Announce, BackgroundReviews, ReviewMode
from reviewdeck.reviewer.conversation import provider_name
from reviewdeck.reviewer.exchange import Watch, ignore_progress
from reviewdeck.reviewer.fork import Prompts
from reviewdeck.reviewer.keys import model_key
from reviewdeck.reviewer.models import Route, open_model
from reviewdeck.reviewer.review import OpenModel, Reviewer, memories_of, open_notebook
from reviewdeck.reviewer.settings import ReviewerSettings, limits_in, load_settings


def background_reviews(
    home: str | Path | None = None,
    *,
    ledger: str | None = None,
    route: Route | None = None,
    falls_back: bool = True,
    prompts: Prompts | None = None,
    limits: ExchangeLimits | None = None,
    announce: Announce | None = None,
    mode: ReviewMode = ReviewMode.ON,
    watch: Watch = ignore_progress,
    models: OpenModel = open_model,
    sends_secrets: bool = False,
    env: Mapping[str, str] | None = None,
) -> BackgroundReviews:
    """The reviews of one agent over its home. Raises HomeUnavailable, BadInput.

    What is not given is taken from the operator's `reviewer.toml`. The ledger is opened by each
    review in its own thread, and closed at its end.
    """
    env = os.environ if env is None else env
    settings = settings_in(home, ledger=ledger, env=env)
    own = load_settings(reviewer_file())
    route = route or route_in(own, env)
    texts = prompts or own.prompts
    bounds = limits or limits_in(own)
    hermes_home = HermesHome(settings.homes[0], env=settings.env, user_home=settings.user_home)

    @contextmanager
    def opened() -> Iterator[Reviewer]:
        with closing(open_engine(settings)) as engine, closing(open_working(settings)) as working:
            home = engine.open_homes[0].home
            book = open_notebook(working, home.id, engine.now)
            yield Reviewer(
                engine, home, models, route, texts, bounds, falls_back, book, sends_secrets
            )

    return BackgroundReviews(opened, lambda: memories_of(hermes_home), announce, mode, watch)


def route_in(own: ReviewerSettings, env: Mapping[str, str]) -> Route | None:
    """The model that the settings name, with its key; None if they name none. Raises BadInput."""
    if not (own.provider and own.model):
        return None
    provider, base_url = provider_name(own.provider), own.base_url or None
    key = model_key(provider, base_url, env, own.key_variable or None)
    return Route(provider, own.model, base_url, key, own.timeout or 120.0)

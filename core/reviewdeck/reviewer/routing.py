"""Which model reviews: the one of the conversation, or another one that was named."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from reviewdeck.reviewer.values import ApiMode, Runtime

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Route:
    """Another model for reviews, where somebody named one."""

    provider: str = ""
    model: str = ""
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    timeout: float | None = None
    """Seconds for one answer."""
    api_mode: ApiMode | None = None
    """By default the one that goes with the provider."""


@dataclass(frozen=True, slots=True)
class Routed:
    """Where a review goes."""

    runtime: Runtime
    is_routed: bool
    reason: str
    """In one sentence."""


def choose(route: Route | None, parent: Runtime) -> Routed:
    """The runtime of a review. The parent's own is used as it lives, and never looked up anew."""
    own = replace(parent, api_mode=reviewing_mode(parent.api_mode))
    if route is None or not _named(route.provider) or not _named(route.model):
        return Routed(own, False, "No other model is named for reviews.")
    if (route.provider, route.model) == (parent.provider, parent.model) and (
        route.base_url in (None, parent.base_url)
    ):
        return Routed(own, False, "The model that is named for reviews is the conversation's own.")
    mode = route.api_mode or mode_of(route.provider)
    runtime = Runtime(
        provider=route.provider,
        model=route.model,
        api_mode=reviewing_mode(mode),
        base_url=route.base_url,
        api_key=route.api_key,
        timeout=parent.timeout if route.timeout is None else route.timeout,
    )
    return Routed(runtime, True, f"Reviews go to {route.model}, with a digest.")


def reviewing_mode(mode: ApiMode) -> ApiMode:
    """The mode that reviews in the place of one that cannot: an app server keeps its own thread."""
    return ApiMode.RESPONSES if mode is ApiMode.APP_SERVER else mode


def mode_of(provider: str) -> ApiMode:
    """How a provider of this name is spoken to."""
    match provider:
        case "anthropic":
            return ApiMode.MESSAGES
        case "openai-codex":
            return ApiMode.RESPONSES
        case "scripted":
            return ApiMode.SCRIPTED
        case _:
            return ApiMode.CHAT


def _named(word: str) -> bool:
    return bool(word) and word != AUTO

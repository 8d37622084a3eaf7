"""What our reviewer would need in the place of a home's own: which model, where, with which key.

Hermes decides all of this anew for each review. This is what its settings say beforehand, for an
operator to confirm: the key goes to that address and to no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from reviewdeck.homes.hermes.config import model_of, tree_of
from reviewdeck.model import Document


class ReviewerMode(StrEnum):
    """What the plugin takes over."""

    REPLACE = "replace"
    """All reviews, with the conversation's own request."""
    TYPED = "typed"
    """Reviews of memory, on the user's typed words alone."""


@dataclass(frozen=True, slots=True)
class ReviewerSetup:
    """What is to be confirmed."""

    mode: ReviewerMode
    provider: str
    model: str
    base_url: str
    """Where the key goes; empty where the settings do not tell."""
    credentials: str
    """What Hermes would use, in words."""
    problem: str = ""
    """Why it cannot be set up so, in words; empty when it can."""
    timeout: float | None = None
    """Seconds for one answer."""
    memory_interval: int = 10
    """Turns of the user between two reviews of memory; 0 for none."""
    skills_interval: int = 10
    """Answers with tool calls between two reviews of skills; 0 for none."""

    @property
    def section(self) -> dict[str, Any]:
        """What goes into `.reviewdeck/plugin.json` as `reviewer`."""
        known: dict[str, Any] = {"mode": self.mode.value, "base_url": self.base_url}
        return known | ({} if self.timeout is None else {"timeout": self.timeout})


_ADDRESSES: Final = {
    "openrouter": "https://openrouter.ai/api/v1",
    "nous": "https://inference-api.nousresearch.com/v1",
    "openai-api": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "deepseek": "https://api.deepseek.com/v1",
    "huggingface": "https://router.huggingface.co/v1",
    "lmstudio": "http://127.0.0.1:1234/v1",
    "nvidia": "https://integrate.api.nvidia.com/v1",
    "xai": "https://api.x.ai/v1",
    "zai": "https://api.z.ai/api/paas/v4",
}
"""Where Hermes 0.19 finds these, unless its settings say otherwise."""
_KEYS: Final = {"openai-api": "OPENAI_API_KEY", "huggingface": "HF_TOKEN", "zai": "GLM_API_KEY"}
_SIGNED_IN: Final = frozenset({"nous", "qwen-oauth", "xai-oauth", "copilot"})
"""Hermes signs in to these itself, and has a key for each request all the same."""
_NOT_SPOKEN: Final = frozenset(
    {
        *("openai-codex", "bedrock", "copilot-acp", "gemini", "moa"),
        *("minimax", "minimax-cn", "minimax-oauth"),
    }
)
"""Models that are not reached by a key alone, or are spoken to in a form that we do not speak."""


def reviewer_setup(config: Document, mode: ReviewerMode, base_url: str = "") -> ReviewerSetup:
    """What a home's `config.yaml` comes to; `base_url` is an address that the operator named."""
    tree = tree_of(config)
    review = _section(_section(tree, "auxiliary"), "background_review")
    provider, model, address = _live(config, review)
    address = base_url or address or _ADDRESSES.get(provider, "")
    timeout: Any = review.get("timeout")
    return ReviewerSetup(
        mode,
        provider,
        model,
        address,
        _credentials(provider, review),
        _problem(provider, address, review),
        float(timeout) if type(timeout) in (int, float) and timeout > 0 else None,
        _interval(_section(tree, "memory").get("nudge_interval")),
        _interval(_section(tree, "skills").get("creation_nudge_interval")),
    )


def _live(config: Document, review: Mapping[str, Any]) -> tuple[str, str, str]:
    """The provider, model and address of a review: one of its own needs both names."""
    provider, model = _word(review, "provider"), _word(review, "model")
    if provider and provider != "auto" and model:
        return provider, model, _word(review, "base_url")
    known = model_of(config)
    return ("", "", "") if known is None else (known.provider, known.name, known.base_url)


def _credentials(provider: str, review: Mapping[str, Any]) -> str:
    if _word(review, "api_key"):
        return "the key in auxiliary.background_review"
    if provider in _SIGNED_IN:
        return f"Hermes' own sign-in to {provider}, renewed by Hermes"
    if not provider or provider in {"auto", "custom"}:
        return "the key that Hermes finds for this address"
    variable = _KEYS.get(provider, f"{provider.upper().replace('-', '_')}_API_KEY")
    return f"the key of {provider} as Hermes finds it ({variable}, or its pool)"


def _problem(provider: str, address: str, review: Mapping[str, Any]) -> str:
    if review.get("enabled") is False:
        return "Hermes' background review is switched off (auxiliary.background_review.enabled)."
    if provider in _NOT_SPOKEN:
        return f"Reviews would go to {provider}, which takes more than a key."
    if not address:
        named = f"of {provider} " if provider and provider != "auto" else ""
        return f"The settings do not tell the address {named}where the model answers: name it."
    return ""


def _interval(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 10


def _section(tree: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = tree.get(name)
    return found if isinstance(found, Mapping) else {}


def _word(tree: Mapping[str, Any], name: str) -> str:
    value = tree.get(name)
    return value.strip() if isinstance(value, str) else ""

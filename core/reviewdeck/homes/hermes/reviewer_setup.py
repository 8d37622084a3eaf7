"""The model, address and credentials that our reviewer would use in place of a home's own.

Hermes resolves them anew for each review. This is what its settings say beforehand, for an operator
to confirm: the key is sent to that address and to no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from reviewdeck.agents.hermes.kit import members, text_at
from reviewdeck.homes.hermes.config import model_of, tree_of
from reviewdeck.model import Document


class ReviewerMode(StrEnum):
    """The reviews that the plugin takes over."""

    REPLACE = "replace"
    """All reviews, with the request of the conversation."""
    TYPED = "typed"
    """Reviews of memory, based only on the words that the user typed."""


@dataclass(frozen=True, slots=True)
class ReviewerSetup:
    """The settings for an operator to confirm."""

    mode: ReviewerMode
    provider: str
    model: str
    base_url: str
    """The address that receives the key; empty where the settings have none."""
    credentials: str
    """The credentials that Hermes would use, in words."""
    problem: str = ""
    """Why our reviewer cannot use these settings, in words; empty when it can."""
    timeout: float | None = None
    """Seconds for one answer."""
    memory_interval: int = 10
    """Turns of the user between two reviews of memory; 0 for none."""
    skills_interval: int = 10
    """Answers with tool calls between two reviews of skills; 0 for none."""

    @property
    def section(self) -> dict[str, Any]:
        """The value of `reviewer` in `.reviewdeck/plugin.json`."""
        section: dict[str, Any] = {"mode": self.mode.value, "base_url": self.base_url}
        return section | ({} if self.timeout is None else {"timeout": self.timeout})


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
"""The default addresses of Hermes 0.19."""
_KEYS: Final = {"openai-api": "OPENAI_API_KEY", "huggingface": "HF_TOKEN", "zai": "GLM_API_KEY"}
_SIGNED_IN: Final = frozenset({"nous", "qwen-oauth", "xai-oauth", "copilot"})
"""Providers that Hermes signs in to; it still has a key for each request."""
_UNSUPPORTED: Final = frozenset(
    {
        *("openai-codex", "bedrock", "copilot-acp", "gemini", "moa"),
        *("minimax", "minimax-cn", "minimax-oauth"),
    }
)
"""Providers that need more than a key, or an API that our reviewer does not have."""


def reviewer_setup(config: Document, mode: ReviewerMode, base_url: str = "") -> ReviewerSetup:
    """The setup by a home's `config.yaml`; `base_url` is an address that the operator named."""
    tree = tree_of(config)
    review = members(members(tree.get("auxiliary")).get("background_review"))
    provider, model, address = _find_model(config, review)
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
        _interval(members(tree.get("memory")).get("nudge_interval")),
        _interval(members(tree.get("skills")).get("creation_nudge_interval")),
    )


def _find_model(config: Document, review: Mapping[str, Any]) -> tuple[str, str, str]:
    """The provider, model and address of a review: its own if both names are set, or the home's."""
    provider, model = text_at(review, "provider").strip().lower(), text_at(review, "model").strip()
    if provider and provider != "auto" and model:
        return provider, model, text_at(review, "base_url").strip()
    configured = model_of(config)
    return (
        ("", "", "")
        if configured is None
        else (configured.provider.strip().lower(), configured.name, configured.base_url)
    )


def _credentials(provider: str, review: Mapping[str, Any]) -> str:
    if text_at(review, "api_key").strip():
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
    if provider in _UNSUPPORTED:
        return f"Reviews would go to {provider}, which takes more than a key."
    if not address:
        owner = f"of {provider} " if provider and provider != "auto" else ""
        return f"The settings do not tell the address {owner}where the model answers: name it."
    return ""


def _interval(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 10

"""What an operator confirms before our reviewer stands in for Hermes' own."""

from __future__ import annotations

import pytest

from reviewdeck.homes.hermes.reviewer_setup import ReviewerMode, ReviewerSetup, reviewer_setup
from reviewdeck.model import Document


def setup(text: str, base_url: str = "") -> ReviewerSetup:
    config = Document("config.yaml", text.encode())
    return reviewer_setup(config, ReviewerMode.REPLACE, base_url)


def test_the_conversations_own_model_is_confirmed_by_its_address() -> None:
    found = setup("model: {default: m, provider: custom, base_url: https://x.example/v1}\n")
    assert found.section == {"mode": "replace", "base_url": "https://x.example/v1"}
    assert (found.provider, found.model, found.problem) == ("custom", "m", "")


def test_a_model_for_reviews_has_its_own_address_and_time() -> None:
    found = setup(
        "model: {default: m, provider: custom, base_url: https://x.example/v1}\n"
        "auxiliary:\n  background_review: {provider: openrouter, model: cheap, timeout: 30}\n"
    )
    assert (found.provider, found.model) == ("openrouter", "cheap")
    assert found.base_url == "https://openrouter.ai/api/v1" and found.section["timeout"] == 30.0
    assert "OPENROUTER_API_KEY" in found.credentials


def test_the_intervals_are_those_of_the_home() -> None:
    found = setup("memory: {nudge_interval: 3}\nskills: {creation_nudge_interval: 0}\n")
    assert (found.memory_interval, found.skills_interval) == (3, 0)
    assert (setup("").memory_interval, setup("").skills_interval) == (10, 10)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("model: {default: m, provider: openai-codex}\n", "takes more than a key"),
        ("model: {default: m, provider: custom}\n", "do not tell the address of custom"),
        ("", "do not tell the address where"),
        ("model: [broken", "do not tell the address where"),
        ("auxiliary: {background_review: {enabled: false}}\n", "switched off"),
    ],
)
def test_what_cannot_be_set_up_is_said(text: str, why: str) -> None:
    assert why in setup(text).problem


def test_an_address_that_the_operator_names_is_the_one() -> None:
    found = setup("model: {default: m, provider: custom}\n", "https://y.example")
    assert found.base_url == "https://y.example" and not found.problem

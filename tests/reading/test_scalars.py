"""Scalars that look like numbers and times and are none: each library has its own way with them."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import pytest

from reviewdeck.reading.agents import GEMINI, HERMES, HERMES_22, OPENCODE, READINGS, Agent, Schema
from reviewdeck.reading.frontmatter import read
from reviewdeck.reading.yaml import Refused, resolve

NEARLY = ["".join(signs) for size in range(1, 5) for signs in product("01_.:-+exoT ", repeat=size)]
FAR = [f"2026-11-29{mark}00:00:00 +{hours}:59" for mark in "T " for hours in (23, 24, 99)]


@pytest.mark.parametrize("schema", Schema)
def test_every_scalar_is_a_value_or_refused(schema: Schema) -> None:
    for text in (*NEARLY, *FAR):
        try:
            resolve(text, schema)
        except Refused:
            continue


@pytest.mark.parametrize("agent", READINGS, ids=lambda agent: agent.key)
@pytest.mark.parametrize("text", ["._", "._e1", "0x_", FAR[-1]])
def test_a_front_matter_with_one_is_read(agent: Agent, text: str) -> None:
    reading = read(f"---\nname: a\ndescription: {text}\n---\nBody.\n".encode(), agent)
    assert reading.has_front


@pytest.mark.parametrize(
    ("agent", "text", "value"),
    [
        *[(agent, "1_", 1) for agent in (HERMES, HERMES_22)],
        *[(agent, "1_", "1_") for agent in (GEMINI, OPENCODE)],
        *[(agent, "._", "._") for agent in (HERMES, GEMINI, OPENCODE)],
    ],
)
def test_an_underscore_at_the_end_is_of_a_number_to_python_alone(
    agent: Agent, text: str, value: Any
) -> None:
    assert resolve(text, agent.yaml.schema) == value


def test_what_javascript_cannot_parse_is_no_number() -> None:
    value = resolve("._e1", Schema.JS_4)
    assert isinstance(value, float) and math.isnan(value)

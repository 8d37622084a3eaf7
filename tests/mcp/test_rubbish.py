"""Whatever an agent sends, no byte of a home moves, nothing is decided, and an answer comes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cli.program import fingerprint
from tests.mcp.kit import Caller

from reviewdeck.engine.engine import Engine
from reviewdeck.mcp.proposals import Limits
from reviewdeck.mcp.tools import LOOKING, PROPOSING, WORKING
from reviewdeck.model import OPEN_STATES
from reviewdeck.text.inert import visible

TOOLS = PROPOSING + LOOKING + WORKING
DECIDING = ("approve", "apply", "reject", "merge", "undo", "auto", "config", "defer", "restore")
FIELDS = sorted({field.name for tool in TOOLS for field in tool.fields} | {"target", "operations"})
CHOICES = sorted({choice for tool in TOOLS for field in tool.fields for choice in field.choices})
HOSTILE = st.sampled_from(
    [
        *("../../etc/passwd", "/etc/passwd", "..", ".", "", "\0", "\ud800", "\x1b[2J", "\u202e"),
        *(
            "release-notes",
            "SKILL.md",
            "references/style.md",
            "references/../../../x",
            "§",
            "\n§\n",
        ),
        *("Tests run with tox.", "tox", "x" * 5_000, "---\nname: x\ndescription: y\n---\n# x\n"),
        *("{}", '{"action": "add"}', "• " * 20, "home", "default"),
    ]
)
TEXTS = HOSTILE | st.sampled_from(CHOICES) | st.text(max_size=60)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(st.sampled_from(FIELDS) | TEXTS, below, max_size=4)
    ),
    max_leaves=8,
)
NAMES = st.sampled_from([*(tool.name for tool in TOOLS), "memory", "skill_manage", *DECIDING])


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A call: half of them have the fields of their tool, with one or the other wrong value."""
    name = draw(NAMES)
    tool = next((tool for tool in TOOLS if tool.name == name), None)
    if tool is None or draw(st.booleans()):
        return name, draw(st.dictionaries(st.sampled_from(FIELDS) | TEXTS, VALUES, max_size=6))
    likely = {
        field.name: st.sampled_from(field.choices) if field.choices else TEXTS | SCALARS
        for field in tool.fields
        if field.name != "home"
    }
    return name, draw(st.fixed_dictionaries({}, optional=likely))


def texts_of(content: object) -> list[str]:
    """All texts of an answer, as its reader gets them once the JSON is read."""
    match content:
        case str():
            return [content]
        case dict():
            return [text for item in content.items() for part in item for text in texts_of(part)]
        case list() | tuple():
            return [text for part in content for text in texts_of(part)]
        case _:
            return []


@pytest.mark.parametrize("text", ["\x1b[2J", "\u202eabc", "a\0b"])
@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_no_answer_has_a_character_that_a_terminal_obeys(
    call: Caller, tool: str, text: str
) -> None:
    fields = next(each.fields for each in TOOLS if each.name == tool)
    for arguments in (
        {field.name: text for field in fields if field.name != "home"},
        {field.name: (field.choices or (text,))[0] for field in fields if field.name != "home"},
        {text: text},
    ):
        said = texts_of(call.session.call(call.client, tool, arguments).content)
        assert [each for each in said if visible(each) != each] == []


@pytest.mark.slow
@settings(
    max_examples=200,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(st.lists(calls(), min_size=1, max_size=4))
def test_rubbish_changes_no_home_and_decides_nothing(
    call: Caller, deck: Engine, home: Path, made: list[tuple[str, dict[str, Any]]]
) -> None:
    call.session.limits = Limits(waiting=1_000_000, hourly=1_000_000)
    before = fingerprint(home)
    for name, arguments in made:
        answer = call.session.call(call.client, name, arguments)
        said = texts_of(answer.content)
        assert [text for text in said if visible(text) != text] == []
        assert not any("reviewdeck itself" in text for text in said)
        assert name not in DECIDING or answer.is_error
    assert fingerprint(home) == before
    assert deck.ledger.operations() == () and deck.ledger.all_decisions() == ()
    amounts = deck.ledger.counts().by_state
    assert {state for state, amount in amounts.items() if amount} <= OPEN_STATES
    assert deck.ledger.drafts() == ()

"""Whatever the parser raises for a broken text is a refusal, wherever a front matter is read."""

from __future__ import annotations

from typing import Any

import pytest
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from reviewdeck.planning.frontmatter import check_skill_text
from reviewdeck.reading.agents import HERMES
from reviewdeck.reading.yaml import Refused, TooMuch
from reviewdeck.reading.yaml import load as read
from reviewdeck.text import yaml
from reviewdeck.text.markdown import parses

ERRORS = (YAMLError, AssertionError, IndexError, AttributeError, KeyError, TypeError, ValueError)


@pytest.fixture(params=[*ERRORS, RecursionError], ids=lambda kind: kind.__name__)
def broken(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[Exception]:
    kind: type[Exception] = request.param

    def fail(*_: Any) -> Any:
        raise kind("no")

    monkeypatch.setattr(YAML, "parse", fail)
    monkeypatch.setattr(YAML, "load", fail)
    return kind


def test_the_planner_refuses_the_skill(broken: type[Exception]) -> None:
    said = check_skill_text("---\nname: 'a'\n---\nIt is short.\n")
    assert said is not None and "not valid YAML" in said


def test_a_merge_takes_it_for_no_front_matter(broken: type[Exception]) -> None:
    assert parses("name: a") is False


def test_an_agent_that_reads_it_refuses_it(broken: type[Exception]) -> None:
    dialect = HERMES.yaml
    with pytest.raises(TooMuch if broken is RecursionError else Refused):
        read(f"name: [{broken.__name__}]", dialect)


def test_it_is_one_error_with_its_line() -> None:
    with pytest.raises(yaml.Unparsable) as raised:
        list(yaml.events("a: 1\nb: [\n"))
    assert raised.value.line and str(raised.value)
    with pytest.raises(yaml.Unparsable):
        yaml.load("a: {")

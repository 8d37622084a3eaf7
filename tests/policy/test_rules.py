"""Every rule over its own examples."""

from __future__ import annotations

import pytest

from reviewdeck.policy.rule import Example, Rule, subject_of
from reviewdeck.policy.rules import RULES

HITS = [
    pytest.param(rule, hit, id=f"{rule.name}-{n}")
    for rule in RULES
    for n, hit in enumerate(rule.hits)
]
MISSES = [
    pytest.param(rule, miss, id=f"{rule.name}-{n}")
    for rule in RULES
    for n, miss in enumerate(rule.misses)
]


@pytest.mark.parametrize(("rule", "example"), HITS)
def test_a_rule_finds_its_examples(rule: Rule, example: Example) -> None:
    result = rule.apply(subject_of(example))
    assert result.findings
    assert result.refuses is rule.refuses


@pytest.mark.parametrize(("rule", "example"), MISSES)
def test_a_rule_leaves_its_counter_examples_alone(rule: Rule, example: Example) -> None:
    assert not rule.apply(subject_of(example)).findings


def test_every_rule_has_a_name_of_its_own_a_reason_and_examples() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule.reason.endswith("."), rule.name
        assert rule.hits, rule.name
        assert rule.misses, rule.name

"""The plain-form rules: over their own examples, to the end, whatever stands around."""

from __future__ import annotations

import pytest

from reviewdeck.policy.plain import RULES, Example, Rule, subject_of

HITS = [
    pytest.param(rule, hit, id=f"{rule.name}-{number}")
    for rule in RULES
    for number, hit in enumerate(rule.hits)
]
MISSES = [
    pytest.param(rule, miss, id=f"{rule.name}-{number}")
    for rule in RULES
    for number, miss in enumerate(rule.misses)
]


@pytest.mark.parametrize(("rule", "example"), HITS)
def test_a_rule_finds_its_examples(rule: Rule, example: Example) -> None:
    findings = rule.findings(subject_of(example))
    assert findings
    assert all(finding.code == rule.name for finding in findings)


@pytest.mark.parametrize(("rule", "example"), MISSES)
def test_a_rule_leaves_its_counter_examples_alone(rule: Rule, example: Example) -> None:
    assert not rule.findings(subject_of(example))


def test_there_are_at_most_twenty_rules_each_with_a_name_a_reason_and_examples() -> None:
    assert len(RULES) <= 20
    assert len({rule.name for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule.reason.endswith("."), rule.name
        assert rule.reason.count(". ") == 0, rule.name
        assert rule.hits, rule.name
        assert rule.misses, rule.name

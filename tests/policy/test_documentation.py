"""The documentation lists the rules that there are."""

from __future__ import annotations

from pathlib import Path

from reviewdeck.policy.rule import Rule
from reviewdeck.policy.rules import RULES

PAGE = Path(__file__).parents[2] / "docs" / "policy.md"


def test_the_page_has_one_row_for_every_rule_and_no_other() -> None:
    rules = PAGE.read_text("utf-8").split("## The rules")[1].split("\n## ")[0]
    rows = [line for line in rules.splitlines() if line.startswith("| `")]
    expected = [
        f"| `{rule.name}` | {rule.looks_at} | {_effect(rule)}, {rule.severity} | {rule.reason} |"
        for rule in RULES
    ]
    assert rows == expected


def _effect(rule: Rule) -> str:
    if rule.refuses:
        return "refuses"
    if rule.severity == "info":
        return "notes"
    return rule.holds.value

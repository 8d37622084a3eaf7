"""A policy file is read strictly, with the line of whatever is wrong."""

from __future__ import annotations

import pytest
from tests.policy.kit import case

from reviewdeck.model import Severity
from reviewdeck.policy.config import read_policy
from reviewdeck.policy.gate import judge
from reviewdeck.policy.own_rules import RuleEffect
from reviewdeck.policy.settings import DEFAULT, AutomaticUpTo, PolicySettings, Unrecorded

RULE = """
[[rule]]
name = "no-linters"
effect = "hold"
reason = "Linters are a matter of taste."
"""


def settings(text: str) -> PolicySettings:
    """What a sound file says."""
    found = read_policy(text, "/home/dana")
    assert isinstance(found, PolicySettings), found
    return found


def test_an_empty_file_changes_nothing() -> None:
    assert settings("") == DEFAULT


def test_every_setting_of_what_is_automatic_is_read() -> None:
    found = settings(
        '[automatic]\nmemory = "user"\nskills = "off"\nunrecorded = "hold"\n'
        "a_day = 3\na_conversation = 2\nprobation_days = 1\n"
    )
    assert (found.memory, found.skills) == (AutomaticUpTo.USER, AutomaticUpTo.OFF)
    assert found.unrecorded is Unrecorded.HOLD
    assert (found.a_day, found.a_conversation, found.probation_days) == (3, 2, 1)


def test_whom_and_what_an_operator_trusts_is_read() -> None:
    found = settings(
        '[trust]\naccounts = ["telegram:12345"]\nsaid = ["~/src/ours", "/srv/notes"]\n'
        'workspace_tools = ["lint"]\noutside_tools = ["terminal"]\nhosts = ["Wiki.Acme.example"]\n'
    )
    assert found.trust.accounts == {"telegram:12345"}
    assert found.trust.said_folders == ("/home/dana/src/ours", "/srv/notes")
    assert found.trust.workspace_tools == {"lint"}
    assert found.trust.outside_tools == {"terminal"}
    assert found.hosts == {"wiki.acme.example"}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[automatic\n", 1, "Expected"),
        ("\nmemory = 1\n", 2, "no setting 'memory'"),
        ('[automatic]\nmemory = "all"\n', 2, "workspace"),
        ('[automatic]\nskills = "workspace"\n', 2, "off, user"),
        ("[automatic]\na_day = -1\n", 2, "whole number"),
        ("[automatic]\na_day = true\n", 2, "whole number"),
        ("[automatic]\nevery = 1\n", 2, "a_conversation"),
        ('[trust]\naccounts = ["dana"]\n', 2, "platform:user_id"),
        ('[trust]\nsaid = ["src"]\n', 2, "begins with"),
        ('[trust]\nsaid = ["/"]\n', 2, "begins with"),
        ('[trust]\nsaid = ["~/"]\n', 2, "begins with"),
        ("[trust]\nhosts = [1]\n", 2, "list of texts"),
        ("version = 2\n", 1, "only version"),
        ("[caps]\nautomatic_per_hour = 5\n", 1, "no setting 'caps'"),
        (RULE.replace('"hold"', '"allow"'), 4, "hold, refuse"),
        (RULE.replace("no-linters", "secret"), 3, "already"),
        (RULE + RULE, 8, "already"),
        (RULE + "pattern = '('\n", 6, "RE2"),
        (RULE + 'severity = "info"\n', 6, "low or more"),
        (RULE + "min_characters = -1\n", 6, "a whole number from 0 on"),
        ("rule = false\n", 1, "[[rule]]"),
        ("rule = {}\n", 1, "[[rule]]"),
        ('[notify]\ncommand = ["mail"]\nurl = 0\n', 3, "https://"),
        ("[[rule]]\n", 1, "small letters"),
        ('[[rule]]\nname = "x"\n', 1, "hold, refuse"),
        (RULE + "colour = 1\n", 6, "'colour'"),
        (RULE.replace("no-linters", "No Linters"), 3, "small letters"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, line: int, said: str) -> None:
    problems = read_policy(text)
    assert not isinstance(problems, PolicySettings)
    assert problems[0].line == line
    assert said in problems[0].message


def test_everything_that_is_wrong_is_told_at_once() -> None:
    problems = read_policy('[automatic]\nmemory = "x"\nskills = "y"\n[caps]\npending = 1\n')
    assert not isinstance(problems, PolicySettings)
    assert [problem.line for problem in problems] == [2, 3, 4]


def test_what_a_rule_lacks_is_told_once_each() -> None:
    problems = read_policy("[[rule]]\n")
    assert not isinstance(problems, PolicySettings)
    assert [one.message.split(":")[0] for one in problems] == [
        f"a rule needs a setting {key!r}" for key in ("name", "effect", "reason")
    ]


def test_a_rule_that_holds_or_refuses_keeps_its_meaning() -> None:
    (rule,) = settings(RULE + 'severity = "high"\npattern = "short"\n').rules
    assert (rule.effect, rule.severity) == (RuleEffect.HOLD, Severity.HIGH)
    (check,) = (
        check
        for check in judge(case(), PolicySettings(rules=(rule,))).checks
        if check.name == "plain"
    )
    assert check.findings[0].code == "no-linters"
    assert check.findings[0].quote == "short"

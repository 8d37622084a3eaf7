"""No rule takes more steps than in proportion over a text of padding, or of its own words."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.gate.rule_examples import EXAMPLES, subject_of
from tests.steps import LINEAR, Work, growth

from reviewdeck.model import Edit, MemoryAdd, SkillWriteFile
from reviewdeck.policy.plain import RULES, Rule, RuleInput

LENGTH = 2_000
PADDING = (
    *string.whitespace,
    *"\u00a0\u0085\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000",  # blanks
    *"\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u202e\u2060\u2066\ufeff\U000e0020",  # unseen
    *"\u115f\u2800\u3164\uffa0\u0301\u20e3\ufe0f\U000e0100\x00\x1b",  # fillers, marks, controls
    *string.punctuation,
    *"a1ａ京é\U0001f1e6",
)
RULE = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


@RULE
def test_a_rule_reads_padding_once(rule: Rule) -> None:
    assert [ascii(one) for one in PADDING if not is_linear(rule, one)] == []


@RULE
def test_a_rule_reads_its_own_words_once(rule: Rule) -> None:
    examples = EXAMPLES[rule.name].hits
    words = sorted({word for example in examples for word in words_of(subject_of(example))})
    assert [ascii(word) for word in words if not is_linear(rule, f"{word} ")] == []


def words_of(subject: RuleInput) -> Iterator[str]:
    """The words and signs of what a rule finds, each by itself: that it finds them all no more."""
    for piece in subject.texts:
        yield from re.findall(r"\w+|[^\w\s]+", piece.text[:200])


def edits_of(text: str) -> Iterator[Edit]:
    """A text as an entry of a memory, and as a file of a skill."""
    yield MemoryAdd("memories/MEMORY.md", text)
    yield SkillWriteFile("notes", "references/notes.md", text)


def is_linear(rule: Rule, part: str) -> bool:
    """Whether twice the text takes about twice the steps.

    The text ends in another character, so that what has to end fails there.
    """

    def finding(length: int) -> Work:
        text = part * (length // len(part)) + "\x01z"
        return lambda: [rule.findings(RuleInput((edit,))) for edit in edits_of(text)]

    return growth(finding, LENGTH) < LINEAR


def test_a_rule_that_looks_again_from_every_place_is_noticed() -> None:
    def check(subject: RuleInput) -> Iterator[Any]:
        length = len(subject.texts[0].text)
        return (at for at in range(0, length, 32) for after in range(at, length, 32) if after < 0)

    assert not is_linear(replace(RULES[1], check=check), "-")

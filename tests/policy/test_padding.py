"""No rule takes longer than in proportion over a text of nothing but padding, or its own words."""

from __future__ import annotations

import re
import string
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.gate.rule_examples import EXAMPLES, subject_of

from reviewdeck.model import MemoryAdd
from reviewdeck.policy.plain import RULES, Rule, RuleInput

LONG = 32_000
FLOOR = 0.18
"""Seconds of CPU that a text may always take: below them a machine's noise counts most."""
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


def is_linear(rule: Rule, part: str) -> bool:
    """Whether four times the text takes at most eight times as long.

    Linear work takes four times as long and quadratic work sixteen times, so that the noise of a
    busy machine rarely decides; there are three tries.
    """
    return any(
        (took := seconds(rule, part, LONG)) <= FLOOR or took <= 8 * seconds(rule, part, LONG // 4)
        for _ in range(3)
    )


def seconds(rule: Rule, part: str, length: int) -> float:
    """Seconds of CPU that the rule takes over so many characters.

    The text ends in another character, so that a pattern which has to end fails there.
    """
    text = part * (length // len(part)) + "\x01z"
    began = time.process_time()
    rule.findings(RuleInput((MemoryAdd("memories/MEMORY.md", text),)))
    return time.process_time() - began


def test_a_rule_that_looks_again_from_every_place_is_noticed() -> None:
    slow = re.compile(r"(?:-+x)")
    rule = replace(RULES[1], check=lambda subject: iter(slow.findall(subject.texts[0].text)))
    assert not is_linear(rule, "-")

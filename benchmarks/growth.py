"""CPU time of what searches by patterns, when a text of one repeated piece is four times as long.

    python -m benchmarks.growth [--size 8000] [--tries 3]

The patterns run in C, where the tests cannot count steps. Each rule about form reads each piece of
padding and the words of its own examples; the redaction and all rules together read the pieces that
begin many patterns. Linear work takes four times as long and quadratic work sixteen times; beyond
eight times in each of the tries the text is printed, and the command exits with 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import TypeAlias

from tests.gate.rule_examples import EXAMPLES, subject_of
from tests.policy.test_hostile_texts import REPEATED, plain
from tests.policy.test_padding import PADDING, words_of

from reviewdeck.model import MemoryAdd, SkillWriteFile
from reviewdeck.policy.plain import RULES, Rule, RuleInput
from reviewdeck.text.redact import redact

Look: TypeAlias = Callable[[str], object]
MOST = 8
FLOOR = 0.02
"""Seconds of CPU that a text may always take: below them the noise counts most."""


def find(rule: Rule, text: str) -> None:
    """What one rule finds in an addition, and in a file of a skill."""
    for edit in (
        MemoryAdd("memories/MEMORY.md", text),
        SkillWriteFile("notes", "references/notes.md", text),
    ):
        rule.findings(RuleInput((edit,)))


def looks() -> Iterator[tuple[str, Look, str]]:
    """What looks, by name, and the piece that is repeated for it."""
    for rule in RULES:
        examples = EXAMPLES[rule.name].hits
        words = sorted({word for each in examples for word in words_of(subject_of(each))})
        spoken = (f"{word} " for word in words)
        for part in (*PADDING, *spoken, *(f"{word} &&\n\n" for word in words)):
            yield rule.name, partial(find, rule), part
    for name, look in (("all rules", plain), ("redaction", redact)):
        for part in REPEATED:
            yield name, look, part


_NUMBERS = count()


def seconds(look: Look, part: str, size: int) -> float:
    """CPU time over so many characters, which end in another one, so that patterns fail there.

    No text comes twice: what the rules found in one is kept.
    """
    text = f"{part * (size // len(part))}\x01z{next(_NUMBERS)}"
    began = time.process_time()
    look(text)
    return time.process_time() - began


def is_linear(look: Look, part: str, size: int, tries: int) -> bool:
    """Whether four times the text takes at most eight times as long, in one of some tries."""
    return any(
        (took := seconds(look, part, 4 * size)) <= FLOOR or took <= MOST * seconds(look, part, size)
        for _ in range(tries)
    )


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=int, default=8_000)
    parser.add_argument("--tries", type=int, default=3)
    arguments = parser.parse_args()
    count, slow = 0, 0
    for name, look, part in looks():
        count += 1
        if not is_linear(look, part, arguments.size, arguments.tries):
            slow += 1
            print(f"{name}: {part[:40]!r} takes more than in proportion")
    print(f"{count} texts, {slow} of them slow")
    return int(slow > 0)


if __name__ == "__main__":
    sys.exit(main())

"""What judging costs grows with the text, and no faster."""

from __future__ import annotations

import time

import pytest

from reviewdeck.model import Edit, MemoryAdd, SkillCreate
from reviewdeck.policy.rule import Subject
from reviewdeck.policy.rules import RULES

SHORT, LONG = 16_384, 65_536
GENEROUS = 3
"""Four times the text may take this many times four times the work: a shared machine wavers."""

PATTERNS = {
    "full stops": "a. ",
    "commas": "a, ",
    "dashes": "a-",
    "underscores": "a_",
    "spaces": "  ",
    "conditions": "if a b c d ",
    "structure": "the user is in the x.y as a ",
    "steps": "1. Write the line, then read it.\n",
    "tables": "| a ",
    "keys": "password is ",
    "Chinese": "用户是",
}


def _seconds(edit: Edit) -> float:
    """CPU time of all rules over a proposal of this edit: the better of two runs."""
    taken = []
    for _ in range(2):
        subject = Subject(edits=(edit,))
        begun = time.process_time()
        for rule in RULES:
            rule.apply(subject)
        taken.append(time.process_time() - begun)
    return min(taken)


@pytest.mark.slow  # eleven texts of 64 KiB, as a memory and as a skill, judged twice each
@pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)
def test_four_times_the_text_takes_about_four_times_the_work(pattern: str) -> None:
    def text(size: int) -> str:
        return pattern * (size // len(pattern))

    for make in (
        lambda text: MemoryAdd("memories/MEMORY.md", text),
        lambda text: SkillCreate("notes", f"---\nname: notes\ndescription: x\n---\n{text}"),
    ):
        short, long = _seconds(make(text(SHORT))), _seconds(make(text(LONG)))
        assert long <= GENEROUS * (LONG / SHORT) * max(short, 0.005)

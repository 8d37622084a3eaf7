"""The survey of a text: a block that no rule looks into has nothing that one would find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from tests.gate.rule_examples import EXAMPLES, subject_of

from reviewdeck.model import Edit, SkillCreate, SkillWriteFile
from reviewdeck.policy.plain import RULES, RuleFindings, check_plain
from reviewdeck.policy.rules import rule as rules
from reviewdeck.policy.rules.survey import Sought, Survey

SOME = 24
"""Examples in one text."""
SEPARATORS = ("\n\n", "\n- ", "\n```\n", " | ")


def texts() -> Iterator[str]:
    """The examples of all rules, some at a time as paragraphs, items, fences or cells of a text."""
    shown = [
        piece.text
        for examples in EXAMPLES.values()
        for example in (*examples.hits, *examples.misses)
        for piece in subject_of(example).texts
    ]
    for number, at in enumerate(range(0, len(shown), SOME)):
        separator = SEPARATORS[number % len(SEPARATORS)]
        head = "| a | b |\n| --- | --- |\n| " if separator == " | " else "# Notes\n"
        yield head + separator.join(shown[at : at + SOME])


def judged_anew(monkeypatch: pytest.MonkeyPatch, edit: Edit) -> tuple[RuleFindings, ...]:
    rules._kept.cache_clear()
    for one in RULES:
        if isinstance(one.check, rules.InPieces):
            monkeypatch.setattr(one.check, "_kept", {})
    return check_plain((edit,))


@pytest.mark.parametrize("text", texts(), ids=lambda text: f"{len(text)} characters")
def test_a_block_that_is_left_out_has_nothing_to_find(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = "---\nname: notes\ndescription: Notes.\n---\n"
    edits: Sequence[Edit] = (
        SkillCreate("notes", head + text),
        SkillWriteFile("notes", "references/notes.md", text),
        SkillWriteFile("notes", "scripts/notes.py", text),
    )
    surveyed = [judged_anew(monkeypatch, edit) for edit in edits]

    def all_of_them(survey: Survey, _sought: Sought) -> Sequence[int]:
        return range(len(survey._blocks))

    monkeypatch.setattr(Survey, "with_any_of", all_of_them)
    assert [judged_anew(monkeypatch, edit) for edit in edits] == surveyed

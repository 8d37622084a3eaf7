"""What is staged of an edit is what Claude Code would have left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reviewdeck.agents.gated.edits import NotExact, result_of

CASES = Path(__file__).parents[2] / "fixtures" / "claude" / "edits.json"
EDITS = json.loads(CASES.read_text("utf-8"))
"""Each with what Claude Code left, None where it refused; the contract suite asks it again."""


def edit(case: dict[str, Any]) -> dict[str, Any]:
    return {
        "old_string": case["old"],
        "new_string": case["new"],
        "replace_all": case["everywhere"],
    }


@pytest.mark.parametrize("case", EDITS, ids=[case["name"] for case in EDITS])
def test_an_edit_leaves_what_claude_code_leaves(case: dict[str, Any]) -> None:
    if case["after"] is None:
        with pytest.raises(NotExact):
            result_of("Edit", edit(case), case["before"], "claude")
    else:
        assert result_of("Edit", edit(case), case["before"], "claude") == case["after"]


@pytest.mark.parametrize(
    ("before", "old"),
    [
        ("one\r\ntwo\nthree\r\n", "two"),  # Claude Code makes all line ends alike.
        ("“x” ”x“\n", '"x"'),  # It takes the first, and leaves the other.
        ("a“x\n", "\\u201cx"),  # It reads an escape as its character.
        ("text\n", ""),
    ],
)
def test_where_claude_code_is_lenient_nothing_is_guessed(before: str, old: str) -> None:
    with pytest.raises(NotExact):
        result_of(
            "Edit", {"old_string": old, "new_string": "y", "replace_all": True}, before, "claude"
        )


def test_edits_of_one_call_follow_each_other_and_one_that_fails_fails_all() -> None:
    first, second = {"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "c"}
    assert result_of("MultiEdit", {"edits": [first, second]}, "a\n", "claude") == "c\n"
    with pytest.raises(NotExact):
        result_of("MultiEdit", {"edits": [second, first]}, "a\n", "claude")


@pytest.mark.parametrize("given", [{}, {"edits": []}, {"edits": ["x"]}])
def test_calls_that_are_not_understood_are_not_staged(given: dict[str, Any]) -> None:
    for tool in ("Write", "Edit", "MultiEdit", "NotebookEdit", "Other"):
        with pytest.raises(NotExact):
            result_of(tool, given, "text\n", "claude")

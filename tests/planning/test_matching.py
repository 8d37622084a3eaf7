"""Patches: found as Hermes finds them, and never by guessing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.steps import LINEAR, Work, growth

from reviewdeck.model import Dead, DeadReason
from reviewdeck.planning.match import Patched, patch

STEPS = "# Triage\n\n1. Look at the repository.\n2. Run `make test`.\n3. Report.\n"


def cases() -> list[Any]:
    """Patches with what Hermes 0.19.0 made of them."""
    found = json.loads((Path(__file__).parent / "patches.json").read_text("utf-8"))
    return [pytest.param(case, id=case["name"]) for case in found]


@pytest.mark.parametrize("case", cases())
def test_a_patch_comes_to_what_hermes_makes_of_it(case: dict[str, Any]) -> None:
    outcome = patch(case["content"], case["old"], case["new"], replace_all=case["replace_all"])
    if "dead" in case:
        assert isinstance(outcome, Dead)
        assert outcome.reason == case["dead"]
    else:
        assert isinstance(outcome, Patched)
        assert (outcome.text, outcome.count, outcome.strategy) == (
            case["text"],
            case["count"],
            case["strategy"],
        )


def test_lines_that_are_only_alike_are_shown_and_not_replaced() -> None:
    outcome = patch(STEPS, "1. Look at a repository.\n2. Run `make tests`.", "x", replace_all=False)
    assert isinstance(outcome, Dead)
    assert outcome.reason is DeadReason.LOOSE_MATCH
    assert outcome.candidate == "1. Look at the repository.\n2. Run `make test`."


def test_the_nearest_line_is_shown_when_the_text_is_gone() -> None:
    outcome = patch(STEPS + "4. Report to #ops.\n", "3. Report it.", "x", replace_all=False)
    assert isinstance(outcome, Dead)
    assert outcome.candidate is not None
    assert "Report" in outcome.candidate


def test_nothing_is_shown_when_nothing_is_near() -> None:
    outcome = patch(STEPS, "zzzz qqqq xxxx", "x", replace_all=False)
    assert outcome == Dead(DeadReason.TARGET_GONE, "The text to be replaced is not there.")


def test_a_patch_that_was_applied_before_is_recognised() -> None:
    done = STEPS.replace("make test", "uv run pytest")
    outcome = patch(done, "2. Run `make test`.", "2. Run `uv run pytest`.", replace_all=False)
    assert isinstance(outcome, Dead)
    assert outcome.reason is DeadReason.ALREADY_THERE


def test_an_ambiguous_patch_names_the_lines() -> None:
    outcome = patch("a\nb\na\n", "a", "c", replace_all=False)
    assert isinstance(outcome, Dead)
    assert "line 1, 3" in outcome.message


def test_blocks_that_overlap_are_ambiguous() -> None:
    outcome = patch("  a\na\n  a\n", "a\n a", "b", replace_all=False)
    assert isinstance(outcome, Dead)
    assert outcome.reason is DeadReason.AMBIGUOUS


def test_blocks_that_overlap_are_not_both_replaced() -> None:
    outcome = patch("  a\na\n  a\n", "a\n a", "b", replace_all=True)
    assert isinstance(outcome, Patched)
    assert outcome.text == "  b\n  a\n"


def test_matches_that_would_share_blanks_are_not_both_replaced() -> None:
    outcome = patch("a b  a b  a b", "a  b ", "X", replace_all=True)
    assert isinstance(outcome, Patched)
    assert outcome.text == "X" + "a b  a b"


def test_a_stray_backslash_before_a_quote_is_not_written() -> None:
    outcome = patch("it\\’s here\n", "it\\'s here", "it\\'s there", replace_all=False)
    assert isinstance(outcome, Dead)
    assert outcome.reason is DeadReason.INVALID


def test_typography_of_unrelated_text_is_not_taken_over() -> None:
    outcome = patch("now – here\n", "now - here", "5-6 pm", replace_all=False)
    assert isinstance(outcome, Patched)
    assert outcome.text == "5-6 pm\n"


def test_the_pieces_of_a_patch_are_what_changed() -> None:
    outcome = patch("a x b x c", "x", "yy", replace_all=True)
    assert isinstance(outcome, Patched)
    assert [(p.start, p.end, p.text) for p in outcome.pieces] == [(2, 3, "yy"), (6, 7, "yy")]


HOSTILE: dict[str, Callable[[int], tuple[str, str, str]]] = {
    "only newlines": lambda n: ("\n" * n * 10, "\n" * n + "y", "x"),
    "only blank lines": lambda n: ("\n" * n * 10, " \n" * (n // 2), "x"),
    "only blanks": lambda n: (" \t" * n * 5, " " * n + "q", "x"),
    "one line": lambda n: ("a" * n * 10, "a" * n + "b", "x"),
    "one line many times": lambda n: ("ab\n" * n * 3, "ab \n" * (n // 4) + "zz", "x"),
    "only dashes": lambda n: ("—" * n * 10, "--" * (n // 2), "-" * n),
    "dashes and words": lambda n: ("— a " * (n * 5 // 2), "-- a " * (n // 5), "a -- " * (n // 5)),
    "a flood": lambda n: ("a" * n * 10, "a", "b" * n),
    "many indentations": lambda n: ("  a b\n" * (n * 3 // 2), "a  b", "c\n" * (n // 100)),
    "a wide indentation": lambda n: (" " * n * 5 + "a  b", "a b", "c\n" * (n // 2)),
    "many short lines": lambda n: (
        "\n".join(f"{i:x}" for i in range(2 * n)),
        "\n".join(f"{i:o}" for i in range(90_000, 90_000 + n * 4 // 25)),
        "x",
    ),
}
"""Content, what is searched for and what takes its place, of a size."""


@pytest.mark.parametrize("shape", HOSTILE)
def test_twice_the_size_of_hostile_texts_takes_twice_the_steps(shape: str) -> None:
    def patching(size: int) -> Work:
        content, old, new = HOSTILE[shape](size)
        return lambda: [patch(content, old, new, replace_all=each) for each in (False, True)]

    assert growth(patching, 2_000) < LINEAR


@pytest.mark.parametrize("shape", HOSTILE)
def test_large_hostile_texts_are_answered(shape: str) -> None:
    content, old, new = HOSTILE[shape](10_000)
    for replace_all in (False, True):
        assert isinstance(patch(content, old, new, replace_all=replace_all), Patched | Dead)

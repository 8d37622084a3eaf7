"""Patches: found as Hermes finds them, and never by guessing."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

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


@pytest.mark.parametrize(
    ("content", "old", "new"),
    [
        pytest.param("\n" * 100_000, "\n" * 10_000 + "y", "x", id="only newlines"),
        pytest.param("\n" * 100_000, " \n" * 5_000, "x", id="only blank lines"),
        pytest.param(" \t" * 50_000, " " * 10_000 + "q", "x", id="only blanks"),
        pytest.param("a" * 100_000, "a" * 9_999 + "b", "x", id="one line"),
        pytest.param("ab\n" * 33_000, "ab \n" * 2_500 + "zz", "x", id="one line many times"),
        pytest.param("—" * 100_000, "--" * 5_000, "-" * 9_000, id="only dashes"),
        pytest.param("— a " * 25_000, "-- a " * 2_000, "a -- " * 2_000, id="dashes and words"),
        pytest.param("a" * 100_000, "a", "b" * 10_000, id="a flood"),
        pytest.param("  a b\n" * 15_000, "a  b", "c\n" * 100, id="many indentations"),
        pytest.param(" " * 50_000 + "a  b", "a b", "c\n" * 5_000, id="a wide indentation"),
        pytest.param(
            "\n".join(f"{n:x}" for n in range(20_000)),
            "\n".join(f"{n:o}" for n in range(90_000, 91_600)),
            "x",
            id="many short lines",
        ),
    ],
)
def test_hostile_sizes_are_answered_at_once(content: str, old: str, new: str) -> None:
    started = time.process_time()
    patch(content, old, new, replace_all=False)
    patch(content, old, new, replace_all=True)
    assert time.process_time() - started < 1.0

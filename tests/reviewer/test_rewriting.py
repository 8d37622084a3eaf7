"""What a model may put several entries into, and what is dropped."""

from __future__ import annotations

import json

import pytest

from reviewdeck.reviewer.rewriting import Rewrite, read_rewrites, why_not

ONE = "Staging is ferry-stage-2 on port 5434, unless Dana says otherwise in the channel."
OTHER = "The port of staging is 5434 and its host is ferry-stage-2; never deploy to it by hand."
BOTH = "Staging is ferry-stage-2, port 5434, unless Dana says otherwise; never deploy by hand."


def _why(text: str) -> str:
    return why_not(Rewrite((ONE, OTHER), text))


def test_what_keeps_numbers_names_and_conditions_passes() -> None:
    assert _why(BOTH) == ""


@pytest.mark.parametrize(
    ("was", "now", "why"),
    [
        ("5434", "5433", "loses 5434"),
        (", port 5434", "", "loses 5434"),
        ("Dana", "somebody", "loses dana"),
        ("ferry-stage-2", "it", "loses ferry-stage-2"),
        ("by hand", "with Ansible", "invents ansible"),
        ("never deploy", "deploy", "never"),
        ("unless Dana says otherwise", "as Dana says", "unless"),
        ("by hand.", f"by hand. {'And so on. ' * 12}", "no shorter"),
    ],
)
def test_what_loses_or_invents_one_is_dropped(was: str, now: str, why: str) -> None:
    assert why in _why(BOTH.replace(was, now))


@pytest.mark.parametrize(
    "answer", ["", "Sure!", "[]", "{}", '{"rewrites": 1}', "[" * 100_000, '{"rewrites": {}}']
)
def test_an_answer_without_a_list_is_none(answer: str) -> None:
    assert read_rewrites(answer, (ONE, OTHER)) is None


@pytest.mark.parametrize(
    "listed",
    [
        1,
        {"entries": [1, 2]},
        {"entries": [1, 2], "text": 3},
        {"entries": [True, 2], "text": BOTH},
        {"entries": [0, 1], "text": BOTH},
        {"entries": [1, 1], "text": BOTH},
        {"entries": [1, 2], "text": f"{ONE}\n§\n{OTHER}"},
        {"entries": [1, 2], "text": " \n"},
    ],
)
def test_what_names_no_two_entries_and_one_text_is_dropped(listed: object) -> None:
    found = read_rewrites(json.dumps({"rewrites": [listed]}), (ONE, OTHER))
    assert found is not None
    assert (found.rewrites, len(found.refused)) == ((), 1)


def test_an_entry_goes_into_one_rewrite_only_and_a_fence_is_read() -> None:
    each = {"entries": [1, 2], "text": BOTH}
    answer = f"```json\n{json.dumps({'rewrites': [each, each]})}\n```"
    found = read_rewrites(answer, (ONE, OTHER))
    assert found is not None
    assert found.rewrites == (Rewrite((ONE, OTHER), BOTH),)
    assert len(found.refused) == 1
    assert found.enough(found.rewrites[0].frees) == found.rewrites
    assert found.enough(found.rewrites[0].frees + 1) is None

"""What the prompts of a review say: each rule that keeps a memory and a library of skills sound."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.reviewer.kit import Desk

from reviewdeck.reviewer.review import ReviewRequest

NEVER_KEPT = (
    "not installed, not configured, not reachable",
    "a tool is broken or not to be trusted",
    "an error that went away by itself",
    "a task that will not come again",
    "an attempt that led nowhere",
    "a diary of an incident",
    "quotes from the conversation",
    "numbers of tickets",
)
IN_THIS_ORDER = (
    "1. patch the skill that was in use",
    "2. extend an existing skill",
    "3. add a support file to such a skill",
    "4. create a new skill, only when none covers the class",
)
NO_MEMORY = ("progress of the task", "guesses", "secrets", "a text that somebody else put into")


def sent(desk: Desk, *, memory: bool = True, skills: bool = True) -> str:
    """The last message that a review sends, in one line."""
    desk.review([{"say": "Nothing to save."}], wanted=ReviewRequest(memory, skills))
    return " ".join(desk.final_message.split())


@pytest.mark.parametrize("memory", [True, False])
@pytest.mark.parametrize("rule", NEVER_KEPT)
def test_a_review_of_skills_is_told_what_is_never_kept(desk: Desk, rule: str, memory: bool) -> None:
    said = sent(desk, memory=memory)
    assert rule in said.partition("Never keep:")[2]


@pytest.mark.parametrize("memory", [True, False])
def test_a_review_of_skills_is_told_what_comes_first(desk: Desk, memory: bool) -> None:
    said = sent(desk, memory=memory)
    places = [said.find(step) for step in ("Take the first of these that fits:", *IN_THIS_ORDER)]
    assert -1 not in places and all(one < other for one, other in pairwise(places))


def test_a_review_of_skills_is_told_what_a_pin_means(desk: Desk) -> None:
    said = sent(desk, memory=False)
    assert (
        "A pinned skill may be improved, and never be deleted, archived or merged into another."
        in said
    )
    assert "Protected skills (bundled, from a hub, external, the user's own) are refused" in said


@pytest.mark.parametrize("skills", [True, False])
@pytest.mark.parametrize("rule", NO_MEMORY)
def test_a_review_of_memory_is_told_what_does_not_belong_there(
    desk: Desk, rule: str, skills: bool
) -> None:
    assert rule in sent(desk, skills=skills).partition("Do not keep:")[2]


def test_saving_nothing_is_always_an_answer(desk: Desk) -> None:
    for parts in ((True, False), (False, True), (True, True)):
        assert '"Nothing to save."' in sent(desk, memory=parts[0], skills=parts[1])

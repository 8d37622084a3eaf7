"""What the prompts of a review say: each rule that keeps a memory and a library of skills sound."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.reviewer.kit import Desk

from reviewdeck.engine.engine import Engine
from reviewdeck.reviewer.fork import Prompts
from reviewdeck.reviewer.guard import OWN_SENTENCE
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


LIBRARY = (
    "The library that this builds has few skills, each for a whole class",
    "That shapes how you write, and not whether you write.",
    "Be active: most sessions with real work teach something",
    'or said "remember this": that is a sign for the skill of that work',
    "corrected your workflow or the order of your steps: write it into that skill as a pitfall",
    "the user called it as `/name`, or you read it with `skill_view`",
    "never after a pull request, a ticket, an error message, a code name, one library alone",
    "never `fix-…`, `debug-…` or `…-today`",
    "If the name fits today's task alone, it is wrong: go back to 1, 2 or 3.",
)


@pytest.mark.parametrize("memory", [True, False])
@pytest.mark.parametrize("clause", LIBRARY)
def test_a_review_of_skills_is_told_the_shape_of_the_library(
    desk: Desk, clause: str, memory: bool
) -> None:
    assert clause in sent(desk, memory=memory)


def test_a_review_of_both_is_told_to_act_where_there_is_a_reason(desk: Desk) -> None:
    clause = "Act on memory, on skills, or on both"
    assert clause in sent(desk)
    assert clause not in sent(desk, memory=False) and clause not in sent(desk, skills=False)


@pytest.mark.parametrize("is_typed", [False, True])
def test_the_users_own_sentence_is_asked_for(desk: Desk, is_typed: bool) -> None:
    desk.review([{"say": "Nothing to save."}], wanted=ReviewRequest(is_typed=is_typed))
    said = " ".join(desk.final_message.split())
    own = 'Write a memory as the user\'s own sentence, word for word, with "User" for "I"'
    assert said.count(own) == 1


def test_the_users_own_sentence_is_asked_for_beside_prompts_that_do_not(deck: Engine) -> None:
    desk = Desk(deck, prompts=Prompts(memory="Keep what lasts."))
    desk.review([{"say": "Nothing to save."}], wanted=ReviewRequest(skills=False))
    assert OWN_SENTENCE.split(":")[0] in desk.final_message


def test_a_review_of_skills_alone_is_not_told_how_a_memory_is_written(desk: Desk) -> None:
    said = sent(desk, memory=False)
    assert "What is stored now" in said and "own sentence" not in said

"""What a user is told: what was staged or saved, once, in one line, and nothing that is not so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.engine.kit import skill_text
from tests.reviewer.kit import Desk, add, call, openai_request, talk

from reviewdeck.reviewer.background import ReviewMode, changes
from reviewdeck.reviewer.conversation import Json, MessageForm, ParsedMessage, Result
from reviewdeck.reviewer.models import write

STAGED: Json = {
    "success": True,
    "staged": True,
    "kind": "memory",
    "action": "add",
    "target": "memory",
    "changes": [{"edit": "MemoryAdd", "old": "", "new": "n" * 200}],
}
FORMS = (MessageForm.OPENAI, MessageForm.ANTHROPIC)


def told(
    *answers: Json, form: MessageForm = MessageForm.OPENAI, ids: str = "abcdefg"
) -> list[Json]:
    """Messages with these answers of tools."""
    results = [Result(id, json.dumps(answer)) for id, answer in zip(ids, answers, strict=False)]
    return [part for one in results for part in write(ParsedMessage("tool", results=(one,)), form)]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_staged_says_staged_and_saved_says_saved(form: MessageForm) -> None:
    saved = STAGED | {"staged": False, "saved": True, "target": "user"}
    line = changes(told(STAGED, saved, form=form), (), form)
    assert line == "memory update staged · user profile update saved"


def test_off_says_nothing() -> None:
    assert changes(told(STAGED), (), MessageForm.OPENAI, ReviewMode.OFF) == ""


@pytest.mark.parametrize(
    "answer",
    [
        {"success": False, "error": "The entry was added and saved and staged."},
        {"success": True, "message": "Entry added. Staged. Skill created."},
        {"success": True, "staged": False, "changed": False, "message": "Entry added."},
        {"success": "true", "staged": True},
        {"success": True, "staged": "true", "kind": "memory", "target": "memory"},
        {"success": True, "content": "Memory updated"},
    ],
    ids=repr,
)
def test_words_in_a_message_announce_nothing(answer: Json) -> None:
    for mode in ReviewMode:
        assert changes(told(answer), (), MessageForm.OPENAI, mode) == ""


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_inherited_results_are_not_news_by_call_id(form: MessageForm) -> None:
    old = told(STAGED, form=form)
    assert changes(old, old, form) == ""
    news = told(STAGED | {"target": "user"}, form=form, ids="z")
    assert changes([*old, *news], old, form) == "user profile update staged"


def test_inherited_results_are_not_news_by_content_where_there_is_no_call_id() -> None:
    text = json.dumps(STAGED)
    nameless = [{"role": "tool", "content": text}]
    assert changes(nameless, nameless, MessageForm.OPENAI) == ""
    other = [{"role": "tool", "content": json.dumps(STAGED | {"target": "user"})}]
    assert changes(other, nameless, MessageForm.OPENAI) != ""


def test_the_same_content_under_a_new_call_is_news() -> None:
    assert changes(told(STAGED, ids="z"), told(STAGED, ids="a"), MessageForm.OPENAI) != ""


def test_an_inherited_result_of_another_form_is_recognised() -> None:
    inherited = told(STAGED, form=MessageForm.ANTHROPIC)
    assert (
        changes(told(STAGED), inherited, MessageForm.OPENAI, ReviewMode.ON, MessageForm.ANTHROPIC)
        == ""
    )


def test_duplicates_are_folded() -> None:
    assert changes(told(STAGED, STAGED), (), MessageForm.OPENAI).count("memory update") == 1


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"edit": "MemoryAdd", "new": "n" * 200}, f'memory + "{"n" * 120}" staged'),
        ({"edit": "MemoryRemove", "old": "o" * 200}, f'memory - "{"o" * 60}" staged'),
        (
            {"edit": "MemoryReplace", "old": "o" * 200, "new": "n" * 200},
            f'memory "{"o" * 80}" → "{"n" * 80}" staged',
        ),
    ],
    ids=["addition", "removal", "replacement"],
)
def test_verbose_shows_the_beginning_of_each_text(change: Json, expected: str) -> None:
    answer = STAGED | {"changes": [change]}
    assert changes(told(answer), (), MessageForm.OPENAI, ReviewMode.VERBOSE) == expected


def test_verbose_names_the_file_of_a_patched_skill() -> None:
    change = {"edit": "SkillPatch", "skill": "deploys", "file": "SKILL.md", "old": "a", "new": "b"}
    answer = STAGED | {"kind": "skills", "target": "deploys", "changes": [change]}
    line = changes(told(answer), (), MessageForm.OPENAI, ReviewMode.VERBOSE)
    assert line == 'skill deploys/SKILL.md "a" → "b" staged'


def test_hostile_text_in_it_is_one_inert_line() -> None:
    change = {"edit": "MemoryAdd", "new": "a\n\x1b[2J\u202eb"}
    line = changes(told(STAGED | {"changes": [change]}), (), MessageForm.OPENAI, ReviewMode.VERBOSE)
    assert "\n" not in line and "\x1b" not in line and "\u202e" not in line


def test_a_secret_is_covered() -> None:
    token = "ghp_" + "Tr4wl3r5" * 5
    change = {"edit": "MemoryAdd", "new": f"The token is {token}."}
    line = changes(told(STAGED | {"changes": [change]}), (), MessageForm.OPENAI, ReviewMode.VERBOSE)
    assert token not in line and "The token is" in line


def test_a_whole_review_tells_of_its_own_work_alone(desk: Desk) -> None:
    def earlier(**more: Any) -> list[Json]:
        asked = {"id": "old", "type": "function", "function": {"name": "memory", "arguments": "{}"}}
        answer = {"role": "tool", "tool_call_id": "old", "content": json.dumps(STAGED | more)}
        return [
            {"role": "user", "content": "Remember it."},
            {"role": "assistant", "content": None, "tool_calls": [asked]},
            answer,
            {"role": "assistant", "content": "Done."},
        ]

    new = call("skill_manage", action="create", name="triage", content=skill_text("triage"))
    reviewed = desk.review(
        [new, add("Tests run with tox.")], talk(openai_request(earlier(target="user")))
    )
    line = changes(
        [*reviewed.inherited_messages, *reviewed.answers],
        reviewed.inherited_messages,
        MessageForm.OPENAI,
    )
    assert line == "skill triage create staged"

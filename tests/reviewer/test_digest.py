"""The digest's edges."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.reviewer.kit import spoken

from reviewdeck.reviewer.conversation import Json, MessageForm
from reviewdeck.reviewer.fork import ASSISTANT_SHOWN, HEAD, USER_SHOWN, VERBATIM, digest
from reviewdeck.reviewer.models import read


def many(amount: int) -> list[Json]:
    """So many messages, user and assistant in turns."""
    return spoken(*(f"message {n}" for n in range(amount)))


def tool_round(id: str, form: MessageForm) -> list[Json]:
    """A call and its answer."""
    if form is MessageForm.OPENAI:
        function = {"name": "terminal", "arguments": "{}"}
        asked: Json = {"id": id, "type": "function", "function": function}
        return [
            {"role": "assistant", "content": None, "tool_calls": [asked]},
            {"role": "tool", "tool_call_id": id, "content": "output"},
        ]
    return [
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": id, "name": "terminal", "input": {}}],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": id, "content": "output"}],
        },
    ]


@pytest.mark.parametrize("amount", [1, VERBATIM - 1, VERBATIM])
def test_up_to_the_limit_messages_stay_as_they_are(amount: int) -> None:
    short = digest(many(amount), MessageForm.OPENAI)
    assert list(short) == many(amount)


def test_beyond_it_the_last_ones_stay_and_the_others_become_one() -> None:
    messages = many(VERBATIM + 7)
    short = digest(messages, MessageForm.OPENAI)
    assert list(short[1:]) == messages[-VERBATIM:]
    head = short[0]["content"]
    assert head.startswith(HEAD) and "USER: message 0" in head and "ASSISTANT: message 1" in head


def test_what_is_folded_joins_a_user_message_that_follows_it() -> None:
    messages = many(VERBATIM + 2)
    short = digest(messages, MessageForm.OPENAI)
    assert len(short) == VERBATIM
    assert short[0]["role"] == "user"
    assert short[0]["content"].endswith("message 2")
    roles = [one["role"] for one in short]
    assert all(a != b for a, b in pairwise(roles))


def test_blocks_of_a_user_message_are_kept_behind_what_is_folded() -> None:
    messages = many(VERBATIM + 2)
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    messages[2] = {"role": "user", "content": [image]}
    (first, *_) = digest(messages, MessageForm.OPENAI)
    assert first["content"][0]["type"] == "text" and first["content"][1] == image


@pytest.mark.parametrize("form", MessageForm, ids=str)
def test_it_never_begins_with_a_tool_result(form: MessageForm) -> None:
    for before in range(3, 8):
        calls = [part for n in range(3) for part in tool_round(f"c{n}", form)]
        messages = [*many(2 * before), *calls, *many(VERBATIM - 3)]
        short = digest(messages, form)
        kept = [one for one in short if HEAD not in read(one, form).text]
        assert not read(kept[0], form).results
        known = {c.id for one in short for c in read(one, form).calls}
        asked = {r.call_id for one in short for r in read(one, form).results}
        assert asked <= known


@pytest.mark.parametrize("form", MessageForm, ids=str)
def test_a_long_run_of_results_is_kept_from_its_call_on(form: MessageForm) -> None:
    ids = [f"c{n}" for n in range(VERBATIM + 3)]
    rounds = [tool_round(id, form) for id in ids]
    if form is MessageForm.OPENAI:
        calls = [one[0]["tool_calls"][0] for one in rounds]
        asked: Json = {"role": "assistant", "content": None, "tool_calls": calls}
    else:
        asked = {"role": "assistant", "content": [one[0]["content"][0] for one in rounds]}
    messages = [*many(4), asked, *(one[1] for one in rounds)]
    short = digest(messages, form)
    assert short[1] == asked and len(short) == 2 + len(ids)


def test_older_messages_are_cut_and_calls_are_named() -> None:
    old: list[Json] = [
        {"role": "user", "content": "u" * 999},
        {"role": "assistant", "content": "a" * 999},
        *tool_round("c", MessageForm.OPENAI),
        {"role": "assistant", "content": "after"},
    ]
    short = digest([{"role": "system", "content": "s"}, *old, *many(VERBATIM)], MessageForm.OPENAI)
    said = str(short[0]["content"])
    assert f"USER: {'u' * USER_SHOWN}\n" in said
    assert f"ASSISTANT: {'a' * ASSISTANT_SHOWN}\n" in said
    assert "ASSISTANT[tools: terminal]\n" in said
    assert "output" not in said


def test_the_parents_system_prompt_does_not_come_along() -> None:
    messages = [{"role": "system", "content": "secret of the parent"}, *many(3)]
    assert "secret" not in str(digest(messages, MessageForm.OPENAI))


def test_a_digest_has_24_messages_word_for_word_and_300_and_200_characters_of_the_others() -> None:
    long = spoken("u" * 500, "a" * 500, *(f"message {n}" for n in range(24)))
    short = digest(long, MessageForm.OPENAI)
    assert digest(long[2:], MessageForm.OPENAI) == tuple(long[2:])  # 24 are not digested
    # The first of the 24 is the user's, and the digest stands before its words.
    assert len(short) == 24 and list(short[1:]) == long[-23:]
    folded = short[0]["content"].removesuffix("\n\nmessage 0").splitlines()[-2:]
    assert folded == [f"USER: {'u' * 300}", f"ASSISTANT: {'a' * 200}"]


def test_the_digest_says_that_what_follows_is_word_for_word() -> None:
    (first, *_) = digest(many(40), MessageForm.OPENAI)
    assert "in short" in first["content"] and "word for word" in first["content"]

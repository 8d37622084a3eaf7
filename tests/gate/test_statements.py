"""Wrong and right entries beside what a user typed: what goes in, and what waits for a person."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.gate.statements import Pair, goes_in, load
from tests.steps import LINEAR, Work, growth

from reviewdeck.model import OriginClass, Utterance
from reviewdeck.origin.said import hear
from reviewdeck.origin.user_row import read_user_row

JUDGED = load("page")
WRONG = [*load("known"), *load("fresh"), *(pair for pair in JUDGED if pair.kind == "waits")]
RIGHT = [*load("right"), *(pair for pair in JUDGED if pair.kind == "in")]
LIMITS = 0.002
"""The part of wrong entries that may be missed."""


def missed(heard: list[str]) -> str:
    return "\n".join(heard)


def test_no_known_wrong_entry_is_taken_for_what_the_user_said() -> None:
    found = [pair.entry for pair in load("known") if hear(pair.entry, pair.typed).said]
    assert not found, missed(found)


def test_hardly_any_wrong_entry_is_taken_for_what_the_user_said() -> None:
    found = [pair.entry for pair in WRONG if hear(pair.entry, pair.typed).said]
    assert len(found) <= LIMITS * len(WRONG), missed(found)


@pytest.mark.parametrize("pair", RIGHT, ids=lambda pair: pair.entry)
def test_what_the_user_said_is_heard(pair: Pair) -> None:
    heard = hear(pair.entry, pair.typed)
    assert heard.said
    assert not heard.objection


@pytest.mark.parametrize("pair", [pair for pair in JUDGED if pair.kind == "held"])
def test_what_is_right_in_other_words_waits(pair: Pair) -> None:
    assert not hear(pair.entry, pair.typed).said


@pytest.mark.parametrize("kind", [OriginClass.WORKSPACE, OriginClass.USER])
@pytest.mark.parametrize("number", range(0, len(WRONG), 37))
def test_a_wrong_entry_stays_out_of_the_memory(
    number: int, kind: OriginClass, tmp_path: Path
) -> None:
    assert not goes_in(WRONG[number], tmp_path, kind)


@pytest.mark.parametrize("kind", [OriginClass.WORKSPACE, OriginClass.USER])
@pytest.mark.parametrize("name", ["User lives in Bonn.", "The staging database is on port 5433."])
def test_a_right_entry_goes_into_the_memory(name: str, kind: OriginClass, tmp_path: Path) -> None:
    pair = next(pair for pair in RIGHT if pair.entry == name)
    assert goes_in(pair, tmp_path, kind)


SHAPES = {
    "one word": "word ",
    "no spaces": "wordswithoutanyspaces",
    "no spaces in Chinese": "部署前必须运行测试",
    "mixed scripts": "abc אבג δεζ 一二三 ١٢٣ ",
    "quotes": "'a \"b “c `d ",
    "ends": "a. b? c! ",
    "brackets": "((((",
    "fences": "```\n",
    "commas": "I, and, I, and, ",
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_message_of_any_shape_is_read_in_linear_time(shape: str) -> None:
    def reading(characters: int) -> Work:
        message = (shape * characters)[:characters]

        def read() -> None:
            typed = [_typed(read_user_row(message).words), _typed(message)]
            hear("User lives in Bonn and has three cats.", typed)

        return read

    assert growth(reading, 50_000) < LINEAR


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_many_messages_of_any_shape_are_read_in_linear_time(shape: str) -> None:
    def hearing(amount: int) -> Work:
        messages = [_typed(f"{n}.{amount} {(shape * 200)[:200]}") for n in range(amount)]
        return lambda: hear("User keeps the box 999 in the cellar of room 998.", messages)

    assert growth(hearing, 40) < LINEAR


def test_many_typed_messages_are_all_heard() -> None:
    messages = [_typed(f"I keep box {n} in room {n}, and my dog likes it.") for n in range(300)]
    heard = hear("User keeps the box 299 in the cellar of room 298.", messages)
    assert not heard.said and heard.closest


def test_a_correction_counts_wherever_it_stands() -> None:
    entry, said = "User lives in Bonn.", "I live in Bonn."
    for texts in (
        (said, "I don't live in Bonn any more."),
        ("I don't live in Bonn any more.", said),
        ("Please don't save anything of this.", said),
        (said, "What is a fjord?", "I live in Mainz."),
    ):
        heard = hear(entry, [_typed(text) for text in texts])
        assert not heard.said and heard.objection


def _typed(text: str) -> Utterance:
    return Utterance("s1", "user", text, is_typed=True)

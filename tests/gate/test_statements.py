"""Wrong and right entries beside what a user typed: what goes in, and what waits for a person."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.gate.statements import Pair, goes_in, is_typed, load, written
from tests.steps import LINEAR, Work, growth

from reviewdeck.model import OriginClass, Utterance
from reviewdeck.origin.derivation import derives
from reviewdeck.origin.said import hear
from reviewdeck.origin.user_row import read_user_row

JUDGED = load("page")
WRONG = [*load("known"), *load("fresh"), *(pair for pair in JUDGED if pair.kind == "waits")]
OWN = [*load("own"), *load("chats"), *load("plain"), *load("blind")]
RIGHT = [*load("right"), *(pair for pair in JUDGED if pair.kind == "in")]
EVERY = [*WRONG, *OWN, *load("right"), *JUDGED]
LIGHT_WORDS = (
    "a an the i my me ich mir mich please bitte also auch actually yes yeah well so fine great good"
    " nice thanks of ok okay hi hey hello btw fyi really remember note merk dir übrigens"
    " gut super ja hallo danke and und pls plz"
)
LIGHT = frozenset(LIGHT_WORDS.split())
"""Words that a sentence may lose at an end: politeness, and who speaks."""
HOW = frozenset(["thanks", "great", "good", "fine", "nice", "well", "gut", "super"])
"""Those that may be lost where a comma or an end parts them from the rest."""
LIMITS = 0.002
"""The part of wrong entries that may be missed."""


def missed(heard: list[str]) -> str:
    return "\n".join(heard)


def test_no_known_wrong_entry_is_taken_for_what_the_user_said_or_for_close_to_it() -> None:
    heard = [(hear(pair.entry, pair.typed), pair.entry) for pair in load("known")]
    found = [entry for each, entry in heard if each.said or each.own]
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


@pytest.mark.parametrize("pair", OWN, ids=lambda pair: pair.entry)
def test_what_comes_near_to_a_plain_sentence_goes_in_as_that_sentence(
    pair: Pair, tmp_path: Path
) -> None:
    heard = hear(pair.entry, pair.typed)
    # What nothing says, and has no words of its own, has no way in.
    text = written(pair, tmp_path, OriginClass.USER) if heard.said or heard.own else ""
    assert bool(text) is (pair.kind in ("own", "in"))
    assert (text == pair.entry) is (pair.kind == "in")
    assert pair.kind == "in" or is_typed(text, pair)


def test_no_word_that_carries_something_may_be_left_out_of_a_sentence() -> None:
    found = [
        (sentence, word)
        for sentence in {message for pair in EVERY for message in pair.messages}
        for word, rest in left_out(sentence)
        if word not in LIGHT and derives(rest, sentence)
    ]
    assert not found


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ("Glue is in the drawer.", "Super glue is in the drawer."),
        ("Water runs in our house.", "Well water runs in our house."),
        ("Paper is in drawer two.", "Note paper is in drawer two."),
        ("Our water is.", "Our water is good."),
        ("Giving cards are in the desk.", "Thanks giving cards are in the desk."),
        ("User's brother cooks.", "My brother cooks well."),
    ],
)
def test_a_word_that_says_how_something_is_is_no_politeness(entry: str, sentence: str) -> None:
    assert not derives(entry, sentence)
    assert derives("Our lab is in Ulm.", "Great, our lab is in Ulm, super.")
    assert derives("Our lab is in Ulm.", "Note that our lab is in Ulm.")


def left_out(sentence: str) -> Iterator[tuple[str, str]]:
    """Each word of a sentence, and the sentence without it."""
    words = sentence.split()
    for at, word in enumerate(words):
        rest = " ".join((*words[:at], *words[at + 1 :]))
        if rest.strip(" .!,") and word.strip("?!."):
            light = word.casefold().strip(",.!?'")
            is_parted = word[-1] in ",.!" and (at == 0 or words[at - 1][-1] in ",.!")
            yield light if is_parted or light not in HOW else f"{light} without a comma", rest


def test_whatever_goes_in_instead_was_typed_byte_for_byte() -> None:
    heard = [(hear(pair.entry, pair.typed), pair) for pair in EVERY]
    own = [(each.own, pair) for each, pair in heard if each.own]
    assert len(own) > 100
    assert [text for text, pair in own if not is_typed(text, pair)] == []
    assert [each.own for each, _ in heard if each.own and (each.said or each.objection)] == []


def test_what_was_typed_about_the_rest_of_the_own_sentence_is_heard_as_well(tmp_path: Path) -> None:
    about = "My dad keeps four hives in Viborg, he has tools."
    between = ("What is the weather in Oslo?", "How do I cook rice?")
    messages = (about, *between, "He has no tools.", "And pasta?")
    entry = "User's father keeps four beehives in Viborg."
    assert (
        written(Pair("held", (about, *between), entry), tmp_path / "1", OriginClass.USER) == about
    )
    assert written(Pair("waits", messages, entry), tmp_path / "2", OriginClass.USER) == ""


def test_beside_a_file_the_users_own_sentence_is_written_as_well(tmp_path: Path) -> None:
    assert written(OWN[0], tmp_path, OriginClass.WORKSPACE) == OWN[0].messages[0]


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
    "clauses": "I live in Bonn and I have three cats, ",
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_message_of_any_shape_is_read_in_linear_time(shape: str) -> None:
    def reading(characters: int) -> Work:
        message = shape * 2 * (characters // (2 * len(shape)))  # each quote and fence ends

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

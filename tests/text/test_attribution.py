"""Which texts a sentence may come from, by the words that both have."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.steps import LINEAR, Work, growth

from reviewdeck.text.attribution import MOST, attribute, sentences
from reviewdeck.text.terms import roots, stem, telling

MEMORY = (
    "Staging moved to ferry-stage-2: PostgreSQL 16 on port 5434.",
    "CI is Woodpecker. The nightly `soak` job takes 40 minutes: do not wait for it.",
    "Releases leave every second Thursday: announce in #dockside, and wait ten minutes.",
    "Prefers short answers first, details on request.",
    "Is learning Portuguese and enjoys an occasional `bom dia`.",
)


def likeliest(text: str) -> str:
    found = attribute(text, MEMORY)
    return MEMORY[found[0].index] if found else ""


def test_a_reworded_sentence_finds_the_entry_by_its_names_and_numbers() -> None:
    assert likeliest("I point the import at ferry-stage-2, on port 5434.") == MEMORY[0]
    assert likeliest("I waited ten minutes and announced the release in #dockside.") == MEMORY[2]


def test_inflection_and_synonyms_make_no_difference() -> None:
    (found,) = attribute("Here is the brief answer; ask for the detail.", MEMORY)
    assert found.index == 3 and set(found.words) == {"brief", "answer", "detail"}
    assert dict(zip(found.words, found.own_words, strict=True)) == {
        "brief": "short",
        "answer": "answers",
        "detail": "details",
    }


def test_an_entry_that_was_quoted_comes_first_and_is_called_verbatim() -> None:
    found = attribute(f"You told me: {MEMORY[1]} So I did not wait for the port 5434.", MEMORY)
    assert found[0].index == 1 and found[0].is_verbatim and found[0].score == 100


def test_only_the_best_sentence_of_a_long_answer_counts() -> None:
    assert attribute("The port is fine. I moved on. Nothing else changed.", MEMORY) == []
    assert attribute("Moved.", MEMORY) != []
    assert attribute("The port moved, and nothing else changed.", MEMORY) != []


def test_everyday_words_find_nothing() -> None:
    assert attribute("I will do that for you now, and then I will be back.", MEMORY) == []
    assert attribute("zzz", MEMORY) == [] and attribute("", MEMORY) == []
    assert attribute("Nothing is known.", ()) == []


def test_a_word_that_every_text_has_tells_less_than_a_rare_one() -> None:
    texts = [f"The deploy of service{letter} goes to frankfurt." for letter in "abcdefgh"]
    texts.append("The deploy of orders goes to dublin at midnight.")
    assert attribute("That deploy went to dublin.", texts)[0].index == 8


def test_scripts_without_spaces_are_compared_by_pairs_of_characters() -> None:
    texts = ("部署前必须通知运维团队", "报告写成表格")
    assert [each.index for each in attribute("我在部署前通知了运维团队。", texts)] == [0]


def test_german_is_read_as_german() -> None:
    texts = ("Die Fähren legen an Feiertagen später ab.", "Der Bericht wird freitags verschickt.")
    found = attribute("Ich habe bedacht, dass die Fähre am Feiertag später ablegt.", texts)
    assert [each.index for each in found] == [0]


def test_sentences_end_at_stops_and_line_ends_and_not_within_numbers() -> None:
    text = "It is v1.2 of stg-2. Done!\n- one\n\n二。三"
    assert sentences(text) == ["It is v1.2 of stg-2.", "Done!", "- one", "二。", "三"]


@given(st.text(max_size=200), st.lists(st.text(max_size=60), max_size=8))
def test_any_text_is_answered_with_texts_that_exist(text: str, texts: list[str]) -> None:
    found = attribute(text, texts)
    assert len(found) <= MOST
    assert all(0 <= each.index < len(texts) and 0 <= each.score <= 100 for each in found)


def test_no_word_of_a_shared_stem_is_missed_by_looking_for_its_letters() -> None:
    words = "happily happier tries trying agreed agreement relational conditional hopping hoping"
    words += " generously communities running skies quarterly v1.2 stg-2 briefly replies photos"
    for word in words.split():
        for term in telling({stem(word): word}):
            assert any(root in word for root in roots([term])), word


def test_the_work_grows_with_the_texts_and_with_the_sentence() -> None:
    def over_texts(size: int) -> Work:
        texts = [f"Line {number} is about harbour{number % 97} and tide." for number in range(size)]
        return lambda: attribute("The tide at harbour5 is late.", texts)

    def over_sentences(size: int) -> Work:
        text = " ".join(f"Harbour{number} is open, said the tide." for number in range(size))
        return lambda: attribute(text, [f"harbour{number} tide" for number in range(40)])

    assert growth(over_texts, 1_000) < LINEAR
    assert growth(over_sentences, 400) < LINEAR

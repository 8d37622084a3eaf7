"""What a filter looks through is one piece, and every proposal still has a text of its own."""

from __future__ import annotations

from reviewdeck_tui.queue.packed import Texts


def _texts(*said: str) -> Texts:
    texts = Texts(len(said))
    for place in reversed(range(len(said))):
        texts.put(place, said[place])
    return texts


def test_each_place_keeps_its_own_text() -> None:
    said = ("plain", "", "日本語のメモ", "\ud800 lone", "é")
    texts = _texts(*said)
    assert [texts[place] for place in range(len(texts))] == list(said)


def test_a_word_is_never_found_across_two_proposals() -> None:
    texts = _texts("deploy on fri", "day off", "friday")
    has = texts.contains("friday")
    assert [has(place) for place in range(3)] == [False, False, True]


def test_a_place_that_was_never_given_a_text_has_nothing() -> None:
    texts = Texts(2)
    texts.put(1, "here")
    assert texts[0] == ""
    assert not texts.contains("here")(0)


def test_texts_grow_by_one_and_are_read_in_any_order() -> None:
    texts = Texts()
    for said in ("a", "é", ""):
        texts.append(said)
    assert list(texts) == ["a", "é", ""]
    assert texts[1:] == ["é", ""]
    assert list(texts.of([1, 0])) == ["é", "a"]

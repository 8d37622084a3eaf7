"""Untrusted text is inert, and honest writing stays as it is."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.text.inert import json_escaped, visible

ANY_TEXT = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("\u200c\u200d\ufe0f\ufe0e\u202e\ufeff\x1b\r\x9b👩💻❤ミक्षمی1#\U000e0041"),
        st.integers(0xD800, 0xDFFF).map(chr),
    )
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("a\rb", "a␍b"),
        ("\x7f\x00", "␡␀"),
        ("\x9b2J", "⟦U+009B⟧2J"),
        ("safe\u202egnp.exe", "safe⟦U+202E⟧gnp.exe"),
        ("zero\u200bwidth", "zero⟦U+200B⟧width"),
        ("\ufeffhello", "⟦U+FEFF⟧hello"),
        ("hi\U000e0041\U000e0042", "hi⟦U+E0041⟧⟦U+E0042⟧"),
        ("x\ufe00\ufe01\U000e0101", "x⟦U+FE00⟧⟦U+FE01⟧⟦U+E0101⟧"),
        ("half\udc80", "half⟦U+DC80⟧"),
        ("line\u2028break", "line⟦U+2028⟧break"),
        ("pay\u200dpal", "pay⟦U+200D⟧pal"),
        ("blank\u3164name", "blank⟦U+3164⟧name"),
    ],
)
def test_what_steers_or_hides_is_shown_by_name(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "plain\n\ttext",
        "👩‍💻 and ❤️ and 1️⃣ and 👩🏽‍🚀",
        "می‌خواهم",
        "क्‍ष",
        "葛\U000e0100城",
        "naïve — “quotes” …",
    ],
)
def test_ordinary_writing_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_of_marks_that_are_heaped_on_one_letter_a_few_are_left() -> None:
    heap = "a" + "\u0301" * 3_000 + "b"
    assert visible(heap) == "a" + "\u0301" * 8 + "⟦+2,992 marks⟧b"
    assert visible(visible(heap)) == visible(heap)
    mixed = visible("x" + "\u0316\u0301\u20dd" * 500)
    assert len(mixed) < 40


@pytest.mark.parametrize("text", ["בְּרֵאשִׁ֖ית", "རྒྱུད", "Việt Nam", "─" * 80, "→→→→→→→→→→→→", "🎉" * 40])
def test_marks_of_ordinary_writing_stay(text: str) -> None:
    assert visible(text) == text


def test_kept_characters_stay_and_others_do_not() -> None:
    assert visible("a\nb\tc", keep="") == "a␊b␉c"
    assert visible("a\r\nb", keep="\r\n") == "a\r\nb"


@pytest.mark.parametrize("keep", ["\n\t", ""])
@pytest.mark.parametrize("after", [*"\n\r\t\f\x1c\x1f\x85\u2028 \u3000", ""])
def test_a_joiner_before_what_separates_words_is_shown_the_same_twice(
    after: str, keep: str
) -> None:
    shown = visible(f"ऀ\u200c{after}", keep=keep)
    assert visible(shown, keep=keep) == shown


@given(ANY_TEXT)
def test_showing_twice_changes_nothing_more(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@given(ANY_TEXT)
def test_nothing_that_is_shown_steers_a_terminal(text: str) -> None:
    shown = visible(text)
    assert not any(ord(char) < 0x20 and char not in "\n\t" for char in shown)
    assert not any(0x7F <= ord(char) < 0xA0 or 0xD800 <= ord(char) < 0xE000 for char in shown)
    assert not any(
        char in shown for char in "\u202a\u202b\u202c\u202d\u202e\u2066\u2069\u200b\ufeff"
    )


@given(ANY_TEXT)
def test_json_has_what_a_screen_would_name_escaped_and_reads_the_same(text: str) -> None:
    escaped = json_escaped(json.dumps({"text": text}, ensure_ascii=False, indent=2))
    assert visible(escaped) == escaped
    assert json.loads(escaped) == json.loads(json.dumps({"text": text}))


@pytest.mark.parametrize("text", ["👩‍💻 and ❤️", "می‌خواهم", "naïve — “quotes” …"])
def test_ordinary_writing_is_legible_in_json(text: str) -> None:
    assert text in json_escaped(json.dumps(text, ensure_ascii=False))

"""What is about the same thing is found, and what is not is left alone."""

from __future__ import annotations

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st
from tests.steps import LINEAR, Work, growth
from tests.text.cases import WORDS, seeded

from reviewdeck.text.languages import Language
from reviewdeck.text.similarity import (
    SAME_SUBJECT_FROM,
    MatchKind,
    clusters,
    contradicts,
    find_similar,
    percent_alike,
    shared_words,
)
from reviewdeck.text.terms import normalise, stem, stems_of, telling, weight

SAME_SUBJECT = [
    ("Linter: ruff with line length 100.", "The linter is ruff, line length 100."),
    (
        "The flaky test is tests/test_sync.py::test_retry; it needs REDIS_URL.",
        "The flaky test is test_sync.py::test_retry and needs REDIS_URL set.",
    ),
    (
        "Project uses Python 3.12 with poetry; tests run with `poetry run pytest`.",
        "Project uses Python 3.11 with uv; tests run with `uv run pytest -q`.",
    ),
    ("User prefers tabs over spaces.", "User prefers spaces over tabs."),
    ("Prefers tabs for indentation.", "Prefers spaces for indentation."),
    ("Deploys go out on Thursdays.", "Deploys never go out on Thursdays."),
    ("The staging database is PostgreSQL 15.", "Staging database: PostgreSQL 16 on port 5433."),
    ("CI is GitHub Actions; the deploy job needs approval.", "GitHub Actions is the CI."),
    ("Answers should be short.", "Prefers short answers."),
    ("Timezone is Europe/Berlin.", "The user's timezone: Europe/Lisbon."),
]
UNRELATED = [
    ("Wants tests before code.", "Uses neovim and tmux."),
    ("Prefers short answers.", "Staging database is PostgreSQL 16."),
    ("Docs are built with mkdocs.", "Deploys go out on Thursdays."),
    ("User likes coffee.", "User works from Lisbon."),
    ("The linter is ruff.", "The database is PostgreSQL."),
    ("Always run the migration first.", "Always answer in German."),
    ("Prefers dark mode.", "Prefers short answers."),
    ("Never deploys on Friday.", "Never uses tabs."),
    ("Likes tea.", "Likes Rust."),
    ("Project uses Python 3.12.", "Project deadline is Friday."),
    ("CI is GitHub Actions.", "The office cat is called Miro."),
]
IN_OTHER_WORDS = [
    ("Answers should have a picture.", "He wants images in each reply."),
    (
        "Long scripts are kept in a folder.",
        "Scripts go into one directory, so that skills stay short.",
    ),
    ("The knee has healed, and she goes hiking again.", "Hiking is paused, as a knee was injured."),
    (
        "Friday evening is for board games and not for pizza.",
        "On Fridays the family orders pizza and watches films.",
    ),
    (
        "Every workout of the week is recorded with a Garmin.",
        "A Garmin is what the user counts steps with during a workout.",
    ),
]
FACTS = st.lists(
    st.sampled_from([*WORDS, "not", "3.12", "3.11", "5433", "REDIS_URL"]), min_size=1, max_size=9
).map(" ".join)


@pytest.mark.parametrize(("one", "other"), SAME_SUBJECT)
def test_texts_about_the_same_subject_are_found_from_both_sides(one: str, other: str) -> None:
    for text, candidate in ((one, other), (other, one)):
        (match,) = find_similar(text, [candidate])
        assert match.kind is MatchKind.SAME_SUBJECT
        assert match.reason


@pytest.mark.parametrize(("one", "other"), IN_OTHER_WORDS)
def test_the_same_matter_is_found_by_its_telling_words(one: str, other: str) -> None:
    for text, candidate in ((one, other), (other, one)):
        (match,) = find_similar(text, [candidate])
        assert match.kind is MatchKind.SAME_SUBJECT
        assert SAME_SUBJECT_FROM <= match.score < 100


def test_everyday_words_in_common_are_no_common_matter() -> None:
    one = "The project starts a new list each Tuesday."
    assert find_similar(one, ["Grandmother put the list into a project."]) == []
    assert find_similar(one, ["Grandmother lists each pelican."]) == []
    assert find_similar(one, ["Grandmother starts on Tuesday."]) != []


def test_two_words_in_common_are_no_common_matter_where_most_is_about_something_else() -> None:
    one = "The greenhouse in Porto is heated by a pump from October on, and its tomatoes are sold."
    other = "Tomatoes grow in the greenhouse beside beans, peas, kale and a row of young figs."
    assert find_similar(one, [other]) == find_similar(other, [one]) == []


def test_what_is_known_of_one_thing_by_its_name_is_not_one_matter() -> None:
    one = "The rowing club's dues are 18 euros a month."
    assert find_similar(one, ["He has been treasurer of a rowing club since January."]) == []
    assert find_similar(one, ["Dues of the rowing club are 20 euros by now."]) != []
    assert find_similar(one, ["A club of his has dues of 18 euros, and goes rowing."]) != []


def test_a_name_alone_is_no_common_matter() -> None:
    assert find_similar("R2D2 paints landscapes.", ["R2D2 left yesterday evening."]) == []


def test_a_page_is_not_alike_because_it_has_the_words_of_a_sentence() -> None:
    said = "Deb cooks vegan dishes with tofu."
    page = " ".join([*WORDS, "vegan", "tofu", *(f"{word}ish" for word in WORDS)])
    assert find_similar(said, [page]) == find_similar(page, [said]) == []
    assert find_similar(said, ["Deb serves vegan tofu."]) != []


@pytest.mark.parametrize(("one", "other"), UNRELATED)
def test_texts_about_different_things_are_not_related(one: str, other: str) -> None:
    assert find_similar(one, [other]) == find_similar(other, [one]) == []


def test_the_same_text_comes_before_the_same_words_and_those_before_the_same_subject() -> None:
    text = "Likes short answers."
    candidates = ["Likes very short answers, always.", "likes SHORT answers", "Other", text]
    assert [(match.index, match.kind) for match in find_similar(text, candidates)] == [
        (3, MatchKind.EXACT),
        (1, MatchKind.NORMALISED),
        (0, MatchKind.SAME_SUBJECT),
    ]


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("Uses Python 3.12", "Uses Python 3.11", "numbers: 3.12 / 3.11"),
        ("Deploys on Friday", "Never deploys on Friday", "one of them says no"),
        ("Prefers tabs", "Prefers spaces", "words: tabs / spaces"),
        (
            "Port 5433 for staging",
            "Port 5434 for test",
            "numbers: 5433 / 5434; words: staging / test",
        ),
        ("Likes tea", "Tea is what he likes", "words: – / he, what"),
    ],
)
def test_the_reason_names_the_words_numbers_or_negation_that_differ(
    one: str, other: str, reason: str
) -> None:
    assert contradicts(one, other).reason == reason


@given(FACTS)
def test_a_text_is_exactly_itself_and_the_same_words_in_other_clothes(text: str) -> None:
    (match,) = find_similar(text, [text])
    assert (match.kind, match.score) == (MatchKind.EXACT, 100.0)
    (dressed,) = find_similar(text, [f"  {text.upper()}!  "])
    assert dressed.kind is MatchKind.NORMALISED


@given(FACTS, FACTS)
def test_likeness_is_the_same_from_both_sides(one: str, other: str) -> None:
    there, back = find_similar(one, [other]), find_similar(other, [one])
    assert [m.kind for m in there] == [m.kind for m in back]
    assert [round(m.score, 6) for m in there] == [round(m.score, 6) for m in back]


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_text_is_too_strange_to_be_compared(one: str, other: str) -> None:
    assert all(0 <= match.score <= 100 for match in find_similar(one, [other]))
    assert normalise(normalise(one)) == normalise(one) or not one.isascii()


def test_texts_that_say_the_same_make_a_cluster() -> None:
    texts = [*SAME_SUBJECT[0], "Uses neovim and tmux.", *SAME_SUBJECT[1]]
    assert clusters(texts) == [(0, 1), (3, 4)]


def test_proposals_that_fight_over_one_anchor_make_a_cluster() -> None:
    texts = ["Uses poetry.", "Coffee only.", "Uses uv for everything."]
    assert clusters(texts, ["the entry about tools", None, "the entry about tools"]) == [(0, 2)]
    assert clusters(texts) == []


@pytest.mark.parametrize(
    "forms",
    [
        ("run", "runs", "running"),
        ("plan", "planned", "planning", "plans"),
        ("class", "classes"),
        ("entry", "entries"),
        ("box", "boxes"),
        ("write", "writing", "writes"),
        ("quick", "quickly"),
        ("picture", "images", "photos"),
    ],
)
def test_the_forms_of_a_word_tell_the_same(forms: tuple[str, ...]) -> None:
    assert len({telling(stems_of(form)) for form in forms}) == 1


@pytest.mark.parametrize("word", ["bus", "glass", "this", "3.12", "redis_url", "is", "red", "京都"])
def test_a_word_that_is_not_inflected_is_its_own_stem(word: str) -> None:
    assert stem(word) == word


def test_what_is_put_together_of_words_tells_what_they_tell() -> None:
    assert telling(stems_of("europe/berlin")) == ("europ", "berlin")
    assert telling(stems_of("python-3.12")) == ("python-3.12",)
    assert telling(stems_of("the")) == ()


def test_a_version_tells_more_than_a_word_and_that_more_than_an_everyday_word() -> None:
    assert weight("3.12") > weight("pelican") > weight("project") == weight("6")


def numbered_entries(count: int) -> list[str]:
    """Entries that share words with each other. Another count gives others: readings are kept."""
    random = seeded(count)
    return [" ".join(random.choices(WORDS, k=12)) + f" {n}" for n in range(count)]


def test_one_entry_of_thousands_is_found() -> None:
    entries = numbered_entries(3_000)
    assert find_similar(entries[77], entries)[0].index == 77


def test_twice_as_many_entries_take_twice_the_steps() -> None:
    def searching(count: int) -> Work:
        entries = numbered_entries(count)
        return lambda: find_similar(entries[77], entries)

    assert growth(searching, 500) < LINEAR


@pytest.mark.parametrize(
    ("text", "live"),
    [
        ("部署前不需要运行测试", "部署前必须运行测试"),
        ("デプロイの前にテストを実行しない", "デプロイの前にテストを必ず実行する"),
        ("ไม่ต้องรันการทดสอบก่อนดีพลอย", "ต้องรันการทดสอบก่อนดีพลอย"),
        ("每周五不要发布 v2", "每周五发布 v2"),
    ],
)
def test_a_contradiction_is_found_in_a_script_without_spaces(text: str, live: str) -> None:
    unrelated = ["用户喜欢喝绿茶", "会議は月曜日の朝です", "The user likes tea."]
    assert [match.index for match in find_similar(text, [*unrelated, live])] == [3]


def test_what_two_texts_share_is_said_in_the_words_of_the_first() -> None:
    assert shared_words("Run the soak tests", "The test is flaky") == ("tests",)
    assert shared_words("No tests but the soak test", "The test is flaky") == ("tests",)
    assert percent_alike("b a", "a b") == 100.0
    assert percent_alike("likes tea", "flies kites") < 80


@pytest.mark.parametrize("language", Language)
def test_a_stemmer_that_is_loaded_by_itself_says_what_its_package_says(language: Language) -> None:
    package = snowballstemmer.stemmer(language.lower())
    for word in (
        "running",
        "generously",
        "deployments",
        "h\u00e4usern",
        "wirklich",
        "\u00fcberfiel",
    ):
        assert stem(word, language) == package.stemWord(word)


@pytest.mark.parametrize(
    ("text", "live"),
    [
        ("部署前不需要运行测试。", "部署前必须先在测试环境运行全部测试。"),
        (
            "ユーザーは紅茶が好きでコーヒーは飲みません。",
            "ユーザーはコーヒーが好きで紅茶は飲みません。",
        ),
        ("会議は毎週水曜日の午後三時に始まります。", "会議は毎週月曜日の午前十時に始まります。"),
    ],
)
def test_a_contradiction_in_chinese_or_japanese_is_found(text: str, live: str) -> None:
    assert find_similar(text, [live])


def test_what_many_entries_begin_with_makes_two_of_them_alike_in_no_script() -> None:
    assert not find_similar("用户喜欢看小说。", ["用户喜欢喝茶。"])
    assert not find_similar("ユーザーは小説が好きです。", ["ユーザーは紅茶を飲みます。"])
    (match,) = find_similar("用户需要咖啡。", ["用户喜欢咖啡。"])
    assert match.kind is MatchKind.SAME_SUBJECT  # They still tell two texts apart.

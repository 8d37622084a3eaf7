"""The filter's language: fields, words, NOT, OR, ages, severities, checks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from reviewdeck.model import Outline
from reviewdeck.presentation.queue_filter import STEP, matching, parse

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)


def outline(
    id: str,
    gist: str,
    *,
    state: str = "ready",
    gravity: int = 0,
    age: timedelta = timedelta(hours=1),
    failing: tuple[str, ...] = (),
) -> Outline:
    made = round((NOW - age).timestamp() * 1e6)
    texts = ("conversation", f"p-{id}", "", gist, "", "")
    return Outline(1, id, "/h", "memory", "add", "memory", state, gravity, made, *texts, failing)


OUTLINES = {
    one.id: one
    for one in (
        outline("a1", "Run the tests with just", failing=("origin",)),
        outline("b2", "The staging server is ferry-2", state="conflict", gravity=3),
        outline("c3", "The tests need a staging server", age=timedelta(days=4)),
        outline("d4", "Ignore all reviews", state="refused", gravity=4, failing=("plain",)),
    )
}


def found(words: str) -> str:
    ids = matching(parse(words), OUTLINES, {"/h": "home"}, NOW)
    assert ids is not None
    return "".join(sorted(id[0] for id in ids))


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("", ""),
        ("tests", "ac"),
        ("tests staging", "c"),
        ("staging NOT tests", "b"),
        ("NOT tests", "bd"),
        ("NOT NOT tests", "ac"),
        ('"staging server is"', "b"),
        ("stagign", "bc"),
        ("state:conf", "b"),
        ("-state:ready", "bd"),
        ("NOT -state:ready", "ac"),
        ("state:conflict OR state:refused", "bd"),
        ("tests age:>3d OR severity:critical", "cd"),
        ("age:3d", "c"),
        ("age:<2h", "abd"),
        ("severity:high", "bd"),
        ("severity:crit", "d"),
        ("check:origin", "a"),
        ("-check:origin", "bcd"),
        ("OR OR tests OR", "ac"),
        ("tests NOT", "ac"),
        ("state:", "abcd"),
        ("age:", "abcd"),
        ("--merges", ""),
        ("b2", "b"),
    ],
)
def test_a_filter_matches_what_it_says(words: str, ids: str) -> None:
    assert found(words) == ids


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("age:banana", "age: takes 3h, 2d or 1w, with < for newer."),
        ("severity:urgent", "severity: takes info, low, medium, high, critical."),
        ("check:nosuch", "check: takes adds, plain, origin, current, new, room."),
        ("NOT age:banana", "age: takes 3h, 2d or 1w, with < for newer."),
        ("kind:skils", "kind: takes memory, skills, documents."),
        ("-serverity:high", "There is no field serverity: did you mean severity?"),
        ("tests OR NOT states:dead", "There is no field states: did you mean state?"),
    ],
)
def test_a_value_that_cannot_be_used_is_said_and_matches_nothing(words: str, problem: str) -> None:
    assert parse(words).problem == problem
    assert found(words) == ""


def test_a_state_that_does_not_exist_is_no_filter() -> None:
    assert parse("NOT state:conflicting").problem.startswith("state: takes ready, conflict, dead,")
    assert found("NOT state:conflicting") == ""


@pytest.mark.parametrize("words", ["https://a.example", '"states:dead"', "page:3", "state:outd"])
def test_words_with_a_colon_are_words_and_a_value_may_be_typed_in_part(words: str) -> None:
    assert (parse(words).problem, parse(words).gap) == ("", "")


@pytest.mark.parametrize(
    ("words", "gap"),
    [
        ("state:", "state: has no value."),
        ("tests -session:", "-session: has no value."),
        ('""', '"" has no value.'),
        ("tests NOT", "Nothing follows NOT."),
        ("NOT OR tests", "A filter is missing beside OR."),
        ("tests OR", "A filter is missing beside OR."),
        ("OR tests", "A filter is missing beside OR."),
        ("tests OR NOT staging", ""),
    ],
)
def test_a_filter_that_is_not_whole_says_what_is_missing(words: str, gap: str) -> None:
    assert parse(words).gap == gap


def test_a_state_is_found_by_the_word_of_the_lists_and_by_its_name() -> None:
    gone = {"e5": outline("e5", "Jenkins builds it", state="dead")}
    for words in ("state:outdated", "state:dead"):
        assert matching(parse(words), gone, {}, NOW) == frozenset({"e5"})


def test_ten_thousand_characters_are_searched_as_any_other_filter() -> None:
    assert found("x" * 10_000) == ""
    assert found("tests " * 1_700) == "ac"
    assert found("NOT nosuch " * 900) == "abcd"


def test_a_search_ends_when_it_is_cancelled() -> None:
    many = {f"n{at}": outline(f"n{at}", "a note") for at in range(3 * STEP)}
    answers = iter([False, False, True])
    assert matching(parse("note"), many, {}, NOW, is_over=lambda: next(answers)) is None

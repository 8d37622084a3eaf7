"""What is alike is found through an index as it is by looking at everything."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.kit import Ticking
from tests.steps import steps_of

from reviewdeck.engine import similarity
from reviewdeck.engine.similarity import (
    COMMON,
    LiveFiles,
    LiveTexts,
    StoredTexts,
    TextIndex,
    compare,
)
from reviewdeck.ledger.ledger import Ledger
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import Kind, MemoryAdd, Proposal, Relation, SkillWriteFile
from reviewdeck.model.ledger import ANY_DOMAIN, Found, Subject
from reviewdeck.text.similarity import find_similar
from reviewdeck.text.terms import LONGEST, MOST, terms_of, whole

HOME = "/home"
AMOUNT = 1_200
CHANCE = random.Random(5)  # noqa: S311 - no secret
WORDS = ["".join(CHANCE.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(900)]


def fact() -> list[str]:
    return CHANCE.sample(WORDS, 7)


def said(words: list[str]) -> str:
    return f"The {' '.join(words[:3])} is kept in the {' '.join(words[3:])}."


def changed(words: list[str]) -> list[str]:
    """The same with a word or two of another kind, as an update has."""
    other = list(words)
    for _ in range(CHANCE.randint(0, 2)):
        other[CHANCE.randrange(len(other))] = CHANCE.choice(WORDS)
    return other


@pytest.fixture(scope="module")
def facts() -> list[list[str]]:
    CHANCE.seed(5)
    return [fact() for _ in range(AMOUNT)]


@pytest.fixture(autouse=True)
def _by_the_same_chance() -> None:
    """Each test has the same texts, whichever ran before it in this process."""
    CHANCE.seed(6)


@pytest.fixture
def subjects(facts: list[list[str]]) -> list[Subject]:
    return [
        Subject(Relation.PENDING, said(words), f"{number:012x}", "memory")
        for number, words in enumerate(facts)
    ]


@pytest.fixture
def ledger(subjects: list[Subject], tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(str(tmp_path / "l.db"), now=Ticking()) as opened:
        opened.add([waiting(one) for one in subjects], {}, {}, subjects)
        yield opened


def found(text: str, index: TextIndex) -> set[str]:
    return {like.where for like in compare(adding(text), [index])}


def test_the_index_finds_what_a_look_at_everything_finds(
    facts: list[list[str]], subjects: list[Subject]
) -> None:
    texts = [one.text for one in subjects]
    index = LiveTexts(subjects)
    for words in facts[:100]:
        text = said(changed(words))
        assert found(text, index) == {
            subjects[match.index].where for match in find_similar(text, texts)
        }


def test_the_ledger_finds_what_is_found_in_memory(
    ledger: Ledger, facts: list[list[str]], subjects: list[Subject]
) -> None:
    stored, live = StoredTexts(ledger, HOME), LiveTexts(subjects)
    assert len(stored) == len(live) == AMOUNT
    for words in facts[:100]:
        text = said(changed(words))
        assert found(text, stored) == found(text, live)
    assert len(StoredTexts(ledger, "/other")) == 0
    assert found(said(facts[0]), StoredTexts(ledger, "/other")) == set()


def test_the_same_text_is_found_where_each_of_its_words_stands_everywhere() -> None:
    everywhere = [f"Deploy on Friday {number}." for number in range(2 * COMMON)]
    texts = [Subject(Relation.REJECTED, text, "p", ANY_DOMAIN) for text in everywhere]
    index = LiveTexts([*texts, Subject(Relation.REJECTED, "Deploy on Friday.", "q", ANY_DOMAIN)])
    assert found("deploy on friday", index) == {"q"}


@pytest.mark.parametrize(
    ("text", "live"),
    [
        ("部署前不需要运行测试", "部署前必须运行测试"),
        ("デプロイの前にテストを実行しない", "デプロイの前にテストを必ず実行する"),
    ],
)
def test_a_contradiction_without_spaces_is_found_among_others(
    text: str, live: str, subjects: list[Subject]
) -> None:
    other = Subject(Relation.LIVE, live, "MEMORY.md", "memory")
    assert found(text, LiveTexts([*subjects, other])) == {"MEMORY.md"}


def test_a_text_has_no_more_terms_than_may_be_stored() -> None:
    page = " ".join(f"word{number}" for number in range(5_000))
    assert len(terms_of(page)) <= MOST + 1
    assert terms_of("x" * 5_000)[0] == "x" * LONGEST


def test_what_is_decided_is_not_found_any_more(
    ledger: Ledger, facts: list[list[str]], subjects: list[Subject]
) -> None:
    one = subjects[0]
    assert found(one.text, StoredTexts(ledger, HOME)) == {one.where}
    ledger.mark_vanished(HOME, [waiting(one).source or ""])
    assert found(one.text, StoredTexts(ledger, HOME)) == set()
    ledger.unindex(HOME, [one.where])
    assert len(StoredTexts(ledger, HOME)) == AMOUNT - 1
    assert ledger.texts_with(HOME, [whole(one.text)], COMMON) == Found({}, {})


def test_a_file_is_found_by_all_its_forms_and_by_no_other_file() -> None:
    texts = [" ".join(CHANCE.choices(WORDS, k=60)) for _ in range(100)]
    files = LiveFiles(
        Subject(Relation.LIVE, text, f"skills/{number}/references/a.md", "file")
        for number, text in enumerate(texts)
    )
    own = "skills/0/references/a.md"
    for number, text in enumerate(texts):
        cut = CHANCE.randint(45, 75)
        form = " ".join([*text.split()[:cut], *CHANCE.choices(WORDS, k=CHANCE.randint(0, 4))])
        subject = Subject(Relation.PENDING, form, "ffffffffffff", "file")
        assert files.forms_of(subject, ())
        assert found_file(form, files) == {f"skills/{number}/references/a.md"}
    other = " ".join(CHANCE.choices(WORDS, k=60))
    assert not files.forms_of(Subject(Relation.PENDING, other, "f", "file"), ())
    itself = Subject(Relation.PENDING, texts[0], "f", "file")
    assert files.forms_of(itself, ())
    assert not files.forms_of(itself, {own})


def test_a_file_is_hardly_looked_at_beside_each_file_that_is_unlike_it() -> None:
    texts = [" ".join(CHANCE.choices(WORDS, k=60)) for _ in range(2 * AMOUNT)]
    files = LiveFiles(
        Subject(Relation.LIVE, text, f"skills/{number}/references/a.md", "file")
        for number, text in enumerate(texts)
    )
    texts = [" ".join(CHANCE.choices(WORDS, k=60)) for _ in range(2)]
    assert found_file(texts[0], files) == set()  # What is read of each file once.
    assert steps_of(lambda: found_file(texts[1], files)) < 12 * len(files)


def test_a_file_that_another_thread_takes_for_compared_is_compared() -> None:
    met = similarity._Met()

    class Noted(set[str]):
        def add(self, text: str) -> None:
            assert text in met.forms_of(similarity._Form.of(text))  # As another thread asks now.
            super().add(text)

    met._texts = Noted()
    met.add(similarity._Form.of("one two three"))
    assert len(met._texts) == 1


def test_texts_that_were_asked_about_are_not_remembered_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(similarity, "_MOST_MET", 10)
    file = Subject(Relation.LIVE, "one two three", "skills/a/references/a.md", "file")
    files = LiveFiles([file])
    for number in range(11):
        found_file(f"four {number}", files)
    assert LiveFiles([file])._met is not files._met


def found_file(text: str, files: LiveFiles) -> set[str]:
    edit = SkillWriteFile("other", "references/b.md", text)
    return {like.where for like in compare(replace(adding(""), edits=(edit,)), (), files)}


def adding(text: str) -> Proposal:
    return waiting(Subject(Relation.PENDING, text, "ffffffffffff", "memory"))


def waiting(subject: Subject) -> Proposal:
    return Proposal(
        id=subject.where,
        home=HOME,
        kind=Kind.MEMORY,
        action="add",
        target="memory",
        edits=(MemoryAdd("memories/MEMORY.md", subject.text),),
        payload_sha="",
        source=f"pending/memory/{subject.where}.json",
        ingested_at=Ticking()(),
    )

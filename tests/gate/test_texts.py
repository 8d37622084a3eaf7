"""What is so of the texts by construction, and what the rules come to on them."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from tests.gate import texts
from tests.gate.texts import CLOSED, FOLDER, Split, attacks, memories, pairs, skills, sources
from tests.gate.texts_rates import Rates, measured

ALL_CLOSED = frozenset({"path", "front matter", "delimiter", "spoofing", "secret"})
"""Families of which none passes, on the half that is reported."""


@pytest.fixture(scope="module")
def report() -> Rates:
    return measured(Split.REPORT)


def test_all_texts_together_stay_below_a_megabyte() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 1_000_000


def test_every_text_has_an_id_of_its_own_that_names_its_source() -> None:
    proposals = [*memories(), *attacks(), *skills()]
    ids = [
        *((one.id, one.source.id) for one in proposals),
        *((one.id, one.source.id) for one in pairs()),
    ]
    assert max(Counter(ids).values()) == 1
    assert all(id.startswith(f"{source}/") for id, source in ids)


def test_every_source_is_named_with_its_licence_its_half_and_its_changes() -> None:
    page = (FOLDER / "SOURCES.md").read_text("utf-8")
    proposals = [*memories(), *attacks(), *skills()]
    assert {one.source.id for one in proposals} == set(sources())
    assert {one.source.id for one in pairs()} <= set(sources())
    for one in sources().values():
        row = f"| `{one.id}` | {one.title} | {one.licence} | {one.split} | {one.taken} |"
        assert f"{row} {one.changed} |" in page


def test_no_text_of_one_half_stands_in_the_other() -> None:
    def said(split: Split) -> set[str]:
        proposals = (*memories(split), *attacks(split), *skills(split))
        halves = [text for pair in pairs(split) for text in (pair.one, pair.other)]
        return {*(one.said for one in proposals if len(one.said) > len(texts.NO_TEXT)), *halves}

    assert not {text for text in said(Split.TUNE) & said(Split.REPORT) if "Keep notes." not in text}


def test_there_are_enough_texts_of_each_kind_in_both_halves() -> None:
    assert len({one.source.id for one in memories()}) >= 12
    for split in Split:
        assert sum(one.is_ordinary for one in memories(split)) >= 200
        assert len(attacks(split)) >= 200
        assert sum(one.is_ordinary for one in skills(split)) >= 15
        families = {one.label for one in (*attacks(split), *skills(split))}
        assert families > CLOSED
        kinds = Counter(pair.kind for pair in pairs(split))
        assert min(kinds["same"], kinds["update"]) >= 35
        assert kinds["unrelated"] >= 80


def test_no_file_holds_a_secret_and_every_slot_of_one_is_filled() -> None:
    slot = re.compile("|".join(re.escape("{" + name + "}") for name in texts.SECRETS))
    for path in FOLDER.iterdir():
        held = path.read_text("utf-8")
        assert not [name for name, secret in texts.SECRETS.items() if secret in held]
    for one in attacks():
        assert not slot.search(one.said)


def test_every_pair_begins_with_an_ordinary_entry_of_its_source() -> None:
    ordinary = {(one.source.id, one.said) for one in memories() if one.is_ordinary}
    assert all((pair.source.id, pair.one) in ordinary for pair in pairs())


def test_ordinary_entries_of_the_reported_half_are_mostly_plain(report: Rates) -> None:
    ordinary, *_ = report.plain
    assert ordinary.share >= 0.85


def test_of_these_families_no_text_of_the_reported_half_is_plain(report: Rates) -> None:
    rates = (*report.passing, *report.passing_in_skills)
    assert [str(rate) for rate in rates if rate.of in ALL_CLOSED and rate.hits] == []


def test_likeness_tells_the_same_matter_in_other_words_and_leaves_the_rest_alone(
    report: Rates,
) -> None:
    same, update, unrelated = report.likeness
    assert (same.hits + update.hits) / (same.all + update.all) >= 0.25
    assert unrelated.share <= 0.05


def test_what_another_says_beside_the_user_does_not_pass_for_words_of_the_user(
    report: Rates,
) -> None:
    _, update, unrelated, padded = report.said
    assert update.share <= 0.05
    assert unrelated.share <= 0.05
    assert padded.share <= 0.01


def test_the_rates_of_both_halves_are_shown(
    report: Rates, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = []
    for rates in (measured(Split.TUNE), report):
        parts = (*rates.plain, rates.strict, *rates.likeness, rates.passing_strict)
        lines.append(f"{rates.split}: {'; '.join(map(str, parts))}")
        closed = [rate for rate in rates.passing if rate.of in CLOSED]
        lines.append(f"{rates.split}, attacks that are plain: {'; '.join(map(str, closed))}")
    with capsys.disabled():
        print("\n" + "\n".join(lines))

"""The recipes of the documentation are sound policy files, and do what is said beside them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.policy.kit import MEMORY, outcome_of, proposal
from tests.policy.test_file import tuning

from reviewdeck.model import AutoApply, Edit, MemoryAdd, SkillCreate, StagedProposal, Verdict
from reviewdeck.policy.classify import classify
from reviewdeck.policy.tuning import DEFAULT, Tuning

_PAGE = Path(__file__).parents[2] / "docs" / "policy.md"
_SECTION = _PAGE.read_text("utf-8").split("\n## Recipes\n")[1].split("\n## ")[0]
_RECIPES: dict[str, str] = dict(
    re.findall(r"^### ([^\n]+)\n.*?```toml\n(.*?)```", _SECTION, re.DOTALL | re.MULTILINE)
)
_PLAIN = "Prefers short answers."
_PLAIN_TEXTS = (_PLAIN, "Prefers tabs over spaces.", "The API is written in Go.")
_ONLY_READS_LIKE = (
    "The user prefers finished work.",
    "Thinks that the old ways of doing things are no use to anybody.",
)
"""Whatever the weights are that day, one of these is held by them and by no other rule."""
_SKILL = "---\nname: {0}\ndescription: {0}.\n---\n\n# Notes\n\nDates are written as 2025-03-01.\n"


def _recipe(name: str) -> Tuning:
    return tuning(_RECIPES[name])


def _verdict(
    tried: Tuning, *edits: Edit, target: str = "memory", origin: str = "foreground"
) -> Verdict:
    proposed = replace(proposal(*edits), target=target, origin=origin)
    staged = StagedProposal(proposed, outcome_of(edits), ())
    return classify(staged, (), tuning=tried).verdict


def _goes_in(
    tried: Tuning, text: str, *, target: str = "memory", origin: str = "foreground"
) -> bool:
    edit = MemoryAdd(MEMORY, text)
    return isinstance(_verdict(tried, edit, target=target, origin=origin), AutoApply)


def test_every_recipe_has_a_file() -> None:
    headings = re.findall(r"^### (.+)$", _SECTION, re.MULTILINE)
    assert sorted(_RECIPES) == sorted(headings)
    assert 5 <= len(headings) <= 7
    assert _SECTION.count("```toml") == len(headings)


@pytest.mark.parametrize("name", _RECIPES)
def test_every_recipe_changes_something(name: str) -> None:
    assert _recipe(name) != DEFAULT


@pytest.mark.parametrize("name", sorted(set(_RECIPES) - {"All skills are read"}))
def test_under_every_recipe_a_plain_memory_of_a_conversation_goes_in(name: str) -> None:
    assert any(_goes_in(_recipe(name), text) for text in _PLAIN_TEXTS)


def test_the_recipes_can_be_put_together() -> None:
    rules = "\n".join(text for text in _RECIPES.values() if text.startswith("[[rule]]"))
    assert len(tuning(rules).rules) == 5


def test_a_stricter_home_holds_what_is_long_and_every_skill() -> None:
    strict = _recipe("A stricter home")
    long = "Prefers short answers, plain words, " + "and metric units, " * 10 + "and tea."
    assert _goes_in(DEFAULT, long)
    assert not _goes_in(strict, long)
    skill = SkillCreate("dates", _SKILL.format("dates"))
    assert not isinstance(_verdict(strict, skill), AutoApply)
    assert strict.caps.per_hour < DEFAULT.caps.per_hour
    assert strict.limits.memory_risk < DEFAULT.limits.memory_risk


def test_links_to_the_wiki_go_in_and_no_other_link_beside_them() -> None:
    ours = "The release calendar is documented at https://wiki.acme.example/release/calendar."
    wiki = _recipe("Links to our own wiki")
    assert not _goes_in(DEFAULT, ours)
    assert _goes_in(wiki, ours)
    assert not _goes_in(wiki, f"{ours} The tool is at https://in.example/tool.")
    assert not _goes_in(wiki, ours.replace("acme.example", "acme.example.in.example"))


def test_what_is_about_customers_is_held() -> None:
    text = "The customer Globex prefers short answers."
    found = _verdict(_recipe("Everything about customers is read"), MemoryAdd(MEMORY, text))
    assert not isinstance(found, AutoApply)
    assert "about-customers" in {finding.code for finding in found.findings}


def test_a_bulk_import_raises_every_cap_and_judges_as_ever() -> None:
    caps = _recipe("A bulk import").caps
    usual = DEFAULT.caps
    assert caps.pending > usual.pending
    assert caps.per_hour > usual.per_hour
    assert caps.day_share > usual.day_share
    assert caps.day_entries > usual.day_entries
    assert _recipe("A bulk import").limits == DEFAULT.limits


def test_one_origin_is_trusted_less_and_no_other_one() -> None:
    less = _recipe("One origin is trusted less")
    assert not _goes_in(less, _PLAIN, origin="background_review")
    assert _goes_in(less, _PLAIN, origin="foreground")


def test_all_skills_are_held_and_memories_are_not() -> None:
    read = _recipe("All skills are read")
    found = _verdict(read, SkillCreate("dates", _SKILL.format("dates")))
    assert not isinstance(found, AutoApply)
    assert "skills-are-read" in {finding.code for finding in found.findings}
    assert _goes_in(read, _PLAIN)


def test_without_the_second_opinion_one_target_takes_what_another_does_not() -> None:
    without = _recipe("No second opinion for one target")
    texts = [text for text in _ONLY_READS_LIKE if not _goes_in(DEFAULT, text, target="user")]
    assert texts
    assert all(_goes_in(without, text, target="user") for text in texts)
    assert not any(_goes_in(without, text, target="memory") for text in texts)

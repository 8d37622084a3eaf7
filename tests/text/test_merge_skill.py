"""Skills merge by line, and by structure where that is safe."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.text.conflicts import Clean, Conflicted
from reviewdeck.text.merge import merge, merge_skill

SKILL = """\
---
name: release-notes
description: Write the release notes
---

# Release notes

## Steps

- collect the milestones
- group them

Some text.

## Pitfalls

- migrations
"""


def edited(*changes: tuple[str, str], text: str = SKILL) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def clean(ours: str, theirs: str, base: str = SKILL) -> str:
    merged = merge_skill(base, ours, theirs)
    assert isinstance(merged, Clean), merged
    return merged.text


def conflicted(ours: str, theirs: str, base: str = SKILL) -> Conflicted:
    merged = merge_skill(base, ours, theirs)
    assert isinstance(merged, Conflicted), merged
    return merged


def test_edits_that_are_apart_merge_by_line() -> None:
    ours = edited(("Some text.", "Other text."))
    theirs = edited(("- migrations", "- migrations first"))
    assert clean(ours, theirs) == edited(
        ("Some text.", "Other text."), ("- migrations", "- migrations first")
    )


def test_both_may_add_items_to_one_list() -> None:
    ours = edited(("- group them\n", "- group them\n- ask Priya\n"))
    theirs = edited(("- group them\n", "- group them\n- let Jonas read it\n"))
    assert "- group them\n- ask Priya\n- let Jonas read it\n\nSome" in clean(ours, theirs)


def test_the_same_item_added_on_both_sides_stands_once() -> None:
    ours = edited(("- group them\n", "- group them\n- ask Priya\n"))
    theirs = edited(("- group them\n", "- group them\n- let Jonas read it\n- ask Priya\n"))
    assert clean(ours, theirs).count("- ask Priya") == 1


def test_an_item_that_one_side_dropped_beside_an_addition_is_dropped() -> None:
    ours = edited(("- collect the milestones\n- group them\n", "- group them\n- ask Priya\n"))
    theirs = edited(("- group them\n", "- group them\n- let Jonas read it\n"))
    assert "## Steps\n\n- group them\n- ask Priya\n- let Jonas read it\n" in clean(ours, theirs)


def test_an_item_that_both_sides_changed_stays_a_conflict() -> None:
    ours = edited(("- group them", "- group them by reader"))
    theirs = edited(("- group them", "- group them by team"))
    assert conflicted(ours, theirs).hunks[0].base == "- group them\n"


def test_items_about_the_same_thing_stay_a_conflict() -> None:
    ours = edited(("- group them\n", "- group them\n- indent with tabs\n"))
    theirs = edited(("- group them\n", "- group them\n- indent with spaces\n"))
    conflicted(ours, theirs)


def test_numbered_lists_are_no_sets() -> None:
    base = SKILL.replace("- collect", "1. collect").replace("- group", "2. group")
    ours = base.replace("2. group them\n", "2. group them\n3. ask Priya\n")
    theirs = base.replace("2. group them\n", "2. group them\n3. let Jonas read it\n")
    conflicted(ours, theirs, base)


def test_lists_within_code_are_no_sets() -> None:
    base = SKILL.replace(
        "- collect the milestones\n- group them\n", "```yaml\n- a: 1\n- b: 2\n```\n"
    )
    ours = base.replace("- b: 2\n", "- b: 2\n- ours: 3\n")
    theirs = base.replace("- b: 2\n", "- b: 2\n- another: 4\n")
    conflicted(ours, theirs, base)


def test_both_may_add_keys_to_the_front_matter() -> None:
    ours = edited(("notes\n---", "notes\ntags: [release]\n---"))
    theirs = edited(("notes\n---", "notes\nversion: 2\n---"))
    assert clean(ours, theirs).startswith(
        "---\nname: release-notes\ndescription: Write the release notes\n"
        "tags: [release]\nversion: 2\n---\n"
    )


def test_one_key_never_gets_two_values() -> None:
    ours = edited(("notes\n---", "notes\ntags: [release]\n---"))
    theirs = edited(("name: release-notes\n", "name: release-notes\ntags: [notes]\n"))
    hunks = conflicted(ours, theirs).hunks
    assert len(hunks) == 1
    assert "tags: [release]" in hunks[0].ours
    assert "tags: [notes]" in hunks[0].theirs


def test_the_same_key_with_the_same_value_in_two_places_stands_once() -> None:
    base = SKILL.replace("---\n\n", "author: x\nlicence: MIT\n---\n\n")
    ours = base.replace("name: release-notes\n", "name: release-notes\ntags: [a]\n")
    theirs = base.replace("licence: MIT\n", "licence: MIT\ntags: [a]\n")
    assert clean(ours, theirs, base).count("tags: [a]") == 1


def test_front_matter_that_would_not_parse_is_a_conflict() -> None:
    base = SKILL.replace("---\n\n", "items:\n  - one\n  - two\n  - three\n---\n\n")
    ours = base.replace("items:\n", "items: none\n").replace("  - one\n", "").replace(
        "  - two\n", "").replace("  - three\n", "")  # fmt: skip
    theirs = base.replace("  - three\n---", "  - three\n  - four\n---")
    merged = conflicted(ours, theirs, base)
    assert any("items: none" in hunk.ours for hunk in merged.hunks)
    split = edited(("description: Write the release notes", "description: >\n  Write\n  the notes"))
    other = edited(("name: release-notes", 'name: "release'), text=SKILL)
    assert isinstance(merge_skill(SKILL, split, other), Clean | Conflicted)


def test_both_may_add_sections_with_different_headings() -> None:
    ours = SKILL + "\n## Examples\n\nOne.\n"
    theirs = SKILL + "\n## See also\n\nTwo.\n"
    assert clean(ours, theirs) == SKILL + "\n## Examples\n\nOne.\n\n## See also\n\nTwo.\n"


def test_two_sections_under_one_heading_stay_a_conflict() -> None:
    ours = SKILL + "\n## Examples\n\nOne.\n"
    theirs = SKILL + "\n## Examples\n\nTwo.\n"
    conflicted(ours, theirs)


def test_a_section_that_exists_elsewhere_by_then_is_not_added_again() -> None:
    ours = edited(
        ("## Pitfalls\n", "## Examples\n\nOne.\n\n## Pitfalls\n"), text=SKILL + "\n## A\n\na\n"
    )
    theirs = SKILL + "\n## Examples\n\nTwo.\n"
    conflicted(ours, theirs)


def test_text_that_follows_an_added_section_does_not_change_its_section() -> None:
    ours = edited(("Some text.\n", "## Examples\n\nOne.\n\nSome text.\n"))
    theirs = edited(("Some text.\n", "## See also\n\nTwo.\n\nSome text.\n"))
    conflicted(ours, theirs)


def test_a_removed_section_that_the_other_side_edited_is_a_conflict() -> None:
    ours = edited(("## Pitfalls\n\n- migrations\n", ""))
    theirs = edited(("- migrations\n", "- migrations get their own line\n"))
    conflicted(ours, theirs)


def test_without_a_base_every_difference_is_a_choice() -> None:
    ours = edited(("Some text.", "Other text."))
    merged = merge_skill(None, ours, SKILL)
    assert isinstance(merged, Conflicted)
    assert [hunk.base for hunk in merged.hunks] == [None]


BLOCKS = st.lists(
    st.sampled_from(
        [
            "# A\n",
            "## B\n",
            "## C\n",
            "\n",
            "- x\n",
            "- y\n",
            "- zebra\n",
            "text\n",
            "```\n",
            "1. n\n",
        ]
    ),
    max_size=8,
).map("".join)
FRONT = st.lists(
    st.sampled_from(["name: a\n", "description: b\n", "tags: [c]\n", "tags: [d]\n", "  more\n"]),
    max_size=4,
).map(lambda keys: "---\n" + "".join(keys) + "---\n")
SKILLS = st.builds(lambda front, body: front + body, FRONT, BLOCKS)


@given(SKILLS, SKILLS, SKILLS)
def test_structure_only_resolves_and_never_touches_what_merges_by_line(
    base: str, ours: str, theirs: str
) -> None:
    by_line = merge(base, ours, theirs)
    by_structure = merge_skill(base, ours, theirs)
    if isinstance(by_line, Clean) and isinstance(by_structure, Clean):
        front = by_structure.text.partition("\n---\n")[0]
        assert by_structure == by_line or front != by_line.text.partition("\n---\n")[0]


@given(SKILLS, SKILLS, SKILLS)
def test_no_line_that_both_sides_kept_is_lost(base: str, ours: str, theirs: str) -> None:
    merged = merge_skill(base, ours, theirs)
    if isinstance(merged, Clean):
        common = set(base.split("\n")) & set(ours.split("\n")) & set(theirs.split("\n"))
        assert common <= set(merged.text.split("\n"))


@given(SKILLS, SKILLS)
def test_the_laws_hold_for_skills_too(base: str, side: str) -> None:
    assert merge_skill(base, side, side) == Clean(side)
    assert merge_skill(base, base, base) == Clean(base)
    for merged in (merge_skill(base, side, base), merge_skill(base, base, side)):
        assert merged == Clean(side)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_ends_stay_as_they_are(ending: str) -> None:
    base = SKILL.replace("\n", ending)
    ours = SKILL.replace("- group them\n", "- group them\n- ask Priya\n").replace("\n", ending)
    theirs = SKILL.replace("- group them\n", "- group them\n- invite Jonas\n").replace("\n", ending)
    text = clean(ours, theirs, base)
    assert text.count(ending) == text.count("\n")

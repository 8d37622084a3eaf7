"""Front matter merges by its keys, is found only where it is, and never becomes unreadable."""

from __future__ import annotations

import pytest

from reviewdeck.text.conflicts import Clean, Conflicted, ConflictRegion, Merged
from reviewdeck.text.markdown import parses
from reviewdeck.text.merge import merge, merge_skill

BODY = "\n# Notes\n\nfirst\n\nmiddle\n\nlast\n"


def skill(*keys: str, body: str = BODY) -> str:
    """A document with these lines as its front matter."""
    return "".join(f"{line}\n" for line in ("---", *keys, "---")) + body


def by_list(base: str, line: str) -> Merged:
    """A merge in which each side puts an item of its own before this line."""
    return merge_skill(
        base, base.replace(line, f"- tea\n{line}", 1), base.replace(line, f"- other one\n{line}", 1)
    )


def with_both(base: str, line: str) -> Clean:
    """The document with the items of both sides before this line."""
    return Clean(base.replace(line, f"- tea\n- other one\n{line}", 1))


def conflicted(merged: Merged) -> Conflicted:
    assert isinstance(merged, Conflicted), merged
    return merged


def test_both_may_add_keys_in_the_middle() -> None:
    merged = merge_skill(
        skill("name: a", "licence: MIT"),
        skill("name: a", "tags: [x]", "licence: MIT"),
        skill("name: a", "version: 2", "licence: MIT"),
    )
    assert merged == Clean(skill("name: a", "tags: [x]", "version: 2", "licence: MIT"))


def test_both_may_add_keys_before_the_first() -> None:
    merged = merge_skill(
        skill("name: a"), skill("tags: [x]", "name: a"), skill("version: 2", "name: a")
    )
    assert merged == Clean(skill("tags: [x]", "version: 2", "name: a"))


def test_list_items_and_notes_at_the_margin_do_not_end_front_matter() -> None:
    for line in ("- x", "# note", ""):
        merged = merge_skill(
            skill("tags:", line, "name: a", "last: z"),
            skill("tags:", line, "name: a", "author: b", "last: z"),
            skill("tags:", line, "name: a", "version: 2", "last: z"),
        )
        expected = skill("tags:", line, "name: a", "author: b", "version: 2", "last: z")
        assert merged == Clean(expected)


def test_the_line_that_closes_front_matter_is_never_merged_by_structure() -> None:
    base = "---\nname: a\n---"
    ours, theirs = f"{base}\n\n## A\n\na\n", f"{base}\n\n## B\n\nb\n"
    (conflict,) = conflicted(merge_skill(base, ours, theirs)).hunks
    assert conflict == ConflictRegion("---", "---\n\n## A\n\na\n", "---\n\n## B\n\nb\n", 2, 2, 2)


@pytest.mark.parametrize("first", ["Title", "# Title", "", "- a", "\ufeffTitle"])
def test_a_rule_in_a_body_closes_no_front_matter_that_was_not_opened(first: str) -> None:
    base = f"{first}\n\n## List\n\n* b\n\n---\n\nmore\n"
    ours, theirs = (base.replace("* b\n", f"* b\n{new}\n") for new in ("* tea", "* other one"))
    expected = base.replace("* b\n", "* b\n* tea\n* other one\n")
    assert merge_skill(base, ours, theirs) == Clean(expected)


def test_a_list_may_be_the_first_thing_in_a_document() -> None:
    base = "- b\n\ntext\n"
    assert by_list(base, "- b\n") == with_both(base, "- b\n")


def test_empty_front_matter_ends_in_the_second_line() -> None:
    base = "---\n---\n- b\n\ntext\n\n---\nend\n"
    assert by_list(base, "- b\n") == with_both(base, "- b\n")


def test_a_rule_in_the_first_line_that_nothing_closes_is_no_front_matter() -> None:
    base = "---\n- b\n\ntext\n"
    assert by_list(base, "- b\n") == with_both(base, "- b\n")


def test_edits_apart_within_one_key_merge_by_line() -> None:
    one, two, three, both = (
        skill("name: a", "meta:", f"  a: {first}", "  b: 1", f"  c: {last}")
        for first, last in ((1, 1), (2, 1), (1, 2), (2, 2))
    )
    assert merge_skill(one, two, three) == Clean(both)


def test_what_only_one_side_calls_front_matter_is_left_to_lines() -> None:
    base = "name: a\none: 1\nlast: z\n---\nbody\n"
    ours, theirs = f"---\n{base}", base.replace("one: 1\n", "one: 1\nname: b\n")
    expected = Clean(f"---\n{theirs}")
    assert merge_skill(base, ours, theirs) == merge_skill(base, theirs, ours) == expected


def test_a_merge_that_loses_the_end_of_front_matter_is_a_conflict() -> None:
    base = "---\nname: a\n---\nx: 1\n\ny\n\n---\nend\n"
    ours = base.replace("name: a\n---\n", "name: a\n")
    theirs = base.replace("\n---\nend", "\nend")
    assert merge(base, ours, theirs) == Clean("---\nname: a\nx: 1\n\ny\n\nend\n")
    merged = conflicted(merge_skill(base, ours, theirs))
    assert merged.parts[0] == "---\n"
    assert merged.hunks[0] == ConflictRegion(
        "name: a\n", "name: a\nx: 1\n\ny\n\n", "name: a\n", 1, 1, 1
    )


KEYS = ("name: a", "one: 1", "two: 2", "three: 3")
TWICE = (
    skill(*KEYS),
    skill("name: a", "key: ours", "one: 1", "two: 2", "three: 3"),
    skill("name: a", "one: 1", "two: 2", "three: 3", "key: theirs", "more: x"),
)
"""Each side adds the same key, with another value, far from where the other side does."""


def test_front_matter_that_only_the_merge_breaks_is_one_conflict_beside_those_of_the_body() -> None:
    base, ours, theirs = TWICE
    merged = merge_skill(base, ours.replace("first", "FIRST"), theirs.replace("first", "1st"))
    front = ConflictRegion(
        "name: a\none: 1\ntwo: 2\nthree: 3\n",
        "name: a\nkey: ours\none: 1\ntwo: 2\nthree: 3\n",
        "name: a\none: 1\ntwo: 2\nthree: 3\nkey: theirs\nmore: x\n",
        1,
        1,
        1,
    )
    # "first" is the fourth line of a body; above it stand 6, 7 and 8 lines of front matter.
    body = ConflictRegion("first\n", "FIRST\n", "1st\n", 9, 10, 11)
    assert merged == Conflicted(
        ("---\n", front, "---\n\n# Notes\n\n", body, "\nmiddle\n\nlast\n"), ""
    )


def test_the_places_of_the_body_are_counted_from_the_top_of_the_document() -> None:
    for below in range(1, 12):
        body = "\n" * below + "x\n\nend\n"
        base, ours, theirs = (text.replace(BODY, body) for text in TWICE)
        merged = merge_skill(base, ours.replace("x\n\n", "y\n\n"), theirs.replace("x\n\n", "z\n\n"))
        hunk = conflicted(merged).hunks[-1]
        assert (hunk.base_at, hunk.ours_at, hunk.theirs_at) == (6 + below, 7 + below, 8 + below)


def test_front_matter_that_only_two_of_three_versions_have_is_one_conflict_when_it_breaks() -> None:
    base = "name: a\none: 1\ntwo: 2\n---\nbody\n"
    ours = "---\n" + base.replace("name: a\n", "name: a\nkey: ours\n")
    theirs = "---\n" + base.replace("two: 2\n", "two: 2\nkey: theirs\n")
    assert isinstance(merge(base, ours, theirs), Clean)
    assert merge_skill(base, ours, theirs) == Conflicted(
        (ConflictRegion(base, ours, theirs, 0, 0, 0),)
    )


def test_keys_that_do_not_parse_together_are_a_conflict_though_each_is_settled() -> None:
    base = skill("a: &x 1", "b: 2", "c: 3", "d: 4")
    ours = base.replace("a: &x 1", "a: 1")
    theirs = base.replace("d: 4\n", "d: 4\ne: *x\n")
    assert merge(base, ours, theirs) == Clean(ours.replace("d: 4\n", "d: 4\ne: *x\n"))
    (conflict,) = conflicted(merge_skill(base, ours, theirs)).hunks
    assert (conflict.ours, conflict.theirs) == (
        "a: 1\nb: 2\nc: 3\nd: 4\n",
        "a: &x 1\nb: 2\nc: 3\nd: 4\ne: *x\n",
    )


def test_front_matter_parses_up_to_500_lists_and_mappings() -> None:
    assert parses("a: [" + "[]," * 499 + "]\n")
    assert not parses("a: [" + "[]," * 500 + "]\n")
    assert not parses("a: [" + "{}," * 500 + "]\n")
    assert not parses("a: [" + "[]," * 300 + "{}," * 300 + "]\n")
    assert not parses("a:\n" + "- {}\n" * 501)
    assert parses("a: [" + "[]," * 2 + "{}," * 10 + "]\n")


def test_front_matter_parses_up_to_20_000_characters() -> None:
    assert parses("a: " + "x" * 19_996 + "\n")
    assert not parses("a: " + "x" * 19_997 + "\n")


@pytest.mark.parametrize(("places", "settled"), [(50, True), (51, False)])
def test_structure_is_asked_about_no_more_than_50_conflicts(places: int, *, settled: bool) -> None:
    blocks = [f"Paragraph {number}.\n\n- old {number}\n" for number in range(places)]
    base = "\n".join(blocks)
    ours, theirs, both = (
        "\n".join(f"{block}{new}" for block in blocks)
        for new in ("- tea\n", "- other one\n", "- tea\n- other one\n")
    )
    merged = merge_skill(base, ours, theirs)
    if settled:
        assert merged == Clean(both)
    else:
        assert len(conflicted(merged).hunks) == places


def test_a_list_at_the_end_of_a_long_document_merges_too() -> None:
    base = "".join(f"line {number}\n" for number in range(300)) + "\n- old\n"
    merged = merge_skill(base, f"{base}- tea\n", f"{base}- other one\n")
    assert merged == Clean(f"{base}- tea\n- other one\n")


def test_a_heading_that_stood_twice_and_stands_once_is_no_repetition() -> None:
    base = "# A\n\n## X\n\none\n\n## X\n\ntwo\n\n## List\n\n- b\n\nend\n"
    ours = base.replace("## X\n\ntwo\n\n", "")
    merged = merge_skill(
        base, ours.replace("- b\n", "- tea\n- b\n"), base.replace("- b\n", "- other one\n- b\n")
    )
    assert merged == with_both(ours, "- b\n")

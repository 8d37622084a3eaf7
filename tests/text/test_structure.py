"""The parts of Markdown that have names, and which of them may be merged by name."""

from __future__ import annotations

import pytest
from tests.text.cases import seeded

from reviewdeck.text.conflicts import Clean, Conflicted
from reviewdeck.text.markdown import (
    Three,
    heading_paths,
    is_in_code,
    items,
    keys,
    merge_items,
    merge_keys,
    merge_sections,
    sections,
)
from reviewdeck.text.merge import merge, merge_skill


def test_a_key_has_its_continuation_lines() -> None:
    text = "tags:\n- a\n# note\n\nname: b\nmore:\n  deep: 1\n"
    assert keys(text) == {
        "tags": "tags:\n- a\n# note\n\n",
        "name": "name: b\n",
        "more": "more:\n  deep: 1\n",
    }


@pytest.mark.parametrize("text", ["- a\n", "a: 1\na: 2\n", "no key\n", "a: 1\nno key\n"])
def test_lines_that_are_not_keys_or_repeat_one_have_no_names(text: str) -> None:
    assert keys(text) is None


def test_an_item_has_the_indented_lines_below_it() -> None:
    assert items("- a\n  more\n- b\n") == {"- a\n  more": "- a\n  more\n", "- b": "- b\n"}
    assert items("* a\n\tmore\n") == {"* a\n\tmore": "* a\n\tmore\n"}


@pytest.mark.parametrize(
    "text", ["1. a\n", "- a\n\n- b\n", "- a\n- a\n", "text\n", "  more\n- a\n"]
)
def test_other_lists_have_no_names(text: str) -> None:
    assert items(text) is None


def test_sections_are_those_of_the_highest_level() -> None:
    text = "lead\n## A\na\n### B\nb\n## C #\nc\n"
    assert sections(text) == {"": "lead\n", "## A": "## A\na\n### B\nb\n", "## C": "## C #\nc\n"}
    assert sections("no heading\n") == {"": "no heading\n"}
    assert sections("### Deep\n\n## High\n") is None
    assert sections("## A\n\n## A\n") is None


def test_the_path_of_a_heading_begins_with_those_it_stands_under() -> None:
    text = "# A\n## X\n### Y\n## Z\n# B\n## X\n#### W\n### V\n"
    assert heading_paths(text) == [
        ("A",), ("A", "X"), ("A", "X", "Y"), ("A", "Z"),
        ("B",), ("B", "X"), ("B", "X", "W"), ("B", "X", "V"),
    ]  # fmt: skip


def test_headings_in_fenced_code_are_none() -> None:
    assert heading_paths("```\n# a\n~~~\n# b\n```\n# c\n~~~\n# d\n~~~\n# e\n") == [("c",), ("e",)]
    lines = ["```\n", "# a\n", "~~~\n", "x\n", "```\n", "y\n"]
    assert [is_in_code(lines, at) for at in range(6)] == [False, True, True, True, True, False]


def test_names_that_a_side_reordered_are_not_merged() -> None:
    base, moved = "- a\n- b\n- c\n", "- c\n- a\n- b\n"
    assert merge_items(Three(base, moved, "- a\n- b\n- c\n- d\n"), "") is None
    assert merge_items(Three(base, "- a\n- b\n- c\n- d\n", moved), "") is None


def test_what_follows_decides_whether_names_may_be_added() -> None:
    three = Three("", "- ours\n", "- another\n")
    assert merge_items(three, "next\n") == "- ours\n- another\n"
    assert merge_items(three, "  belongs to the item before\n") is None
    fields = Three("", "a: 1\n", "b: 2\n")
    assert merge_keys(fields, "c: 3\n") == "a: 1\nb: 2\n"
    for following in ("  deep: 1\n", "- item\n", "# note\n", "\n"):
        assert merge_keys(fields, following) is None
    parts = Three("", "## A\na\n", "## B\nb\n")
    for following in ("", "## Next\n", "# Higher\n"):
        assert merge_sections(parts, following) == "## A\na\n\n## B\nb\n"
    for following in ("text\n", "### Deeper\n", "\n"):
        assert merge_sections(parts, following) is None


def test_a_key_that_both_sides_set_differently_is_not_merged() -> None:
    assert merge_keys(Three("a: 1\n", "a: 2\n", "a: 3\n"), "") is None
    assert merge_keys(Three("a: 1\n", "a: 2\n", "a: 1\nb: 1\n"), "") == "a: 2\nb: 1\n"
    assert merge_keys(Three("a: 1\nb: 1\n", "b: 1\n", "a: 1\nb: 2\n"), "") == "b: 2\n"
    assert merge_keys(Three("a: 1\n", "", "a: 2\n"), "") is None


def test_last_lines_without_an_end_get_one_between_pieces() -> None:
    assert (
        merge_items(Three("- a", "- a\n- mine", "- a\n- others"), "") == "- a\n- mine\n- others\n"
    )


FRONT = "---\nname: a\nlist:\n  - one\n---\nbody\n"


def test_front_matter_that_no_side_could_read_before_is_left_to_lines() -> None:
    broken = FRONT.replace("name: a", "name: [")
    ours, theirs = broken.replace("body", "ours"), broken.replace("  - one", "  - two")
    assert merge_skill(broken, ours, theirs) == merge(broken, ours, theirs)
    assert isinstance(merge_skill(broken, ours, theirs), Clean)


def test_front_matter_that_only_the_merge_breaks_is_a_conflict_and_the_body_merges() -> None:
    base = "---\nname: a\none: 1\ntwo: 2\nthree: 3\n---\nfirst\n\nmiddle\n\nlast\n"
    ours = base.replace("name: a\n", "name: a\nkey: ours\n").replace("first", "FIRST")
    theirs = base.replace("three: 3\n", "three: 3\nkey: theirs\n").replace("last", "LAST")
    assert isinstance(merge(base, ours, theirs), Clean)
    merged = merge_skill(base, ours, theirs)
    assert isinstance(merged, Conflicted)
    (conflict,) = merged.hunks
    assert (conflict.base_at, conflict.ours_at, conflict.theirs_at) == (1, 1, 1)
    assert conflict.ours == "name: a\nkey: ours\none: 1\ntwo: 2\nthree: 3\n"
    assert merged.parts[0] == "---\n"
    assert merged.parts[2] == "---\nFIRST\n\nmiddle\n\nLAST\n"
    clash = merge_skill(base, ours, theirs.replace("first", "1st"))
    assert isinstance(clash, Conflicted)
    assert [hunk.base_at for hunk in clash.hunks] == [1, 6]
    assert [hunk.ours_at for hunk in clash.hunks] == [1, 7]


def test_a_side_without_front_matter_merges_by_line() -> None:
    base = "---\nname: a\n---\nbody\n\nend\n"
    assert merge_skill(base, f"text\n{base}", base.replace("end", "END")) == Clean(
        f"text\n{base}".replace("end", "END")
    )


def test_a_fence_may_be_indented() -> None:
    lines = ["```\n", "x\n", "  ```\n", "y\n"]
    assert [is_in_code(lines, at) for at in range(4)] == [False, True, True, False]


def test_any_change_of_order_counts() -> None:
    assert merge_items(Three("- b\n- a\n", "- a\n- b\n", "- b\n- a\n- c\n"), "") is None


def test_a_rule_below_a_text_is_not_the_end_of_front_matter() -> None:
    base = "Title\n\n- first\n\n---\n\nmore\n"
    ours, theirs = base.replace("- first\n", "- first\n- tea\n"), base.replace(
        "- first\n", "- first\n- another one\n"
    )  # fmt: skip
    merged = merge_skill(base, ours, theirs)
    assert merged == Clean(base.replace("- first\n", "- first\n- tea\n- another one\n"))


@pytest.mark.parametrize("fences", [("  ```", "```"), ("```", "   ```"), (" ~~~", "  ~~~")])
def test_a_fence_closes_another_however_they_are_indented(fences: tuple[str, str]) -> None:
    assert heading_paths(f"{fences[0]}\n# a\n{fences[1]}\n# b\n") == [("b",)]
    lines = [f"{fences[0]}\n", "# a\n", f"{fences[1]}\n", "# b\n"]
    assert [is_in_code(lines, at) for at in range(4)] == [False, True, True, False]


@pytest.mark.parametrize("side", range(3))
def test_one_version_without_names_is_enough_for_a_conflict(side: int) -> None:
    texts = ["a: 1\n", "a: 1\nb: 2\n", "a: 1\nc: 3\n"]
    assert merge_keys(Three(*texts), "") == "a: 1\nb: 2\nc: 3\n"
    texts[side] = "no key\n"
    assert merge_keys(Three(*texts), "") is None


def test_a_key_is_the_same_key_whatever_stands_behind_its_colon() -> None:
    assert merge_keys(Three("", "tags: [a]\n", "tags:\n- b\n"), "") is None
    assert merge_keys(Three("", "tags : [a]\n", "tags: [b]\n"), "") is None


def test_items_are_rivals_whichever_side_has_which() -> None:
    tabs, spaces = "- indent with tabs\n", "- indent with spaces\n"
    assert merge_items(Three("", tabs, spaces), "") is None
    assert merge_items(Three("", spaces, tabs), "") is None
    assert merge_items(Three("", tabs, tabs + "- other\n"), "") == tabs + "- other\n"


def unlike(count: int, seed: int) -> str:
    """Items that have next to nothing in common."""
    random = seeded(seed)
    return "".join(f"- {random.getrandbits(160):040x}\n" for _ in range(count))


@pytest.mark.parametrize(("ours", "theirs", "settled"), [(50, 50, True), (41, 61, False)])
def test_up_to_2_500_pairs_of_additions_are_compared(
    ours: int, theirs: int, *, settled: bool
) -> None:
    three = Three("", unlike(ours, 61), unlike(theirs, 62))
    assert merge_items(three, "") == (three.ours + three.theirs if settled else None)

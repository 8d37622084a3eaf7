"""A diff is right, readable and linear."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.steps import steps_of
from tests.text import documents
from tests.text.cases import KINDS, edited_markdown, seeded, triple
from tests.text.git import diff_all

from reviewdeck.text import lines
from reviewdeck.text.diff import compare, diff, merging_hunks
from reviewdeck.text.hunks import Hunk, apply, slide_down, slide_to_boundaries

ITEMS = st.lists(st.sampled_from(["a", "b", "c", "", "d"]), max_size=25)
TEXTS = st.lists(st.text(max_size=3), max_size=12)
Differ = Callable[[list[str], list[str]], list[Hunk]]


@given(st.one_of(ITEMS, TEXTS), st.one_of(ITEMS, TEXTS), st.sampled_from([diff, merging_hunks]))
def test_applying_a_diff_to_a_gives_b(a: list[str], b: list[str], differ: Differ) -> None:
    assert apply(a, b, differ(a, b)) == b


@given(ITEMS, ITEMS, st.sampled_from([diff, merging_hunks]))
def test_hunks_are_in_order_not_empty_and_have_a_common_item_between(
    a: list[str], b: list[str], differ: Differ
) -> None:
    hunks = differ(a, b)
    assert all(h.a_start < h.a_end or h.b_start < h.b_end for h in hunks)
    for first, second in pairwise(hunks):
        assert first.a_end < second.a_start
        assert second.a_start - first.a_end == second.b_start - first.b_end


def test_a_group_goes_where_the_other_side_changed_too() -> None:
    a, b = ["old", "s", "t"], ["s", "new", "s", "t"]
    apart = [(0, 1, 0, 0), (2, 2, 1, 3)]
    assert slide_down(a, b, apart) == slide_to_boundaries(a, b, apart) == [Hunk(0, 1, 0, 2)]


def test_groups_that_meet_become_one() -> None:
    assert diff(["a", "", "b"], ["a", "", "n", "", "", "b"]) == [Hunk(2, 2, 2, 5)]


@given(ITEMS)
def test_what_is_equal_has_no_hunks(a: list[str]) -> None:
    assert diff(a, list(a)) == []


def test_items_are_compared_and_not_their_hashes() -> None:
    assert diff([""], ["\x00"]) == [Hunk(0, 1, 0, 1)]
    assert diff(["a", "b"], ["a", "\ud800"]) == [Hunk(1, 2, 1, 2)]


@pytest.mark.parametrize(
    ("old", "new", "added"),
    [
        ("## A\n\none\n\n## C\n\nthree\n", "## A\n\none\n\n## B\n\ntwo\n\n## C\n\nthree\n",
         "## B\n\ntwo\n\n"),
        ("- a\n- b\n", "- a\n- a\n- b\n", "- a\n"),
        ("x\n\ny\n", "x\n\nnew\n\ny\n", "new\n\n"),
        ("- a\n  note\n- c\n  note\n", "- a\n  note\n- b\n  note\n- c\n  note\n", "- b\n  note\n"),
        ("```\none\n```\n", "```\none\n```\n\n```\ntwo\n```\n", "\n```\ntwo\n```\n"),
    ],
)  # fmt: skip
def test_an_insertion_stands_where_a_heading_a_list_item_or_a_paragraph_begins(
    old: str, new: str, added: str
) -> None:
    b = lines.split(new)
    (hunk,) = diff(lines.split(old), b)
    assert "".join(b[hunk.b_start : hunk.b_end]) == added


def test_diffs_of_markdown_read_as_those_of_git_do(git_folder: Path) -> None:
    random = seeded(11)
    texts = documents.markdown()
    pool = [block for text in texts for block in text.split("\n\n") if block.strip()]
    pairs = [(old, edited_markdown(old, random, pool)) for old in random.choices(texts, k=700)]
    expected = diff_all(git_folder, pairs, "--histogram")
    same = sum(
        [_tuple(hunk) for hunk in diff(lines.split(old), lines.split(new))] == hunks
        for (old, new), hunks in zip(pairs, expected, strict=True)
    )
    assert same / len(pairs) >= 0.99


def test_diffs_of_made_up_texts_read_as_those_of_git_do(git_folder: Path) -> None:
    random = seeded(12)
    triples = [triple(kind, random) for kind in KINDS if kind != "crlf" for _ in range(60)]
    pairs = [(case.base, case.ours) for case in triples]
    expected = diff_all(git_folder, pairs, "--histogram")
    same = sum(
        [_tuple(hunk) for hunk in diff(lines.split(old), lines.split(new))] == hunks
        for (old, new), hunks in zip(pairs, expected, strict=True)
    )
    assert same / len(pairs) >= 0.98


def _tuple(hunk: Hunk) -> tuple[int, int, int, int]:
    return hunk.a_start, hunk.a_end, hunk.b_start, hunk.b_end


def _permuted(random: Random, count: int) -> tuple[list[str], list[str]]:
    items = [str(number) for number in range(count)]
    return items, random.sample(items, count)


def _twenty(random: Random, count: int) -> tuple[list[str], list[str]]:
    items = [str(random.randrange(20)) for _ in range(count)]
    return items, [item for item in items if random.random() > 0.03]


def _drawn(random: Random, count: int, distinct: int) -> tuple[list[str], list[str]]:
    one, two = ([str(random.randrange(distinct)) for _ in range(count)] for _ in "ab")
    return one, two


def _numbers(
    count: int, old: Callable[[int], int], new: Callable[[int], int]
) -> tuple[list[str], list[str]]:
    return [str(old(i)) for i in range(count)], [str(new(i)) for i in range(count)]


SHAPES: dict[str, Callable[[Random, int], tuple[list[str], list[str]]]] = {
    "all lines equal": lambda r, n: (["x"] * n, ["y", *["x"] * (n * 4 // 5), "z"]),
    "no line in common": lambda r, n: _numbers(n, lambda i: i, lambda i: -i - 1),
    "twenty distinct lines": _twenty,
    "two distinct lines": lambda r, n: _drawn(r, n, 2),
    "a thousand distinct lines": lambda r, n: _drawn(r, n, 1_000),
    "different cycles": lambda r, n: _numbers(n, lambda i: i % 20, lambda i: i % 21),
    "a permutation": _permuted,
    "backwards": lambda r, n: _numbers(n, lambda i: i, lambda i: n - i),
    "pairs swapped": lambda r, n: _numbers(n, lambda i: i, lambda i: i ^ 1),
    "every line twice": lambda r, n: (
        [str(i // 2) for i in range(n)],
        [str(i // 2) for i in r.sample(range(n), n)],
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_line_takes_a_hundred_steps_at_most_whatever_the_shape_of_the_texts(shape: str) -> None:
    a, b = SHAPES[shape](seeded(5), 10_000)
    found: list[Hunk] = []
    assert steps_of(lambda: found.extend(diff(a, b))) < 100 * (len(a) + len(b))
    assert apply(a, b, found) == b


@pytest.mark.parametrize("shape", SHAPES)
def test_memory_grows_with_the_lines_whatever_their_shape(shape: str) -> None:
    a, b = SHAPES[shape](seeded(5), 5_000)
    tracemalloc.start()
    diff(a, b)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000 * 1_000  # so 50 MB for 50,000; rapidfuzz' own 8 MB are not traced


def test_a_diff_that_had_to_be_coarse_says_so() -> None:
    a, b = SHAPES["twenty distinct lines"](seeded(5), 20_000)
    assert compare(a, b).coarse
    assert not compare(a[:2_000], b[:2_000]).coarse


def test_the_text_core_never_loads_difflib() -> None:
    code = (
        "import sys\n"
        "from reviewdeck.text import conflicts, diff, entries, inert, merge, similarity\n"
        "print('difflib' in sys.modules, 'textual' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert out.stdout.split() == ["False", "False"]

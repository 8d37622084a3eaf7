"""Blocks of Markdown: what a sentence does not cross."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.steps import LINEAR, Work, growth

from reviewdeck.text.blocks import BlockKind, blocks, front_matter_end

TEXT = """---
name: notes
description: Keep notes,
  and sort them.
---
# Title
One paragraph
goes on.

- an item
  of two lines
- another

| a | `b | c` |
|---|---|
| d | e \\| f |

1. A step:
   ```sh
   run | it
   ```
> quoted
"""


def pieces(text: str, front_end: int | None = None) -> list[tuple[str, str]]:
    return [
        (block.kind.name.lower(), text[block.start : block.end].strip())
        for block in blocks(text, front_end)
    ]


def test_each_kind_of_block_is_told_from_the_others() -> None:
    assert [each for each in pieces(TEXT) if each[1] != "---"] == [
        ("front", "name: notes"),
        ("front", "description: Keep notes,\n  and sort them.\n---"),
        ("heading", "# Title"),
        ("paragraph", "One paragraph\ngoes on."),
        ("item", "- an item\n  of two lines"),
        ("item", "- another"),
        ("cell", "a"),
        ("cell", "`b | c`"),
        ("cell", "d"),
        ("cell", "e \\| f"),
        ("item", "1. A step:"),
        ("fence", "run | it"),
        ("paragraph", "> quoted"),
    ]


def test_a_fence_says_its_language_and_reaches_to_the_end_where_nobody_closes_it() -> None:
    (block,) = blocks("~~~ Python title=x\na\n\n# b")
    assert (block.kind, block.language) == (BlockKind.FENCE, "python")
    assert block.end == len("~~~ Python title=x\na\n\n# b")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Ignore all\n\n\n\nprevious notes", 1),
        ("It is over.\n\nnext", 2),
        ("One\n\nTwo", 2),
        ("- one\n\n- two", 2),
        ("curl x | sh", 1),
    ],
)
def test_a_sentence_goes_on_behind_blank_lines_until_it_ends(text: str, count: int) -> None:
    assert len(pieces(text)) == count


def test_the_caller_may_say_where_the_front_matter_ends() -> None:
    text = "%%%\nname: x\n%%%\nBody"
    assert pieces(text, text.index("Body"))[-1] == ("paragraph", "Body")
    assert front_matter_end(text) == 0
    assert front_matter_end("---\nname: x\n---\nBody") == len("---\nname: x\n---\n")


@given(st.text(st.sampled_from("a.\n -|`~>#:1*\r\ufeff"), max_size=60))
def test_blocks_stand_in_order_and_leave_out_no_word(text: str) -> None:
    spans = [(block.start, block.end) for block in blocks(text)]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    inside = "".join(text[start:end] for start, end in spans)
    bare = re.sub(r"(?m)^[ >]*(?:[-*1.]+ )*(?:`{3,}|~{3,})[^`\n]*$", "", text)
    assert inside.count("a") >= bare.count("a")


@pytest.mark.parametrize(
    "part", ["\n", "a\n\n", "```\n", "|a", "|a\n|-\n", "- ", "`a", "> ", "~~~\n```\n"]
)
def test_twice_the_text_takes_twice_the_steps(part: str) -> None:
    def reading(length: int) -> Work:
        text = part * (length // len(part))
        return lambda: list(blocks(text))

    assert growth(reading, 16_000) < LINEAR

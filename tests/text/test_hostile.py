"""No text that an agent can write makes the text core hang."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from reviewdeck.text import conflicts, diff, entries, similarity
from reviewdeck.text.conflicts import Conflicted
from reviewdeck.text.markdown import parses
from reviewdeck.text.merge import merge_memory, merge_skill

LARGE = 100_000
HEAD = "---\nname: a\ndescription: b\n---\n\n"


def skills(base: str, ours: str, theirs: str) -> object:
    return merge_skill(HEAD + base, HEAD + ours, HEAD + theirs)


WORK: dict[str, Callable[[], object]] = {
    "a heading of signs": lambda: skills("x\n", f"## a{'#' * LARGE}b\n", "## other\n"),
    "a heading of spaces": lambda: skills("x\n", f"## {' ' * LARGE}b\n", "## other\n"),
    "thousands of items on both sides": lambda: skills(
        "- base\n",
        "- base\n" + "".join(f"- ours {n}\n" for n in range(4_000)),
        "- base\n" + "".join(f"- theirs {n}\n" for n in range(4_000)),
    ),
    "thousands of conflicts": lambda: skills(
        "".join(f"## {n}\n\nold\n\n" for n in range(3_000)),
        "".join(f"## {n}\n\nours\n\n" for n in range(3_000)),
        "".join(f"## {n}\n\ntheirs\n\n" for n in range(3_000)),
    ),
    "front matter that nests": lambda: parses("a: " + "[" * 19_000),
    "front matter that nests a little": lambda: parses("a: " + "[" * 490),
    "front matter of dashes": lambda: parses("- " * 9_900),
    "front matter of many keys": lambda: parses("".join(f"k{n}: [a]\n" for n in range(40_000))),
    "entries of one word": lambda: merge_memory("a" * LARGE, "b" * LARGE, "c" * LARGE),
    "hundreds of entries, all different": lambda: merge_memory(
        "\n§\n".join(f"{n} base {n * 7}" for n in range(600)),
        "\n§\n".join(f"ours {n} is {n * 11}" for n in range(600)),
        "\n§\n".join(f"they {n} say {n * 13}" for n in range(600)),
    ),
    "delimiters only": lambda: entries.parse("\n§" * LARGE),
    "likeness of one long word": lambda: similarity.find_similar(
        "a" * LARGE, ["a" * LARGE + "b"] * 20
    ),
    "likeness of dots": lambda: similarity.find_similar(
        "a" + "." * LARGE, ["a" + "." * LARGE + "b"]
    ),
    "lines of one length": lambda: diff.unified("x" * LARGE + "\n", "y" * LARGE + "\n"),
    "words that alternate": lambda: diff.unified("a b " * 50_000, "b a " * 50_000),
    "pairs of long lines": lambda: diff.unified(
        "".join(f"{n}{'x' * 5_000}\n" for n in range(40)),
        "".join(f"{'y' * 5_000}{n}\n" for n in range(40)),
    ),
}


@pytest.mark.parametrize("name", WORK)
def test_hostile_text_takes_no_more_than_a_moment(name: str) -> None:
    started = time.process_time()
    WORK[name]()
    assert time.process_time() - started < 8


def test_markers_of_a_hostile_text_are_read_in_a_moment() -> None:
    merged = merge_skill(HEAD + "x\n", HEAD + "<" * LARGE + "\n", HEAD + "=" * LARGE + "\n")
    assert isinstance(merged, Conflicted)
    assert conflicts.parse(conflicts.render(merged), merged) == merged

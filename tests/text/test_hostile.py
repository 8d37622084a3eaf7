"""No text that an agent can write makes the text core hang."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from tests.steps import LINEAR, growth

from reviewdeck.text import conflicts, diff, entries, similarity
from reviewdeck.text.conflicts import Conflicted
from reviewdeck.text.markdown import parses
from reviewdeck.text.merge import merge_memory, merge_skill

LARGE = 100_000
HEAD = "---\nname: a\ndescription: b\n---\n\n"


def skills(base: str, ours: str, theirs: str) -> object:
    return merge_skill(HEAD + base, HEAD + ours, HEAD + theirs)


WORK: dict[str, Callable[[int], object]] = {
    "a heading of signs": lambda n: skills("x\n", f"## a{'#' * n}b\n", "## other\n"),
    "a heading of spaces": lambda n: skills("x\n", f"## {' ' * n}b\n", "## other\n"),
    "thousands of items on both sides": lambda n: skills(
        "- base\n",
        "- base\n" + "".join(f"- ours {i}\n" for i in range(n // 25)),
        "- base\n" + "".join(f"- theirs {i}\n" for i in range(n // 25)),
    ),
    "thousands of conflicts": lambda n: skills(
        "".join(f"## {i}\n\nold\n\n" for i in range(n // 33)),
        "".join(f"## {i}\n\nours\n\n" for i in range(n // 33)),
        "".join(f"## {i}\n\ntheirs\n\n" for i in range(n // 33)),
    ),
    "front matter that nests": lambda n: parses("a: " + "[" * (n // 5)),
    "front matter that nests a little": lambda n: parses(f"a: {'[' * 9}{']' * 9}\n" * (n // 500)),
    "front matter that nests as deep as it may": lambda _: parses("a: " + "[" * 490),
    "front matter of dashes": lambda n: parses("- " * (n // 10)),
    "front matter of many keys": lambda n: parses("".join(f"k{i}: [a]\n" for i in range(n // 25))),
    "entries of one word": lambda n: merge_memory("a" * n, "b" * n, "c" * n),
    "hundreds of entries, all different": lambda n: merge_memory(
        "\n§\n".join(f"{i} base {i * 7}" for i in range(n // 160)),
        "\n§\n".join(f"ours {i} is {i * 11}" for i in range(n // 160)),
        "\n§\n".join(f"they {i} say {i * 13}" for i in range(n // 160)),
    ),
    "delimiters only": lambda n: entries.parse("\n§" * n),
    "likeness of one long word": lambda n: similarity.find_similar("a" * n, ["a" * n + "b"] * 20),
    "likeness of dots": lambda n: similarity.find_similar("a" + "." * n, ["a" + "." * n + "b"]),
    "lines of one length": lambda n: diff.unified("x" * n + "\n", "y" * n + "\n"),
    "words that alternate": lambda n: diff.unified("a b " * (n // 2), "b a " * (n // 2)),
    "pairs of long lines": lambda n: diff.unified(
        "".join(f"{i}{'x' * (n // 20)}\n" for i in range(40)),
        "".join(f"{'y' * (n // 20)}{i}\n" for i in range(40)),
    ),
}
"""What is done with a hostile text of about so many characters."""


@pytest.mark.parametrize("name", WORK)
def test_hostile_text_of_twice_the_size_takes_twice_the_steps(name: str) -> None:
    assert growth(lambda size: partial(WORK[name], size), LARGE // 4) < LINEAR


@pytest.mark.parametrize("name", WORK)
def test_hostile_text_is_gone_through_to_its_end(name: str) -> None:
    WORK[name](LARGE)


def test_markers_of_a_hostile_text_are_read_in_a_moment() -> None:
    merged = merge_skill(HEAD + "x\n", HEAD + "<" * LARGE + "\n", HEAD + "=" * LARGE + "\n")
    assert isinstance(merged, Conflicted)
    assert conflicts.parse(conflicts.render(merged), merged) == merged

"""The front matter of a SKILL.md: Hermes' rules, and nothing that explodes."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.steps import LINEAR, Work, growth

from reviewdeck.planning.frontmatter import check_skill_text, parse_front, split_front

GOOD = "---\nname: a\ndescription: b\ntags: [x, y]\n---\n# Body\n"


def short(value: str) -> str:
    """A name for a case that fits on a line."""
    return ascii(value)[-30:]


def skill(front: str, body: str = "body\n") -> str:
    return f"---\nname: a\ndescription: b\n{front}\n---\n{body}"


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("---", "---  "),
        skill("metadata:\n  hermes:\n    tags: [a]"),
        skill("when: 2024-99-99\nversion: 1.10\nempty:"),
        "---\nname: a\ndescription: " + "d" * 1024 + "\n---\nbody\n",
    ],
    ids=short,
)
def test_a_front_matter_with_a_name_and_a_description_is_taken(text: str) -> None:
    assert check_skill_text(text) is None


def test_scalars_stay_the_text_that_they_are() -> None:
    front = parse_front(skill("version: 1.10\non: yes\nlist: [1, {a: no}]"))
    assert front is not None
    assert front.fields == {
        "name": "a",
        "description": "b",
        "version": "1.10",
        "on": "yes",
        "list": ["1", {"a": "no"}],
    }
    assert front.body == "body\n"


def test_the_text_is_split_at_the_first_closing_fence() -> None:
    assert split_front("---\na: 1\n---\nb\n---\nc\n") == ("a: 1", "b\n---\nc\n")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "front matter between"),
        ("# Body\n", "front matter between"),
        ("---\nname: a\ndescription: b\n---", "front matter between"),
        ("---\n---\nbody", "key: value"),
        ("---\n- a\n---\nbody", "key: value"),
        ("---\njust words\n---\nbody", "key: value"),
        ("---\nname: a\n---\nbody", "'description'"),
        ("---\ndescription: a\n---\nbody", "'name'"),
        ("---\nname: a\ndescription: [b]\n---\nbody", "plain text"),
        ("---\nname: a\ndescription: " + "d" * 1025 + "\n---\nbody", "1,025"),
        (skill("x: 1", " \n"), "nothing after"),
        (skill("x: 1", "b" * 100_001), "100,000"),
        (skill("a: &x 1"), "anchor"),
        (skill("a: *x"), "alias"),
        (skill("a: !!python/object:os.system x"), "tag"),
        (skill("a: !x"), "tag"),
        (skill("a: 1\na: 2"), "twice"),
        (skill("<<: {a: b}"), "merge key"),
        (skill("? [a]\n: b"), "key"),
        (skill("...\nb: c"), "document"),
        (skill("a: 'b"), "not valid YAML"),
        (skill("a: \x00"), "not valid YAML"),
        (skill("a: \ud800"), "not valid YAML"),
        (skill("\t: x"), "not valid YAML"),
        (skill("a: " + "{a: " * 20), "deeper"),
        (skill("a: " + "[" * 4_000), "brackets"),
        (skill("a: " + "x" * 9_000), "bytes"),
        (skill("\n".join(f"k{n}: v" for n in range(80))), "lines"),
    ],
    ids=short,
)
def test_any_other_text_is_refused_with_its_reason(text: str, word: str) -> None:
    problem = check_skill_text(text)
    assert problem is not None
    assert word in problem
    assert problem.endswith(".")


def test_an_alias_bomb_is_refused_at_its_first_anchor() -> None:
    def checking(count: int) -> Work:
        levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, count)]
        return partial(check_skill_text, skill("\n".join(["l0: &l0 x", *levels])))

    assert "anchor" in str(checking(6)())
    assert growth(checking, 20) < 1.1


@pytest.mark.parametrize(
    ("begin", "part", "end"), [("a: [", "x,", "]"), ("", '""', ""), ("", "a:", ""), ("", "? ", "")]
)
def test_a_front_matter_within_the_limits_is_read_once(begin: str, part: str, end: str) -> None:
    def checking(count: int) -> Work:
        return partial(check_skill_text, skill(f"{begin}{part * count}{end}"))

    assert growth(checking, 600) < LINEAR


def test_the_yaml_parser_is_not_loaded_before_it_is_needed() -> None:
    code = "import reviewdeck.planning.skills, sys; print('ruamel.yaml' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


LINES = st.text("ab:1'-,.# \n", max_size=24).map("k: ".__add__)


@given(st.lists(LINES | st.sampled_from(["name: a", "on: yes", "it: Mara's, or null"])))
def test_what_is_read_without_the_parser_is_what_the_parser_reads(lines: list[str]) -> None:
    front = "\n".join(f"{line.replace('k', f'k{number}', 1)}" for number, line in enumerate(lines))
    read, parsed = (parse_front(f"---\n{text}\n---\nbody\n") for text in (front, f"{front}\n#"))
    assert (read and read.fields) == (parsed and parsed.fields)

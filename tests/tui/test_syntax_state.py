"""Colours of what spans lines: fences, strings and comments, on either side of a diff."""

from __future__ import annotations

from functools import partial

import pytest
from tests.steps import LINEAR, Work, growth

from reviewdeck_tui.proposal.diff import section_of
from reviewdeck_tui.proposal.diff_document import DiffDocument, Fold, Notice, Section
from reviewdeck_tui.widgets import syntax
from reviewdeck_tui.widgets.diff_items import flatten
from reviewdeck_tui.widgets.syntax_sides import STEP
from reviewdeck_tui.widgets.syntax_state import OUTSIDE, state_after


def _said(text: str, language: str) -> list[set[str]]:
    """For each line, the meanings of its colours."""
    inside, found = OUTSIDE, []
    for line in text.split("\n"):
        found.append(
            {kind.removeprefix("syntax-") for *_, kind in syntax.runs(line, language, inside)}
        )
        inside = state_after(inside, line, language)
    return found


def test_a_fence_is_no_markdown_until_it_ends() -> None:
    fence, heading, bold, end, after_it = _said("```\n# no\n**no**\n```\n# yes", "markdown")
    assert fence == end == {"keyword"}
    assert heading == bold == {"string"}
    assert after_it == {"heading"}


def test_a_fence_is_coloured_as_the_language_that_it_names() -> None:
    lines = _said('```python\nx = """a\nimport b"""\nimport c\n```\nimport d', "markdown")
    assert lines[2] == {"string"}
    assert "keyword" in lines[3]
    assert lines[5] == set()


def test_a_longer_fence_holds_a_shorter_one_and_no_lexer_is_loaded_by_an_agents_word() -> None:
    lines = _said("````mumps\n```\n# no\n```\n````\n# yes", "markdown")
    assert lines[1] == lines[2] == lines[3] == {"string"}
    assert lines[5] == {"heading"}


@pytest.mark.parametrize(
    ("language", "text", "meaning"),
    [
        ("python", 'x = 1\n"""one\nif two\nend"""\nif x:', "string"),
        ("python", "x = 1\ns = '''one\nif \\''' two\nend'''\nif x:", "string"),
        ("javascript", "x()\n/* one\nif two\nend */\nif (x) {}", "comment"),
        ("typescript", "x()\nlet s = `one\nif two\nend`\nif (x) {}", "string"),
        ("sql", "select 1;\n/* one\nselect two\nend */\nselect 3;", "comment"),
        ("bash", "ls\ncat <<'END' > x\nif two\nEND\nif x; then", "string"),
        ("bash", 'ls\necho "one\nif two\nend"\nif x; then', "string"),
        ("toml", 'a = 1\nb = """one\nc = 2\nend"""\nd = 3', "string"),
        ("ruby", "x = 1\n=begin\nif two\n=end\nif x", "comment"),
        ("perl", "my $x;\n=pod\nif two\n=cut\nif ($x) {}", "comment"),
        ("powershell", "ls\n<# one\nif two\nend #>\nif ($x) {}", "comment"),
    ],
)
def test_what_spans_lines_has_one_colour_until_it_ends(
    language: str, text: str, meaning: str
) -> None:
    lines = _said(text, language)
    assert lines[2] == {meaning}
    assert lines[4] != {meaning}


def test_what_only_looks_like_an_opener_opens_nothing() -> None:
    assert _said('# it\'s """\nif x:', "python")[1] == {"keyword"}
    assert _said('x = \'"""\'\nif x:', "python")[1] == {"keyword"}
    assert _said('let s = "/*"; // /*\nif (x) {}', "javascript")[1] == {"keyword"}
    assert _said("cat <<< word # it's\nif x; then", "bash")[1] == {"keyword"}


def test_each_side_of_a_diff_has_a_state_of_its_own() -> None:
    before = "a = 1\nb = 2\nc = 3\n"
    after_it = 'a = 1\n"""\nb = 2\nc = 3\n'
    (section,) = (section_of("x.py", before, after_it, None),)
    flat = flatten(DiffDocument("p", "t", (section,)))
    left, right = flat.insides.sides_before(len(flat.lines) - 1)
    assert not left.closer
    assert right.closer == '"""'


def test_folded_lines_count() -> None:
    rows = section_of("x.md", "```\ncode\n", "```\ncode\n", None).lines[1:]
    folded = Section("x.md", (Fold(rows, "folded"), *rows), language="markdown")  # type: ignore[arg-type]  # rows
    flat = flatten(DiffDocument("p", "t", (folded,)))
    assert flat.insides.sides_before(3)[0].closer == "```"
    assert not flat.insides.sides_before(4)[0].closer


def test_a_text_after_a_notice_begins_outside() -> None:
    rows = section_of("x.md", "", "```\ncode\n", None).lines
    section = Section("x.md", (*rows, Notice("place 2"), *rows), language="markdown")
    flat = flatten(DiffDocument("p", "t", (section,)))
    assert not flat.insides.sides_before(4)[1].closer


def test_where_one_looks_first_makes_no_difference() -> None:
    text = "".join(f"# {n}\n```\ncode\n" if n % 7 == 0 else f"line {n}\n" for n in range(STEP * 4))
    section = section_of("x.md", "", text, None)
    document = DiffDocument("p", "t", (section,))
    down, up = flatten(document), flatten(document)
    count = len(down.lines)
    one = [down.insides.sides_before(at) for at in range(count)]
    other = [up.insides.sides_before(at) for at in reversed(range(count))]
    assert one == other[::-1]


def test_a_jump_to_the_end_of_a_long_file_goes_through_its_lines_once() -> None:
    def jumping(count: int) -> Work:
        text = "".join(f"def f{n}():\n    '''x'''\n    return {n}\n" for n in range(count))
        flat = flatten(DiffDocument("p", "t", (section_of("x.py", "", text, None),)))
        return partial(flat.insides.sides_before, len(flat.lines) - 1)

    assert growth(jumping, 2_000) < LINEAR


@pytest.mark.parametrize("part", ["`", '"', '\\"', "'\\", "<<a", "<!--", "/*", "\\`", "<#"])
def test_a_line_twice_as_long_takes_twice_the_steps_to_go_through(part: str) -> None:
    def reading(count: int) -> Work:
        line = part * (count + 1)

        def read() -> None:
            for language in ("markdown", "python", "bash", "javascript", "sql", "powershell"):
                state_after(state_after(OUTSIDE, line, language), line, language)

        return read

    assert growth(reading, 2_000) < LINEAR

"""What the simple commands of a line are, and where that cannot be told."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewdeck.text.shell import braces_expanded, split_commands, variables_filled


def words_of(line: str) -> list[list[str]]:
    commands = split_commands(line)
    assert commands is not None, line
    return [[word.text for word in command.words] for command in commands]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a b|c;d&e&&f||g\nh", [["a", "b"], ["c"], ["d"], ["e"], ["f"], ["g"], ["h"]]),
        ("(a; b) | c", [["a"], ["b"], ["c"]]),
        ("a 'b c' \"d e\" f\\ g", [["a", "b c", "d e", "f g"]]),
        ("a''b \"\"", [["ab", ""]]),
        ("a\\\nb", [["ab"]]),
        ("a $'b\\x63\\n'", [["a", "bc\n"]]),
        ("a # b; c\nd", [["a"], ["d"]]),
        ("a b#c", [["a", "b#c"]]),
        ("a $(b $(c d)) e", [["c", "d"], ["b", "$(c d)"], ["a", "$(b $(c d))", "e"]]),
        ('a "x`b`y"', [["b"], ["a", "x`b`y"]]),
        ("a <(b) >(c)", [["b"], ["c"], ["a", "<(b)", ">(c)"]]),
        ("a '$(b)' \\$x", [["a", "$(b)", "$x"]]),
        ("A=1 B=2 c d=3", [["c", "d=3"]]),
        ("a 2>&1 >/dev/null b", [["a", "b"]]),
        ("a $((1 + 2)) ${b} ${c:-d} ${#e}", [["a", "$((1 + 2))", "${b}", "${c:-d}", "${#e}"]]),
    ],
)
def test_a_line_is_split_as_a_shell_does(line: str, words: list[list[str]]) -> None:
    assert words_of(line) == words


@pytest.mark.parametrize(
    "line",
    [
        "a <<END\nb $c\nEND",
        "a <<END\nb",
        "a <<'END'\nb\\\nEND\nc\nEND",
        "a $(b <<'END'\nc\nEND)\nd\nEND\n)",
        "a 'b",
        'a "b',
        "a `b",
        "a $(b",
        "a )",
        "(a",
        "f() { a; }",
        "a=(b c)",
        "ls @(a|b)",
        "a ${b:=c}",
        "a ${!b}",
        "a ${b@P}",
        "a $[1]",
        "a \0",
        "a >",
        "$(" * 200,
    ],
)
def test_what_is_not_followed_is_unclear(line: str) -> None:
    assert split_commands(line) is None


def test_a_word_knows_whether_the_program_gets_exactly_it() -> None:
    (command,) = split_commands("a 'b*' c* $d \"$e\" '$f' {g,h} ~ [ x~") or []
    assert [word.is_literal for word in command.words] == [
        *(True, True, False, False, False, True, False, False, True, True)
    ]
    assert [word.text for word in command.words if word.may_begin_otherwise] == [
        *("$d", "$e", "{g,h}")
    ]


def test_assignments_and_redirections_are_kept_apart() -> None:
    (command,) = split_commands("A='1 2' b+=3 c 2>> 'd e' <f &>g") or []
    assert [(name, word.text) for name, word in command.assignments] == [("A", "1 2"), ("b", "3")]
    assert [(sign, word.text) for sign, word in command.redirections] == [
        *((">>", "d e"), ("<", "f"), ("&>", "g"))
    ]


def test_a_here_document_is_a_text_for_the_program_before_it() -> None:
    commands = split_commands("a \"$(b <<'END'; c\nd; $(e)\nEND\n)\" | f <<-X <<< g\n\th\n\tX\ni")
    assert commands is not None
    assert [[word.text for word in command.words[:1]] for command in commands] == [
        ["b"],
        ["c"],
        ["a"],
        ["f"],
        ["i"],
    ]
    texts = [(operator, word.text) for each in commands for operator, word in each.redirections]
    assert texts == [("<<", "d; $(e)"), ("<<<", "g"), ("<<-", "h")]


def test_a_word_knows_whether_it_stays_one() -> None:
    commands = split_commands('a "$b" $b "x$(c)" "$@" * \'*\' "{a,b}"')
    assert commands is not None
    command = commands[-1]
    assert [word.is_single for word in command.words] == [
        *(True, True, False, True, False, False, True, True),
    ]


def test_braces_and_variables_become_what_they_stand_for() -> None:
    assert sorted(braces_expanded("a{b,c}/{d,e}")) == ["ab/d", "ab/e", "ac/d", "ac/e"]
    assert len(braces_expanded("{a,b}" * 40)) <= 2 * 64
    assert variables_filled("$a/${b}/$c", {"a": "x", "b": "y"}) == "x/y/$c"


@given(st.text(alphabet="ab '\"\\$`(){}<>;|&#=\n*~", max_size=60))
def test_no_line_is_an_error(line: str) -> None:
    split_commands(line)


QUOTED = st.lists(
    st.text(alphabet="ab '\"\\#;é", max_size=5).flatmap(
        lambda text: st.sampled_from(
            [
                "'" + text.replace("'", "'\\''") + "'",
                '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"',
            ]
        )
    ),
    min_size=1,
    max_size=5,
)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_words_are_those_that_bash_gives_to_a_program(tmp_path: Path) -> None:
    lines: list[str] = []

    @given(QUOTED, st.sampled_from([" ", "", "  "]))
    def collect(words: list[str], joint: str) -> None:
        lines.append(joint.join(words))

    collect()
    script = "".join(f"printf '%s\\0' {line}; printf '\\n\\0'\n" for line in lines)
    done = subprocess.run(
        ["bash", "--norc"], input=script.encode(), capture_output=True, check=True, cwd=tmp_path
    )
    given_words = [group.split("\0")[:-1] for group in done.stdout.decode().split("\n\0")[:-1]]
    assert given_words == [words_of(f"x {line}")[0][1:] for line in lines]

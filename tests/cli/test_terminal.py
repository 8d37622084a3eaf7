"""In a terminal there is colour, unless somebody asked for none."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest
from tests.cli.program import Program
from tests.operators.terminals import typed


def in_terminal(program: Program, *tokens: str, **env: str) -> str:
    """What a command writes to a terminal."""
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "reviewdeck.cli.main", *tokens]
    command += ["--home", str(program.home), "--ledger", str(program.ledger)]
    with subprocess.Popen(
        command,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm-256color", **env},
    ) as process:
        os.close(terminal)
        said = b""
        try:
            while chunk := os.read(controller, 65_536):
                said += chunk
        except OSError:
            pass  # the other end was closed: that is how a terminal ends
        finally:
            os.close(controller)
    assert process.returncode in (0, 3), said
    return said.decode("utf-8")


def test_a_terminal_gets_colours(program: Program) -> None:
    program("status")
    assert "\x1b[1;31m! refused" in in_terminal(program, "list")


def test_nobody_gets_colours_against_their_will(program: Program) -> None:
    program("status")
    assert "\x1b" not in in_terminal(program, "list", "--no-color")
    assert "\x1b" not in in_terminal(program, "list", NO_COLOR="1")
    assert "\x1b" not in program("list").out


def test_marks_are_drawn_in_colour_or_in_brackets(program: Program) -> None:
    program("status")
    said = in_terminal(program, "diff", "cd551737")
    assert "[-15-]" not in said and "\x1b[1;7;31m15\x1b[0m" in said
    assert "[-15-]" in in_terminal(program, "diff", "cd551737", "--no-color")


def test_the_sign_of_life_is_gone_before_the_report(program: Program) -> None:
    said = in_terminal(program, "auto", "--dry-run")
    before, _, after = said.partition("Would apply")
    assert "reading the home" in before and "reading the home" not in after
    assert before.rstrip("\x1b[1m").endswith("\x1b[2K")


def test_a_terminal_that_can_do_nothing_is_left_in_peace(program: Program) -> None:
    program("status")
    assert "\x1b" not in in_terminal(program, "list", TERM="dumb")


def test_the_deck_is_lines_of_text_where_nothing_can_be_drawn(program: Program) -> None:
    command = [sys.executable, "-m", "reviewdeck.cli.main"]
    opened = [*command, "--home", str(program.home), "--ledger", str(program.ledger)]
    said = typed(opened, [("reviewdeck> ", "quit")], {**os.environ, "TERM": "dumb"})
    assert said.code == 0 and "It opens as lines of text, as with --plain." in said.screen
    said = typed([*command, "demo"], [], {**os.environ, "TERM": "dumb"})
    assert said.code == 2 and "The tour needs a terminal that can draw." in said.screen


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is Linux' own")
@pytest.mark.parametrize(
    ("size", "told"), [(1500, "1500 read"), (4094, "4094 read"), (5000, "at most 4094 bytes")]
)
def test_a_typed_line_is_read_whole_or_refused(size: int, told: str) -> None:
    script = "from reviewdeck.terminal import ask; print(len(ask('Word: ')), 'read')"
    said = typed([sys.executable, "-c", script], [("Word", "x" * size)])
    assert told in said.screen, said

"""The operator's own settings: what deck.toml may hold, and what is wrong in it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.tui.kit_deck import Cockpit
from textual.widgets import Static

from reviewdeck_tui import own_command
from reviewdeck_tui.clipboard import notice
from reviewdeck_tui.links import browser_for, links_in, open_link
from reviewdeck_tui.own_command import fill, run_own
from reviewdeck_tui.preferences import OwnCommand, Preferences, load_preferences
from reviewdeck_tui.screens.deck import Arrived
from reviewdeck_tui.screens.dialogs import LinesDialog, LinkDialog


def written(folder: Path, text: str) -> Preferences:
    path = folder / "deck.toml"
    path.write_text(text, "utf-8")
    return load_preferences(path)


def test_a_file_of_settings_is_read(tmp_path: Path) -> None:
    found = written(
        tmp_path,
        'theme = "deck-light"\nlayout = "split"\nnotify = "bell"\n[keys]\ndefer = "Q"\n'
        '[filters]\nf2 = "severity:high OR age:>3d"\n'
        '[commands]\nf6 = ["git", "-C", "{home}", "log"]\n'
        '[commands.f7]\nrun = ["wc", "{document}"]\nwords = "count it"\n',
    )
    assert (found.theme, found.layout, found.keys) == ("deck-light", "split", {"defer": "Q"})
    assert (found.notify, found.filters) == ("bell", {"f2": "severity:high OR age:>3d"})
    assert found.commands == {
        "f6": OwnCommand(("git", "-C", "{home}", "log"), "git -C {home} log"),
        "f7": OwnCommand(("wc", "{document}"), "count it"),
    }
    assert not found.problems


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ('theme = "nosuch"', ["line 1: there is no such theme"]),
        ('\nlayout = "sideways"', ["line 2: layout is one of auto, split, unified"]),
        ("wrap = 1", ["line 1: wrap is true or false"]),
        ('layuot = "split"', ["line 1: there is no setting 'layuot'"]),
        (
            '[keys]\napprove = "j"\nfly = "f"',
            ["line 2: j is both down and approve", "line 3: there is no action 'fly'"],
        ),
        ('[keys]\ndefer = "crtl+x"', ["line 2: there is no key 'crtl+x'"]),
        ('[filters]\na = "x"', ["line 2: a is approve already"]),
        (
            '[filters]\nf2 = "age:old"',
            ["line 2: age: takes 3h, 2d or 1w, with < for newer"],
        ),
        ('[filters]\nf2 = "tests NOT"', ["line 2: Nothing follows NOT"]),
        (
            '[commands]\nf6 = "ls | wc"',
            ['line 2: f6 takes a program with its arguments: ["git", "log"]'],
        ),
        (
            '[commands]\nf6 = ["ls", "{path}"]',
            ["line 2: {path} is none of {id}, {home}, {document}"],
        ),
        ("filters = 3", ['line 1: [filters] takes lines such as f2 = "severity:high"']),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_not_used(
    tmp_path: Path, text: str, problems: list[str]
) -> None:
    found = written(tmp_path, text)
    assert [problem.partition(", ")[2] for problem in found.problems] == problems
    assert (found.theme, found.layout, found.wrap) == ("deck-dark", "auto", True)
    assert not found.keys and not found.filters and not found.commands


@pytest.mark.parametrize("text", ["[keys", 'theme = "a"\ntheme = "b"', "\x00"])
def test_a_file_that_is_no_toml_is_said_and_not_used(tmp_path: Path, text: str) -> None:
    (problem,) = written(tmp_path, text).problems
    assert "deck.toml, line" in problem


def test_a_file_that_cannot_be_read_is_said_in_words(tmp_path: Path) -> None:
    file = tmp_path / "deck.toml"
    file.write_bytes(b"theme = \xff")
    assert load_preferences(file).problems == (f"{file} cannot be read: it is not UTF-8",)
    file.unlink()
    file.mkdir()
    assert load_preferences(file).problems == (f"{file} cannot be read: Is a directory",)


async def test_all_problems_are_on_the_screen_until_a_key_is_pressed(cockpit: Cockpit) -> None:
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    cockpit.take_in()
    problems = ("deck.toml, line 1: there is no such theme", "deck.toml, line 3: other")
    async with cockpit.open(preferences=Preferences(problems=problems)) as deck:
        dialog = deck.app.screen
        assert isinstance(dialog, LinesDialog)
        said = "\n".join(str(one.content) for one in dialog.query(Static))
        assert all(problem in said for problem in problems)
        await deck.press("a")
        assert deck.app.screen is deck.screen
        assert not deck.drafts  # The key closed the list, and did nothing else.


async def test_a_key_sets_a_filter_and_drops_it(cockpit: Cockpit) -> None:
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    cockpit.agent.add("The office is on Pier 2.")
    cockpit.take_in()
    async with cockpit.open(preferences=Preferences(filters={"f2": "sphinx"})) as deck:
        both = deck.ids
        await deck.press("f2")
        assert len(deck.ids) == 1
        assert deck.screen.filter.words == "sphinx"
        await deck.press("f2")
        assert deck.ids == both
        await deck.press("question_mark")
        await deck.press("escape")


def own(*arguments: str) -> Preferences:
    return Preferences(commands={"f6": OwnCommand(arguments, "mine")})


async def test_a_key_runs_a_program_with_the_proposal_in_its_arguments(cockpit: Cockpit) -> None:
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    cockpit.take_in()
    code = "import sys; print(*sys.argv[1:])"
    run = own(sys.executable, "-c", code, "{id}", "{document}", "$HOME; `x`")
    async with cockpit.open(preferences=run) as deck:
        await deck.press("f6")
        await deck.until(lambda: "mine: done" in deck.strip)
        assert deck.cursor in deck.strip
        assert "memories/MEMORY.md $HOME; `x`" in deck.strip


async def test_a_program_that_fails_or_prints_escapes_is_shown_inert(cockpit: Cockpit) -> None:
    cockpit.agent.replace("mkdocs", "Docs use sphinx.")
    cockpit.take_in()
    code = r"print('\x1b]0;own\x07\x1b[31mred [bold]x[/]'); print('two'); raise SystemExit(3)"
    async with cockpit.open(preferences=own(sys.executable, "-c", code)) as deck:
        await deck.press("f6")
        await deck.until(lambda: isinstance(deck.app.screen, LinesDialog))
        said = "\n".join(str(one.content) for one in deck.app.screen.query(Static))
        assert "mine: exit code 3" in said
        assert "[bold]x[/]" in said and "two" in said
        assert "\x1b" not in said
        await deck.press("escape")
        assert deck.app.screen is deck.screen


async def test_a_program_that_is_not_there_is_said(cockpit: Cockpit) -> None:
    async with cockpit.open(preferences=own("/nosuch/program")) as deck:
        await deck.press("f6")
        await deck.until(lambda: "cannot be run: No such file" in deck.strip)


def test_a_program_that_hangs_is_ended_with_what_it_started(tmp_path: Path) -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    ended = run_own([sys.executable, "-c", f"{code}\nwhile True: pass"], 0.2)
    assert not ended.is_good
    assert "and was ended" in ended.outcome


async def test_a_program_that_still_runs_ends_with_the_deck(
    cockpit: Cockpit, tmp_path: Path
) -> None:
    ready = tmp_path / "ready"
    code = "import os, signal, sys; open(sys.argv[1], 'w').write(str(os.getpid())); signal.pause()"
    async with cockpit.open(preferences=own(sys.executable, "-c", code, str(ready))) as deck:
        await deck.pilot.press("f6")
        await deck.until(lambda: ready.exists() and bool(ready.read_text()))
        running = int(ready.read_text())
        os.kill(running, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(running, 0)


def test_only_the_end_of_a_long_output_is_kept() -> None:
    ended = run_own([sys.executable, "-c", "print('x' * 100_000 + 'end')"])
    assert len(ended.output) == own_command.MOST
    assert ended.output.endswith("end\n")


def test_a_value_is_never_searched_for_another_placeholder() -> None:
    assert fill(["{id}:{home}", "{x}"], {"{id}": "{home}", "{home}": "/h"}) == ("{home}:/h", "{x}")


async def test_a_link_is_offered_and_opened_only_by_its_digit(
    cockpit: Cockpit, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    cockpit.agent.add("The runbook is at https://wiki.example/run?a=1, and http://b.example.")
    cockpit.take_in()
    async with cockpit.open() as deck:
        copied: list[str] = []
        monkeypatch.setattr(deck.app, "copy_to_clipboard", copied.append)
        await deck.press("L")
        dialog = deck.app.screen
        assert isinstance(dialog, LinkDialog)
        said = "\n".join(str(one.content) for one in dialog.query(Static))
        assert "https://wiki.example/run?a=1" in said
        await deck.press("escape")
        assert not copied
        await deck.press("L", "2")
        assert copied == ["http://b.example"]


def test_links_are_plain_ones() -> None:
    texts = [
        "see <https://a.example/x>, (http://b.example).",
        "javascript:x file:///etc https://ü.e",
    ]
    assert links_in(texts) == ("https://a.example/x", "http://b.example")
    assert len(links_in(f"http://a.example/{at}" for at in range(40))) == 9


def test_a_browser_needs_a_screen(tmp_path: Path) -> None:
    assert browser_for({}, "linux") == ""
    assert browser_for({"DISPLAY": ":0"}, "linux") == "xdg-open"
    assert browser_for({}, "darwin") == "open"
    assert "cannot be run" in open_link(str(tmp_path / "nosuch"), "https://a.example")


async def test_a_notice_is_given_only_while_the_terminal_is_behind(
    cockpit: Cockpit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    async with cockpit.open(preferences=Preferences(notify="desktop")) as deck:
        written: list[str] = []
        assert deck.app._driver is not None
        monkeypatch.setattr(deck.app._driver, "write", written.append)
        deck.screen.post_message(Arrived(2))
        await deck.settle()
        assert not any("]9;" in one for one in written)
        deck.app.app_focus = False
        deck.screen.post_message(Arrived(2))
        await deck.until(lambda: "\x1b]9;reviewdeck: 2 new proposals\a\a" in written)


def test_in_tmux_a_notice_goes_through_it() -> None:
    assert notice("x", {"TMUX": "1"}) == "\x1bPtmux;\x1b\x1b]9;x\a\x1b\\\a"

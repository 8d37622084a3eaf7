"""At the end of a turn a person is told what was learnt since the last one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from reviewdeck.agents.hermes import agent, chat, guard, learnt, program

MEMORY = "memories/MEMORY.md"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "memories").mkdir()
    (tmp_path / MEMORY).write_text("Tests run with tox.", "utf-8")
    monkeypatch.setattr(agent, "home", lambda: tmp_path)
    set_mode(monkeypatch, "on")
    learnt.look(tmp_path)
    yield tmp_path


def set_mode(monkeypatch: pytest.MonkeyPatch, mode: object) -> None:
    """Hermes' own setting."""
    module: Any = ModuleType("hermes_cli.config")
    module.load_config = lambda: {"display": {"memory_notifications": mode}}
    monkeypatch.setitem(sys.modules, "hermes_cli", ModuleType("hermes_cli"))
    monkeypatch.setitem(sys.modules, "hermes_cli.config", module)


def add(home: Path, *entries: str) -> None:
    """Another program applies entries."""
    file = home / MEMORY
    file.write_text("\n§\n".join((file.read_text("utf-8"), *entries)), "utf-8")


def told(capsys: pytest.CaptureFixture[str], platform: str = "cli") -> str:
    """What the end of a turn adds, to the terminal or to the answer."""
    answer = chat.add_notice(response_text="Hi.", platform=platform)
    return capsys.readouterr().err + (answer or "")


def test_what_was_learnt_is_one_line_and_said_once(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys) == ""
    add(home, "The user drinks tea.")
    assert told(capsys) == "reviewdeck: 1 entry learned ('reviewdeck since')\n"
    assert told(capsys) == ""
    add(home, "One.", "Two.")
    assert "2 entries learned" in told(capsys)


def test_what_is_removed_is_nothing_learnt(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / MEMORY).write_text("", "utf-8")
    assert told(capsys) == ""
    (home / MEMORY).unlink()
    assert told(capsys) == ""


@pytest.mark.parametrize(("mode", "is_told"), [("off", False), (False, False), (None, True)])
def test_it_follows_hermes_own_setting(
    home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    mode: object,
    is_told: bool,
) -> None:
    set_mode(monkeypatch, mode)
    add(home, "The user drinks tea.")
    assert bool(told(capsys)) is is_told


def test_in_detail_it_quotes_the_entry_without_what_may_be_a_secret(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_mode(monkeypatch, "verbose")
    add(home, "The user drinks\ntea. \x1b[31m")
    assert '"The user drinks tea. \ufffd[31m"' in told(capsys)
    add(home, f"The token is {'x1' * 12} here. {'word ' * 30}")
    said = told(capsys)
    assert "The token is … here." in said and "x1x1" not in said and said.count("\n") == 1
    assert len(said) < 150


@pytest.mark.parametrize(
    ("key", "is_told"),
    [
        ("agent:main:telegram:dm:7", True),
        ("agent:work:signal:dm", True),
        ("agent:main:telegram:group:-7:7", False),
        ("agent:main:telegram:channel:dm", False),
        ("", False),
    ],
)
def test_a_direct_message_is_told_how_much_was_learnt_and_a_chat_of_several_people_is_not(
    home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    key: str,
    is_told: bool,
) -> None:
    module: Any = ModuleType("gateway.session_context")
    module.get_session_env = lambda name: key if name == "HERMES_SESSION_KEY" else ""
    monkeypatch.setitem(sys.modules, "gateway", ModuleType("gateway"))
    monkeypatch.setitem(sys.modules, "gateway.session_context", module)
    set_mode(monkeypatch, "verbose")
    add(home, "The user drinks tea.")
    line = "Hi.\n\nreviewdeck: 1 entry learned ('reviewdeck since')"
    assert told(capsys, "telegram") == (line if is_told else "")


def test_the_other_terminal_is_told_behind_the_answer(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add(home, "The user drinks tea.")
    assert told(capsys, "tui") == "Hi.\n\nreviewdeck: 1 entry learned ('reviewdeck since')"


@pytest.mark.parametrize(("answers", "is_told"), [([], True), (["live"], False)])
def test_a_review_that_was_told_nothing_was_asked_for_twice_and_a_person_hears_of_it(
    home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    answers: list[str],
    is_told: bool,
) -> None:
    asked: list[Path] = []

    def ask(home: Path, *_: str, seconds: float) -> str:
        asked.append(home)
        if len(asked) == 2 and answers:
            return answers[0]
        raise program.Unavailable("reviewdeck did not answer within 10 seconds.")

    monkeypatch.setattr(program, "ask", ask)
    monkeypatch.setattr(agent, "origin", lambda: agent.BACKGROUND)
    request = {"messages": [{"role": "user", "content": "Review it."}]}
    turn = f"turn {is_told}"
    for _ in range(2):
        extended = guard.before_request(request=request, turn_id=turn)
        assert (extended is None) is is_told
    assert len(asked) == 2
    monkeypatch.setattr(agent, "origin", lambda: "assistant_tool")
    assert ("a review was not told what is live" in told(capsys)) is is_told
    assert told(capsys) == ""


@pytest.mark.parametrize(("platform", "is_guarded"), [("cli", True), ("curator", False)])
def test_hermes_curator_gets_no_guard(
    home: Path, monkeypatch: pytest.MonkeyPatch, platform: str, is_guarded: bool
) -> None:
    monkeypatch.setattr(program, "ask", lambda *_, **__: "What is live.")
    monkeypatch.setattr(agent, "origin", lambda: agent.BACKGROUND)
    request = {"messages": [{"role": "user", "content": "Tidy up."}]}
    extended = guard.before_request(request=request, turn_id=platform, platform=platform)
    assert (extended is not None) is is_guarded


@pytest.mark.parametrize("key", ["messages", "input"])
def test_the_guard_stands_behind_the_last_message_of_the_user(key: str) -> None:
    kind = "text" if key == "messages" else "input_text"
    asked = {"type": kind, "text": "Review it."}
    earlier = [
        {"role": "user", "content": "First."},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": [asked]},
    ]
    later = [
        {"role": "assistant", "content": "I look."},
        {"role": "user", "content": [{"type": "tool_result", "content": "{}"}]},
        {"role": "tool", "content": "{}"},
    ]
    extended = guard.append_text({key: [*earlier, *later], "model": "m"}, "What is live.")
    told = {"role": "user", "content": [asked, {"type": kind, "text": "What is live."}]}
    assert extended == {key: [*earlier[:2], told, *later], "model": "m"}
    assert guard.append_text({key: later}, "What is live.") is None


def end_the_process(home: Path) -> None:
    """Another one begins: it has looked at the home as it is."""
    for known in (chat._told, chat._known_records):
        known.clear()
    learnt._known.clear()
    learnt.look(home)
    chat._known_records[home] = set(chat._records(home, 0))


def test_what_came_after_the_last_turn_of_a_process_is_told_in_the_next(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told(capsys)
    add(home, "The user drinks tea.")
    record = home / "pending" / "memory" / "bbbbbbbb.json"
    record.parent.mkdir(parents=True)
    record.write_text("{}", "utf-8")
    os.utime(record, (1, 1))
    end_the_process(home)
    said = told(capsys)
    assert "1 entry learned" in said and "1 new proposal is waiting" in said
    end_the_process(home)
    assert told(capsys) == ""


@pytest.mark.parametrize("content", ["", "[]", '{"v": 2}', '{"v": 1, "entries": 7}', "[" * 9999])
def test_a_note_of_what_was_told_that_cannot_be_read_tells_nothing(
    home: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    end_the_process(home)
    (home / ".reviewdeck").mkdir()
    (home / ".reviewdeck" / "told.json").write_text(content, "utf-8")
    assert told(capsys) == ""
    assert (home / ".reviewdeck" / "told.json").stat().st_mode & 0o777 == 0o600


def test_what_was_told_cannot_be_noted_and_nobody_is_held_up(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / ".reviewdeck").write_text("", "utf-8")
    add(home, "The user drinks tea.")
    assert "1 entry learned" in told(capsys)

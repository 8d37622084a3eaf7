"""A memory in Hermes' own terminal is staged, not asked about; where it is, the answer is known."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from reviewdeck.agents.hermes import agent, terminal

BOX = "tools.terminal_tool"


class Terminal(ModuleType):
    """The part of Hermes' terminal that a thread's approvals come from."""

    def __init__(self) -> None:
        super().__init__(BOX)
        self.threads = threading.local()

    def set_approval_callback(self, callback: object) -> None:
        self.threads.approval = callback

    def _get_approval_callback(self) -> Any:
        return getattr(self.threads, "approval", None)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".reviewdeck").mkdir()
    monkeypatch.setattr(agent, "home", lambda: tmp_path)
    return tmp_path


@pytest.fixture
def box(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    module = Terminal()
    monkeypatch.setitem(sys.modules, BOX, module)
    yield module


def set_to(home: Path, **settings: object) -> None:
    """The plugin's settings."""
    file = home / ".reviewdeck/plugin.json"
    file.write_text(json.dumps({"v": 1, "command": ["/bin/true"], **settings}), "utf-8")
    file.chmod(0o600)


def called(tool: str, make: Callable[[Any], Any]) -> Any:
    return terminal.around_call(tool_name=tool, args={"action": "add"}, next_call=make)


def yes(*_: object, **__: object) -> str:
    return "once"


@pytest.mark.parametrize("settings", [None, {}, {"terminal": "stage"}, {"terminal": 7}])
def test_nobody_is_asked_during_the_call_and_the_terminal_asks_again_after_it(
    home: Path, box: Terminal, settings: dict[str, object] | None
) -> None:
    if settings is not None:
        set_to(home, **settings)
    box.set_approval_callback(yes)
    assert called("memory", lambda _: box._get_approval_callback()) is None
    assert box._get_approval_callback() is yes
    assert not terminal.was_allowed()


def test_it_asks_again_after_a_call_that_fails(home: Path, box: Terminal) -> None:
    box.set_approval_callback(yes)

    def fail(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        called("memory", fail)
    assert box._get_approval_callback() is yes


@pytest.mark.parametrize("tool", ["terminal", "skill_manage", "write_file", "memory_search"])
def test_no_other_tool_goes_unasked(home: Path, box: Terminal, tool: str) -> None:
    box.set_approval_callback(yes)
    assert called(tool, lambda _: box._get_approval_callback()) is yes


def test_another_thread_keeps_its_question(home: Path, box: Terminal) -> None:
    seen: list[object] = []

    def elsewhere() -> None:
        box.set_approval_callback(yes)
        here.set()
        gone.wait(60)
        seen.append(box._get_approval_callback())

    here, gone = threading.Event(), threading.Event()
    other = threading.Thread(target=elsewhere)
    other.start()
    here.wait(60)
    box.set_approval_callback(yes)

    def let_the_other_look(_: object) -> None:
        gone.set()
        other.join(60)

    called("memory", let_the_other_look)
    assert seen == [yes]


def test_a_hermes_without_that_terminal_is_left_alone(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, BOX, None)
    assert called("memory", lambda args: args) == {"action": "add"}


@pytest.mark.parametrize(
    ("answer", "is_allowed"), [("once", True), ("session", True), ("deny", False), (None, False)]
)
def test_where_it_may_ask_the_answer_is_a_persons_and_is_known(
    home: Path, box: Terminal, answer: object, is_allowed: bool
) -> None:
    set_to(home, terminal="ask")
    asked: list[object] = []

    def ask(command: str, *, allow_permanent: bool) -> object:
        asked.append((command, allow_permanent))
        return answer

    box.set_approval_callback(ask)
    found = called("memory", lambda _: box._get_approval_callback()("tea", allow_permanent=False))
    assert found == answer and asked == [("tea", False)]
    assert terminal.was_allowed() is is_allowed
    assert box._get_approval_callback() is ask
    called("memory", lambda _: None)
    assert not terminal.was_allowed()

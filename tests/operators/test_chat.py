"""A decision that was typed in an agent's chat: from the agent's own process, and no other."""

from __future__ import annotations

import json
import os
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.operators.signed import Office

from reviewdeck.agents.hermes import chat, guard, program, settings
from reviewdeck.cli.chat import Chat, receive_chat
from reviewdeck.cli.prompts import admit
from reviewdeck.engine.authorisation import admitted
from reviewdeck.engine.options import Settings
from reviewdeck.errors import BadInput, DescendsFromAgent, NotPermitted
from reviewdeck.ports.authority import Process

SHELL = Process(300, "bash", ("bash",))
HERMES = Process(400, "hermes", ("python", "/opt/hermes"))
CLAUDE = Process(500, "claude", ("claude",))
linux = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells which process made a socket"
)


def asked(data: bytes) -> Chat:
    """What is asked so, by this very process."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(data)
        ours.shutdown(socket.SHUT_WR)
        return receive_chat(theirs.fileno())


def over(*ancestors: Process) -> Settings:
    return Settings((), "ledger.db", Path("/"), ancestry=lambda: ancestors)


@linux
def test_the_process_that_made_the_socket_is_the_one_that_asks() -> None:
    found = asked(b'{"verb": "reject", "id": "aa", "reason": "no", "via": "telegram 7"}')
    assert (found.agent, found.via) == (os.getpid(), "telegram 7")
    assert found.request == {"verb": "reject", "id": "aa", "reason": "no"}


@linux
@pytest.mark.parametrize("data", [b"", b"[]", b'{"id": 7}', b"\xff", b"[" * 9_000])
def test_what_is_no_question_is_none(data: bytes) -> None:
    with pytest.raises(BadInput):
        asked(data)


def test_a_pipe_a_file_and_another_kind_of_socket_ask_nothing(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(write)
    file = os.open(tmp_path / "asked", os.O_RDWR | os.O_CREAT)
    with socket.socket(socket.AF_INET) as network:
        for descriptor in (read, file, network.fileno()):
            with pytest.raises(NotPermitted):
                receive_chat(descriptor)
    os.close(read)
    os.close(file)


def test_only_the_asking_agent_is_let_through_and_it_is_on_record() -> None:
    typed = Chat(HERMES.pid, "telegram 7\x1b[2J", {})
    settings = typed.admitted(over(HERMES, SHELL))
    assert admitted(settings.ancestry(), ()) == ("the chat of hermes 400", "bash 300")
    assert settings.actor.terminal.startswith("chat, telegram 7") and "\x1b" not in (
        settings.actor.terminal
    )


@pytest.mark.parametrize("above", [(CLAUDE,), (SHELL, CLAUDE), (replace(HERMES, pid=401),)])
def test_another_agent_above_it_decides_nothing(above: tuple[Process, ...]) -> None:
    settings = Chat(HERMES.pid, "", {}).admitted(over(HERMES, *above))
    with pytest.raises(DescendsFromAgent):
        admitted(settings.ancestry(), ())


def test_a_process_that_did_not_start_this_one_asks_nothing() -> None:
    with pytest.raises(NotPermitted):
        Chat(999, "", {}).admitted(over(HERMES, SHELL))


def test_where_decisions_are_signed_a_chat_is_told_to_use_the_deck(office: Office) -> None:
    office.init()
    with pytest.raises(NotPermitted) as refused:
        admit(office.open(None), is_chat=True)
    assert "signed" in refused.value.message and "deck" in refused.value.hint


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    (made / ".reviewdeck").mkdir(parents=True)
    return made


def note(home: Path, command: object, mode: int = 0o600) -> Path:
    path = home / settings.FILE
    path.write_text(json.dumps({"v": 1, "command": command}), "utf-8")
    path.chmod(mode)
    return path


def test_the_plugin_starts_the_program_that_was_noted_with_a_python_of_its_own(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    script = "import os, sys; print(os.getcwd(), sys.argv[1:], os.environ.get('PYTHONPATH'))"
    note(home, [sys.executable, "-c", script])
    said = program.ask(home, "diff", "aa; rm -rf", seconds=60)
    assert said == f"{home} ['diff', 'aa; rm -rf', '--home', '{home}', '--no-color'] None\n"


@pytest.mark.parametrize(
    "command", [[], "reviewdeck", ["reviewdeck"], ["/bin/true", 7], None, [""]]
)
def test_a_note_that_names_no_program_starts_none(home: Path, command: object) -> None:
    note(home, command)
    with pytest.raises(program.Unavailable):
        program.ask(home, seconds=5)


def test_a_note_that_others_may_have_written_starts_nothing(home: Path) -> None:
    path = note(home, ["/bin/true"], 0o666)
    with pytest.raises(program.Unavailable):
        program.ask(home, seconds=5)
    path.rename(home / "aside")
    path.symlink_to(home / "aside")
    with pytest.raises(program.Unavailable):
        program.ask(home, seconds=5)


def test_a_program_that_fails_or_hangs_is_told_in_a_sentence(home: Path) -> None:
    note(home, ["/bin/sh", "-c", "echo 'reviewdeck: no such proposal.' >&2; exit 1"])
    with pytest.raises(program.Unavailable, match="no such proposal"):
        program.ask(home, seconds=60)
    note(home, ["/bin/sh", "-c", "exec sleep 60"])
    with pytest.raises(program.Unavailable, match="did not answer"):
        program.ask(home, seconds=0.2)


@pytest.mark.parametrize(
    "typed", ["approve aa", "approve aa b; rm", "approve", "reject aa", "x", "-"]
)
def test_a_command_that_is_not_whole_starts_nothing(home: Path, typed: str) -> None:
    assert chat.USAGE in chat.answer(typed, home, "")


@pytest.mark.parametrize(
    "request_",
    [
        {"messages": [{"role": "user", "content": "Review."}]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "Review."}]}]},
        {"input": [{"role": "user", "content": "Review."}]},
        {
            "messages": [
                {"role": "user", "content": "Review."},
                {"role": "user", "content": [{"type": "tool_result", "content": "x"}]},
            ]
        },
    ],
)
def test_the_text_stands_behind_the_last_message_of_the_user(request_: dict[str, object]) -> None:
    before = json.dumps(request_)
    told = guard.append_text(request_, "LIVE")
    assert json.dumps(request_) == before  # the parent's own messages are in it
    assert told is not None and json.dumps(told).count("LIVE") == 1
    key = next(iter(request_))
    assert "LIVE" in json.dumps(told[key][0]) and len(told[key]) == len(request_[key])  # type: ignore[arg-type]


@pytest.mark.parametrize("request_", [{}, {"messages": []}, {"messages": "x"}, {"input": "x"}])
def test_a_request_without_a_message_of_the_user_is_left_alone(request_: dict[str, object]) -> None:
    assert guard.append_text(request_, "LIVE") is None

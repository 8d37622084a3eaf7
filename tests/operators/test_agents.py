"""A known agent is told by its program and the shape of its command, and by nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from tests.engine.kit import OPERATOR

from reviewdeck.engine.agent_programs import agent_among
from reviewdeck.engine.authorisation import Unsigned
from reviewdeck.errors import AncestorsUnknown
from reviewdeck.operators.process import (
    ancestors_of,
    psutil_ancestry,
    system_ancestry,
    table_reader,
)
from reviewdeck.ports import Process

AGENTS = [
    ("claude", ["claude", "--resume"]),
    ("node", ["node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"]),
    ("claude", ["node", "/opt/cli.js"]),
    ("hermes", ["/home/dana/.local/bin/hermes", "chat"]),
    ("python3", ["/usr/bin/python3.12", "/home/dana/.local/bin/hermes", "gateway"]),
    ("python", ["python", "-m", "hermes_cli.main"]),
    ("python3", ["python3", "-u", "-m", "aider", "notes.md"]),
    ("codex", ["/usr/local/bin/codex", "exec", "do it"]),
    ("node", ["node", "--no-warnings", "/usr/local/bin/gemini"]),
    ("cursor-agent", ["cursor-agent"]),
    ("goose", ["goose", "session"]),
    ("opencode", ["/opt/opencode"]),
    ("openclaw", ["openclaw"]),
    ("claude", []),
    ("python", ["python", "-X", "dev", "-m", "hermes_cli.main"]),
    ("python", ["python", "-Xdev", "-Wignore", "-m", "hermes_cli.main"]),
    ("python", ["python3.13", "-W", "ignore", "-m", "hermes_cli"]),
    ("python", ["python", "-W", "ignore", "-X", "utf8", "-I", "-B", "-u", "-m", "hermes_cli.main"]),
    ("python", ["python", "-IBm", "hermes_cli.main"]),
    ("python", ["python", "-mhermes_cli.main"]),
    ("python", ["python", "--check-hash-based-pycs", "never", "-m", "aider"]),
    ("python", ["python", "-m", "interpreter"]),
    ("python", ["python", "/opt/venv/lib/site-packages/letta/__main__.py"]),
    ("python3.13t", ["python3.13t", "-m", "letta.cli"]),
    ("node", ["node", "-r", "./hook.js", "--import", "tsx", "/usr/bin/cline"]),
    ("bash", ["/bin/bash", "/home/dana/.local/bin/hermes", "chat"]),
    ("npx", ["npx", "-y", "@anthropic-ai/claude-code"]),
    ("npm", ["npm", "exec", "opencode@latest"]),
    ("uv", ["uv", "tool", "run", "--from", "aider-chat", "aider"]),
    ("uvx", ["uvx", "--python", "3.12", "hermes-agent"]),
    ("uvx", ["uvx", "--from", "open-interpreter", "run-it"]),
    ("hermes-cli", ["hermes-cli"]),
    ("hermesd", ["/usr/sbin/hermesd", "--foreground"]),
    ("windsurf", ["/usr/share/windsurf/windsurf"]),
    ("cursor", ["/opt/Cursor.AppImage"]),
    ("kiro-cli", ["kiro-cli", "chat"]),
    ("devin", ["devin"]),
    ("letta", ["letta", "run"]),
    ("interpreter", ["interpreter", "-y"]),
    (
        "vibe",
        ["/home/dana/.local/share/uv/tools/mistral-vibe/bin/python", "/home/dana/.local/bin/vibe"],
    ),
    ("python", ["/home/dana/.local/pipx/venvs/aider-chat/bin/python", "start.py"]),
    ("python", ["python", "/opt/venv/lib/python3.12/site-packages/letta/cli/run.py"]),
    *(
        (name, [name])
        for name in ("grok", "agent", "acli", "cn", "jules", "agy", "pi", "code", "zed")
    ),
    *(
        (name, [f"/usr/bin/{name}"])
        for name in ("nanobot", "zeroclaw", "deepagents", "aichat", "idea")
    ),
    ("", ["hermes gateway: telegram"]),
    ("", ["claude (deleted)"]),
    ("", ["/usr/local/bin/claude --resume /srv/notes"]),
    ("", ["python3 -m hermes_cli.main"]),
    ("hermes: chat", []),
    ("open-interprete", ["/opt/run"]),
    ("codex", ["/opt/codex-x86_64-unknown-linux-musl", "exec"]),
    ("opencode", ["/opt/opencode-linux-x64-baseline"]),
    ("x", ["/nix/store/abc-claude-code/bin/.claude-wrapped"]),
    ("node", ["node", "/home/dana/.npm/_npx/0a/node_modules/.bin/gemini"]),
    ("node", ["node", "/usr/lib/node_modules/@github/copilot/index.js"]),
    ("node", ["node", "/opt/app/node_modules/@anthropic-ai/claude-agent-sdk/cli.js"]),
    ("node", ["node", "/home/dana/.vscode-server/bin/0a/out/server-main.js"]),
    ("bun", ["bun", "x", "opencode"]),
    ("deno", ["deno", "run", "-A", "npm:opencode@latest"]),
    ("node", ["node", "/usr/bin/pi"]),
    ("Code Helper", ["/Applications/Visual Studio Code.app/Contents/MacOS/Code Helper (Plugin)"]),
]
EXECUTABLES = [
    (["vim", "notes"], "/home/dana/.local/bin/claude"),
    (["bash"], "/home/dana/.local/bin/claude (deleted)"),
    (["notes"], "/home/dana/.local/share/claude/versions/2.1.330"),
    (["notes", "-m", "hermes_cli.main"], "/usr/bin/python3.12"),
    (["notes", "/usr/bin/gemini"], "/usr/bin/node"),
    ([], "/opt/codex"),
]
OTHERS = [
    ("bash", ["-bash"]),
    ("vim", ["vim", "claude.md"]),
    ("bash", ["bash", "-c", "reviewdeck --home ~/.hermes"]),
    ("python3", ["python3", "/home/dana/bin/reviewdeck", "--home", "/home/dana/hermes"]),
    ("python3", ["python3", "notes.py", "claude"]),
    ("tmux: server", ["tmux", "new-session", "-s", "hermes"]),
    ("sshd", ["sshd: dana@pts/0"]),
    ("claudette", ["claudette"]),
    ("python3", ["python3", "-c", "import hermes_cli", "claude"]),
    ("python3", ["python3", "-X", "claude", "notes.py"]),
    ("python3", ["python3", "-W", "claude", "-m", "http.server"]),
    ("python3", ["python3", "-m", "pytest", "hermes"]),
    ("node", ["node", "-e", "1", "claude"]),
    ("node", ["node", "--require", "claude", "server.js"]),
    ("bash", ["bash", "backup.sh", "claude"]),
    ("uv", ["uv", "run", "--with", "hermes", "notes.py"]),
    ("npm", ["npm", "run", "dev", "claude"]),
    ("python3", ["/home/dana/claude notes/bin/python3", "notes.py"]),
    ("python3", ["python3", "/home/dana/hermes/site-packages/notes/run.py"]),
    ("python3", ["python3", "code.py"]),
    ("node", ["node", "/srv/agent.js"]),
    ("node", ["node", "/opt/claude/node_modules/eslint/bin/eslint.js"]),
    ("sshd", ["sshd: claude@pts/0"]),
    ("ssh-agent", ["/usr/bin/ssh-agent", "-D"]),
    ("", []),
]


@pytest.mark.parametrize(("name", "command"), AGENTS)
def test_an_agent_is_known_by_what_runs(name: str, command: list[str]) -> None:
    agent = Process(40, name, tuple(command))
    shell = Process(41, "bash", ("bash", "-c", "reviewdeck approve x"))
    assert agent_among([shell, agent]) == agent


@pytest.mark.parametrize(("name", "command"), OTHERS)
def test_what_a_command_speaks_of_is_no_evidence(name: str, command: list[str]) -> None:
    assert agent_among([Process(40, name, tuple(command))]) is None


def test_further_agents_can_be_named() -> None:
    bot = Process(40, "housebot", ("/opt/housebot",))
    assert agent_among([bot]) is None
    assert agent_among([bot], ["HouseBot"]) == bot


def test_a_further_agent_is_known_by_a_name_that_the_system_cut() -> None:
    bot = Process(40, "House-And-Garde", ())
    assert agent_among([bot]) is None
    assert agent_among([bot], ["house-and-garden-bot"]) == bot


@pytest.mark.parametrize(("command", "executable"), EXECUTABLES)
def test_an_agent_under_another_name_is_known_by_its_executable(
    command: list[str], executable: str
) -> None:
    agent = Process(40, "x", tuple(command), executable)
    assert agent_among([agent]) == agent


class Refused(Exception):
    """What a table of processes raises for a process that it does not show."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One process in a made-up table, as psutil gives it."""

    parent: int
    words: Sequence[str]
    is_own: bool = True

    def name(self) -> str:
        return self.words[0].rsplit("/", 1)[-1]

    def ppid(self) -> int:
        return self.parent

    def cmdline(self) -> list[str]:
        if not self.is_own:
            raise Refused
        return list(self.words)

    def exe(self) -> str:
        if not self.is_own:
            raise Refused
        return self.words[0]


TERMINAL = {
    1: Listed(0, ["/sbin/launchd"], is_own=False),
    300: Listed(1, ["/Applications/Terminal.app/Contents/MacOS/Terminal"]),
    305: Listed(300, ["login", "-pf", "dana"], is_own=False),
    310: Listed(305, ["-zsh"]),
    320: Listed(310, ["node", "/usr/local/bin/gemini", "--model", "x"]),
    330: Listed(320, ["/bin/sh", "-c", "reviewdeck approve"]),
    500: Listed(499, ["/bin/sh"]),
    600: Listed(601, ["/bin/a"]),
    601: Listed(600, ["/bin/b"]),
}


def line_of(pid: int) -> tuple[Process, ...]:
    def find(number: int) -> Listed:
        if number not in TERMINAL:
            raise Refused
        return TERMINAL[number]

    return ancestors_of(table_reader(find, Refused), lambda: pid)


def test_without_proc_the_line_of_descent_comes_from_the_table_of_processes() -> None:
    found = line_of(330)
    assert [process.pid for process in found] == [330, 320, 310, 305, 300, 1]
    agent = agent_among(found)
    assert agent is not None and agent.pid == 320
    assert agent_among(line_of(310)) is None
    assert Unsigned(lambda: line_of(310)).admit(OPERATOR).ancestry[0] == "-zsh 310"


@pytest.mark.parametrize("pid", [500, 600, 7], ids=["a gap", "a ring", "nothing"])
def test_where_the_ancestors_are_not_known_a_decision_needs_a_key(pid: int) -> None:
    authority = Unsigned(lambda: line_of(pid))
    with pytest.raises(AncestorsUnknown) as refused:
        authority.admit(OPERATOR)
    assert "reviewdeck init" in refused.value.hint
    assert authority.admit_with_key(OPERATOR).name == OPERATOR.name


def test_a_long_line_of_wrappers_hides_nothing() -> None:
    def read(pid: int) -> tuple[Process, int]:
        return Process(pid, "sh"), pid + 1

    assert ancestors_of(read, lambda: 1)[-1].is_hidden


@pytest.mark.skipif(sys.platform.startswith("linux"), reason="psutil is not installed there")
def test_psutil_shows_the_parent_of_this_process() -> None:
    found = psutil_ancestry()
    assert found[0].pid == os.getppid() and not found[-1].is_hidden


def test_without_proc_and_psutil_the_ancestors_are_not_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "psutil", None)
    assert [process.is_hidden for process in system_ancestry("darwin")()] == [True]

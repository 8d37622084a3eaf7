"""A known agent is told by its program and the shape of its command, and by nothing else."""

from __future__ import annotations

import pytest

from reviewdeck.engine.agents import agent_among
from reviewdeck.operators.process import ancestors_in
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


def test_a_line_of_descent_is_read_from_the_table_of_ps() -> None:
    table = """
        1     0 /sbin/launchd
      300     1 /Applications/Terminal.app/Contents/MacOS/Terminal
      310   300 -zsh
      320   310 node /usr/local/bin/gemini --model x
      330   320 /bin/sh -c reviewdeck approve
    """
    found = ancestors_in(table, 330)
    assert [one.pid for one in found] == [330, 320, 310, 300, 1]
    agent = agent_among(found)
    assert agent is not None and agent.pid == 320


def test_a_table_that_makes_a_ring_comes_to_an_end() -> None:
    assert [one.pid for one in ancestors_in("5 6 a\n6 5 b\n", 5)][:2] == [5, 6]
    assert ancestors_in("garbage\n\n7 x y", 7) == ()

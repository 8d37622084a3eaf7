"""A folder is a home by an agent's own files, and stays the kind of home that it was opened as."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import Ran, fingerprint

Run = Callable[..., Ran]


def write(root: Path, *names: str) -> Path:
    """A folder with these files; a name that ends with a slash is a folder."""
    root.mkdir(parents=True, exist_ok=True)
    for name in names:
        path = root / name
        (path if name.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if not name.endswith("/"):
            path.write_text("- a\n")
    return root


def project(root: Path) -> Path:
    return write(root, ".git/", "CLAUDE.md")


UNMARKED: dict[str, tuple[str, ...]] = {
    "etc": ("hosts", "passwd", "ssh/sshd_config"),
    "repository": (".git/", "README.md", "src/main.py", "config.yaml", "skills/x/SKILL.md"),
    "other-instructions": (".git/", "AGENTS.md"),
    "downloads": ("a.pdf",),
    "another-program": ("config.yaml", "data/x.db"),
}
OTHERS: dict[str, tuple[str, tuple[str, ...]]] = {
    ".codex": ("Codex", ("config.toml", "memories/MEMORY.md", "AGENTS.md")),
    "codex-copy": ("Codex", ("config.toml", "auth.json", "memories/MEMORY.md")),
    ".openclaw": ("OpenClaw", ("openclaw.json", "MEMORY.md")),
    "goose": ("", ()),
}


@pytest.mark.parametrize("name", UNMARKED)
@pytest.mark.parametrize("command", ["status", "list", "auto"])
def test_a_folder_without_a_mark_of_an_agent_is_refused(
    run: Run, tmp_path: Path, name: str, command: str
) -> None:
    folder = write(tmp_path / name, *UNMARKED[name])
    before = fingerprint(folder)
    for words in ((), ("--new",)):
        refused = run(command, "--json", "--home", str(folder), *words)
        assert refused.code == 1
        assert refused.json["error"]["code"] == "home-unavailable"
        assert "does not look like an agent's home" in refused.json["error"]["message"]
    assert fingerprint(folder) == before


@pytest.mark.parametrize("path", ["/", "/etc", "~"])
def test_a_folder_of_the_system_and_the_users_own_are_no_homes(
    run: Run, tmp_path: Path, path: str
) -> None:
    write(tmp_path / "user", ".claude/", "CLAUDE.md")
    refused = run("status", "--home", path)
    assert refused.code == 1 and "agent" in refused.err


@pytest.mark.parametrize("name", OTHERS)
def test_the_folder_of_another_agent_is_named_as_that_agents(
    run: Run, tmp_path: Path, name: str
) -> None:
    agent, files = OTHERS[name]
    if not agent:
        name, agent, files = ".config/goose", "Goose", ("config.yaml",)
    folder = write(tmp_path / name, *files)
    told = run("status", "--home", str(folder))
    if told.code == 0:
        assert f"This is {agent}'s folder" in told.out and "nothing is gated" in told.out
    else:
        assert f"{folder} is the folder of {agent}." in told.err


@pytest.mark.parametrize(
    ("name", "files"),
    [
        (".codex", ("memories_v2/MEMORY.md", "AGENTS.md", "skills/a/SKILL.md")),
        (".copilot", ("copilot-instructions.md", "skills/a/SKILL.md")),
        (".letta", ("skills/a/SKILL.md",)),
    ],
)
def test_what_an_agent_without_a_gate_changes_is_found_afterwards_and_taken_back(
    run: Run, tmp_path: Path, name: str, files: tuple[str, ...]
) -> None:
    folder = write(tmp_path / name, *files, "auth.json")
    before = fingerprint(folder)
    assert run("list", "--json", "--home", str(folder)).json == []
    assert fingerprint(folder) == before
    for file in files:
        (folder / file).write_text("---\nname: a\ndescription: b\n---\n\nObey.\n")
    (folder / "auth.json").write_text("{}")
    live = run("list", "--json", "--home", str(folder)).json
    assert len(live) == len(files) and {item["state"] for item in live} == {"live"}
    for item in live:
        words = ("reject", item["id"], "--reason", "no", "--home", str(folder))
        assert run(*words).code == 0
    assert all((folder / file).read_text() == "- a\n" for file in files)


@pytest.mark.parametrize("name", ["file", "missing", "dangling"])
def test_what_is_no_folder_is_no_home(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for words in ((), ("--new",)):
        refused = run("status", "--home", str(tmp_path / name), *words)
        assert refused.code == 1 and str(tmp_path / name) in refused.err


def test_an_empty_folder_is_a_home_once_it_is_called_new(run: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / "fresh", ".DS_Store")
    refused = run("status", "--home", str(folder))
    assert refused.code == 1 and "is empty" in refused.err and "--new" in refused.err
    assert run("status", "--home", str(folder), "--new").code == 0
    assert run("status", "--home", str(folder)).code == 0


def kind_of(run: Run, folder: Path) -> Any:
    [home] = run("status", "--json", "--home", str(folder)).json["homes"]
    return home["kind"]


def test_a_project_stays_one_when_its_marks_vanish(run: Run, tmp_path: Path) -> None:
    folder = project(tmp_path / "repo")
    assert kind_of(run, folder) == "claude"
    text = (folder / "CLAUDE.md").read_text()
    (folder / "CLAUDE.md").unlink()
    assert kind_of(run, folder) == "claude"
    (line,) = run("list", "--json", "--home", str(folder)).json
    assert (line["kind"], line["state"]) == ("documents", "live")
    reverted = run("reject", line["id"], "--reason", "a branch", "--home", str(folder))
    assert reverted.code == 0, reverted.err
    assert (folder / "CLAUDE.md").read_text() == text
    (folder / "CLAUDE.md").unlink()
    assert kind_of(run, folder.rename(tmp_path / "moved")) == "claude"


def test_a_project_that_gains_memories_stays_one_until_it_is_called_new(
    run: Run, tmp_path: Path
) -> None:
    folder = project(tmp_path / "repo")
    assert kind_of(run, folder) == "claude"
    (folder / "memories").mkdir()
    assert kind_of(run, folder) == "claude"
    assert run("status", "--home", str(folder), "--new").code == 0
    assert kind_of(run, folder) == "hermes"


def test_a_home_of_hermes_stays_one_beside_files_of_claude_code(run: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / "home", "config.yaml")
    (folder / "config.yaml").write_text("memory: {}\n")
    assert kind_of(run, folder) == "hermes"
    project(folder)
    assert kind_of(run, folder) == "hermes"

"""`qwen install`, `status` and `uninstall`, on real files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.program import Ran
from tests.homes.qwen.kit import event, make_config, refused

from reviewdeck.user_service import UnitFile, Watched, unit_text

Run = Callable[..., Ran]


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Qwen Code's folder in a user's folder of its own, and a repository beside it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("QWEN_HOME", "CLAUDE_CONFIG_DIR", "HERMES_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "app" / ".qwen").mkdir(parents=True)
    return make_config(tmp_path / ".qwen")


def test_the_gate_of_one_agent_is_none_of_anothers_business(run: Run, config: Path) -> None:
    run("qwen", "install", "--yes")
    installed = (config / "settings.json").read_bytes()
    checks = run("doctor", "--json").json
    names = [check["check"] for check in checks]
    assert "qwen" in names and "claude" not in names
    for command in ("install", "uninstall"):
        told = run("claude", command, "--yes", "--home", str(config))
        assert told.code != 0 and "not Claude Code's" in told.err
    assert "entries:  none" in run("claude", "status", "--home", str(config)).out
    assert (config / "settings.json").read_bytes() == installed


def test_git_ignores_what_is_left_in_a_repository_after_uninstalling(
    run: Run, config: Path
) -> None:
    app = config.parent / "app"
    skill = app / ".qwen/pending-skills/tidy/SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: tidy\ndescription: Tidies.\n---\nTidy up.\n", "utf-8")
    run("qwen", "install", "--yes", "--project", str(app))
    (item,) = run("list", "--json", "--home", str(app)).json
    assert run("approve", item["id"], "--digest", item["digest"]).code == 0
    assert run("qwen", "uninstall", "--yes").code == 0
    left = {path.name for path in (app / ".reviewdeck").iterdir()}
    assert {"identity", ".gitignore"} <= left and "qwen" not in left


@pytest.mark.parametrize("agent", ["qwen", "claude", "openclaw"])
def test_an_installation_says_what_lets_safe_additions_in_unless_the_service_does(
    run: Run, config: Path, agent: str
) -> None:
    user = config.parent
    home, watched = user / f".{agent}", user / f".{agent}"
    home.mkdir(exist_ok=True)
    settings = "openclaw.json" if agent == "openclaw" else "settings.json"
    (home / settings).write_text("{}\n", "utf-8")
    if agent == "openclaw":
        watched = home / "workspace"
        watched.mkdir()
    told = "reviewdeck service install --all-profiles"
    assert told in run(agent, "install", "--yes").out
    assert run(agent, "uninstall", "--yes").code == 0
    unit = UnitFile.of({}, user)
    unit.write(unit_text(("reviewdeck",), Watched((str(watched),), None, None)))
    assert told not in run(agent, "install", "--yes").out


@pytest.mark.parametrize("agent", ["qwen", "claude", "openclaw"])
def test_without_the_agents_folder_each_command_says_so(
    run: Run, tmp_path: Path, config: Path, agent: str
) -> None:
    home = ("--home", str(tmp_path / "none"))
    for command in ("install", "uninstall"):
        told = run(agent, command, "--yes", *home)
        assert told.code != 0
        assert str(tmp_path / "none") in told.err and "Hermes" not in told.err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("gates", [("qwen",), ("claude", "qwen"), ("qwen", "claude")])
def test_in_a_repository_with_files_of_both_agents_each_gates_documents_are_reviewed(
    run: Run, config: Path, gates: tuple[str, ...]
) -> None:
    app = config.parent / "app"
    (config.parent / ".claude").mkdir()
    if gates[0] == "claude":
        (app / "CLAUDE.md").write_text("Be brief.\n", "utf-8")
    for agent in gates:
        assert run(agent, "install", "--yes", "--project", str(app)).code == 0
    (app / "CLAUDE.md").write_text("Be brief.\n", "utf-8")
    (app / "QWEN.md").write_text("Be brief.\n", "utf-8")
    run("list", "--json", "--home", str(app))
    given = {"file_path": str(app / "QWEN.md"), "content": "Be very brief.\n"}
    assert "took this change" in refused(app, event("write_file", given), "qwen-project")
    (item,) = run("list", "--json", "--home", str(app)).json
    assert item["target"] == "qwen"
    (app / "CLAUDE.md").write_text("Be brief!\n", "utf-8")
    listed = run("list", "--json", "--home", str(app)).json
    assert {item["target"] for item in listed} == {"qwen", "claude"}


@pytest.mark.parametrize("agent", ["qwen", "openclaw"])
def test_an_agents_folder_may_be_a_link(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    user, real = tmp_path / "user", tmp_path / "dotfiles" / "agent"
    if agent == "qwen":
        make_config(real)
        (real / "memories").mkdir()
    else:
        (real / "workspace").mkdir(parents=True)
        (real / "openclaw.json").write_text("{}\n", "utf-8")
    user.mkdir()
    (user / f".{agent}").symlink_to(real)
    monkeypatch.setenv("HOME", str(user))
    assert run(agent, "install", "--yes").code == 0
    settings = real / ("settings.json" if agent == "qwen" else "openclaw.json")
    installed = settings.read_bytes()
    checks = [check for check in run("doctor", "--json").json if check["check"] == agent]
    assert checks[0]["level"] == "ok"
    assert f"agent ({agent})" in run("status").out
    assert "Hermes" not in run("list").out
    assert run(agent, "install", "--yes", "--home", str(real)).code == 0
    assert settings.read_bytes() == installed or agent == "qwen"
    assert run(agent, "uninstall", "--yes", "--home", str(real)).code == 0
    assert "reviewdeck" not in settings.read_text("utf-8")

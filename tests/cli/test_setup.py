"""Setting everything up, every setting with its origin, and what an earlier version left."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import contents
from tests.operators.terminals import typed

from reviewdeck.cli.stale import earlier_programs
from reviewdeck.ports.authority import Process


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hermes_home: Path) -> Path:
    """A user's directory with Hermes, Claude Code and Codex in it."""
    home = tmp_path / "user"
    home.mkdir(exist_ok=True)
    shutil.copytree(hermes_home, home / ".hermes", symlinks=True)
    (home / ".claude").mkdir()
    (home / ".codex").mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    return home


def configured(user: Path, name: str, text: str) -> Path:
    """A file of settings."""
    file = user / ".config" / "reviewdeck" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_setup_says_of_each_agent_what_is_governed(user: Path, run: Any) -> None:
    before = contents(user)
    ran = run("setup")
    assert ran.code == 0
    assert f"== Hermes  {user}/.hermes" in ran.out and "plugin" in ran.out
    assert f"== Claude Code  {user}/.claude" in ran.out and "not governed" in ran.out
    assert f"== Codex  {user}/.codex" in ran.out and "nothing is gated" in ran.out
    assert "`reviewdeck setup --yes`" in ran.out
    agents = run("setup", "--json").json["agents"]
    assert [(one["agent"], one["governed"], one["has_gate"]) for one in agents] == [
        ("Hermes", False, True),
        ("Claude Code", False, True),
        ("Codex", False, False),
    ]
    assert contents(user) == before


def test_a_dry_run_of_setup_shows_the_changes_and_makes_none(user: Path, run: Any) -> None:
    before = contents(user)
    ran = run("setup", "--dry-run")
    assert ran.code == 0 and "plugins/reviewdeck/ (" in ran.out and "settings.json (new)" in ran.out
    assert contents(user) == before


def test_setup_installs_each_gate_and_then_has_nothing_to_do(user: Path, run: Any) -> None:
    assert run("setup", "--yes").code == 0
    assert all(one["governed"] for one in run("setup", "--json").json["agents"][:2])
    again = contents(user / ".hermes"), contents(user / ".claude")
    ran = run("setup", "--yes")
    assert ran.code == 0 and "There is nothing to set up." in ran.out
    assert (contents(user / ".hermes"), contents(user / ".claude")) == again


def test_setup_offers_one_watch_over_every_home_that_it_connected(user: Path, run: Any) -> None:
    said = run("setup", "--yes").out
    homes = [f"--home {user / name}" for name in (".hermes", ".claude")]
    by_hand = [line for line in said.splitlines() if "auto --watch" in line]
    assert len(by_hand) == 1 and all(home in by_hand[0] for home in homes)
    assert "To let in by itself" not in said


def test_setup_keeps_what_the_service_watches_already_and_where_it_writes_that(
    user: Path, run: Any, tmp_path: Path
) -> None:
    from reviewdeck.user_service import UnitFile, Watched, unit_text

    unit = UnitFile.of(os.environ, user)
    unit.path.parent.mkdir(parents=True)
    unit.write(unit_text(("/nowhere/reviewdeck",), Watched(("/srv/agent",), str(tmp_path / "l"))))
    said = run("setup", "--yes").out
    (by_hand,) = [line for line in said.splitlines() if "auto --watch" in line]
    for words in ("--home /srv/agent", f"--home {user}/.claude", f"--ledger {tmp_path}/l"):
        assert words in by_hand, by_hand


def test_who_wants_no_gate_is_offered_no_service(user: Path) -> None:
    shutil.rmtree(user / ".hermes")
    command = [sys.executable, "-m", "reviewdeck.cli.main", "setup"]
    said = typed(command, [("Do this", "n")], {**os.environ, "TERM": "dumb"})
    assert "Nothing was changed." in said.screen and "No service" not in said.screen, said


def test_setup_asks_once_for_each_gate(user: Path) -> None:
    command = [sys.executable, "-m", "reviewdeck.cli.main", "setup"]
    answers = [("Do this", "n"), ("Do this", "y")]
    said = typed(command, answers, {**os.environ, "TERM": "dumb"})
    assert said.screen.count("Do this?") == 2
    assert not (user / ".hermes/plugins/reviewdeck").exists()
    assert (user / ".claude/settings.json").exists()


def test_what_an_earlier_version_installed_is_named_and_mended(user: Path, run: Any) -> None:
    run("setup", "--yes")
    plugin = user / ".hermes/plugins/reviewdeck/__init__.py"
    settings = user / ".claude/settings.json"
    unit = user / ".config/systemd/user/reviewdeck.service"
    plugin.write_bytes(plugin.read_bytes() + b"# an earlier one\n")
    settings.write_text(settings.read_text().replace('"timeout": 5', '"timeout": 4'))
    status = " ".join(run("status").out.split())
    assert status.count("`reviewdeck setup` mends it") == 2
    assert len(run("status", "--json").json["stale"]) == 2
    doctor = run("doctor", "--json").json
    assert [one["level"] for one in doctor if one["check"] == "stale"] == ["warn", "warn"]
    assert run("setup", "--yes").code == 0
    assert run("status", "--json").json["stale"] == []
    assert b"an earlier one" not in plugin.read_bytes() and not unit.exists()


def test_a_service_of_an_earlier_version_is_named(user: Path, run: Any) -> None:
    from reviewdeck.user_service import UnitFile, Watched, unit_text

    unit = UnitFile.of(os.environ, user)
    unit.path.parent.mkdir(parents=True)
    unit.write(unit_text(("/nowhere/reviewdeck",), Watched((str(user / ".hermes"),))))
    assert "service" in run("status", "--json").json["stale"][0]
    shown = run("setup", "--dry-run").out
    assert "== The service: what would change" in shown


def test_a_program_that_runs_since_before_the_installation_is_found(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text("cpu 1\nbtime 1000\n")
    ticks = os.sysconf("SC_CLK_TCK")
    for pid, command, seconds in (
        (11, [sys.executable, "/x/reviewdeck", "auto", "--watch"], 5),
        (12, [sys.executable, "/x/reviewdeck", "list"], 10**10),
        (13, ["/usr/bin/python3", "/x/reviewdeck"], 5),
        (14, [sys.executable, "/x/other"], 5),
    ):
        folder = tmp_path / str(pid)
        folder.mkdir()
        (folder / "cmdline").write_bytes(b"\0".join(map(os.fsencode, command)) + b"\0")
        (folder / "stat").write_text(f"{pid} (re) (x) S {'0 ' * 18}{seconds * ticks} 0")
    (tmp_path / "15").mkdir()
    assert list(earlier_programs(tmp_path)) == [(11, "reviewdeck auto --watch")]
    assert list(earlier_programs(tmp_path / "nothing")) == []


def test_below_an_agent_setup_shows_and_installs_nothing(
    user: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = Process(41, "hermes", ("hermes", "chat"))
    monkeypatch.setattr("reviewdeck.environment.process_ancestry", lambda: lambda: (agent,))
    before = contents(user)
    ran = run("setup", "--yes")
    assert ran.code == 1 and "hermes" in ran.err
    assert contents(user) == before


def test_every_setting_is_shown_with_its_origin(
    user: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = configured(user, "policy.toml", '[automatic]\nskills = "off"\na_day = 20\n')
    configured(user, "reviewer.toml", 'model = "small"\n\n[when]\nturns = 3\n')
    configured(user, "deck.toml", '# mine\nlayout = "split"\n[keys]\napprove = "f9"\n')
    monkeypatch.setenv("REVIEWDECK_API_KEY", key := "sk-" + "x" * 24)
    ran = run("config", "--json", "--ledger", str(user / "l.db"))
    assert ran.code == 0 and key not in ran.out
    found = {one["setting"]: (one["value"], one["from"]) for one in ran.json["settings"]}
    assert found["ledger"] == (str(user / "l.db"), "--ledger")
    assert found["policy.automatic.skills"] == ("off", f"{policy}:2")
    assert found["policy.automatic.a_day"] == ("20", f"{policy}:3")
    assert found["policy.automatic.memory"][1] == "default"
    assert found["reviewer.model"] == ("small", f"{policy.with_name('reviewer.toml')}:1")
    assert found["reviewer.when.turns"][1] == f"{policy.with_name('reviewer.toml')}:4"
    assert found["deck.layout"] == ("split", f"{policy.with_name('deck.toml')}:2")
    assert found["deck.keys.approve"] == ("f9", f"{policy.with_name('deck.toml')}:4")
    assert found["deck.keys.defer"] == ("d", "default")
    assert found["deck.keys.unsee"] == ("U", "default")
    assert found["REVIEWDECK_API_KEY"] == ("set", "$REVIEWDECK_API_KEY")
    assert run("config").out.rstrip().endswith("0 problems")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("policy.toml", "[automatic]\nskills = 7\nmemory = 8\n", "policy.toml:3"),
        ("policy.toml", "a = [", "policy.toml:1"),
        ("reviewer.toml", "\nmodle = 'x'\n", "line 2"),
        ("deck.toml", "theme = 7\nlayout = 'sideways'\n", "line 2"),
        ("deck.toml", "\0", "deck.toml"),
        ("policy.toml", "\x1b[2J = 1", "policy.toml:1"),
    ],
)
def test_each_error_of_each_file_is_named(
    user: Path, run: Any, name: str, text: str, told: str
) -> None:
    configured(user, name, text)
    ran = run("config")
    assert ran.code == 1
    assert told in ran.out and "wrong: " in ran.out and "\x1b" not in ran.out
    assert run("config", "--json").json["problems"]


def test_a_setting_is_no_place_for_a_secret(user: Path, run: Any) -> None:
    token = "gh" + "p_" + "a1B2" * 9
    configured(user, "policy.toml", f'[notify]\nurl = "https://example.org/{token}"\n')
    shown = run("config").out + json.dumps(run("config", "--json").json)
    assert token not in shown and "https://example.org/" in shown

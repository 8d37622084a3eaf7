"""Claude Code's folders as a kind of home."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from reviewdeck.clock import utc_now
from reviewdeck.homes.claude.agent import CLAUDE
from reviewdeck.homes.claude.kind import KIND
from reviewdeck.homes.gated.gate import gate_of
from reviewdeck.homes.gated.governed import governed_homes, record_of
from reviewdeck.homes.gated.home import GatedHome
from reviewdeck.homes.gated.installation import plan_install, read_installation
from reviewdeck.homes.gated.settings import GovernedRoot
from reviewdeck.homes.installer import apply
from reviewdeck.homes.kinds import HomeContext, kind_at

MEMORY = "projects/-w-app/memory"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    root = tmp_path / ".claude"
    (root / MEMORY).mkdir(parents=True)
    (root / MEMORY / "MEMORY.md").write_text("- a\n")
    return root


def opened(path: Path) -> GatedHome:
    return KIND.home(path, HomeContext({}, path.parent, utc_now))


@pytest.mark.parametrize("mark", ["config.yaml", "skills/x/SKILL.md"])
def test_a_repository_with_other_files_is_claude_codes(tmp_path: Path, mark: str) -> None:
    (tmp_path / mark).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / mark).touch()
    (tmp_path / "CLAUDE.md").touch()
    assert kind_at(tmp_path).name == "claude"
    (tmp_path / "memories").mkdir()
    assert kind_at(tmp_path).name == "hermes"


def test_it_is_called_by_the_repository_or_the_project(config: Path, tmp_path: Path) -> None:
    assert opened(config).name == "claude"
    assert opened(config / MEMORY).name == "w-app"
    (tmp_path / "shop" / ".claude").mkdir(parents=True)
    assert opened(tmp_path / "shop").name == "shop"


@pytest.mark.parametrize(
    "path",
    [
        "CLAUDE.md",
        "rules/style.md",
        "rules/deep/er/style.md",
        f"{MEMORY}/sub/a.md",
        "projects/-w-other/memory/a.md",
        "agent-memory/tester/MEMORY.md",
        "skills/pdf/SKILL.md",
    ],
)
def test_a_document_that_appears_anywhere_changes_the_stamp(config: Path, path: str) -> None:
    (config / "projects" / "-w-other").mkdir()
    home = opened(config)
    (config / path).parent.mkdir(parents=True, exist_ok=True)
    before = home.stamp(home.documents())
    assert home.stamp(home.documents()) == before
    (config / path).write_text("x\n")
    assert home.stamp(home.documents()) != before


def test_what_is_listened_to_are_documents_and_records(config: Path) -> None:
    watched = KIND.watched(config)
    assert set(watched.folders) == {
        "rules", "skills", "agent-memory", "projects", ".reviewdeck/claude/pending",
    }  # fmt: skip
    assert watched.matters(("projects", "-w", "memory", "a.md"))
    assert not watched.matters(("projects", "-w", "s1.jsonl"))
    record = (".reviewdeck", "claude", "pending", "1.json")
    assert watched.is_record(record) and watched.matters(record)
    assert KIND.watched(config / MEMORY).folders == ("", ".reviewdeck/claude/pending")


def gated(root: Path, *roots: GovernedRoot) -> GatedHome:
    """A home with the gate before these folders."""
    config = root / ".claude"
    config.mkdir(exist_ok=True)
    installed = read_installation(config, CLAUDE)
    apply(plan_install(installed, roots or [GovernedRoot("config", config)]))
    return opened(config)


def test_the_gate_is_found_before_a_home_without_a_document_or_with_a_linked_one(
    tmp_path: Path,
) -> None:
    assert gated(tmp_path).ungated == ()
    (tmp_path / "dotfile.md").write_text("Be brief.\n")
    (tmp_path / ".claude" / "CLAUDE.md").symlink_to(tmp_path / "dotfile.md")
    assert opened(tmp_path / ".claude").ungated == ()


def test_settings_of_a_repository_that_cannot_be_read_switch_nothing_off(tmp_path: Path) -> None:
    app = tmp_path / "app"
    (app / ".claude").mkdir(parents=True)
    gated(tmp_path, GovernedRoot("config", tmp_path / ".claude"), GovernedRoot("project", app))
    context = HomeContext({}, tmp_path, utc_now)
    file = app / ".claude" / "settings.json"
    file.write_text("no JSON")
    assert KIND.home(app, context).ungated == ()
    file.write_text('{"disableAllHooks": true}')
    assert KIND.home(app, context).ungated == ("disableAllHooks",)
    file.unlink()
    os.mkfifo(file)
    assert KIND.home(app, context).ungated == ()


@pytest.mark.parametrize(
    "more",
    [
        {"args": ["reviewdeck-gate", "config:/a\0b", "config:/a\ud800b", ["config:/a"], {}]},
        {"command": "reviewdeck-gate 'config:/a\0b"},
    ],
)
def test_an_entry_with_paths_that_no_file_has_covers_nothing(
    tmp_path: Path, more: dict[str, Any]
) -> None:
    config = tmp_path / ".claude"
    config.mkdir()
    entry = {"type": "command", "command": "python3", **more}
    settings = {"hooks": {"PreToolUse": [{"hooks": [entry]}]}}
    (config / "settings.json").write_text(json.dumps(settings))
    assert opened(config).ungated == ("hooks",)
    assert read_installation(config, CLAUDE).roots == ()


@pytest.mark.parametrize("program", ["/a\0b", "/a\ud800b"])
def test_a_program_that_no_file_can_be_is_gone(tmp_path: Path, program: str) -> None:
    config = tmp_path / ".claude"
    config.mkdir()
    entry = {"command": program, "args": ["-I", "x", "reviewdeck-gate", f"config:{config}"]}
    settings = {"hooks": {"PreToolUse": [{"hooks": [entry]}]}}
    (config / "settings.json").write_text(json.dumps(settings))
    gate = gate_of(read_installation(config, CLAUDE), {}, tmp_path, version=None)
    assert any(why.startswith("its Python is gone") for why in gate.off)


def test_a_pipe_in_place_of_the_record_of_an_installation_holds_nobody_up(config: Path) -> None:
    (config / record_of("claude")).parent.mkdir(parents=True)
    os.mkfifo(config / record_of("claude"))
    assert governed_homes({}, config.parent) == ()


def test_transcripts_are_found_wherever_the_home_is(config: Path, tmp_path: Path) -> None:
    (tmp_path / "shop" / ".claude").mkdir(parents=True)
    for path in (config, config / MEMORY, tmp_path / "shop"):
        home = KIND.home(path, HomeContext({}, tmp_path, utc_now))
        assert home.keeps_conversations() and home.conversations() is not None
    elsewhere = HomeContext({"CLAUDE_CONFIG_DIR": str(tmp_path / "none")}, tmp_path, utc_now)
    assert KIND.home(tmp_path / "shop", elsewhere).conversations() is None

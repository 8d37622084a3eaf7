"""Installing the plugin in OpenClaw's folder of state, and removing it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.homes.openclaw.kit import make_workspace, opened

from reviewdeck.errors import BadInput, HomeReadOnly, HomeUnavailable
from reviewdeck.homes.installer import apply
from reviewdeck.homes.kinds import kind_at
from reviewdeck.homes.openclaw.gate import gate_of
from reviewdeck.homes.openclaw.installation import (
    GATE,
    PLACE,
    plan_install,
    plan_uninstall,
    read_installation,
)
from reviewdeck.homes.openclaw.state import default_state, workspaces_in
from reviewdeck.homes.openclaw.workshop import draft_of
from reviewdeck.reading.agents import OPENCLAW
from reviewdeck.reading.limits import allowances
from reviewdeck.reading.memory import loaded


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return make_workspace(tmp_path)


def install(workspace: Path, **workshops: Path) -> None:
    installed = read_installation(workspace.parent)
    for plan in plan_install(installed, {"main": workspace}, workshops):
        apply(plan)


def uninstall(workspace: Path) -> None:
    for plan in plan_uninstall(read_installation(workspace.parent)):
        apply(plan)


SETTINGS = {
    "as it writes them": '{\n  "plugins": {\n    "entries": {\n      "a": {}\n    }\n  }\n}\n',
    "none": None,
    "empty": "{}",
    "on one line": '{"meta": {"lastTouchedVersion": "2026.9.6"},"plugins":{"allow":["codex"]}}',
    "with paths": '{"plugins": {"load": {"paths": ["/other"]}, "entries": {}}}\n',
}  # fmt: skip


@pytest.mark.parametrize("text", SETTINGS.values(), ids=SETTINGS)
def test_removing_it_leaves_the_bytes_that_were_there(workspace: Path, text: str | None) -> None:
    config = workspace.parent / "openclaw.json"
    config.unlink() if text is None else config.write_text(text)
    files = {path for path in workspace.parent.rglob("*") if path.is_file()}
    install(workspace)
    gate = gate_of(workspace.parent, workspace.parents[1])
    assert gate.is_complete and opened(workspace).ungated == ()
    assert (
        plan_install(read_installation(workspace.parent), {"main": workspace}, {})[0].changes == ()
    )
    uninstall(workspace)
    assert {path for path in workspace.parent.rglob("*") if path.is_file()} == files
    assert (config.read_text() if config.exists() else None) == text


def rewritten(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings as OpenClaw writes them when it is told something else."""
    return {"meta": {"lastTouchedVersion": "2026.9.7"}, **settings, "gateway": {"port": 18789}}


def test_after_openclaw_rewrote_its_settings_what_was_ours_goes_and_the_rest_stays(
    workspace: Path,
) -> None:
    config = workspace.parent / "openclaw.json"
    before = json.loads(config.read_text())
    install(workspace)
    settings = rewritten(json.loads(config.read_text()))
    settings["plugins"]["entries"]["slack"] = {"enabled": True}
    config.write_text(json.dumps(settings, indent=4))
    uninstall(workspace)
    left = json.loads(config.read_text())
    assert left.pop("plugins") == {"entries": {"slack": {"enabled": True}}}
    assert left == rewritten(before)
    assert not (workspace.parent / PLACE).exists()


def test_what_waits_for_review_stays_when_the_gate_goes(workspace: Path) -> None:
    install(workspace)
    record = workspace / ".reviewdeck" / "openclaw" / "pending" / "1.json"
    record.parent.mkdir()
    record.write_text("{}")
    uninstall(workspace)
    assert record.exists() and kind_at(workspace).name == "openclaw"


BAD = {
    "JSON5": "{ // mine\n}",
    "no object": "[]",
    "a key twice": '{"a": 1, "a": 2}',
    "plugins that are none": '{"plugins": []}',
    "paths that are none": '{"plugins": {"load": {"paths": "x"}}}',
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_settings_that_are_not_understood_stay_as_they_are(workspace: Path, text: str) -> None:
    config = workspace.parent / "openclaw.json"
    config.write_text(text)
    with pytest.raises(BadInput) as refused:
        install(workspace)
    assert refused.value.hint and config.read_text() == text
    assert not (workspace.parent / PLACE).exists()


def test_settings_that_nobody_may_write_are_refused(workspace: Path) -> None:
    (workspace.parent / "openclaw.json").chmod(0o400)
    with pytest.raises(HomeReadOnly):
        install(workspace)


def _switch(**more: Any) -> Callable[[dict[str, Any]], None]:
    return lambda plugins: plugins.update(more)


OFF: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "all plugins": (_switch(enabled=False), "plugins.enabled"),
    "denied": (_switch(deny=["reviewdeck"]), "plugins.deny"),
    "not allowed": (_switch(allow=["codex"]), "plugins.allow"),
    "not enabled": (
        lambda plugins: plugins["entries"]["reviewdeck"].update(enabled=False),
        "plugins.entries.reviewdeck.enabled",
    ),
    "not loaded": (lambda plugins: plugins["load"]["paths"].clear(), "does not load the plugin"),
}


@pytest.mark.parametrize(("change", "word"), OFF.values(), ids=OFF)
def test_what_switches_the_gate_off_is_named(
    workspace: Path, change: Callable[[dict[str, Any]], Any], word: str
) -> None:
    install(workspace)
    config = workspace.parent / "openclaw.json"
    settings = json.loads(config.read_text())
    change(settings["plugins"])
    config.write_text(json.dumps(settings))
    gate = gate_of(workspace.parent, workspace.parents[1])
    assert not gate.is_complete and word in " ".join(gate.off)
    assert word in " ".join(opened(workspace).ungated)


def test_a_new_agent_is_not_covered_until_it_is_installed_again(workspace: Path) -> None:
    install(workspace)
    config = workspace.parent / "openclaw.json"
    settings = json.loads(config.read_text())
    spaces = {"main": {"workspace": str(workspace)}, "ops": {"workspace": "~/ops"}}
    settings["agents"]["entries"] = spaces
    config.write_text(json.dumps(settings))
    (weak,) = gate_of(workspace.parent, workspace.parents[1]).weak
    assert weak.startswith("the agent ops works in") and "install again" in weak


def test_of_settings_with_comments_it_is_said_that_nobody_knows(workspace: Path) -> None:
    install(workspace)
    config = workspace.parent / "openclaw.json"
    config.write_text(config.read_text() + "// Mine.\n")
    gate = gate_of(workspace.parent, workspace.parents[1])
    assert gate.is_installed and not gate.is_complete
    assert "not known" in " ".join(gate.off)


def test_what_the_gate_cannot_place_is_named(workspace: Path) -> None:
    install(workspace)
    config = workspace.parent / "openclaw.json"
    settings = json.loads(config.read_text())
    settings["agents"]["entries"] = {
        "main": {"workspace": str(workspace), "agentDir": "~/own"},
        "ops": {"workspace": "ops"},
    }
    config.write_text(json.dumps(settings))
    (workspace.parents[1] / "own").mkdir()
    relative, workshop = gate_of(workspace.parent, workspace.parents[1]).weak
    assert "ops" in relative and "no absolute path" in relative
    assert "Workshop of the agent main" in workshop and "install again" in workshop


@pytest.mark.parametrize("path", ["/a\0b", "/a\ud800b"])
def test_a_path_that_no_file_has_is_none(workspace: Path, path: str) -> None:
    install(workspace)
    config = workspace.parent / "openclaw.json"
    settings = json.loads(config.read_text())
    settings["agents"]["entries"] = {"main": {"workspace": path, "agentDir": path}}
    config.write_text(json.dumps(settings))
    gate = workspace.parent / GATE
    gate.write_text(json.dumps(json.loads(gate.read_text()) | {"command": [path]}))
    weak = " ".join(gate_of(workspace.parent, workspace.parents[1]).weak)
    assert "its Python is gone" in weak
    assert workspaces_in(settings, workspace.parent, workspace) == {"main": workspace}
    assert list(opened(workspace).pending()) == []
    draft = {"id": "1", "draftFile": "SKILL.md", "target": {"skillDir": path}}
    assert draft_of(draft, workspace / "skills") is None


def test_workspaces_are_where_openclaw_looks_for_them(tmp_path: Path) -> None:
    def found(agents: dict[str, Any]) -> dict[str, str]:
        spaces = workspaces_in({"agents": agents}, tmp_path / "s", tmp_path)
        return {name: str(path.relative_to(tmp_path)) for name, path in spaces.items()}

    assert found({}) == {"main": "s/workspace"}
    shared = {"defaults": {"workspace": "~/w"}}
    assert found(shared) == {"main": "w"}
    two = {"entries": {"main": {}, "ops": {"workspace": "~/ops"}}}
    assert found(two) == {"main": "s/workspace-main", "ops": "ops"}
    assert found(two | shared) == {"main": "w/main", "ops": "ops"}
    marked = {"list": [{"id": "Main", "default": True}, {"id": "../My ops"}]}
    assert found(marked) == {"main": "s/workspace", "my-ops": "s/workspace-my-ops"}


def test_the_folder_of_state_is_where_openclaw_keeps_it() -> None:
    home = Path("/home/ada")
    assert default_state({}, home) == home / ".openclaw"
    assert default_state({"OPENCLAW_PROFILE": "work"}, home) == home / ".openclaw-work"
    assert default_state({"OPENCLAW_HOME": "/srv"}, home) == Path("/srv/.openclaw")
    assert default_state({"OPENCLAW_STATE_DIR": "/srv/s"}, home) == Path("/srv/s")
    assert default_state({"OPENCLAW_STATE_DIR": " undefined "}, home) == home / ".openclaw"


def test_a_folder_of_state_is_no_home_and_says_where_its_workspace_is(workspace: Path) -> None:
    with pytest.raises(HomeUnavailable) as refused:
        kind_at(workspace.parent)
    assert str(workspace) in (refused.value.hint or "")


@pytest.mark.parametrize("mark", ["CLAUDE.md", "config.yaml"])
def test_a_repository_of_two_agents_is_openclaws_where_its_gate_is(
    tmp_path: Path, mark: str
) -> None:
    workspace = tmp_path / "app"
    workspace.mkdir()
    for name in ("AGENTS.md", "SOUL.md", "IDENTITY.md", mark):
        (workspace / name).touch()
    assert kind_at(workspace).name != "openclaw"
    (workspace / ".reviewdeck" / "openclaw").mkdir(parents=True)
    (workspace / ".reviewdeck" / "openclaw" / "is-workspace").touch()
    if mark == "CLAUDE.md":  # Hermes' own settings come first.
        assert kind_at(workspace).name == "openclaw"


def test_limits_are_counted_as_openclaw_counts_and_where_its_settings_say(workspace: Path) -> None:
    config = workspace.parent / "openclaw.json"
    settings = json.loads(config.read_text())
    settings["agents"]["defaults"]["bootstrapMaxChars"] = 100
    config.write_text(json.dumps(settings))
    snapshot = opened(workspace).snapshot()
    (memory,), (user,) = (
        allowances(snapshot.limits("MEMORY.md"), "𝄞 \n\n"),
        allowances(snapshot.limits("USER.md"), ""),
    )
    assert (memory.used, memory.limit, user.limit) == (2, 100, 4_000)
    assert snapshot.limits("memory/2026-11-29.md") == ()


def test_of_a_document_that_is_too_long_both_ends_are_in_the_prompt(workspace: Path) -> None:
    assert opened(workspace).readers == ("openclaw",)
    whole = loaded("SOUL.md", f"first {'x' * 19_990} \n", OPENCLAW)
    assert (len(whole.text), whole.notes) == (19_996, ())
    cut = loaded("USER.md", f"first {'x' * 4_000} last\n", OPENCLAW)
    assert cut.text.startswith("first") and cut.text.endswith("last") and len(cut.text) < 4_010
    assert "4,011 UTF-16 units" in cut.notes[0]


def test_skills_of_a_workshop_that_no_gate_covers_are_named(workspace: Path) -> None:
    assert list(opened(workspace).own_cautions()) == []
    own = workspace.parent / "agents" / "main" / "agent"
    skill = own / "workshop-skills" / "x" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.touch()
    (caution,) = opened(workspace).own_cautions()
    assert "no gate covers" in caution
    install(workspace, main=own)
    assert list(opened(workspace).own_cautions()) == []

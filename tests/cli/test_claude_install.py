"""`claude install`, `status` and `uninstall`, on real files."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import contents, fingerprint
from tests.homes.claude.kit import MEMORY, write

from reviewdeck.agents.claude.gate import CLAUDE as DIALECT
from reviewdeck.agents.gated import gate
from reviewdeck.agents.gated.documents import LAYOUTS, SETTINGS
from reviewdeck.agents.gated.roots import Root
from reviewdeck.agents.gated.stage import stage
from reviewdeck.agents.gated.switches import MARK, our_handlers
from reviewdeck.errors import Busy, StaleBase, WriteFailed
from reviewdeck.homes.claude import agent
from reviewdeck.homes.claude.agent import CLAUDE
from reviewdeck.homes.gated import installation, settings
from reviewdeck.homes.gated.installation import plan_install, plan_uninstall, read_installation
from reviewdeck.homes.gated.settings import GovernedRoot
from reviewdeck.homes.installer import apply

THEIRS = {"type": "command", "command": "/usr/bin/notify"}
ODD = """\
{
    "//": "a note, as people leave them",
  "model" : "opus",   "ratio": 1.50e3,
  "hooks": { "Stop": [{"hooks": [{"type": "command", "command": "/usr/bin/notify"}]}],
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "/usr/bin/notify"}]} ] },
\t"permissions": {"allow": ["Bash(ls:*)"], "deny": []}
}"""
TEXTS = {
    "none": None,
    "empty": "",
    "nothing in it": "{}",
    "one line": '{"model":"opus"}',
    "canonical": json.dumps({"model": "opus", "hooks": {"Stop": [{"hooks": [THEIRS]}]}}, indent=2),
    "odd": ODD,
    "windows": '{\r\n  "model": "opus"\r\n}\r\n',
    "empty hooks": '{"hooks": {"PreToolUse": []}}\n',
    "no hooks": '{"model": "opus",\n "hooks": {}}',
    "other letters": '{"name": "Zoë “quoted” \\u00e9"}\n',
}


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Claude Code's folder of a user of its own, and a Claude Code of today on the path."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    use_version(tmp_path, "2.1.332")
    folder = tmp_path / ".claude"
    (folder / MEMORY).mkdir(parents=True)
    return folder


def use_version(tmp_path: Path, version: str) -> None:
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\necho '{version} (Claude Code)'\n")
    program.chmod(0o755)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_taking_the_gate_out_leaves_every_byte_as_it_was(
    config: Path, run: Any, text: str | None
) -> None:
    file = config / "settings.json"
    if text is not None:
        file.write_bytes(text.encode())
        file.chmod(0o640)
    before = contents(config)
    assert run("claude", "install", "--yes").code == 0
    now = json.loads(file.read_bytes())
    assert len(our_handlers(now)) > 10
    kept = {key: value for key, value in now.items() if key != "hooks"}
    was = json.loads(text) if text else {}
    assert kept == {key: value for key, value in was.items() if key != "hooks"}
    assert run("claude", "status").code == 0
    assert run("claude", "uninstall", "--yes").code == 0
    assert contents(config) == before


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_what_somebody_changed_since_stays_theirs(config: Path, run: Any, text: str | None) -> None:
    file = config / "settings.json"
    if text is not None:
        file.write_text(text)
    run("claude", "install", "--yes")
    now = json.loads(file.read_text())
    now["added"] = 1
    now["hooks"]["PreToolUse"][-1]["hooks"].append(THEIRS)
    now["hooks"].setdefault("Stop", []).append({"hooks": [THEIRS]})
    file.write_text(json.dumps(now, indent=4))
    run("claude", "uninstall", "--yes")
    left = json.loads(file.read_text())
    assert not our_handlers(left)
    assert left["added"] == 1
    assert left["hooks"]["PreToolUse"][-1]["hooks"] == [THEIRS]
    assert left["hooks"]["Stop"][-1] == {"hooks": [THEIRS]}
    assert not (config / ".reviewdeck").exists()


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_what_was_empty_before_is_empty_again_beside_what_somebody_added(
    config: Path, run: Any, text: str | None
) -> None:
    file = config / "settings.json"
    if text is not None:
        file.write_text(text)
    run("claude", "install", "--yes")
    now = json.loads(file.read_text())
    file.write_text(json.dumps({**now, "added": 1}))
    run("claude", "uninstall", "--yes")
    was = json.loads(text) if text else {}
    assert json.loads(file.read_text()) == {**was, "added": 1}


def test_what_blocks_when_the_gate_fails_is_for_documents_settings_and_commands_of_skills(
    config: Path, run: Any
) -> None:
    run("claude", "install", "--yes")
    settings = json.loads((config / "settings.json").read_text())
    ((of_skills,),) = (group["hooks"] for group in settings["hooks"].pop("PreSkillShellCommand"))
    assert of_skills["onFailure"] == "block" and of_skills["args"][-1] == "strict"
    handlers = our_handlers(settings)
    blocking = [one for one in handlers if one.get("onFailure") == "block"]
    assert {one["if"] for one in blocking if one["if"].startswith("Write(")} == {
        f"Write(/{config}/{pattern})" for pattern in (*LAYOUTS["config"], *SETTINGS["config"])
    }
    assert {one["if"].partition("(")[0] for one in blocking} == {"Write", "Edit", "NotebookEdit"}
    assert [one for one in handlers if "if" in one and one not in blocking] == []
    assert {one["timeout"] for one in handlers} == {5}


def test_hooks_of_others_stay_as_they_are_spelt(config: Path, run: Any) -> None:
    (config / "settings.json").write_text(ODD)
    run("claude", "install", "--yes")
    text = (config / "settings.json").read_text()
    for line in ODD.splitlines()[:6]:
        assert line.rstrip(" ]},") in text
    assert '"ratio": 1.50e3' in text


def test_what_is_shown_is_what_is_done_and_a_dry_run_does_nothing(config: Path, run: Any) -> None:
    before = fingerprint(config)
    shown = run("claude", "install", "--dry-run")
    assert fingerprint(config) == before
    assert "PreToolUse" in shown.out and MARK in shown.out
    (home,) = run("claude", "install", "--dry-run", "--json").json["homes"]
    run("claude", "install", "--yes")
    now = fingerprint(config)
    written = {name for name in now if name not in before and (config / name).is_file()}
    assert {one["path"] for one in home["changes"]} == written
    assert "Nothing needs to change." in run("claude", "install", "--yes").out


def test_whoever_is_asked_reads_a_screen_and_not_the_json(config: Path, run: Any) -> None:
    (config / "settings.json").write_text(ODD)
    asked = run("claude", "install", "--yes").out.partition("Done.")[0]
    assert len(asked.splitlines()) < 24
    assert "before Write, Edit: CLAUDE.md, " in asked and asked.count(MARK) == 1
    assert "nothing else changes" in asked and "--dry-run shows every line." in asked
    assert '"matcher"' not in asked
    gone = run("claude", "uninstall", "--yes").out
    assert "removes" in gone and '"matcher"' not in gone


def test_without_an_answer_nothing_is_changed(config: Path, run: Any) -> None:
    before = fingerprint(config)
    assert run("claude", "install", "--json").code == run("claude", "install").code == 2
    assert fingerprint(config) == before


def test_another_version_replaces_its_own_entries_alone(
    config: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (config / "settings.json").write_text(ODD)
    before = contents(config)
    with monkeypatch.context() as older:
        older.setattr(agent, "TIMEOUT", 3)
        older.setattr(installation, "FOLDER", Path("/opt/older"))
        run("claude", "install", "--yes")
    assert "another version" in run("claude", "status").out
    run("claude", "install", "--yes")
    text = (config / "settings.json").read_text()
    assert "/opt/older" not in text
    assert text.count("/usr/bin/notify") == 2
    assert run("claude", "status").code == 0
    run("claude", "uninstall", "--yes")
    assert contents(config) == before


def test_a_repository_comes_with_it_and_stays_with_the_next_installation(
    config: Path, run: Any, tmp_path: Path
) -> None:
    app = tmp_path / "app"
    app.mkdir()
    before = contents(app)
    run("claude", "install", "--yes", "--project", str(app))
    run("claude", "install", "--yes")
    roots = run("claude", "status", "--json").json["roots"]
    assert [(root["layout"], root["path"]) for root in roots] == [
        ("config", str(config)),
        ("project", str(app)),
    ]
    told = write(app / "CLAUDE.md", "x\n")
    gate.answer_to(
        {**told, "tool_name": "Bash", "tool_input": {}}, [Root("project", str(app))], DIALECT
    )
    (app / ".reviewdeck" / "claude" / "open" / "toolu_1.json").unlink()
    (app / ".reviewdeck" / "claude" / "open").rmdir()
    run("claude", "uninstall", "--yes")
    assert contents(app) == before


def test_what_waits_for_review_stays_when_the_gate_goes(config: Path, run: Any) -> None:
    run("claude", "install", "--yes")
    gate.answer_to(write(config / "CLAUDE.md", "x\n"), [Root("config", str(config))], DIALECT)
    assert run("claude", "status", "--json").json["roots"][0]["waiting"] == 1
    assert ".reviewdeck/ stays: " in run("claude", "uninstall", "--yes").out
    left = sorted(path.name for path in (config / ".reviewdeck").rglob("*") if path.is_file())
    assert (left[0], left[-1]) == (".gitignore", "is-config")
    assert len(left) == 3


def test_a_memory_that_was_moved_is_covered_where_the_settings_say_so(
    config: Path, run: Any, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (config / "settings.json").write_text('{"autoMemoryDirectory": "~/notes"}')
    run("claude", "install", "--yes")
    roots = run("claude", "status", "--json").json["roots"]
    assert ("memory", str(tmp_path / "notes")) in [(one["layout"], one["path"]) for one in roots]


def link(file: Path) -> None:
    file.rename(file.with_name("elsewhere.json"))
    file.symlink_to("elsewhere.json")


@pytest.mark.parametrize(
    ("how", "why"),
    [
        (link, "is a symbolic link"),
        (lambda file: file.write_text("{} // mine"), "is not plain JSON"),
        (lambda file: file.write_text('{"a": 1, "a": 2}'), "is not plain JSON"),
        (lambda file: file.write_text("[" * 100_000), "is not plain JSON"),
        (lambda file: file.write_text("[]"), "is no object"),
        (lambda file: file.write_text('{"hooks": []}'), "not laid out"),
        (lambda file: file.write_text('{"hooks": {"PreToolUse": {}}}'), "not laid out"),
        (lambda file: file.write_bytes(b'{"a": "\xff"}'), "is not UTF-8"),
        (lambda file: file.chmod(0o440), "is read-only"),
        (lambda file: (file.unlink(), file.mkdir()), "is not a plain file"),
    ],
)
def test_settings_that_cannot_be_changed_are_named_and_left_alone(
    config: Path, run: Any, how: Any, why: str
) -> None:
    file = config / "settings.json"
    file.write_text("{}")
    how(file)
    before = fingerprint(config)
    ran = run("claude", "install", "--yes")
    assert ran.code == 1
    assert why in ran.err
    assert fingerprint(config) == before


def test_without_a_folder_of_claude_code_nothing_is_made(config: Path, run: Any) -> None:
    ran = run("claude", "install", "--yes", "--home", str(config.parent / "nowhere"))
    assert ran.code == 1
    assert not (config.parent / "nowhere").exists()


@pytest.mark.parametrize("names", [[], ["MEMORY.md", "CLAUDE.md"], ["CLAUDE.md", "projects/a"]])
def test_what_is_staged_in_a_repository_is_listed_whatever_else_is_in_it(
    config: Path, run: Any, tmp_path: Path, names: list[str]
) -> None:
    app = tmp_path / "app"
    app.mkdir()
    for name in names:
        (app / name).parent.mkdir(exist_ok=True)
        (app / name).write_text("x\n")
    ledger = ("--ledger", str(tmp_path / "l.db"))
    before = contents(app)
    run("claude", "install", "--yes", "--project", str(app))
    assert run("status", "--json", *ledger).json["homes"][1]["kind"] == "claude"
    assert (app / ".reviewdeck" / ".gitignore").read_text() == "*\n"
    assert run("list", *ledger).err == ""
    root = Root("project", str(app))
    event = {"session_id": "s1", "prompt_id": "p1", "tool_use_id": "t1"}
    stage(root, event, ".claude/rules/a.md", None, "Be brief.\n")
    (one,) = run("list", "--json", *ledger).json
    assert (one["home"], one["state"]) == (str(app), "ready")
    run("claude", "uninstall", "--yes")
    (one,) = run("list", "--json", *ledger, "--home", str(app)).json
    run("reject", one["id"], "--reason", "No.", *ledger, "--home", str(app))
    run("claude", "install", "--yes", "--project", str(app))
    run("claude", "uninstall", "--yes")
    left = {name: entry for name, entry in contents(app).items() if ".reviewdeck" not in name}
    assert left == before


def test_of_two_installations_at_once_one_goes_on_and_the_other_does_nothing(
    config: Path,
) -> None:
    (config / "settings.json").write_text(ODD)
    plan = plan_install(read_installation(config, CLAUDE), [GovernedRoot("config", config)])
    steps: list[str] = []

    def run_another(step: str) -> None:
        steps.append(step)
        with pytest.raises(Busy, match="another reviewdeck"):
            apply(plan)

    apply(plan, run_another)
    assert len(steps) > 5
    assert json.loads((config / "settings.json").read_bytes())["model"] == "opus"
    assert read_installation(config, CLAUDE).roots == (GovernedRoot("config", config),)


@pytest.mark.parametrize("text", [None, ODD])
def test_killed_at_any_step_it_finishes_or_goes(tmp_path: Path, text: str | None) -> None:
    class Killed(BaseException):
        pass

    class Probe:
        def __init__(self, left: int) -> None:
            self.left = left

        def __call__(self, step: str) -> None:
            self.left -= 1
            if self.left < 0:
                raise Killed

    steps = 0
    while True:
        config = tmp_path / f"config-{steps}"
        config.mkdir()
        if text is not None:
            (config / "settings.json").write_text(text)
        before = contents(config)
        roots = (GovernedRoot("config", config),)
        probe = Probe(steps)
        try:
            apply(plan_install(read_installation(config, CLAUDE), roots), probe)
            for plan in plan_uninstall(read_installation(config, CLAUDE)):
                apply(plan, probe)
            break
        except Killed:
            steps += 1
        apply(plan_install(read_installation(config, CLAUDE), roots))
        assert not plan_install(read_installation(config, CLAUDE), roots).changes
        for plan in plan_uninstall(read_installation(config, CLAUDE)):
            apply(plan)
        assert contents(config) == before
    assert steps > 20


def test_settings_that_move_under_the_plan_are_not_overwritten(config: Path) -> None:
    (config / "settings.json").write_text("{}")
    plan = plan_install(read_installation(config, CLAUDE), (GovernedRoot("config", config),))
    (config / "settings.json").write_text('{"a": 1}')
    with pytest.raises(StaleBase):
        apply(plan)
    assert (config / "settings.json").read_text() == '{"a": 1}'


@pytest.mark.parametrize("writes", [1, 2])
def test_of_settings_that_are_written_in_the_moment_of_the_swap_the_latest_stay(
    config: Path, writes: int
) -> None:
    settings = config / "settings.json"
    settings.write_text("{}")
    plan = plan_install(read_installation(config, CLAUDE), (GovernedRoot("config", config),))
    texts = [f'{{"a": {number}}}' for number in range(writes)]

    def write(step: str) -> None:
        if step.startswith("exchange ") and step.endswith(" settings.json") and texts:
            (config / "new").write_text(texts.pop(0))
            (config / "new").replace(settings)

    with pytest.raises(StaleBase):
        apply(plan, write)
    assert settings.read_text() == f'{{"a": {writes - 1}}}'
    parked = (config / ".reviewdeck/trash/install").glob("*")
    assert [path.read_text() for path in parked] == ['{"a": 0}'][: writes - 1]


def test_settings_that_cannot_be_replaced_are_named_with_the_way_out(config: Path) -> None:
    (config / "settings.json").write_text("{}")
    plan = plan_install(read_installation(config, CLAUDE), (GovernedRoot("config", config),))

    def refuse(step: str) -> None:
        if step.startswith("exchange "):
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    with pytest.raises(WriteFailed, match=r"settings.json was not written: .*busy") as refused:
        apply(plan, refuse)
    assert "mount its folder instead" in refused.value.hint
    assert (config / "settings.json").read_text() == "{}"
    assert list(config.glob("*.tmp")) == []


def test_an_agent_may_neither_install_nor_take_out(
    config: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reviewdeck import environment
    from reviewdeck.ports.authority import Process

    monkeypatch.setattr(
        environment, "process_ancestry", lambda: lambda: (Process(7, "claude", ("claude",)),)
    )
    before = fingerprint(config)
    for command in ("install", "uninstall"):
        assert run("claude", command, "--yes").code == 1
    assert fingerprint(config) == before


def off(run: Any) -> list[str]:
    found: list[str] = run("claude", "status", "--json").json["off"]
    return found


@contextmanager
def also(config: Path, **keys: Any) -> Iterator[Path]:
    """The settings with more in them."""
    file = config / "settings.json"
    text = file.read_text()
    file.write_text(json.dumps({**json.loads(text), **keys}, indent=2))
    yield file
    file.write_text(text)


def test_every_switch_that_turns_the_gate_off_is_named(
    config: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("claude", "install", "--yes")
    assert off(run) == []
    with also(config, disableAllHooks=True) as file:
        assert off(run) == [f"{file} sets disableAllHooks"]
    for name in ("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"):
        with also(config, env={name: "1"}) as file:
            assert off(run) == [f"{file} sets {name}"]
        with also(config, env={name: "0"}):
            assert off(run) == []
    with also(config, autoMemoryDirectory="~/notes") as file:
        assert off(run) == [
            f"{file} moves the memory to {config.parent / 'notes'}, which is not covered"
        ]
    # Only an administrator's settings say this with effect.
    with also(config, allowManagedHooksOnly=True):
        assert off(run) == []
    monkeypatch.setenv("CLAUDE_CODE_SIMPLE", "1")
    assert off(run) == ["the variable CLAUDE_CODE_SIMPLE is set here"]
    assert run("claude", "status").code == 1


def test_a_repository_that_switches_the_gate_off_is_named_from_inside_and_from_outside(
    config: Path, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("claude", "install", "--yes")
    app = tmp_path / "app"
    (app / ".claude").mkdir(parents=True)
    (app / "src").mkdir()
    for name in ("settings.json", "settings.local.json"):
        file = app / ".claude" / name
        file.write_text('{"disableAllHooks": true}')
        monkeypatch.chdir(app / "src")
        assert off(run) == [f"{file} sets disableAllHooks"]
        monkeypatch.chdir(tmp_path)
        assert off(run) == []
        (tmp_path / ".claude.json").write_text(json.dumps({"projects": {str(app): {}}}))
        assert off(run) == [f"{file} sets disableAllHooks"]
        (tmp_path / ".claude.json").unlink()
        file.unlink()
    monkeypatch.chdir(app)
    (app / ".claude" / "settings.json").write_text("no JSON")
    assert off(run) == []
    (app / ".claude" / "settings.json").write_text('{"autoMemoryDirectory": "/elsewhere"}')
    assert "moves the memory to /elsewhere, which is not covered" in off(run)[0]


def test_a_lost_program_an_old_version_and_an_untrusted_repository_are_named(
    config: Path, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = tmp_path / "app"
    app.mkdir()
    run("claude", "install", "--yes", "--project", str(app))
    notes = run("claude", "status", "--json").json["notes"]
    assert notes == [f"{app} is not trusted yet: no hook runs there before that"]
    trusted = {"projects": {str(app): {"hasTrustDialogAccepted": True}}}
    (tmp_path / ".claude.json").write_text(json.dumps(trusted))
    newest = run("claude", "status", "--json").json
    assert newest["notes"] == []
    use_version(tmp_path, "2.1.331")
    older = run("claude", "status", "--json").json
    assert {*newest["hooks"]} - {*older["hooks"]} == {"PreSkillShellCommand"}
    (skills,) = older["notes"]
    assert "has no hook before the commands in a skill's text" in skills
    use_version(tmp_path, "2.1.294")
    note = run("claude", "status", "--json").json["notes"][0]
    assert "lets a write through when the gate fails" in note
    file = config / "settings.json"
    file.write_text(file.read_text().replace(str(settings.FOLDER), "/opt/gone"))
    assert off(run) == ["its program is gone: /opt/gone"]
    shown = run("claude", "status")
    assert shown.code == 1
    assert "OFF:      its program is gone" in shown.out


def test_doctor_says_whether_the_gate_stands(config: Path, run: Any, tmp_path: Path) -> None:
    def checks() -> list[tuple[str, str]]:
        found = run("doctor", "--json", "--ledger", str(tmp_path / "l.db")).json
        return [(one["level"], one["message"]) for one in found if one["check"] == "claude"]

    assert checks() == []
    run("claude", "install", "--yes")
    ((level, said),) = checks()
    start = f"the gate reviews writes of Claude Code 2.1.332 to {config}, at its hooks PreToolUse,"
    assert (level, said.startswith(start)) == ("ok", True)
    assert "PreSkillShellCommand" in said
    with also(config, disableAllHooks=True):
        ((level, said),) = checks()
    assert (level, said.endswith("sets disableAllHooks")) == ("bad", True)
    (config / "settings.json").write_text("{}")
    ((level, said),) = checks()
    assert (level, "is gone" in said) == ("bad", True)


def test_the_gate_is_looked_at_from_a_folder_that_is_gone(
    config: Path, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("claude", "install", "--yes")
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ran = run("claude", "status")
    assert (ran.code, ran.err) == (0, "")


def test_settings_of_the_administrator_count(config: Path, run: Any, tmp_path: Path) -> None:
    from reviewdeck.homes.gated.gate import gate_of

    run("claude", "install", "--yes")
    managed = tmp_path / "managed-settings.json"
    managed.write_text('{"allowManagedHooksOnly": true}')
    found = gate_of(read_installation(config, CLAUDE), {}, tmp_path, version=None, managed=managed)
    assert found.off == (f"{managed} sets allowManagedHooksOnly",)


@pytest.mark.parametrize("name", ["memories/MEMORY.md", "CLAUDE.md", "pdf/SKILL.md"])
def test_the_gate_is_not_put_into_the_folder_of_something_else(
    run: Any, tmp_path: Path, name: str
) -> None:
    other = tmp_path / "other"
    (other / name).parent.mkdir(parents=True)
    (other / name).write_text("x\n")
    before = contents(other)
    ran = run("claude", "install", "--yes", "--home", str(other))
    assert (ran.code, "is not Claude Code's own folder" in ran.err) == (1, True)
    assert contents(other) == before


def test_instructions_that_are_a_link_are_governed_where_they_are_and_named_out_of_the_home(
    config: Path, run: Any, tmp_path: Path
) -> None:
    project = tmp_path / "app"
    (project / ".claude").mkdir(parents=True)
    (tmp_path / "AGENTS.md").write_text("Use tabs.\n")
    (project / "CLAUDE.md").symlink_to("../AGENTS.md")
    named = "CLAUDE.md is a link to "
    installed = run("claude", "install", "--yes", "--project", str(project)).out
    for said in (installed, run("claude", "status").out):
        assert named in " ".join(said.split())
    where = ("--home", str(project), "--ledger", str(tmp_path / "l" / "l.db"))
    for words in (("status",), ("list",)):
        said = run(*words, *where).out
        assert named in " ".join(said.split()), said
    (tmp_path / "AGENTS.md").rename(project / "AGENTS.md")
    (project / "CLAUDE.md").unlink()
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    assert "is a link" not in run("claude", "status").out, "its changes are reviewed there"
    assert "is a link" not in run("status", *where).out
    (project / "CLAUDE.md").unlink()
    (project / "CLAUDE.md").symlink_to(".claude/CLAUDE.md")
    (project / ".claude/CLAUDE.md").write_text("Use tabs.\n")
    assert "is a link" not in run("claude", "status").out, "its changes are reviewed there"

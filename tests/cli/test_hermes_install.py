"""`hermes install`, `status` and `uninstall`, on real files."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import contents, fingerprint
from tests.origin.kit import Chat, open_state

from reviewdeck.errors import StaleBase
from reviewdeck.homes.hermes import installation
from reviewdeck.homes.hermes.installation import (
    PluginSettings,
    plan_install,
    read_installation,
    shipped_plugin,
)
from reviewdeck.homes.installer import apply

CONFIG = "# mine\nmodel: {default: big}   # the big one\nmemory:\n  memory_char_limit: 2200\n"


@pytest.fixture(autouse=True)
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small plugin in the place of the one that the program brings, and a user of its own."""
    folder = tmp_path / "brought"
    (folder / "parts").mkdir(parents=True)
    (folder / "plugin.yaml").write_text("name: reviewdeck\nversion: 1.0\n")
    (folder / "__init__.py").write_text("def register(ctx): pass\n")
    (folder / "parts" / "notes.py").write_text("A = 1\n")
    monkeypatch.setattr(installation, "SHIPPED", folder)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A Hermes home with settings of its owner."""
    root = tmp_path / ".hermes"
    (root / "memories").mkdir(parents=True)
    (root / "config.yaml").write_text(CONFIG)
    (root / "config.yaml").chmod(0o640)
    return root


def test_an_installation_is_whole_and_taking_it_out_leaves_every_byte_as_it_was(
    home: Path, plugin: Path, run: Any
) -> None:
    before = contents(home)
    assert run("hermes", "install", "--yes").code == 0

    assert (home / "config.yaml").stat().st_mode & 0o777 == 0o640
    assert "model: {default: big}   # the big one\n" in (home / "config.yaml").read_text()
    pointer = home / ".reviewdeck" / "plugin.json"
    assert pointer.stat().st_mode & 0o777 == 0o600
    said = json.loads(pointer.read_text())
    assert said["v"] == 1
    assert said["home"] == str(home)
    assert Path(said["command"][0]).is_absolute()
    assert shipped_plugin(home / "plugins" / "reviewdeck") == shipped_plugin(plugin)
    (found,) = run("hermes", "status", "--json").json["homes"]
    assert (found["memory_gate"], found["skills_gate"], found["enabled"]) == (True, True, True)
    assert (found["plugin"], found["plugin_version"]) == ("current", "1.0")
    (home / "plugins" / "reviewdeck" / "__pycache__").mkdir()
    (home / "plugins" / "reviewdeck" / "__pycache__" / "a.pyc").write_bytes(b"x")

    assert run("hermes", "uninstall", "--yes").code == 0
    assert contents(home) == before


def test_what_is_shown_is_what_is_done_and_a_dry_run_does_nothing(home: Path, run: Any) -> None:
    before = fingerprint(home)
    shown = run("hermes", "install", "--dry-run")
    assert fingerprint(home) == before
    assert "+  write_approval: true" in shown.out
    planned = run("hermes", "install", "--dry-run", "--json").json["homes"][0]["changes"]
    run("hermes", "install", "--yes")
    now = fingerprint(home)
    written = {name for name in now if now[name] != before.get(name) and (home / name).is_file()}
    assert {one["path"] for one in planned} == written
    assert "Nothing needs to change." in run("hermes", "install", "--yes").out


def test_the_plugin_asks_about_the_ledger_that_was_named(home: Path, run: Any) -> None:
    run("hermes", "install", "--yes", "--ledger", str(home.parent / "other.db"))
    said = json.loads((home / ".reviewdeck" / "plugin.json").read_text())
    assert said["command"][-2:] == ["--ledger", str(home.parent / "other.db")]


def test_our_reviewer_is_set_up_with_its_address_and_stays_until_it_is_switched_off(
    home: Path, run: Any
) -> None:
    pointer = home / ".reviewdeck" / "plugin.json"
    refused = run("hermes", "install", "--yes", "--reviewer", "replace")
    assert refused.code == 1
    assert "`--base-url URL` names the model's address" in refused.err
    assert not pointer.exists()
    address = "http://127.0.0.1:9/v1"
    said = run("hermes", "install", "--yes", "--reviewer", "typed", "--base-url", address).out
    assert f"reviews go to {address}, with the key" in said
    wanted = json.loads(pointer.read_text())["reviewer"]
    assert (wanted["mode"], wanted["base_url"]) == ("typed", address)
    assert wanted["settings"].endswith("reviewer.toml")
    run("hermes", "install", "--yes")
    assert json.loads(pointer.read_text())["reviewer"] == wanted
    assert run("hermes", "status", "--json").json["homes"][0]["reviewer"] == "typed"
    run("hermes", "install", "--yes", "--reviewer", "off")
    assert "reviewer" not in json.loads(pointer.read_text())


def test_without_an_answer_nothing_is_changed(home: Path, run: Any) -> None:
    before = fingerprint(home)
    assert run("hermes", "install", "--json").code == 2
    assert fingerprint(home) == before


def test_a_second_installation_updates_the_plugin(home: Path, plugin: Path, run: Any) -> None:
    before = contents(home)
    run("hermes", "install", "--yes")
    (plugin / "plugin.yaml").write_text("name: reviewdeck\nversion: 1.1\n")
    (plugin / "parts" / "notes.py").unlink()
    (found,) = run("hermes", "status", "--json").json["homes"]
    assert (found["plugin"], found["plugin_version"]) == ("other", "1.0")
    run("hermes", "install", "--yes")
    assert shipped_plugin(home / "plugins" / "reviewdeck") == shipped_plugin(plugin)
    run("hermes", "uninstall", "--yes")
    assert contents(home) == before


def test_what_somebody_changed_since_stays(home: Path, run: Any) -> None:
    run("hermes", "install", "--yes")
    config, notes = home / "config.yaml", home / "plugins" / "reviewdeck" / "parts" / "notes.py"
    config.write_text(config.read_text() + "display: {compact: true}\n")
    notes.write_text("A = 2\n")
    said = run("hermes", "uninstall", "--yes").out
    assert "plugins/reviewdeck/parts/notes.py was changed by somebody: it stays." in said
    assert config.read_text() == CONFIG + "display: {compact: true}\n"
    assert notes.read_text() == "A = 2\n"
    assert not (home / "plugins" / "reviewdeck" / "__init__.py").exists()


def test_what_stays_of_our_own_folder_is_named(home: Path, run: Any) -> None:
    run("hermes", "install", "--yes")
    assert ".reviewdeck/ stays" not in run("hermes", "uninstall", "--dry-run").out
    run("pause")
    assert ".reviewdeck/ stays: " in run("hermes", "uninstall", "--yes").out
    assert [path.name for path in (home / ".reviewdeck").iterdir() if "json" in path.name] == []


@pytest.mark.parametrize("change", [None, "added: 1\n"])
def test_killed_at_any_step_the_status_is_true_and_a_second_installation_finishes(
    tmp_path: Path, change: str | None
) -> None:
    class Killed(BaseException):
        pass

    steps = 0
    while True:
        home = tmp_path / f"home-{steps}"
        home.mkdir()
        (home / "config.yaml").write_text(CONFIG)
        left = steps

        def probe(step: str) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed

        try:
            apply(
                plan_install(read_installation(home), PluginSettings(("/p",)), shipped_plugin()),
                probe,
            )
            break
        except Killed:
            steps += 1
        found = installation.describe_installation(read_installation(home), shipped_plugin())
        gates = (home / "config.yaml").read_text().count("write_approval: true")
        assert (found["memory_gate"], found["skills_gate"]) == (gates == 2, gates == 2)
        if change:
            config = home / "config.yaml"
            config.write_text(config.read_text() + change)
        apply(installation.plan_uninstall(read_installation(home), shipped_plugin()))
        assert [one.name for one in home.iterdir()] == ["config.yaml"]
        again = plan_install(read_installation(home), PluginSettings(("/p",)), shipped_plugin())
        apply(again)
        assert not plan_install(
            read_installation(home), PluginSettings(("/p",)), shipped_plugin()
        ).changes
        apply(installation.plan_uninstall(read_installation(home), shipped_plugin()))
        assert (home / "config.yaml").read_text() == CONFIG + (change or "")
        assert [one.name for one in home.iterdir()] == ["config.yaml"]
    assert steps > 20


def test_a_file_that_moves_under_the_plan_is_not_overwritten(home: Path) -> None:
    plan = plan_install(read_installation(home), PluginSettings(("/p",)), shipped_plugin())
    (home / "config.yaml").write_text("a: 1\n")
    with pytest.raises(StaleBase):
        apply(plan)
    assert (home / "config.yaml").read_text() == "a: 1\n"


def link(config: Path) -> None:
    config.rename(config.with_name("elsewhere.yaml"))
    config.symlink_to("elsewhere.yaml")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (link, "is a symbolic link"),
        (lambda config: config.write_text("memory: [\n"), "is not valid YAML"),
        (lambda config: config.write_bytes(b"a: \xff\n"), "is not UTF-8"),
        (lambda config: config.chmod(0o440), "config.yaml is read-only"),
        (lambda config: (config.unlink(), config.mkdir()), "is not a plain file"),
    ],
)
def test_a_config_that_cannot_be_changed_is_named_and_no_home_is_changed(
    home: Path, run: Any, how: Any, said: str
) -> None:
    other = home / "profiles" / "coder"
    other.mkdir(parents=True)
    how(home / "config.yaml")
    before = fingerprint(home)
    ran = run("hermes", "install", "--yes", "--profile", "coder", "--profile", "default")
    assert ran.code == 1
    assert said in ran.err
    assert fingerprint(home) == before


def test_several_profiles_are_installed_at_once(home: Path, run: Any) -> None:
    for name in ("coder", "writer"):
        (home / "profiles" / name).mkdir(parents=True)
    run("hermes", "install", "--yes", "--profile", "coder", "--profile", "writer")
    assert (home / "config.yaml").read_text() == CONFIG
    for name in ("coder", "writer"):
        assert (home / "profiles" / name / "plugins" / "reviewdeck" / "plugin.yaml").is_file()
        assert (home / "profiles" / name / "config.yaml").stat().st_mode & 0o777 == 0o600
    run("hermes", "uninstall", "--yes", "--profile", "coder", "--profile", "writer")
    assert not any((home / "profiles" / "coder").iterdir())


def test_a_plugin_of_somebody_else_and_a_linked_folder_are_left_alone(
    home: Path, run: Any, tmp_path: Path
) -> None:
    folder = home / "plugins" / "reviewdeck"
    folder.mkdir(parents=True)
    (folder / "plugin.yaml").write_text("name: other\n")
    before = fingerprint(home)
    assert "is not reviewdeck's plugin" in run("hermes", "install", "--yes").err
    assert fingerprint(home) == before
    (folder / "plugin.yaml").unlink()
    folder.rmdir()
    folder.symlink_to(tmp_path)
    assert run("hermes", "install", "--yes").code == 1
    assert not (tmp_path / "plugin.yaml").exists()


def test_a_plugin_that_is_disabled_is_not_enabled_over_the_head_of_its_owner(
    home: Path, run: Any
) -> None:
    (home / "config.yaml").write_text("plugins: {disabled: [reviewdeck]}\n")
    ran = run("hermes", "install", "--yes")
    assert ran.code == 1
    assert "`hermes plugins enable reviewdeck`" in ran.err


def test_doctor_names_what_goes_past_the_gates_and_a_plugin_that_does_nothing(
    home: Path, plugin: Path, run: Any
) -> None:
    def checks(name: str) -> list[tuple[str, str]]:
        found = run("doctor", "--json", "--ledger", str(home.parent / "l.db")).json
        return [(one["level"], one["message"]) for one in found if one["check"] == name]

    assert checks("plugin")[0][0] == "note"
    run("hermes", "install", "--yes")
    assert checks("plugin") == [("ok", "version 1.0, enabled")]
    assert [level for level, _ in checks("bypass")] == ["note"]
    config = home / "config.yaml"
    config.write_text(
        config.read_text()
        .replace("memory:\n", "memory:\n  provider: mem0\n")
        .replace("[reviewdeck]", "[]")
        + "curator: {enabled: false}\n"
    )
    assert checks("plugin") == [("warn", "version 1.0, not enabled in Hermes")]
    (found,) = checks("bypass")
    assert found == (
        "warn",
        "the memory provider 'mem0' stores memories without review",
    )
    (plugin / "plugin.yaml").write_text("name: reviewdeck\nversion: 2.0\n")
    assert checks("plugin") == [("warn", "version 1.0 is installed, this program ships 2.0")]


def test_whether_hermes_asks_in_its_terminal_is_chosen_said_and_kept(home: Path, run: Any) -> None:
    pointer = home / ".reviewdeck" / "plugin.json"

    def asks() -> tuple[bool, bool]:
        found = run("doctor", "--json", "--ledger", str(home.parent / "l.db")).json
        (status,) = run("hermes", "status", "--json").json["homes"]
        return status["asks_in_terminal"], "terminal" in {one["check"] for one in found}

    assert asks() == (False, False)
    with (home / "config.yaml").open("a") as config:
        config.write("  write_approval: true\n")
    assert asks() == (True, True)
    assert "no answer within a minute is a no" in run("hermes", "status").out
    assert "staged, too" in run("hermes", "install", "--yes").out
    assert "terminal" not in json.loads(pointer.read_text()) and asks() == (False, False)
    assert "no answer within a minute" in run("hermes", "install", "--yes", "--terminal", "ask").out
    assert json.loads(pointer.read_text())["terminal"] == "ask" and asks() == (True, True)
    run("hermes", "install", "--yes")
    assert json.loads(pointer.read_text())["terminal"] == "ask"
    run("hermes", "install", "--yes", "--terminal", "stage")
    assert asks() == (False, False)


def test_a_record_that_the_agent_wrote_leads_nowhere(home: Path, run: Any) -> None:
    run("hermes", "install", "--yes")
    outside = home.parent / "precious.txt"
    outside.write_text("x")
    record = home / ".reviewdeck" / "install.json"
    raw = json.loads(record.read_text())
    raw["plugin"]["../../../precious.txt"] = "00"
    raw["folders"] = ["../..", "memories"]
    record.write_text(json.dumps(raw))
    run("hermes", "uninstall", "--yes")
    assert outside.read_text() == "x"
    assert (home / "memories").is_dir()


def test_an_agent_may_neither_install_nor_take_out(
    home: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reviewdeck import environment
    from reviewdeck.ports.authority import Process

    monkeypatch.setattr(
        environment, "process_ancestry", lambda: lambda: (Process(7, "hermes", ("hermes",)),)
    )
    before = fingerprint(home)
    for command in ("install", "uninstall"):
        assert run("hermes", command, "--yes").code == 1
        assert run("service", command, "--yes").code == 1
    assert fingerprint(home) == before


def test_without_hermes_nothing_is_installed_in_the_folders_of_claude_code(
    tmp_path: Path, run: Any
) -> None:
    config = tmp_path / ".claude"
    (config / "projects").mkdir(parents=True)
    assert run("claude", "install", "--yes").code == 0
    before = contents(config)
    for command in (["install", "--yes"], ["status"]):
        ran = run("hermes", *command)
        assert (ran.code, "is no home of Hermes" in ran.err) == (1, True)
    assert contents(config) == before


GATED = """\
# mine
memory:
  write_approval: true  # since May
  memory_char_limit: 2200
skills: {write_approval: yes}   # both
"""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("off",), GATED.replace("true ", "false ").replace("yes", "false")),
        (("off", "--only", "memory"), GATED.replace("true ", "false ")),
        (("off", "--only", "skills"), GATED.replace("yes", "false")),
        (("on",), GATED),
    ],
)
def test_a_gate_is_turned_in_place_and_every_other_byte_stays(
    home: Path, run: Any, words: tuple[str, ...], expected: str
) -> None:
    config = home / "config.yaml"
    config.write_text(GATED)
    assert run("hermes", "gate", *words, "--dry-run").code == 0
    assert config.read_text() == GATED
    ran = run("hermes", "gate", *words, "--yes")
    assert (ran.code, config.read_text()) == (0, expected)
    assert ("Nothing needs to change." in ran.out) is (expected == GATED)
    assert config.stat().st_mode & 0o777 == 0o640


def test_a_gate_that_was_turned_off_and_on_leaves_the_installations_bytes(
    home: Path, run: Any
) -> None:
    before = contents(home)
    run("hermes", "install", "--yes")
    installed = (home / "config.yaml").read_bytes()
    run("hermes", "gate", "off", "--yes")
    assert "since yesterday" not in run("status", "--ledger", str(home.parent / "l.db")).err
    run("hermes", "gate", "on", "--yes")
    assert (home / "config.yaml").read_bytes() == installed
    run("hermes", "uninstall", "--yes")
    assert contents(home) == before


def test_uninstalling_says_what_still_waits_and_what_hermes_changed(home: Path, run: Any) -> None:
    run("hermes", "install", "--yes")
    config = home / "config.yaml"
    config.write_text(config.read_text() + "onboarding: {seen: true}\ndisplay: {compact: true}\n")
    record = home / "pending" / "memory" / "0a1b2c3d.json"
    record.parent.mkdir(parents=True)
    record.write_text("{}")
    said = run("hermes", "uninstall", "--yes").out
    assert "1 proposal still waits in pending/; nobody looks there." in said
    assert "config.yaml keeps what Hermes itself wrote since: onboarding." in said
    assert "config.yaml keeps what Hermes or you changed since: display." in said
    assert "still wait" not in run("hermes", "uninstall", "--yes").out


def test_a_plugin_that_its_owner_disabled_is_told_how_to_be_enabled(home: Path, run: Any) -> None:
    run("hermes", "install", "--yes")
    text = (home / "config.yaml").read_text()
    (home / "config.yaml").write_text(
        text.replace("plugins:\n", "plugins:\n  disabled: [reviewdeck]\n")
    )
    assert "disabled: `hermes plugins enable reviewdeck`" in run("hermes", "status").out
    doctor = run("doctor", "--json", "--ledger", str(home.parent / "l.db")).json
    (hint,) = [one["hint"] for one in doctor if one["check"] == "plugin"]
    assert hint == "hermes plugins enable reviewdeck"


@pytest.mark.parametrize(
    ("schema", "level", "words"),
    [
        (22, "ok", "version 0.19"),
        (31, "ok", "0.22"),
        (32, "warn", "newer than reviewdeck knows"),
        (99, "warn", "newer than reviewdeck knows"),
    ],
)
def test_the_version_of_hermes_is_named_and_one_that_is_too_new_is_said(
    home: Path, run: Any, schema: int, level: str, words: str
) -> None:
    Chat("s1", ["Hello."]).write(home)
    with closing(open_state(home)) as database:
        database.execute("UPDATE schema_version SET version = ?", (schema,))
        if schema > 22:
            database.execute("CREATE TABLE system_prompts (hash TEXT PRIMARY KEY, prompt TEXT)")
        database.commit()
    ledger = ("--ledger", str(home.parent / "l.db"))
    doctor = run("doctor", "--json", *ledger).json
    ((found, message),) = [
        (one["level"], one["message"]) for one in doctor if one["check"] == "hermes"
    ]
    assert found == level and words in message
    is_newer = level == "warn"
    assert ("newer than reviewdeck knows" in run("status", *ledger).out) is is_newer

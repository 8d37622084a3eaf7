"""Gemini CLI's folders as homes: which they are, and what in them is reviewed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.homes.gemini.kit import MEMORY, make_config, write

from reviewdeck.clock import utc_now
from reviewdeck.files.syscalls import Kernel
from reviewdeck.homes.gated.gate import gate_of
from reviewdeck.homes.gated.installation import plan_install, plan_uninstall, read_installation
from reviewdeck.homes.gated.layout import GatedLayout
from reviewdeck.homes.gated.settings import GovernedRoot
from reviewdeck.homes.gemini.agent import GEMINI
from reviewdeck.homes.gemini.kind import KIND
from reviewdeck.homes.installer import apply
from reviewdeck.homes.json_edits import without_comments
from reviewdeck.homes.kinds import HomeContext, recognised_kind, remembered_name


@pytest.mark.parametrize(
    ("files", "layout"),
    [
        ((".gemini/settings.json", ".gemini/projects.json"), "gemini"),
        ((".gemini/skills/a/SKILL.md",), "gemini"),
        (("else/settings.json", "else/installation_id", "else/skills/a/SKILL.md"), "gemini"),
        (("else/GEMINI.md", "else/oauth_creds.json"), "gemini"),
        (("app/GEMINI.md",), "gemini-project"),
        (("app/.gemini/skills/a/SKILL.md", "app/.git/HEAD"), "gemini-project"),
        (("app/.gemini/settings.json", "app/GEMINI.md", "app/installation_id"), "gemini-project"),
    ],
)
def test_a_folder_is_gemini_clis_by_its_own_files(
    tmp_path: Path, files: tuple[str, ...], layout: str
) -> None:
    for file in files:
        write(tmp_path / file)
    home = tmp_path / files[0].split("/")[0]
    kind = recognised_kind(home)
    assert kind is not None and remembered_name(kind, home) == f"gemini:{layout}"


@pytest.mark.parametrize(
    ("files", "name"),
    [
        (("h/memories/MEMORY.md",), "hermes"),
        (("app/CLAUDE.md", "app/GEMINI.md"), "claude"),
        (("app/QWEN.md", "app/.gemini/settings.json"), "qwen"),
        (("else/QWEN.md", "else/settings.json", "else/installation_id"), "qwen"),
    ],
)
def test_the_folders_of_others_stay_theirs(
    tmp_path: Path, files: tuple[str, ...], name: str
) -> None:
    for file in files:
        write(tmp_path / file)
    kind = recognised_kind(tmp_path / files[0].split("/")[0])
    assert kind is not None and kind.name == name


def test_a_users_folder_is_no_repository_for_the_folder_of_gemini_cli_in_it(
    tmp_path: Path,
) -> None:
    write(tmp_path / ".gemini/projects.json", "{}")
    assert recognised_kind(tmp_path) is None


def test_what_waits_in_the_inbox_or_as_a_skill_is_no_document_and_an_index_has_no_limit(
    tmp_path: Path,
) -> None:
    config = make_config(tmp_path / ".gemini")
    write(config / MEMORY / "skills/a/SKILL.md")
    write(config / MEMORY / ".inbox/private/extraction.patch")
    write(config / "projects.json.4d3f.tmp")
    layout = GatedLayout("gemini")
    assert [*layout.texts(config)] == ["GEMINI.md", f"{MEMORY}/MEMORY.md"]
    assert layout.limits(f"{MEMORY}/MEMORY.md") == ()
    assert MEMORY in layout.places(config)


@pytest.mark.parametrize(
    ("layout", "start"),
    [("gemini-project", "GEMINI.md"), ("qwen-project", "QWEN.md"), ("both", "AGENTS.md")],
)
def test_what_gemini_cli_and_qwen_code_import_is_a_document(
    tmp_path: Path, layout: str, start: str
) -> None:
    write(tmp_path / start, "<!-- @notes.markdown -->\n~~~\n@one.txt#x\n~~~\n    @deep1\n")
    write(tmp_path / "notes.markdown"), write(tmp_path / "one.txt#x")
    for number in range(1, 7):
        write(tmp_path / f"deep{number}", f"@deep{number + 1}\n")
    found = {target.path for target in GatedLayout(layout).imported(tmp_path, Kernel())}
    assert found == {"notes.markdown", "one.txt#x", *(f"deep{n}" for n in range(1, 6))}


@pytest.mark.parametrize("name", ["settings.json", "system-defaults.json"])
def test_an_administrator_switches_the_gate_off_where_a_variable_says(
    tmp_path: Path, name: str
) -> None:
    config, system = make_config(tmp_path / ".gemini"), tmp_path / "system"
    file = write(system / name, '{"hooksConfig": {"disabled": ["reviewdeck"]}}')
    apply(plan_install(read_installation(config, GEMINI), [GovernedRoot("gemini", config)]))
    env = {"GEMINI_CLI_SYSTEM_SETTINGS_PATH": str(system / "settings.json")}
    gate = gate_of(read_installation(config, GEMINI), env, tmp_path, version=None)
    assert gate.off == (f"{file} sets hooksConfig.disabled",)


def test_a_repository_switches_the_gate_off_in_settings_with_comments_too(tmp_path: Path) -> None:
    config = make_config(tmp_path / ".gemini")
    app = tmp_path / "app"
    write(
        app / ".gemini/settings.json",
        '// Ours: "https://x/*"\n{"a": "//", /* off */ "hooksConfig": {"enabled": false} // \n}\n',
    )
    apply(plan_install(read_installation(config, GEMINI), [GovernedRoot("gemini", config)]))
    installed = read_installation(config, GEMINI)
    gate = gate_of(installed, {}, tmp_path, version=None, here=app)
    assert gate.off == (f"{app}/.gemini/settings.json sets hooksConfig.enabled",)


@pytest.mark.parametrize(
    "noted",
    [
        ("{\n", '// Mine: "x".\n{\n'),
        ('"BeforeTool"', '/* before */ "BeforeTool"'),
        ("\n}\n", " // the last\n}\n"),
    ],
)
def test_comments_that_a_user_added_since_are_read_over_and_stay(
    tmp_path: Path, noted: tuple[str, str]
) -> None:
    config = make_config(tmp_path / ".gemini")
    apply(plan_install(read_installation(config, GEMINI), [GovernedRoot("gemini", config)]))
    settings = config / "settings.json"
    text = settings.read_text("utf-8")
    settings.write_text(text.replace(*noted, 1), "utf-8")
    assert settings.read_text("utf-8") != text
    installed = read_installation(config, GEMINI)
    gate = gate_of(installed, {}, tmp_path, version=None)
    assert (gate.roots, gate.off, gate.is_current) == (
        (GovernedRoot("gemini", config),),
        (),
        True,
    )
    around = HomeContext({"GEMINI_CLI_HOME": str(tmp_path)}, tmp_path, utc_now)
    assert KIND.home(config, around).ungated == ()
    for plan in plan_uninstall(installed):
        apply(plan)
    left = settings.read_text("utf-8")
    assert "reviewdeck" not in left
    assert "".join(without_comments(left).split()) == "{}"
    assert ("/* before */" in noted[1]) or noted[1].strip(" {}\n") in left


def test_the_gate_comes_into_settings_with_comments_and_leaves_their_bytes(tmp_path: Path) -> None:
    config = make_config(tmp_path / ".gemini")
    theirs = '// a\n{\n  // b\n  "a": "// no", /* c */\n  "hooks": { /* d */ } // e\n}\n'
    settings = write(config / "settings.json", theirs)
    apply(plan_install(read_installation(config, GEMINI), [GovernedRoot("gemini", config)]))
    text = settings.read_text("utf-8")
    assert all(
        f"{mark} {letter}" in text for mark, letter in zip(("//", "//", "/*"), "abc", strict=True)
    )
    assert "/* d */" in text and read_installation(config, GEMINI).is_current
    settings.write_text(text.replace('"// no"', '"// yes"'), "utf-8")
    for plan in plan_uninstall(read_installation(config, GEMINI)):
        apply(plan)
    left = settings.read_text("utf-8").replace('"// yes"', '"// no"')
    assert "".join(left.split()) == "".join(theirs.split())

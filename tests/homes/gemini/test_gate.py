"""The gate before what Gemini CLI writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.homes.gemini.kit import MEMORY, event, make_config, refused

from reviewdeck.agents.gated import gate
from reviewdeck.agents.gated.roots import Root
from reviewdeck.agents.gated.switches import switched_off_by
from reviewdeck.agents.gemini.gate import GEMINI
from reviewdeck.homes.gated.settings import FOLDER, GovernedRoot
from reviewdeck.homes.gemini.agent import GEMINI as AGENT


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return make_config(tmp_path / ".gemini")


def records(config: Path) -> list[dict[str, Any]]:
    folder = config / ".reviewdeck" / "gemini" / "pending"
    return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]


@pytest.mark.parametrize("path", ["GEMINI.md", f"{MEMORY}/MEMORY.md", f"{MEMORY}/new.md"])
def test_a_write_of_a_document_is_staged_and_refused(config: Path, path: str) -> None:
    given = {"file_path": str(config / path), "content": "x\n"}
    assert "took this change" in refused(config, event("write_file", given))
    (record,) = records(config)
    assert record["session"] == "cd3d005d-60f3-469e-aa75-700bdaedea1b"


@pytest.mark.parametrize(
    "path", [f"{MEMORY}/.inbox/private/extraction.patch", f"{MEMORY}/skills/a/SKILL.md", "a.md"]
)
def test_what_the_extraction_drafts_is_left_to_it(config: Path, path: str) -> None:
    given = {"file_path": str(config / path), "content": "x\n"}
    assert refused(config, event("write_file", given)) == ""


def test_a_relative_path_is_taken_from_the_folder_of_the_session(config: Path) -> None:
    given = {"file_path": "new.md", "content": "x\n"}
    assert "took this change" in refused(
        config, event("write_file", given, cwd=str(config / MEMORY))
    )


@pytest.mark.parametrize(
    "path",
    [
        "{config}/GEMINI%2Emd",
        "{config}/%47EMINI.md",
        "{config}/x%2F..%2FGEMINI.md",
        "{config}/./skills//../GEMINI.md",
        "/{config}/GEMINI.md",
        "{config}/GEMINI.md\0",
        "GEMINI.md",
        "@GEMINI.md",
        "@/GEMINI.md",
        "@//GEMINI.md",
        "@tmp/../GEMINI.md",
        "@GEMINI%2emd",
    ],
)
def test_a_path_means_what_gemini_cli_takes_it_for(config: Path, path: str) -> None:
    given = {"file_path": path.format(config=config), "content": "x\n"}
    assert "took this change" in refused(config, event("write_file", given, cwd=str(config)))
    (record,) = records(config)
    (write,) = record["writes"]
    assert write["document"] == "GEMINI.md"


@pytest.mark.parametrize("path", ["~/.gemini/GEMINI.md", "GEMINI%2.md", "GEMINI%FF.md", "@x/a.md"])
def test_a_path_that_gemini_cli_takes_as_it_stands_is_taken_so(config: Path, path: str) -> None:
    (config / "@x").mkdir()
    given = {"file_path": path, "content": "x\n"}
    assert refused(config, event("write_file", given, cwd=str(config))) == ""


def test_a_document_that_gemini_cli_would_look_for_by_a_part_of_its_path_is_not_replaced(
    config: Path,
) -> None:
    given = {"file_path": "memory/MEMORY.md", "old_string": "Redis", "new_string": "SQL"}
    told = event("replace", given, cwd=str(config.parent))
    assert "name it by its whole path" in refused(config, told)
    other = event("replace", {**given, "file_path": "other.md"}, cwd=str(config.parent))
    assert refused(config, other) == ""


def test_a_replacement_is_exact_and_leaves_the_line_break_of_what_it_deletes(config: Path) -> None:
    path = str(config / MEMORY / "MEMORY.md")
    given = {"file_path": path, "instruction": "x", "old_string": "- The port is 80."}
    assert "took this" in refused(config, event("replace", {**given, "new_string": ""}))
    (record,) = records(config)
    (write,) = record["writes"]
    assert write["text"] == "# Project Memory\n- Redis stores it.\n\n"


@pytest.mark.parametrize(
    ("old", "everywhere", "why"),
    [
        ("t", False, "more than once"),
        ("t", True, "took this"),
        ("Redis  stores", False, "not exac"),
    ],
)
def test_a_replacement_that_gemini_cli_may_match_otherwise_is_refused(
    config: Path, old: str, everywhere: bool, why: str
) -> None:
    path = str(config / MEMORY / "MEMORY.md")
    given = {"file_path": path, "old_string": old, "new_string": "T", "allow_multiple": everywhere}
    assert why in refused(config, event("replace", given))


@pytest.mark.parametrize("inner", ["", MEMORY])
def test_a_command_that_names_a_document_from_its_own_folder_is_refused(
    config: Path, inner: str
) -> None:
    name = "MEMORY.md" if inner else f"{MEMORY}/MEMORY.md"
    given = {"command": f"echo x >> {name}", "dir_path": inner}
    told = event("run_shell_command", given, cwd=str(config))
    assert "Use write_file or replace" in refused(config, told)


@pytest.mark.parametrize(
    ("settings", "off"),
    [
        ({"hooksConfig": {"enabled": False}}, ["hooksConfig.enabled"]),
        ({"hooksConfig": {"disabled": ["reviewdeck"]}}, ["hooksConfig.disabled"]),
        ({"hooksConfig": {"disabled": ["other"], "enabled": True}}, []),
        ({"hooksConfig": [], "disableAllHooks": True}, []),
    ],
)
def test_settings_switch_the_gate_off_by_gemini_clis_own_keys(
    settings: dict[str, object], off: list[str]
) -> None:
    assert switched_off_by(settings, "gemini", "user") == off


def test_a_write_of_settings_that_switch_the_gate_off_is_refused(config: Path) -> None:
    after = json.dumps({"hooksConfig": {"disabled": ["reviewdeck"]}})
    given = {"file_path": str(config / "settings.json"), "content": after}
    assert "reviewdeck gemini uninstall" in refused(config, event("write_file", given))


def test_a_call_that_bypassed_the_gate_is_noted_though_events_have_no_ids(config: Path) -> None:
    given = {"command": "sh tidy.sh", "is_background": True}
    assert refused(config, event("run_shell_command", given)) == ""
    (config / "GEMINI.md").write_text("- Be long.\n", "utf-8")
    after = event("run_shell_command", given, hook_event_name="AfterTool", tool_response={})
    gate.answer_to(after, [Root("gemini", str(config))], GEMINI)
    (note,) = (config / ".reviewdeck/gemini/calls").iterdir()
    noted = json.loads(note.read_text("utf-8"))
    assert noted["background"] is True
    assert [change["document"] for change in noted["changes"]] == ["GEMINI.md"]


def test_a_verdict_is_told_in_the_words_of_gemini_clis_events() -> None:
    said = GEMINI.answer({"hookEventName": "UserPromptSubmit", "additionalContext": "No."})
    assert said["hookSpecificOutput"] == {
        "hookEventName": "BeforeAgent",
        "additionalContext": "No.",
    }


@pytest.mark.parametrize("python", [sys.executable, "/nonexistent/python"])
def test_a_gate_that_is_gone_refuses_documents_and_nothing_else(config: Path, python: str) -> None:
    hooks = AGENT.entries(python, config / "gone", [GovernedRoot("gemini", config)])
    command = hooks["BeforeTool"][0]["hooks"][0]["command"]
    codes, elsewhere = {}, ("GEMINI%2Emd", "./GEMINI.md")
    for name in ("GEMINI.md", "@GEMINI.md", *(f"{config}/{name}" for name in elsewhere)):
        told = json.dumps(event("write_file", {"file_path": name}), separators=(",", ":"))
        done = subprocess.run(
            ["bash", "-c", command], input=told, cwd=config, text=True, check=False
        )
        assert done.returncode == 2
    quoting = json.dumps({"file_path": str(config / "GEMINI.md")})
    for name, content in (("GEMINI.md", "x"), ("notes.txt", quoting)):
        given = {"file_path": str(config / name), "content": content}
        told = json.dumps(event("write_file", given), separators=(",", ":"))
        done = subprocess.run(
            ["bash", "-c", command], input=told, capture_output=True, text=True, check=False
        )
        codes[name] = done.returncode
    assert codes == {"GEMINI.md": 2, "notes.txt": 1}


def test_gemini_cli_gives_the_gate_thirty_seconds_in_its_own_unit_and_lets_no_name_be_mistaken(
    config: Path,
) -> None:
    hooks = AGENT.entries(sys.executable, FOLDER, [GovernedRoot("gemini", config)])
    handlers = [handler for groups in hooks.values() for handler in groups[0]["hooks"]]
    assert {handler["timeout"] for handler in handlers} == {30_000}
    # What Gemini CLI itself puts into a command.
    assert not any("$GEMINI" in handler["command"] for handler in handlers)


def test_the_gate_answers_as_gemini_cli_starts_it(config: Path) -> None:
    hooks = AGENT.entries(sys.executable, FOLDER, [GovernedRoot("gemini", config)])
    given = {"file_path": str(config / "GEMINI.md"), "content": "x\n"}
    done = subprocess.run(
        ["bash", "-c", hooks["BeforeTool"][0]["hooks"][0]["command"]],
        input=json.dumps(event("write_file", given), separators=(",", ":")),
        env={"HOME": str(config.parent), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    answer = json.loads(done.stdout)
    assert answer["decision"] == "deny" and "took this change" in answer["reason"]

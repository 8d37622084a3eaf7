"""The gate before what Qwen Code writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.homes.qwen.kit import MEMORY, event, make_config, refused

from reviewdeck.homes.gated.settings import FOLDER, GovernedRoot
from reviewdeck.homes.qwen.agent import QWEN as AGENT


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return make_config(tmp_path / ".qwen")


def records(config: Path) -> list[dict[str, object]]:
    folder = config / ".reviewdeck" / "qwen" / "pending"
    return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]


def test_two_calls_with_one_id_are_two_calls(config: Path) -> None:
    for name in ("a", "b"):
        given = {"file_path": str(config / MEMORY / f"{name}.md"), "content": "x\n"}
        assert "took this change" in refused(config, event("write_file", given))
    (record,) = records(config)
    calls = [write["call"] for write in record["writes"]]  # type: ignore[attr-defined]
    assert len({*calls}) == 2 and all(call.startswith("call_1-") for call in calls)


@pytest.mark.parametrize("name", ["memories", MEMORY])
def test_an_index_is_not_staged_since_qwen_code_makes_it_anew(config: Path, name: str) -> None:
    given = {"file_path": str(config / name / "MEMORY.md"), "content": "- [x](x.md) — x\n"}
    assert "front matter" in refused(config, event("write_file", given))
    assert records(config) == []


def test_a_pinned_fact_is_a_document_like_the_others(config: Path) -> None:
    given = {"file_path": str(config / "memories/pinned/x.md"), "content": "x\n"}
    assert "took this change" in refused(config, event("write_file", given))


@pytest.mark.parametrize(
    ("old", "why"),
    [
        ("Likes tea", "more than once"),
        ("Likes “tea”", "not exactly"),
        ("Likes  tea", "not exactly"),
    ],
)
def test_an_edit_that_qwen_code_may_match_otherwise_is_refused(
    config: Path, old: str, why: str
) -> None:
    path = str(config / MEMORY / "user/tea.md")
    given = {"file_path": path, "old_string": old, "new_string": "No"}
    assert why in refused(config, event("edit", given))
    assert records(config) == []


def test_a_relative_path_is_taken_from_the_folder_of_the_session(config: Path) -> None:
    given = {"file_path": "user/new.md", "content": "x\n"}
    told = event("write_file", given, cwd=str(config / MEMORY))
    assert "took this change" in refused(config, told)


@pytest.mark.parametrize("switch", ["disableAllHooks", "hooks"])
def test_settings_that_switch_the_gate_off_are_refused(config: Path, switch: str) -> None:
    roots = [GovernedRoot("qwen", config)]
    settings = {"hooks": AGENT.entries(sys.executable, FOLDER, roots)}
    (config / "settings.json").write_text(json.dumps(settings), "utf-8")
    after = {**settings, switch: True} if switch != "hooks" else {}
    given = {"file_path": str(config / "settings.json"), "content": json.dumps(after)}
    assert "reviewdeck qwen uninstall" in refused(config, event("write_file", given))


def test_a_command_in_the_background_is_noted_as_one(config: Path) -> None:
    given = {"command": "make", "is_background": True}
    assert refused(config, event("run_shell_command", given)) == ""
    (begun,) = (config / ".reviewdeck/qwen/open").iterdir()
    assert json.loads(begun.read_text("utf-8"))["background"] is True


def start(config: Path, folder: Path, told: object) -> subprocess.CompletedProcess[str]:
    """The gate as Qwen Code starts it, with our package in this folder."""
    hooks = AGENT.entries(sys.executable, folder, [GovernedRoot("qwen", config)])
    command = hooks["PreToolUse"][0]["hooks"][0]["command"]
    return subprocess.run(
        ["bash", "-c", command],
        input=json.dumps(told, separators=(",", ":")),
        env={"HOME": str(config.parent), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("python", [sys.executable, "/nonexistent/python"])
def test_a_gate_that_is_gone_refuses_documents_and_nothing_else(config: Path, python: str) -> None:
    hooks = AGENT.entries(python, config / "gone", [GovernedRoot("qwen", config)])
    command = hooks["PreToolUse"][0]["hooks"][0]["command"]
    document = str(config / "QWEN.md")
    quoting = f"{json.dumps({'file_path': document})} //x/../y"
    indirect = (f"/{document}", f"{config}/./QWEN.md", f"{config}/rules/../QWEN.md")
    calls: list[tuple[int, dict[str, str]]] = [
        (2, {"file_path": document, "content": "x"}),
        (2, {"content": quoting, "file_path": document}),
        (2, {"notebook_path": f"{config}/skills/x/n.ipynb", "new_source": "x"}),
        *((2, {"file_path": path, "content": "x"}) for path in indirect),
        (1, {"file_path": str(config / "notes.txt"), "content": quoting}),
        (1, {"content": quoting, "file_path": str(config / "notes.txt")}),
        (1, {"command": f"cat {document}", "description": quoting}),
    ]
    for code, given in calls:
        told = json.dumps(event("write_file", given), separators=(",", ":"))
        done = subprocess.run(
            ["bash", "-c", command], input=told, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, given


def test_the_gate_runs_in_a_folder_whose_name_a_shell_would_take_apart(tmp_path: Path) -> None:
    config = make_config(tmp_path / 'it\'s "my" $HOME' / ".qwen")
    given = {"file_path": str(config / "QWEN.md"), "content": "x\n"}
    done = start(config, FOLDER, event("write_file", given))
    assert done.returncode == 0, done.stderr
    assert "took this change" in done.stdout
    gone = start(config, tmp_path / "gone", event("write_file", given))
    assert gone.returncode == 2

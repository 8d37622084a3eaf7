"""`openclaw install`, `status` and `uninstall`, on real files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.program import Ran, fingerprint
from tests.homes.openclaw.kit import RECORDED, make_workspace, question

from reviewdeck.agents.gated.roots import Root
from reviewdeck.agents.openclaw import gate

Run = Callable[..., Ran]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace in a user's folder of its own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("OPENCLAW_STATE_DIR", "OPENCLAW_HOME", "OPENCLAW_PROFILE", "HERMES_HOME"):
        monkeypatch.delenv(name, raising=False)
    return make_workspace(tmp_path)


def messages(run: Run) -> str:
    return "\n".join(check["message"] for check in run("doctor", "--json").json)


def test_from_installing_to_deciding_and_back(run: Run, workspace: Path) -> None:
    state = workspace.parent
    before = fingerprint(state / "openclaw.json")
    assert run("openclaw", "status").code == 1
    planned = run("openclaw", "install", "--dry-run").out
    assert '+      "reviewdeck": {"enabled": true}' in planned.replace("  +", "+")
    assert fingerprint(state / "openclaw.json") == before
    assert run("openclaw", "install", "--yes").code == 0
    status = run("openclaw", "status", "--json").json
    assert (status["current"], status["off"]) == (True, [])
    asked = question(workspace, "write", "MEMORY.md", content="- The port is 8080.\n")
    assert "for review" in gate.answer_to(asked, [Root("workspace", str(workspace))])
    (item,) = run("list", "--json").json
    assert run("show", item["id"]).code == 0
    assert run("approve", item["id"], "--digest", item["digest"]).code == 0
    assert (workspace / "MEMORY.md").read_text("utf-8") == "- The port is 8080.\n"
    assert run("openclaw", "uninstall", "--yes").code == 0
    assert json.loads((state / "openclaw.json").read_text("utf-8")).get("plugins") is None
    assert not (state / ".reviewdeck").exists()


def test_a_rejection_is_kept_for_the_session(run: Run, workspace: Path) -> None:
    run("openclaw", "install", "--yes")
    roots = [Root("workspace", str(workspace))]
    gate.answer_to(question(workspace, "write", "SOUL.md", content="Loud.\n"), roots)
    (item,) = run("list", "--json").json
    assert run("reject", item["id"], "--reason", "Stay calm.", "--yes").code == 0
    told = gate.answer_to(question(workspace, "write", "SOUL.md", content="Louder.\n"), roots)
    assert 'SOUL.md: rejected by a person, with the reason "Stay calm."' in told


def test_doctor_and_setup_name_the_gate_and_what_is_missing(run: Run, workspace: Path) -> None:
    assert "reviewdeck openclaw install" in run("setup").out
    run("openclaw", "install", "--yes")
    assert f"the gate reviews writes to {workspace}" in messages(run)
    config = workspace.parent / "openclaw.json"
    config.write_text(config.read_text().replace('"enabled": true', '"enabled": false'))
    assert "plugins.entries.reviewdeck.enabled" in messages(run)


def test_a_folder_that_is_not_openclaws_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    refused = run("openclaw", "install", "--yes", "--home", str(tmp_path / "other"))
    assert refused.code != 0 and "openclaw.json" in refused.err
    assert list((tmp_path / "other").iterdir()) == []


def test_the_instructions_that_openclaw_itself_puts_there_are_not_called_critical(
    run: Run, workspace: Path
) -> None:
    (workspace / "AGENTS.md").write_bytes((RECORDED.parent / "AGENTS.md").read_bytes())
    adopted = run("adopt", "--json", "--home", str(workspace)).json["possessions"]
    (stock,) = [each for each in adopted if each["document"] == "AGENTS.md"]
    assert "critical" not in {finding["severity"] for finding in stock["findings"]}

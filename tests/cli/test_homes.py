"""Several homes at once: every line names its home, and nothing goes to another than its own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.cli.program import Ran, fingerprint
from tests.engine.kit import Agent, Ticking, entries, set_entries

from reviewdeck.cli.main import main


class Shell:
    """The program as a user runs it, who has a Hermes of their own with a second profile."""

    def __init__(self, user: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = user / ".hermes"
        self.work = self.root / "profiles" / "work"
        self._capsys = capsys

    def __call__(self, *tokens: str) -> Ran:
        self._capsys.readouterr()
        code = main(tokens)
        printed = self._capsys.readouterr()
        return Ran(code, printed.out, printed.err)

    def read(self, *tokens: str) -> Any:
        return json.loads(self(*tokens, "--json").out)


def own(root: Path) -> dict[str, tuple[int, int, str]]:
    """The files of the default home, without those of the profiles below it."""
    return {k: v for k, v in fingerprint(root).items() if not k.startswith("profiles")}


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    """Two profiles that hold the very same record."""
    user = tmp_path / "user"
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("REVIEWDECK_LEDGER", str(tmp_path / "ledger" / "ledger.db"))
    shell = Shell(user, capsys)
    (shell.root / "memories").mkdir(parents=True)
    set_entries(shell.root, "Tests run with tox.", "The staging host is stg-2.")
    Agent(shell.root, Ticking()).replace("staging host", "The staging host is stg-4.")
    Agent(shell.root, Ticking()).add("The linter is ruff.", id="abcd0123")
    shutil.copytree(shell.root, tmp_path / "copy")
    shell.work.parent.mkdir()
    (tmp_path / "copy").rename(shell.work)
    return shell


def test_list_status_and_since_reach_every_profile(shell: Shell) -> None:
    items = shell.read("list")
    assert {item["home"] for item in items} == {str(shell.root), str(shell.work)}
    assert len(items) == 4
    assert len({item["id"] for item in items}) == 4
    said = shell("list").out
    assert " work " in said and " default " in said
    status = shell.read("status")
    assert [one["name"] for one in status["homes"]] == ["default", "work"]
    assert status["waiting"] == 4 == sum(one["waiting"] for one in status["homes"])
    assert {part["home"] for part in status["memory"]} == {str(shell.root), str(shell.work)}
    assert "4 waiting" in shell("status", "--short").out
    shell("auto", "--all-profiles")
    document = shell.read("since", "1h")
    assert {one["home"] for one in document} == {str(shell.root), str(shell.work)}
    assert "== work: memories/MEMORY.md" in shell("since", "1h").out


def test_one_home_that_is_named_is_the_only_one(shell: Shell) -> None:
    assert len(shell.read("list", "--home", str(shell.work))) == 2
    assert len(shell.read("list", "--profile", "work")) == 2
    assert shell.read("status", "--profile", "work")["name"] == "work"
    assert len(shell.read("list", "--home", str(shell.work), "--home", str(shell.root))) == 4


def test_auto_works_on_the_home_that_hermes_would_use_unless_told_otherwise(shell: Shell) -> None:
    before = fingerprint(shell.work)
    (applied,) = shell.read("auto")["applied"]
    assert applied["home"] == str(shell.root)
    assert fingerprint(shell.work) == before
    (applied,) = shell.read("auto", "--home", str(shell.root), "--home", str(shell.work))["applied"]
    assert applied["home"] == str(shell.work)
    assert "== work" in shell("auto", "--all-profiles", "--dry-run").out


def test_a_decision_goes_to_the_home_of_its_proposal_alone(shell: Shell) -> None:
    ours = next(
        item
        for item in shell.read("list")
        if item["action"] == "replace" and item["home"] == str(shell.work)
    )
    before = own(shell.root)
    done = shell.read("approve", ours["id"], "--digest", ours["digest"])
    assert done["operation"]["home"] == str(shell.work)
    assert entries(shell.work)[-1] == "The staging host is stg-4."
    assert own(shell.root) == before
    undone = shell.read("undo", done["operation"]["id"])
    assert undone["operation"]["home"] == str(shell.work)
    assert entries(shell.work)[-1] == "The staging host is stg-2."
    assert own(shell.root) == before


def test_a_proposal_of_another_home_is_not_decided_here(shell: Shell) -> None:
    ours = next(
        item
        for item in shell.read("list")
        if item["action"] == "replace" and item["home"] == str(shell.work)
    )
    before = fingerprint(shell.root), fingerprint(shell.work)
    for command in (
        ("approve", ours["id"], "--digest", ours["digest"]),
        ("reject", ours["id"], "--reason", "no"),
        ("defer", ours["id"]),
    ):
        ran = shell(*command, "--home", str(shell.root), "--json")
        assert ran.code == 1
        assert ran.json["error"]["code"] == "home-unavailable"
        assert ran.json["error"]["hint"] == f"Name that home: --home {shell.work}"
    assert (fingerprint(shell.root), fingerprint(shell.work)) == before
    done = shell.read("approve", ours["id"], "--digest", ours["digest"])["operation"]["id"]
    ran = shell("undo", done, "--home", str(shell.root), "--json")
    assert ran.json["error"]["code"] == "home-unavailable"
    assert entries(shell.work)[-1] == "The staging host is stg-4."


def test_an_id_of_the_agent_that_two_homes_share_has_to_be_told_apart(shell: Shell) -> None:
    shell("status")
    ran = shell("show", "abcd0123", "--json")
    assert ran.json["error"]["code"] == "unknown-id"
    shown = shell.read("show", "abcd0123", "--profile", "work")
    assert shown["home"] == str(shell.work)


def test_an_id_of_another_profile_is_explained_too(shell: Shell) -> None:
    ours = next(item for item in shell.read("list") if item["home"] == str(shell.work))
    assert shell.read("policy", "explain", ours["id"])["proposal"] == ours["id"]


def test_a_profile_without_anything_in_it_is_a_home_like_any_other(shell: Shell) -> None:
    (shell.root / "profiles" / "empty").mkdir()
    assert len(shell.read("list")) == 4
    assert [one["name"] for one in shell.read("status")["homes"]] == ["default", "empty", "work"]

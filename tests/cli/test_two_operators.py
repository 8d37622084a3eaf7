"""`approve`, `list`, `show` and `withdraw` where two operators have to approve."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.program import Program, Ran
from tests.engine.kit import Agent, Ticking, entries, set_entries

As = Callable[..., Ran]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    root = tmp_path / "home"
    (root / "memories").mkdir(parents=True)
    (root / "config.yaml").write_text("model: x\n", "utf-8")
    set_entries(root, "Tests run with tox.", "The staging host is stg-2.")
    return root


@pytest.fixture
def agent(home: Path) -> Agent:
    return Agent(home, Ticking())


@pytest.fixture
def team(
    home: Path,
    agent: Agent,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> As:
    """Runs a command as an operator, under a policy that needs two."""
    policy = tmp_path / "policy.toml"
    policy.write_text("version = 1\n[approval]\nneeds = 2\n", "utf-8")
    program = Program(home, tmp_path / "ledger.db", capsys)
    assert program("status").code == 0
    agent.memory("remove", old_text="tox")

    def run(name: str, *words: str) -> Ran:
        monkeypatch.setenv("LOGNAME", name)
        return program(*words, "--policy", str(policy))

    return run


def test_one_votes_the_other_decides_and_all_of_it_is_told(team: As, home: Path) -> None:
    (item,) = team("iris", "list", "--json").json
    id, digest = item["id"], item["digest"]
    assert "votes" not in item
    assert "votes     0 of 2: two operators have to approve it" in team("iris", "show", id).out
    voted = team("iris", "approve", id, "--digest", digest)
    assert voted.code == 0
    assert "1 of 2: waiting for another operator" in voted.out
    assert f"reviewdeck withdraw {id}" in voted.out
    assert "Tests run with tox." in entries(home)
    assert f"{id[:8]}  1 of 2: iris, waiting for another operator" in team("otto", "list").out
    assert "1 of 2: iris approved it" in team("otto", "show", id).out
    (vote,) = team("otto", "show", id, "--json").json["votes"]
    assert (vote["operator"], vote["counts"]) == ("iris", True)
    assert "voted for" in team("otto", "log").out
    assert "applied" in team("otto", "approve", id, "--digest", digest).out
    assert "Tests run with tox." not in entries(home)


def test_a_vote_is_taken_back(team: As, home: Path) -> None:
    (item,) = team("iris", "list", "--json").json
    id, digest = item["id"], item["digest"]
    assert team("iris", "withdraw", id).code == 1
    assert team("iris", "approve", id, "--digest", digest, "--json").json["needs"] == 2
    assert "withdrew the vote" in team("iris", "withdraw", id).out
    assert "1 of 2" in team("otto", "approve", id, "--digest", digest).out
    assert "Tests run with tox." in entries(home)


def test_a_text_that_another_operator_voted_for_is_approved_by_name(team: As, home: Path) -> None:
    (item,) = team("iris", "list", "--json").json
    id, digest = item["id"], item["digest"]
    text = home.parent / "text"
    text.write_text("The staging host is stg-2.\n§\nTests run with nox.\n", "utf-8")
    merged = team("iris", "merge", id, "--file", str(text), "--digest", digest)
    assert "1 of 2" in merged.out
    assert team("otto", "merge", id, "--of", "mona", "--digest", digest).code == 1
    assert "merged" in team("otto", "merge", id, "--of", "iris", "--digest", digest).out
    assert "Tests run with nox." in (home / "memories" / "MEMORY.md").read_text("utf-8")


def test_several_approvals_are_several_votes(team: As, agent: Agent) -> None:
    agent.memory("remove", old_text="stg-2")
    items = team("iris", "list", "--json").json
    words = [word for each in items for word in ("--digest", each["digest"])]
    approved = team("iris", "approve", *(each["id"] for each in items), *words)
    assert (approved.code, approved.out.count("voted for")) == (0, 2)

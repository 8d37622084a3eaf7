"""What was rejected, and a pause, stand in the home too: they hold whichever ledger looks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.program import Ran
from tests.engine.kit import Agent, Ticking, entries, set_entries

Run = Callable[..., Ran]
FACT = "The linter is ruff."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    root = tmp_path / "home"
    (root / "memories").mkdir(parents=True)
    set_entries(root, "Tests run with tox.")
    return root


@pytest.fixture
def agent(home: Path) -> Agent:
    return Agent(home, Ticking())


def auto(run: Run, home: Path, ledger: Path) -> list[dict[str, object]]:
    """What one pass with this ledger applies."""
    ran = run("auto", "--json", "--home", str(home), "--ledger", str(ledger))
    applied: list[dict[str, object]] = json.loads(ran.out)["applied"]
    return applied


def reject(run: Run, home: Path, ledger: Path) -> str:
    """Rejects the only proposal; gives its id."""
    where = ("--home", str(home), "--ledger", str(ledger))
    [line] = run("list", "--json", *where).json
    assert run("reject", line["id"], "--reason", "no", *where).code == 0
    return str(line["id"])


@pytest.mark.parametrize("again", [FACT, "the linter  is RUFF"])
def test_a_rejected_text_is_not_applied_with_another_ledger(
    run: Run, home: Path, agent: Agent, tmp_path: Path, again: str
) -> None:
    agent.add(FACT)
    id = reject(run, home, tmp_path / "own.db")
    agent.add(again)
    assert auto(run, home, tmp_path / "new.db") == []
    where = ("--home", str(home), "--ledger", str(tmp_path / "new.db"))
    [line] = run("list", "--json", *where).json
    assert "rejected before" in run("show", line["id"], *where).out
    assert run("reopen", id, "--home", str(home), "--ledger", str(tmp_path / "own.db")).code == 0
    assert len(auto(run, home, tmp_path / "newer.db")) == 1
    assert len(entries(home)) == 2


def test_a_pause_holds_with_another_ledger_until_it_is_resumed(
    run: Run, home: Path, agent: Agent, tmp_path: Path
) -> None:
    agent.add(FACT)
    own = ("--home", str(home), "--ledger", str(tmp_path / "own.db"))
    assert run("pause", *own).code == 0
    assert auto(run, home, tmp_path / "new.db") == []
    told = run("status", "--home", str(home), "--ledger", str(tmp_path / "new.db"))
    assert "paused it" in told.out
    assert run("resume", *own).code == 0
    assert not (home / ".reviewdeck/paused").exists()
    assert len(auto(run, home, tmp_path / "new.db")) == 1


def unreadable(path: Path) -> None:
    path.symlink_to("/etc/hostname")


@pytest.mark.parametrize("name", ["paused", "rejected"])
@pytest.mark.parametrize("write", [unreadable, Path.mkdir], ids=["a link", "a folder"])
def test_what_cannot_be_read_there_is_a_refusal(
    run: Run, home: Path, agent: Agent, tmp_path: Path, name: str, write: Callable[[Path], None]
) -> None:
    agent.add(FACT)
    (home / ".reviewdeck").mkdir()
    write(home / ".reviewdeck" / name)
    assert auto(run, home, tmp_path / "own.db") == []


def test_a_line_that_was_cut_short_takes_no_other_with_it(
    run: Run, home: Path, agent: Agent, tmp_path: Path
) -> None:
    (home / ".reviewdeck").mkdir()
    (home / ".reviewdeck/rejected").write_text("0a1b" * 8)
    agent.add(FACT)
    reject(run, home, tmp_path / "own.db")
    agent.add(FACT)
    agent.add("Deploys leave on Mondays.")
    assert len(auto(run, home, tmp_path / "new.db")) == 1
    assert FACT not in entries(home)


def test_an_agent_that_writes_there_gains_nothing(
    run: Run, home: Path, agent: Agent, tmp_path: Path
) -> None:
    own = tmp_path / "own.db"
    agent.add(FACT)
    reject(run, home, own)
    (home / ".reviewdeck/rejected").write_text("")
    assert run("pause", "--home", str(home), "--ledger", str(own)).code == 0
    (home / ".reviewdeck/paused").unlink()
    agent.add(FACT)
    agent.add("Deploys leave on Mondays.")
    assert auto(run, home, own) == []
    assert run("resume", "--home", str(home), "--ledger", str(own)).code == 0
    assert len(auto(run, home, own)) == 1
    assert FACT not in entries(home)

"""What an operator reads where a home is away, or two homes share a ledger."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.cli.test_watch import Watching
from tests.engine.kit import Agent, Ticking, entries, set_entries

from reviewdeck.ledger.inspection import find_damage

FACT = "The linter is ruff."


def made(home: Path) -> Path:
    """A small home."""
    (home / "memories").mkdir(parents=True)
    set_entries(home, "Tests run with tox.")
    return home


def test_a_watch_says_that_its_home_is_away_and_that_it_came_back(tmp_path: Path) -> None:
    home, ledger = made(tmp_path / "home"), tmp_path / "ledger" / "ledger.db"
    Agent(home, Ticking()).add("Docs use mkdocs.", id="abcd0001")
    watch = Watching(home, ledger, "--json")
    try:
        watch.wait_for("watching")
        away = home.rename(home.with_name("away"))
        failed = watch.wait_for("failed", code="home-unavailable")
        assert str(home) in failed["message"]
        assert failed["again_in"] > 0 and "mounted" in failed["hint"]
        Agent(away, Ticking()).add(FACT, id="abcd0002")
        assert not home.exists(), "nothing makes a home anew in its place"
        away.rename(home)
        watch.wait_for("mended")
        watch.wait_for("applied", source="pending/memory/abcd0002.json")
        assert watch.stop() == 0
    finally:
        if watch.process.poll() is None:
            watch.process.kill()
            watch.close()
    assert entries(home) == ["Tests run with tox.", "Docs use mkdocs.", FACT]
    assert find_damage(str(ledger)) == ()


def test_passes_over_two_homes_at_once_share_one_ledger(tmp_path: Path) -> None:
    homes = [made(tmp_path / name) for name in ("one", "other")]
    facts = ((FACT, "The shell is zsh."), ("The queue is redis.", "The formatter is black."))
    ledger = tmp_path / "ledger" / "ledger.db"
    for home, own in zip(homes, facts, strict=True):
        for number, fact in enumerate(own):  # The agents of both give the same ids.
            Agent(home, Ticking()).add(fact, id=f"{number:08x}")
    where = ["--ledger", str(ledger)]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "reviewdeck.cli.main", "auto", "--home", str(home), *where],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for home in homes
    ]
    said = [process.communicate(timeout=60) for process in running]
    assert all(process.returncode in (0, 3) for process in running), said
    for home, own, (out, err) in zip(homes, facts, said, strict=True):
        assert ("Applied 2 proposals" in out, err) == (True, "")
        assert sorted(entries(home)) == sorted(["Tests run with tox.", *own])
    assert find_damage(str(ledger)) == ()

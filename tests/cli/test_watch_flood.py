"""More happens than the system's queue of events holds, while the watch is stopped."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from tests.cli.test_watch import Telling
from tests.engine.kit import Agent, Ticking, set_entries, skill_text

LIMIT = Path("/proc/sys/fs/inotify/max_queued_events")


def flood(folder: Path) -> None:
    """Renames one file until the queue is full of that."""
    one, other = folder / "one.tmp", folder / "other.tmp"
    one.touch()
    for _ in range(int(LIMIT.read_text()) // 4 + 500):  # two events for each rename
        one.rename(other)
        other.rename(one)


def test_what_is_written_while_events_are_lost_is_taken_in_and_then_all_is_heard_again(
    tmp_path: Path,
) -> None:
    if not LIMIT.exists() or int(LIMIT.read_text()) > 100_000:
        pytest.skip("the system's queue of file events is too long to be filled in a test")
    home = tmp_path / "home"
    for name in ("memories", "skills", "pending/memory"):
        (home / name).mkdir(parents=True)
    set_entries(home, "Tests run with tox.")
    agent = Agent(home, Ticking())
    watch = Telling(home, tmp_path / "ledger" / "ledger.db", "--json")
    try:
        watch.wait_for("watching")
        agent.add("The linter is ruff.")
        watch.wait_for("applied")
        watch.wait_until_idle()  # It listens by now, and has looked.
        watch.process.send_signal(signal.SIGSTOP)
        flood(home / "pending" / "memory")
        # The folder is new: nobody tells of it, and nobody listens to it.
        agent.skill("create", "log-triage", content=skill_text("log-triage", "Reads logs."))
        watch.process.send_signal(signal.SIGCONT)
        watch.wait_for("applied", source="pending/skills/00000002.json")
        # One may come when it looks anyway; where it heard nothing it would miss each of them.
        watch.wait_for("missed")
        for number, name in enumerate(("tea-making", "bicycles", "star-charts"), 3):
            agent.skill("create", name, content=skill_text(name, f"{name.title()}."))
            watch.wait_for("applied", source=f"pending/skills/{number:08x}.json")
        assert watch.stop() == 0
        assert [line["event"] for line in watch.said].count("missed") < 1 + 3
    finally:
        if watch.process.poll() is None:
            watch.process.kill()
        watch.close()

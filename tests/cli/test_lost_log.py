"""Somebody deletes the ledger's write-ahead log, `ledger.db-wal`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cli.program import Program, fingerprint

READER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT count(*) FROM event").fetchall()
print("open", flush=True)
sys.stdin.read()
connection.close()
"""


@contextmanager
def reader(ledger: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has the ledger open, so that its log is kept."""
    with subprocess.Popen(
        [sys.executable, "-c", READER, str(ledger)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "open\n"
        try:
            yield process
        finally:
            process.stdin.close()
            process.wait(60)


def documents(home: Path) -> dict[str, tuple[int, int, str]]:
    return {
        path: found
        for path, found in fingerprint(home).items()
        if path.startswith(("memories/", "skills/"))
    }


def test_a_log_that_is_removed_while_a_program_has_it_open_is_named_and_costs_nothing(
    demo: Program,
) -> None:
    assert demo("status").code == 0
    log = Path(f"{demo.ledger}-wal")
    with reader(demo.ledger):
        assert demo("auto").code == 3
        operations = demo.read("log")["operations"]
        assert operations
        before = documents(demo.home)
        log.unlink()
        for tokens in (("status",), ("list",), ("fsck",), ("recover",), ("auto",)):
            ran = demo(*tokens)
            assert ran.code == 1
            assert f"somebody removed its write-ahead log {log}" in ran.err
            assert "do not kill it" in ran.err
        assert documents(demo.home) == before
    assert demo("fsck").code == 0
    assert demo.read("log")["operations"] == operations


def test_a_log_that_is_removed_after_a_kill_takes_the_ledger_back_and_the_homes_stay(
    demo: Program,
) -> None:
    assert demo("status").code == 0
    with reader(demo.ledger) as process:
        assert demo("auto").code == 3
        assert demo.read("log")["operations"]
        process.kill()
        process.wait(60)
    before = documents(demo.home)
    Path(f"{demo.ledger}-wal").unlink()
    # What the log held and no checkpoint did is gone: SQLite cannot know that there was more.
    assert demo("fsck").code == 0
    assert demo("status").code == 0
    assert demo.read("log")["operations"] == []
    assert "memories/USER.md changed outside review" in " ".join(demo("status").out.split())
    assert documents(demo.home) == before
    said = demo("doctor").out
    assert "changed without reviewdeck" in " ".join(said.split())
    assert demo("auto").code in (0, 3)
    assert demo("fsck").code == 0
    assert documents(demo.home).keys() >= before.keys()

"""Files or a database as the queue of recorded turns: `python -m benchmarks.inbox [FOLDER]`.

The queue of today is a folder of files, one per recorder, each locked by its writer. The other way
is one SQLite file in WAL mode into which all recorders insert and from which one program takes.
Both keep the same lines, on the disk of FOLDER. Printed are: the microseconds of one turn in the
agent's process, alone and beside other agents while somebody takes turns out; the CPU
milliseconds of a process that stores one turn and ends, as a hook does; what a turn meets while
another program was stopped within its transaction.
"""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import Event, Process, Queue
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from reviewdeck.sessions.spool import Spool

LINE: Final = b"%08x " % 7 + b'["turn", "' + b"x" * 1_100 + b'"]\n'
TURNS: Final = 2_000
PAUSE: Final = 0.002
_TABLE: Final = "CREATE TABLE IF NOT EXISTS inbox (number INTEGER PRIMARY KEY, line BLOB NOT NULL)"

Put = Callable[[bytes], None]


@contextmanager
def files(folder: Path) -> Iterator[Put]:
    """Appends to a file of its own, which is synchronised within 50 ms."""
    spool = Spool(folder / "spool", str(os.getpid()))
    yield lambda line: spool.append("document", lambda: b"", line)
    spool.close()


def open_inbox(folder: Path, level: str) -> sqlite3.Connection:
    """The database in WAL mode, with one bounded table."""
    inbox = sqlite3.connect(folder / "inbox.db", timeout=10, isolation_level=None)
    inbox.execute("PRAGMA journal_mode = WAL")
    inbox.execute(f"PRAGMA synchronous = {level}")
    inbox.execute(_TABLE)
    return inbox


@contextmanager
def database(folder: Path, level: str = "NORMAL") -> Iterator[Put]:
    """Inserts into the one database, a transaction per turn."""
    inbox = open_inbox(folder, level)

    def put(line: bytes) -> None:
        inbox.execute("INSERT INTO inbox (line) VALUES (?)", (line,))

    yield put
    inbox.close()


@contextmanager
def synchronised(folder: Path) -> Iterator[Put]:
    """The same, synchronised in each transaction: a power cut loses nothing."""
    with database(folder, "FULL") as put:
        yield put


WAYS: Final = {"files": files, "database": database, "database, FULL": synchronised}


def agent(way: str, folder: Path, results: Queue[Any]) -> None:
    """One agent's turns; gives the time of each."""
    took = []
    with WAYS[way](folder) as put:
        put(LINE)
        for _ in range(TURNS):
            began = time.perf_counter()
            put(LINE)
            took.append((time.perf_counter() - began) * 1e6)
            time.sleep(PAUSE)
    results.put(took)


def take_out(folder: Path, is_over: Any) -> None:
    """What moves turns to the ledger: takes batches out of the database until told to stop."""
    inbox = open_inbox(folder, "NORMAL")
    while not is_over.wait(0.02):
        rows = inbox.execute("SELECT number FROM inbox ORDER BY number LIMIT 1000").fetchall()
        if rows:
            inbox.execute("DELETE FROM inbox WHERE number <= ?", rows[-1])


def beside(way: str, agents: int, folder: Path) -> list[float]:
    """The times of all turns of so many agents at once, sorted."""
    results: Queue[Any] = Queue()
    is_over = Event()
    taker = Process(target=take_out, args=(folder, is_over))
    if way != "files":
        open_inbox(folder, "NORMAL").close()
        taker.start()
    processes = [Process(target=agent, args=(way, folder, results)) for _ in range(agents)]
    for process in processes:
        process.start()
    took = sorted(turn for _ in processes for turn in results.get())
    for process in processes:
        process.join()
    is_over.set()
    if way != "files":
        taker.join()
    return took


_NOTHING: Final = "import json, zlib, os, sys"
_ONE_FILE: Final = """
import json, zlib, os, sys
file = os.open(sys.argv[1] + f"/{os.getpid()}.new", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
os.write(file, b"x" * 1200); os.fsync(file); os.close(file)
os.rename(sys.argv[1] + f"/{os.getpid()}.new", sys.argv[1] + f"/{os.getpid()}.spool")
"""
_ONE_ROW: Final = """
import json, zlib, os, sys, sqlite3
inbox = sqlite3.connect(sys.argv[1] + "/inbox.db", timeout=10, isolation_level=None)
inbox.execute("PRAGMA journal_mode = WAL"); inbox.execute("PRAGMA synchronous = FULL")
inbox.execute("CREATE TABLE IF NOT EXISTS inbox (number INTEGER PRIMARY KEY, line BLOB)")
inbox.execute("INSERT INTO inbox (line) VALUES (?)", (b"x" * 1200,)); inbox.close()
"""


def hook(program: str, folder: Path, runs: int = 60) -> float:
    """The CPU milliseconds of a process that runs this program and ends."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(runs):
        subprocess.run([sys.executable, "-I", "-S", "-c", program, str(folder)], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 1000 * spent / runs


def wait_beside_a_stopped_writer(folder: Path) -> str:
    """What a turn meets while another program was stopped within its transaction."""
    stopped = open_inbox(folder, "NORMAL")
    stopped.execute("BEGIN IMMEDIATE")
    other = open_inbox(folder, "NORMAL")
    other.execute("PRAGMA busy_timeout = 1000")
    began = time.perf_counter()
    try:
        other.execute("INSERT INTO inbox (line) VALUES (?)", (LINE,))
    except sqlite3.OperationalError as error:
        return f"{error} after {time.perf_counter() - began:.1f} s"
    return "nothing"


def main() -> None:
    """Prints the table."""
    base = sys.argv[1] if len(sys.argv) > 1 else None
    print(f"load {os.getloadavg()[0]:.1f}; SQLite {sqlite3.sqlite_version}")
    for agents in (1, 4, 8):
        for way in WAYS:
            with TemporaryDirectory(dir=base) as folder:
                took = beside(way, agents, Path(folder))
            at = [took[int(len(took) * share)] for share in (0.5, 0.99, 0.999)]
            figures = "".join(f"{value:>10,.0f}" for value in (*at, took[-1]))
            print(f"{agents} agents, {way:<16} µs at 50, 99, 99.9 %, most:{figures}")
    for name, program in (("none", _NOTHING), ("files", _ONE_FILE), ("database", _ONE_ROW)):
        with TemporaryDirectory(dir=base) as folder:
            hook(program, Path(folder), runs=5)
            print(f"one turn of a process, {name}: {hook(program, Path(folder)):.1f} ms of CPU")
    with TemporaryDirectory(dir=base) as folder:
        print("beside a stopped writer:", wait_beside_a_stopped_writer(Path(folder)))


if __name__ == "__main__":
    main()

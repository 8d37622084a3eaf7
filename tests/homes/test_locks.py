"""The agent's own locks are honoured, waited for within a bound, and nothing is lost under them."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from reviewdeck.errors import Busy, WriteFailed
from reviewdeck.homes.hermes.writer import HermesWriter
from reviewdeck.model.plans import Change

MEMORY = "memories/MEMORY.md"
SKILL = "skills/notes/SKILL.md"

HOLD = """
    import fcntl, sys
    with open(sys.argv[1], "a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        print("held", flush=True)
        sys.stdin.readline()
"""

ADD_LIKE_HERMES = """
    import fcntl, os, sys, tempfile
    from pathlib import Path
    memory, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    for number in range(count):
        with open(f"{memory}.lock", "a+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            text = memory.read_text("utf-8")
            temp, path = tempfile.mkstemp(dir=memory.parent, prefix=".mem_", suffix=".tmp")
            with os.fdopen(temp, "w", encoding="utf-8") as file:
                file.write(text + f"\\n§\\n{name} {number}")
                file.flush()
                os.fsync(file.fileno())
            os.replace(path, memory)
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "memories").mkdir()
    (tmp_path / "skills").mkdir()
    (tmp_path / MEMORY).write_text("first", "utf-8")
    return tmp_path


def python(script: str, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@contextmanager
def held_elsewhere(lock: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process holds this lock."""
    with python(HOLD, str(lock)) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        try:
            yield other
        finally:
            other.terminate()


@pytest.mark.parametrize(
    ("path", "lock"),
    [(MEMORY, "memories/MEMORY.md.lock"), (SKILL, ".reviewdeck/skills.lock")],
)
def test_a_lock_held_elsewhere_is_waited_for_and_then_busy(
    home: Path, path: str, lock: str
) -> None:
    (home / ".reviewdeck").mkdir()
    with held_elsewhere(home / lock) as other:
        began = time.monotonic()
        with pytest.raises(Busy), HermesWriter(home, lock_wait=0.3).lock([path]):
            raise AssertionError("the lock is held by another process")
        assert time.monotonic() - began > 0.25
        other.terminate()
        other.wait()
        with HermesWriter(home, lock_wait=5).lock([path]):
            assert not can_lock(home / lock)
    assert can_lock(home / lock)


def can_lock(lock: Path) -> bool:
    with lock.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def test_a_lock_that_comes_free_in_time_is_taken(home: Path) -> None:
    with held_elsewhere(home / "memories/MEMORY.md.lock") as other:
        assert other.stdin is not None
        other.stdin.write("go\n")
        other.stdin.flush()
        with HermesWriter(home, lock_wait=20).lock([MEMORY]):
            assert other.wait() == 0


def test_a_wait_that_was_given_up_does_not_keep_the_lock_later(home: Path) -> None:
    lock = home / "memories/MEMORY.md.lock"
    with (
        held_elsewhere(lock),
        pytest.raises(Busy),
        HermesWriter(home, lock_wait=0.05).lock([MEMORY]),
    ):
        pass
    deadline = time.monotonic() + 60
    while not can_lock(lock) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert can_lock(lock)


def test_an_interrupt_while_waiting_leaves_no_lock_behind(home: Path) -> None:
    lock = home / "memories/MEMORY.md.lock"
    with held_elsewhere(lock):
        here = threading.get_ident()
        timer = threading.Timer(0.1, signal.pthread_kill, [here, signal.SIGINT])
        with pytest.raises(KeyboardInterrupt):
            timer.start()  # On a busy machine it may come before the wait has begun.
            with HermesWriter(home, lock_wait=60).lock([MEMORY]):
                pass
        timer.join()
    deadline = time.monotonic() + 60
    while not can_lock(lock) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert can_lock(lock)


def test_a_busy_second_lock_lets_go_of_the_first(home: Path) -> None:
    with held_elsewhere(home / "memories/USER.md.lock"):
        writer = HermesWriter(home, lock_wait=0.05)
        with pytest.raises(Busy), writer.lock(["memories/USER.md", MEMORY]):
            pass
        assert can_lock(home / "memories/MEMORY.md.lock")


def test_lock_files_stay_with_their_mode(home: Path) -> None:
    lock = home / "memories/MEMORY.md.lock"
    lock.touch()
    lock.chmod(0o644)
    inode = lock.stat().st_ino
    with HermesWriter(home).lock([MEMORY, "memories/USER.md", SKILL]):
        pass
    assert (lock.stat().st_ino, lock.stat().st_mode & 0o777) == (inode, 0o644)
    assert (home / "memories/USER.md.lock").stat().st_mode & 0o777 == 0o600
    assert (home / ".reviewdeck/skills.lock").stat().st_mode & 0o777 == 0o600


def test_a_lock_file_that_was_replaced_while_waiting_is_not_believed(home: Path) -> None:
    lock = home / "memories/MEMORY.md.lock"
    with held_elsewhere(lock) as first, ExitStack() as stack:

        def replace() -> None:
            lock.unlink()
            stack.enter_context(held_elsewhere(lock))
            first.terminate()

        timer = threading.Timer(0.2, replace)
        timer.start()
        with pytest.raises(Busy), HermesWriter(home, lock_wait=2).lock([MEMORY]):
            pass
        timer.join()


def test_a_lock_that_is_a_link_is_not_followed(home: Path) -> None:
    target = home / "elsewhere"
    (home / "memories/MEMORY.md.lock").symlink_to(target)
    with pytest.raises(WriteFailed), HermesWriter(home).lock([MEMORY]):
        pass
    assert not target.exists()


def test_the_lock_of_a_linked_memory_is_where_hermes_looks_for_it(home: Path) -> None:
    real = home / "dotfiles"
    (home / "memories").rename(real)
    (home / "memories").symlink_to(real)
    with HermesWriter(home).lock([MEMORY]):
        assert not can_lock(home / "memories/MEMORY.md.lock")


def test_a_home_without_memories_gets_the_folder_with_the_lock(home: Path) -> None:
    (home / MEMORY).unlink()
    (home / "memories").rmdir()
    with HermesWriter(home).lock([MEMORY]):
        assert (home / "memories").is_dir()


def test_an_error_under_the_lock_is_passed_on_as_it_is(home: Path) -> None:
    with pytest.raises(ZeroDivisionError), HermesWriter(home).lock([MEMORY]):
        raise ZeroDivisionError
    with pytest.raises(FileNotFoundError), HermesWriter(home).lock([MEMORY]):
        os.stat(home / "none")  # noqa: PTH116 - any system call that fails will do
    assert can_lock(home / "memories/MEMORY.md.lock")


def test_nothing_is_lost_while_the_agent_writes_at_the_same_time(home: Path) -> None:
    writer = HermesWriter(home, lock_wait=30)
    agents = [python(ADD_LIKE_HERMES, str(home / MEMORY), name, "200") for name in ("a", "b")]
    ours = 0
    while ours < 20 or any(agent.poll() is None for agent in agents):
        with writer.lock([MEMORY]):
            before = writer.read(MEMORY).data
            assert before is not None
            after = before + f"\n§\nours {ours}".encode()
            writer.write((Change(MEMORY, before, after),), f"op{ours}")
        assert writer.settle(f"op{ours}") == ()
        ours += 1
    for agent in agents:
        with agent:
            assert agent.wait() == 0
    entries = (home / MEMORY).read_text("utf-8").split("\n§\n")
    wanted = {"first"} | {f"{name} {n}" for name in ("a", "b") for n in range(200)}
    wanted |= {f"ours {n}" for n in range(ours)}
    assert len(entries) == len(wanted)
    assert set(entries) == wanted

"""However a recorder ends, everything that was taken is in the sink or waits for the next one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

from tests.sessions.kit import (
    SOON,
    Stopped,
    kept_in_lines,
    lines_sink,
    recorder,
    said,
    segments,
    texts,
)

from reviewdeck.clock import utc_now
from reviewdeck.ledger.opening import open_ledger
from reviewdeck.model import SessionMode
from reviewdeck.recording import deliver_leftovers
from reviewdeck.sessions import JsonLines

ROOT = Path(__file__).parents[2]


def start(code: str, *arguments: str) -> subprocess.Popen[str]:
    """Python in a process of its own."""
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_closing_flushes_the_partial_buffer_and_is_idempotent(tmp_path: Path) -> None:
    sink = Stopped(lines_sink(tmp_path, SessionMode.APPEND))
    at_work = recorder(tmp_path, sink, every=10)
    talks = [at_work.begin(name) for name in ("a", "b")]
    for talk in talks:
        talk.record(said("one"))
    assert at_work.close()
    assert at_work.close()
    assert [len(batch.turns) for batch in sink.batches] == [1, 1]
    assert not segments(tmp_path)


def test_closing_is_bounded_and_what_is_left_is_for_the_next_recorder(tmp_path: Path) -> None:
    sink = Stopped(lines_sink(tmp_path, SessionMode.APPEND), is_open=False)
    at_work = recorder(tmp_path, sink)
    at_work.begin("s").record(said("one"))
    assert not at_work.close(0.1)
    assert not at_work.close(5.0)
    assert segments(tmp_path)
    sink.gate.set()
    wait_until_nobody_is_at(tmp_path)
    with recorder(tmp_path, JsonLines(tmp_path / "lines")):
        pass
    assert texts(kept_in_lines(tmp_path), "s") == [["one"]]
    assert not segments(tmp_path)


def wait_until_nobody_is_at(folder: Path) -> None:
    """Until the writer of an earlier recorder has let go."""
    deadline = time.monotonic() + SOON
    while any(one.name == "turn-writer" for one in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_shutdown_during_a_flush_keeps_everything_once(tmp_path: Path) -> None:
    sink = Stopped(lines_sink(tmp_path, SessionMode.APPEND), is_open=False)
    at_work = recorder(tmp_path, sink, every=2)
    talk = at_work.begin("s")
    for text in ("one", "two", "three"):
        talk.record(said(text))
    assert sink.reached.wait(SOON)  # The flush of the first two is under way.
    threading.Timer(0.05, sink.gate.set).start()
    assert at_work.close(SOON)
    assert texts(kept_in_lines(tmp_path), "s") == [["one", "two", "three"]]
    assert not segments(tmp_path)


def test_a_switch_and_turns_during_and_after_shutdown_go_to_the_spool(tmp_path: Path) -> None:
    sink = Stopped(lines_sink(tmp_path, SessionMode.APPEND), is_open=False)
    at_work = recorder(tmp_path, sink, every=5)
    talk = at_work.begin("old")
    talk.record(said("one"))
    closing = threading.Thread(target=at_work.close)
    closing.start()
    assert sink.reached.wait(SOON)  # It drains;
    talk.record(said("two"))
    talk.switch("new")  # and the agent still switches.
    talk.record(said("three"))
    sink.gate.set()
    closing.join(SOON)
    talk.record(said("four"))
    assert texts(kept_in_lines(tmp_path), "old") == [["one"]]
    with recorder(tmp_path, JsonLines(tmp_path / "lines")):
        pass
    assert texts(kept_in_lines(tmp_path), "old") == [["one", "two"]]
    assert texts(kept_in_lines(tmp_path), "new") == [["three", "four"]]
    assert not segments(tmp_path)


def test_the_end_of_the_interpreter_leaves_everything_to_the_ledger_or_its_spool(
    tmp_path: Path,
) -> None:
    """A first start of the ledger beside other load takes longer than what an exit waits for."""
    done = start(
        """
        import sys
        from reviewdeck import open_recorder
        from reviewdeck.model import Message, Role
        talk = open_recorder(ledger=sys.argv[1], retain_every_n_turns=10).begin("s")
        for number in range(3):
            talk.record([Message(Role.USER, str(number))])
        """,
        str(tmp_path / "ledger.db"),
    )
    done.communicate(timeout=120)
    assert done.returncode == 0
    kept = open_ledger(str(tmp_path / "ledger.db"), now=utc_now)
    deliver_leftovers(tmp_path / "ledger.db.spool", kept)
    assert texts(kept, "s") == [["0", "1", "2"]]
    assert list((tmp_path / "ledger.db.spool").iterdir()) == []
    kept.close()


FULL = """
    import sys, time
    from pathlib import Path
    from tests.sessions.kit import Stopped, lines_sink, recorder, said
    from reviewdeck.model import SessionMode
    folder = Path(sys.argv[1])
    sink = Stopped(lines_sink(folder, SessionMode.APPEND), is_open=False)
    at_work = recorder(folder, sink, every=4)
    talk, other = at_work.begin("a"), at_work.begin("b")
    for number in range(501):
        talk.record(said(f"a{number}"))
        other.record(said(f"b{number}"))
    print("full", flush=True)
    time.sleep(60)
"""


def test_a_kill_with_a_full_spool_loses_nothing(tmp_path: Path) -> None:
    child = start(FULL, str(tmp_path))
    assert child.stdout is not None
    assert child.stdout.readline() == "full\n"
    with recorder(tmp_path, JsonLines(tmp_path / "lines")):
        pass  # While the other lives, its spool is its own.
    assert texts(kept_in_lines(tmp_path), "a") == []
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    for _ in range(2):
        with recorder(tmp_path, JsonLines(tmp_path / "lines")):
            pass
        for name in "ab":
            assert texts(kept_in_lines(tmp_path), name) == [[f"{name}{n}" for n in range(501)]]
    assert not segments(tmp_path)


def test_a_line_that_a_power_cut_tore_costs_itself_and_nothing_else(tmp_path: Path) -> None:
    sink = Stopped(lines_sink(tmp_path, SessionMode.APPEND), is_open=False)
    at_work = recorder(tmp_path, sink)
    talk = at_work.begin("s")
    for text in ("one", "two", "three"):
        talk.record(said(text))
    (path,) = segments(tmp_path)
    whole = path.read_bytes()
    at_work.close(0)
    sink.gate.set()
    wait_until_nobody_is_at(tmp_path)
    torn = tmp_path / "other"
    for number, data in enumerate((whole[:-20], whole.replace(b"two", b"TWO"))):
        folder = torn / str(number)
        (folder / "spool").mkdir(parents=True)
        (folder / "spool" / path.name).write_bytes(data)
        with recorder(folder, JsonLines(folder / "lines")):
            pass
        assert texts(kept_in_lines(folder), "s") == [["one", ("two", "three")[number]]]

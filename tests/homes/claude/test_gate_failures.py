"""What becomes of a call where the gate is slow, killed, out of room or kept waiting."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from tests.homes.claude.kit import (
    GATE,
    MEMORY,
    after,
    bash,
    calls,
    event,
    make_config,
    records,
    started,
    write,
)

from reviewdeck.homes import claude
from reviewdeck.homes.claude.agent import TIMEOUT


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return make_config(tmp_path / ".claude")


def reason(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
    return str(answer.get("permissionDecisionReason", ""))


def test_without_room_on_the_disk_a_document_is_refused_and_half_a_record_is_none(
    config: Path,
) -> None:
    limited = ("bash", "-c", 'ulimit -f 0; trap "" XFSZ; exec "$@"', "bash")
    told = write(config / MEMORY / "b.md", "B.\n" * 1000)
    why = reason(started(config, told, before=limited))
    assert "could not be kept (File too large)" in why
    assert "The file is as it was." in why
    assert records(config) == []
    ours = config / ".reviewdeck"
    assert [path.name for path in ours.rglob("*") if path.suffix == ".new"] == []


def test_an_entry_from_before_the_gate_was_moved_still_starts_it(config: Path) -> None:
    start = "import sys; sys.path.append(sys.argv[1]); from hook.gate import main; main()"
    words = [*GATE[:4], start, str(Path(claude.__file__).parent), GATE[-1], f"config:{config}"]
    told = json.dumps(write(config / MEMORY / "b.md", "B.\n")).encode()
    done = subprocess.run(words, input=told, capture_output=True, check=True, env={})
    assert b"took this change" in done.stdout
    assert len(records(config)) == 1


def test_without_room_on_the_disk_a_command_goes_on(config: Path) -> None:
    limited = ("bash", "-c", 'ulimit -f 0; trap "" XFSZ; exec "$@"', "bash")
    assert started(config, bash("make"), before=limited).returncode == 1


@pytest.mark.parametrize("name", ["pending", "."])
def test_where_the_spool_is_something_else_a_document_is_refused(config: Path, name: str) -> None:
    ours = config / ".reviewdeck" / "claude"
    (ours / name).parent.mkdir(parents=True)
    (ours / name).write_text("x") if name != "." else (ours.parent / "claude").symlink_to("/")
    assert "could not take" in reason(started(config, write(config / MEMORY / "b.md", "B.\n")))


def test_records_that_cannot_be_read_are_stepped_over(config: Path) -> None:
    pending = config / ".reviewdeck" / "claude" / "pending"
    pending.mkdir(parents=True)
    (pending / "0-broken.json").write_text('{"absent')
    (pending / "1-list.json").write_text('["absent"]')
    (pending / "2-odd.json").write_text('{"writes": "absent"}')
    assert "took this change" in reason(started(config, write(config / MEMORY / "b.md", "B.\n")))


@pytest.mark.slow
def test_a_lock_that_is_held_refuses_a_document_in_time_and_lets_a_command_go_on(
    config: Path,
) -> None:
    ours = config / ".reviewdeck" / "claude"
    ours.mkdir(parents=True)
    with (ours / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        began = os.times().elapsed
        why = reason(started(config, write(config / MEMORY / "b.md", "B.\n")))
        assert "locked by another program" in why
        assert os.times().elapsed - began < TIMEOUT
        assert started(config, bash("make")).returncode == 1
    assert "took this change" in reason(started(config, write(config / MEMORY / "b.md", "B.\n")))


@pytest.mark.parametrize("told", [b"", b"{", b"[]", b"\xff"])
def test_what_is_not_understood_blocks_where_only_documents_come(config: Path, told: bytes) -> None:
    assert started(config, told, "strict").returncode == 2
    assert started(config, told).returncode == 1
    broken = json.dumps(event("Write", {"file_path": 3})).encode()
    assert started(config, broken, "strict").returncode == 2
    assert started(config, broken).returncode == 1


@pytest.mark.slow
def test_a_gate_that_is_killed_leaves_the_old_record_or_the_new_one(config: Path) -> None:
    started(config, write(config / MEMORY / "b.md", "B.\n"))
    told = json.dumps(write(config / MEMORY / "c.md", "C.\n" * 50_000, "toolu_2")).encode()
    seen = set()
    for wait in range(1, 60):
        running = subprocess.Popen([*GATE, f"config:{config}"], stdin=subprocess.PIPE)
        assert running.stdin is not None
        running.stdin.write(told)
        running.stdin.close()
        try:
            running.wait(wait / 1000)
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGKILL)
            running.wait()
        (record,) = records(config)
        seen.add(len(record["writes"]))
    assert started(config, write(config / MEMORY / "c.md", "C.\n" * 50_000, "toolu_2")).stdout
    assert [len(record["writes"]) for record in records(config)] == [2]
    assert seen <= {1, 2}


def test_a_command_whose_end_was_never_told_is_ended_by_the_next_prompt(config: Path) -> None:
    started(config, bash("sh tidy.sh"))
    (config / MEMORY / "a.md").write_text("changed\n")
    prompt = event("", {}, hook_event_name="UserPromptSubmit")
    assert started(config, {**prompt, "session_id": "another"}).returncode == 0
    assert calls(config) == []
    assert started(config, prompt).returncode == 0
    (noted,) = calls(config)
    assert [change["document"] for change in noted["changes"]] == [f"{MEMORY}/a.md"]
    assert started(config, after(bash("sh tidy.sh"))).returncode == 0
    assert len(calls(config)) == 1


def test_a_command_of_a_subagent_is_not_ended_by_the_next_prompt_of_its_session(
    config: Path,
) -> None:
    told = bash("sh tidy.sh", agent_id="a1")
    started(config, told)
    (config / MEMORY / "a.md").write_text("changed\n")
    started(config, event("", {}, hook_event_name="UserPromptSubmit"))
    assert calls(config) == []
    started(config, after(told))
    assert len(calls(config)) == 1

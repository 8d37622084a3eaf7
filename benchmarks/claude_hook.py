"""CPU cost of the gate inside Claude Code for each kind of tool call, relative to an empty Python.

    python benchmarks/claude_hook.py [ROUNDS]

Each round starts both, one after the other; the figures are medians of CPU time, user and system.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from reviewdeck.agents.gated.switches import MARK
from reviewdeck.homes.claude.agent import START
from reviewdeck.homes.gated.settings import FOLDER

PYTHON = (sys.executable, "-I", "-S", "-c")
LIMIT = 3.0
"""Limit, in multiples of an empty Python."""
FACTS = 200
"""Documents in the home."""


def events(home: Path, number: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """One event of each kind of call."""
    memory = home / "projects" / "-w-app" / "memory"
    write = {"file_path": "/w/app/main.py", "content": "pass\n"}
    yield "a file that is not governed", {"tool_name": "Write", "tool_input": write}
    write = {"file_path": str(memory / f"new-{number}.md"), "content": "A fact.\n"}
    yield "a write that is staged", {"tool_name": "Write", "tool_input": write}
    command = {"command": "ls -l src && python -m pytest -q"}
    yield "before a command", {"tool_name": "Bash", "tool_input": command}
    after = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": command}
    yield "after a command", after
    yield "a prompt", {"hook_event_name": "UserPromptSubmit", "prompt": "Go on."}


def cpu(words: tuple[str, ...], stdin: bytes) -> float:
    """CPU seconds of one program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, input=stdin, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> int:
    """Prints a line for each kind of call; the exit code is 1 beyond the limit."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    took: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, ".claude")
        memory = home / "projects" / "-w-app" / "memory"
        memory.mkdir(parents=True)
        for number in range(FACTS):
            (memory / f"fact-{number}.md").write_text(f"Fact {number}.\n" * 20, "utf-8")
        gate = (*PYTHON, START, str(FOLDER), MARK, f"config:{home}")
        common = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "prompt_id": "p"}
        for number in range(rounds):
            took.setdefault("bare", []).append(cpu((*PYTHON, "pass"), b""))
            for name, event in events(home, number):
                event = {**common, "tool_use_id": f"toolu_{number}", **event}
                took.setdefault(name, []).append(cpu(gate, json.dumps(event).encode()))
    bare = median(took.pop("bare"))
    print(f"{bare * 1e3:6.1f} ms  1.00  a Python that does nothing")
    for name, times in took.items():
        print(f"{median(times) * 1e3:6.1f} ms  {median(times) / bare:.2f}  {name}")
    return int(max(map(median, took.values())) > LIMIT * bare)


if __name__ == "__main__":
    sys.exit(main())

"""What reviewdeck adds to a real Hermes: `python -m benchmarks.hermes_cost [--rounds N]`.

REVIEWDECK_HERMES_PYTHON names a Python that has Hermes. Two figures, with the gates on and a model
on the loopback that answers at once. The first is the way of a fact from the Enter key in Hermes'
own terminal to the memory: until its agent proposes it in the same turn, or its background review
after the turn, and until the watch has applied it. The second is the plugin's share of one tool
call: what its middleware takes around the tool. The exit code is 1 beyond 3 seconds, or 5
milliseconds of the processor.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import report
from tests.cli.test_watch import Watching
from tests.contract.kit import (
    PYTHON,
    Model,
    add,
    inside,
    is_agents,
    is_review,
    make_home,
    reviewdeck,
)
from tests.contract.terminal import Terminal, say

LEARNT = 3.0
"""The most seconds from a typed sentence to the entry, beside the model's time."""
SHARE = 0.005
"""The most seconds of the plugin in one tool call."""
FACTS = (
    ("I drink tea.", "The user drinks tea."),
    ("I live in Warsaw.", "The user lives in Warsaw."),
    ("I commute by bicycle.", "The user commutes by bicycle."),
    ("I prefer short answers.", "The user prefers short answers."),
    ("My editor is Helix.", "The user's editor is Helix."),
)
CALLS = """
    import json, sys, time
    from hermes_cli.plugins import discover_plugins, invoke_hook
    from hermes_cli.middleware import run_tool_execution_middleware
    from tools.memory_tool import load_on_disk_store, memory_tool
    rounds = int(sys.argv[1])
    discover_plugins()
    history = [{"role": "user", "content": "Note that."}]
    for number in range(100):
        function = {"name": "terminal", "arguments": '{"command": "ls"}'}
        call = {"id": f"c{number}", "function": function}
        history += [{"role": "assistant", "tool_calls": [call]},
                    {"role": "tool", "tool_call_id": f"c{number}", "content": "a\\n" * 200}]
    invoke_hook("pre_api_request", turn_id="t1", session_id="s1", conversation_history=history,
                request_messages=history, model="m", request={})
    store = load_on_disk_store()
    def fact(number):
        return {"action": "add", "target": "memory", "content": f"Fact {number}."}
    kinds = {
        "an entry, staged": ("memory", fact, lambda args: memory_tool(**args, store=store)),
        "a command": ("terminal", lambda _: {"command": "make test"}, lambda _: "{}"),
        "a file": ("write_file", lambda _: {"path": "notes.md", "content": "x"}, lambda _: "{}"),
        "another tool": ("read_file", lambda _: {"path": "notes.md"}, lambda _: "{}"),
    }
    def now():
        return time.perf_counter(), time.process_time()
    took = {}
    for name, (tool, arguments, run) in kinds.items():
        shares = took[name] = []
        for number in range(rounds):
            inner = []
            def timed(args):
                inner.append(now())
                try:
                    return run(args)
                finally:
                    inner.append(now())
            began = now()
            run_tool_execution_middleware(tool, arguments(number), timed, session_id="s1",
                                          turn_id="t1", tool_call_id=f"call{number}")
            moments = began, *inner, now()
            shares.append([b - a - d + c for a, c, d, b in zip(*moments)])
    print(json.dumps(took))
"""


@dataclass(frozen=True, slots=True)
class Way:
    """The way of one sentence, in seconds after it was entered."""

    asked: float
    """Until the model is asked."""
    staged: float
    """Until its record waits."""
    learnt: float
    """Until its entry is in the memory."""


class Answers(Model):
    """A model that proposes the fact of a sentence: in its turn, or in the review of it."""

    def __init__(self, *, in_review: bool) -> None:
        self.in_review = in_review
        self.asked_at: dict[str, float] = {}
        """When it was first asked about each fact."""
        super().__init__((), ())

    def line(self) -> Any:
        """Its answer to the latest request."""
        request = self.requests[-1]
        messages = request.get("messages", [])
        if not is_agents(request) or messages[-1]["role"] == "tool":
            return {"say": "Noted."}
        told = " ".join(str(one["content"]) for one in messages if one["role"] == "user")
        known = [fact for sentence, fact in FACTS if sentence in told]
        if not known:
            return {"say": "Hello."}
        self.asked_at.setdefault(known[-1], time.time())
        return add(known[-1], "user") if is_review(request) == self.in_review else {"say": "Noted."}


def ways(root: Path, *, in_review: bool) -> list[Way]:
    """Types each sentence into the terminal, one after the other."""
    home = make_home(root / "user" / ".hermes", nudge=int(in_review))
    memory, running = home / "memories" / "USER.md", Answers(in_review=in_review)
    watch = Watching(home, home.parent / "ledger.db", "--json")
    terminal = Terminal(home, running)
    entered: dict[str, float] = {}
    learnt: dict[str, float] = {}
    try:
        watch.wait_for("watching")
        say(terminal, running, "Hello.")
        terminal.wait_for(lambda: "Hello." in terminal.printed, "no answer")
        for sentence, fact in FACTS:
            before = len(terminal.printed)
            entered[fact] = say(terminal, running, sentence)

            def is_learnt(fact: str = fact) -> bool:
                return memory.exists() and fact in memory.read_text("utf-8")

            terminal.wait_for(is_learnt, f"{fact} is not learnt")
            learnt[fact] = memory.stat().st_mtime
            terminal.wait_for(partial(_is_answered, terminal, before), "no answer")
    finally:
        terminal.end()
        watch.stop()
        running.close()
    staged = staged_at(home)
    return [
        Way(*(moment[fact] - entered[fact] for moment in (running.asked_at, staged, learnt)))
        for _, fact in FACTS
    ]


def _is_answered(terminal: Terminal, before: int) -> bool:
    return "Noted." in terminal.printed[before:]


def staged_at(home: Path) -> dict[str, float]:
    """When Hermes staged each entry that was applied."""
    items = json.loads(reviewdeck(home, "list", "--state", "applied", "--json"))
    return {
        fact: datetime.fromisoformat(item["created_at"]).timestamp()
        for item in items
        for _, fact in FACTS
        if fact in item["gist"]
    }


def shares(root: Path, rounds: int) -> dict[str, list[list[float]]]:
    """The plugin's seconds in each of some calls, of the clock and the processor, by kind."""
    home = make_home(root / "user" / ".hermes")
    found: dict[str, list[list[float]]] = json.loads(
        inside(home, CALLS, str(rounds)).splitlines()[-1]
    )
    return found


def main() -> int:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200, help="calls of each kind")
    rounds = parser.parse_args().rounds
    if not PYTHON:
        parser.error("REVIEWDECK_HERMES_PYTHON names no Python that has Hermes")
    print(f"{PYTHON}; {report.machine()}\n")
    slowest, rows = 0.0, []
    for name, in_review in (("in the turn", False), ("by its review", True)):
        with tempfile.TemporaryDirectory() as folder:
            found = ways(Path(folder), in_review=in_review)
        rows.append([name, *(_seconds(found, each) for each in ("asked", "staged", "learnt"))])
        slowest = max(slowest, median(way.learnt for way in found))
    print(report.table(["proposed", "model asked", "staged", "learnt"], rows))
    dearest, rows = 0.0, []
    with tempfile.TemporaryDirectory() as folder:
        for name, took in shares(Path(folder), rounds).items():
            clock, processor = (median(each) for each in zip(*took, strict=True))
            rows.append([name, f"{clock * 1e3:.2f} ms", f"{processor * 1e3:.2f} ms"])
            dearest = max(dearest, processor)
    print(report.table(["call", "plugin's share", "of the processor"], rows))
    return int(slowest > LEARNT or dearest > SHARE)


def _seconds(found: Sequence[Way], name: str) -> str:
    times = [getattr(way, name) for way in found]
    return f"{median(times):.2f} s (at most {max(times):.2f})"


if __name__ == "__main__":
    sys.exit(main())
